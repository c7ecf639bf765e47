"""The same questions answered by code written for this game alone, as fast as plain Python goes.

It knows what the drawn situations hold and nothing more: units that have done nothing yet, no special
forces, a day after the 16th, and no zone that is closed. Tables are made when a situation is prepared.
"""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from functools import cache
from math import factorial, prod
from typing import Any

QUALITY = {"engineer": 5, "armor": 4, "mechanized": 3, "motorized": 2, "foot": 1}
ROAD = {"major": 1, "minor": 2}
Json = dict[str, Any]


class Battle:
    """Fire of one side: targets are bits, for all covers differ by one shot at most.

    After n shots every target has n // targets of them, and those in the mask have one more.
    """

    def __init__(self, battle: Json, who: str) -> None:
        firers, targets = battle["attackers"], battle["defenders"]
        if who == "defender":
            firers, targets = targets, firers
        self.names = [target["id"] for target in targets]
        self.qualities = [QUALITY[target["kind"]] for target in targets]
        self.claims = [who == "attacker" or target["strength"] > 1 for target in targets]
        self.full = (1 << len(targets)) - 1
        self.order = sorted(range(len(firers)), key=lambda n: -QUALITY[firers[n]["kind"]])
        ranks = [QUALITY[firers[n]["kind"]] for n in self.order]
        self.classes = [(rank, ranks.count(rank)) for rank in dict.fromkeys(ranks)]
        self.back = sorted(range(len(firers)), key=self.order.__getitem__)
        self.alone = len(firers) == 1
        self.after = cache(self._after)

    def _allowed(self, rank: int, mask: int, first: bool) -> int:
        """Give the targets that a firer may pick in a state, as bits."""
        if not first:
            return self.full & ~mask
        if self.alone:
            return self._for_one(rank)
        best = self._best(rank, [n for n, claims in enumerate(self.claims) if claims and not mask >> n & 1])
        free = (n for n in range(len(self.names)) if not mask >> n & 1)
        return sum(1 << n for n in free if self._preference(rank, n) <= best)

    def _best(self, rank: int, claiming: list[int]) -> int:
        return min((self._preference(rank, n) for n in claiming), default=99)

    def _preference(self, rank: int, target: int) -> int:
        """An equal first, then the best of the lower, then the lowest of the higher."""
        quality = self.qualities[target]
        return rank - quality if quality <= rank else 10 + quality

    def _for_one(self, rank: int) -> int:
        claiming = [q for q, claims in zip(self.qualities, self.claims, strict=True) if claims]
        limit = rank if any(q <= rank for q in claiming) else min(claiming, default=9)
        return sum(1 << n for n, quality in enumerate(self.qualities) if quality <= limit)

    def _after(self, rank: int, mask: int, fired: int, shots: int) -> frozenset[int]:
        """Give the masks that some order of so many shots of one class leads to."""
        masks = {mask}
        for number in range(fired, fired + shots):
            first = number < len(self.names)
            following = set()
            for one in masks:
                allowed = self._allowed(rank, one, first)
                while allowed:
                    bit = allowed & -allowed
                    allowed ^= bit
                    following.add(one | bit if one | bit != self.full else 0)
            masks = following
        return frozenset(masks)

    def _shots(self, before: int, mask: int, fired: int, shots: int) -> list[int]:
        levels = (fired + shots) // len(self.names) - fired // len(self.names)
        return [levels + (mask >> n & 1) - (before >> n & 1) for n in range(len(self.names))]

    def count(self) -> int:
        """Count the legal allocations."""
        ways, fired = {0: 1}, 0
        for rank, shots in self.classes:
            following: defaultdict[int, int] = defaultdict(int)
            for before, number in ways.items():
                for mask in self.after(rank, before, fired, shots):
                    split = prod(factorial(n) for n in self._shots(before, mask, fired, shots))
                    following[mask] += number * factorial(shots) // split
            ways, fired = following, fired + shots
        return sum(ways.values())

    def choices(self) -> list[tuple[str, ...]]:
        """List the legal allocations: the target of each firer."""
        back, names = self.back, self.names
        return [tuple([names[picked[n]] for n in back]) for picked in self._from(0, 0, 0)]

    def _from(self, number: int, before: int, fired: int) -> list[tuple[int, ...]]:
        if number == len(self.classes):
            return [()]
        rank, shots = self.classes[number]
        found: list[tuple[int, ...]] = []
        for mask in self.after(rank, before, fired, shots):
            rest = self._from(number + 1, mask, fired + shots)
            shared = arrangements(tuple(self._shots(before, mask, fired, shots)))
            found += [one + other for one, other in itertools.product(shared, rest)]
        return found

    def is_legal(self, picked: tuple[str, ...]) -> bool:
        """Whether an allocation is legal."""
        targets = [self.names.index(picked[n]) for n in self.order]
        mask = fired = 0
        for rank, shots in self.classes:
            wanted = [0] * len(self.names)
            for target in targets[fired : fired + shots]:
                wanted[target] += 1
            masks = self.after(rank, mask, fired, shots)
            found = [one for one in masks if self._shots(mask, one, fired, shots) == wanted]
            if not found:
                return False
            mask, fired = found[0], fired + shots
        return True


@cache
def arrangements(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """List the sequences in which number n stands counts[n] times."""
    numbers = [n for n, count in enumerate(counts) for _ in range(count)]
    if max(counts, default=0) <= 1:
        return list(itertools.permutations(numbers))
    return list(set(itertools.permutations(numbers)))


class Board:
    """The map for one side: who holds what, and the steps of wheels and of foot."""

    def __init__(self, position: Json, side: str) -> None:
        self.side = side
        self.areas = {area["id"] for area in position["areas"]}
        names = [place["id"] for place in position["areas"] + position["zones"]]
        number = {name: n for n, name in enumerate(names)}
        self.names = names
        self.area = [name in self.areas for name in names]
        self.held = [False] * len(names)
        self.occupied = [False] * len(names)
        for unit in position["units"]:
            self.occupied[number[unit["place"]]] = True
            if unit["side"] != side:
                self.held[number[unit["place"]]] = True
        self.links: list[list[tuple[int, int, bool]]] = [[] for _ in names]
        for link in position["connections"]:
            if link["road"] and (link.get("bridge") or not link.get("river")):
                one, other = (number[end] for end in link["ends"])
                blown = link.get("bridge") == "blown"
                price = 3 if blown else ROAD[link["road"]]
                self.links[one].append((other, price, blown))
                self.links[other].append((one, price, blown))
        self.sources = [
            number[z["id"]] for z in position["zones"] if z["owner"] == side and not self.held[number[z["id"]]]
        ]
        self.units = [(u["kind"], number[u["place"]]) for u in position["units"] if u["side"] == side]

    # ------------------------------------------------------------------ supply
    def blown_to_source(self) -> list[int]:
        """Give for every place how many blown bridges lie on the way to a source; 9: there is none."""
        best = [9] * len(self.names)
        for source in self.sources:
            best[source] = 0
        now = self.sources
        for crossed in (0, 1):
            later = []
            for place in now:
                if best[place] != crossed or (self.held[place]):
                    continue
                for other, _, blown in self.links[place]:
                    cost = crossed + blown
                    if cost < best[other] and cost < 2:
                        best[other] = cost
                        (later if blown else now).append(other)
            now = later
        return best

    def supply(self) -> list[int | None]:
        """Give for every unit the blown bridges of its trace; nothing if it is out of supply."""
        best = self.blown_to_source()
        return [best[place] if best[place] <= (kind != "armor") else None for kind, place in self.units]

    # ------------------------------------------------------------------ movement
    def moves(self) -> list[dict[int, int]]:
        """Give for every unit the places where it may end a move, with the cost."""
        best = self.blown_to_source()
        tables: list[list[Any]] = [[None] * len(self.names) for _ in range(2)]
        searches: dict[Any, dict[int, int]] = {}
        ends: dict[Any, dict[int, int]] = {}
        found = []
        for kind, start in self.units:
            foot, limit = kind == "foot", kind != "armor"
            supplied = best[start] <= limit
            key = foot, start, supplied
            if key not in searches:
                searches[key] = self._search(tables[foot], foot, start, supplied)
            final = *key, limit
            if final not in ends:
                reached = searches[key]
                if supplied:
                    reached = {place: cost for place, cost in reached.items() if best[place] <= limit}
                ends[final] = reached
            found.append(ends[final])
        return found

    def _search(self, table: list[Any], foot: bool, start: int, supplied: bool) -> dict[int, int]:
        points = 5 if foot else 8
        best: dict[int, int] = {}
        going = {start: 0}
        heap = [(0, start)]
        while heap:
            spent, place = heapq.heappop(heap)
            if spent > going[place]:
                continue
            steps = table[place]
            if steps is None:
                steps = table[place] = self._steps(foot, place)
            for other, price, stop in steps:
                cost = spent + price
                if cost > points or other == start:
                    continue
                if cost < best.get(other, 99):
                    best[other] = cost
                if supplied and not stop and cost < going.get(other, 99):
                    going[other] = cost
                    heapq.heappush(heap, (cost, other))
        return best

    def _steps(self, foot: bool, place: int) -> list[tuple[int, int, bool]]:
        contact = self.held[place] and self.area[place]
        if self.side == "Allied" and self.held[place] and not self.area[place]:
            return []
        found = []
        for other, price, blown in self.links[place]:
            stop = self.held[other] and self.area[other]
            if (blown and not foot) or (contact and stop):
                continue
            found.append((other, price + contact + (self.occupied[other] and self.area[other]), stop))
        return found
