"""A referee of Cold Ford, written from the sentences of its two pages; it shares nothing with the engines.

It answers the questions of the game and plays it: what may be done, what comes of it by the dice, and how many courses
there are. A position is what `Position.to_dict` gives.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

Json = dict[str, Any]
SIDES = ("Red", "Blue")
ODDS = (("3-1", 3, 1, 4), ("2-1", 2, 1, 3), ("1-1", 1, 1, 2), ("1-2", 1, 2, 1))  # hits on, in 6.7
TURNS, MARCH, LINE, STARVED = 6, 3, 4, 1
FAR = 99


def foe(side: str) -> str:
    return SIDES[side == "Red"]


@dataclass(frozen=True)
class Table:
    """The board with its units, and whose half of which turn it is."""

    data: Json

    @cached_property
    def units(self) -> dict[str, Json]:
        return {unit["id"]: unit for unit in self.data["units"]}

    @cached_property
    def hexes(self) -> dict[str, Json]:
        return {hex_["id"]: hex_ for hex_ in self.data["hexes"]}

    @cached_property
    def ways(self) -> dict[str, list[tuple[str, bool]]]:
        """Map each hex to those beside it that the river lets it reach, and whether that is over a ford (2.1)."""
        found: dict[str, list[tuple[str, bool]]] = {name: [] for name in self.hexes}
        for side in self.data["hexsides"]:
            one, other = side["ends"]
            if side.get("ford") or not side.get("river"):
                found[one].append((other, bool(side.get("ford"))))
                found[other].append((one, bool(side.get("ford"))))
        return found

    @property
    def side(self) -> str:
        return self.data.get("side_to_move", "Red")

    @property
    def stage(self) -> str:
        return self.data.get("stage", "marching")

    def standing(self, place: str, side: str = "") -> list[Json]:
        return [unit for unit in self.units.values() if unit["place"] == place and side in ("", unit["side"])]

    def controlled(self, side: str) -> set[str]:
        """The hexes that units of a side control: around each, but not over the river without a ford (4.1)."""
        return {near for unit in self.units.values() if unit["side"] == side for near, _ in self.ways[unit["place"]]}

    # ------------------------------------------------------------------ supply (5)
    def is_supplied(self, unit: Json) -> bool:
        """A line of at most 4 hexes leads to a depot of its side; no enemy and no zone of his is on it."""
        side, reached, edge = unit["side"], {unit["place"]}, {unit["place"]}
        zone = {place for place in self.controlled(foe(side)) if not self.standing(place, side)}  # 5.4
        for length in range(LINE + 1):
            if any(self.hexes[place].get("depot") == side for place in edge):
                return True
            if length < LINE:
                near = {there for here in edge for there, _ in self.ways[here]}
                edge = {place for place in near - reached - zone if not self.standing(place, foe(side))}
                reached |= edge
        return False

    def force(self, unit: Json) -> int:
        return unit["strength"] if self.is_supplied(unit) else -(-unit["strength"] // 2)

    # ------------------------------------------------------------------ marching (3, 4)
    def reachable(self, unit: Json) -> dict[str, int]:
        """The empty hexes that a march can end in, and the fewest points to each."""
        points = MARCH if self.is_supplied(unit) else STARVED
        zone, fewest, todo = self.controlled(foe(unit["side"])), {unit["place"]: 0}, [unit["place"]]
        stopped: dict[str, int] = {}  # where the march is over, but may end
        while todo:
            here = todo.pop()
            for there, over_ford in self.ways[here]:
                cost = self.step(unit, here, there, zone)
                if cost is None or (spent := fewest[here] + cost) > points:
                    continue
                ends = stopped if over_ford or there in zone else fewest
                if spent < ends.get(there, FAR):
                    ends[there] = spent
                    todo += [there] if ends is fewest else []
        found = {place: min(fewest.get(place, FAR), stopped.get(place, FAR)) for place in {*fewest, *stopped}}
        return {place: cost for place, cost in found.items() if not self.standing(place)}

    def step(self, unit: Json, here: str, there: str, zone: set[str]) -> int | None:
        """The points of a step; none if it is not allowed."""
        if self.standing(there, foe(unit["side"])) or (here in zone and there in zone):
            return None
        return 2 if self.hexes[there].get("terrain") == "wood" else 1

    def path_cost(self, unit: Json, path: list[str]) -> int | None:
        """The points of a march along these hexes; none if it is not legal."""
        zone, spent = self.controlled(foe(unit["side"])), 0
        if path[0] != unit["place"] or any(unit is not other for other in self.standing(path[-1])):
            return None
        for number, (here, there) in enumerate(pairwise(path)):
            fords = [ford for near, ford in self.ways[here] if near == there]
            cost = self.step(unit, here, there, zone) if fords else None
            stops = there in zone or any(fords)
            if cost is None or (stops and number < len(path) - 2):
                return None
            spent += cost
        return spent if spent <= (MARCH if self.is_supplied(unit) else STARVED) else None

    # ------------------------------------------------------------------ battle (6)
    def attackers(self, target: Json) -> list[Json]:
        near = {place for place, _ in self.ways[target["place"]]}
        return [unit for unit in self.units.values()
                if unit["side"] != target["side"] and unit["place"] in near and not unit.get("fought")]  # fmt: skip

    def strengths(self, target: Json) -> tuple[int, int]:
        cover = self.hexes[target["place"]].get("terrain", "open") != "open"
        return sum(map(self.force, self.attackers(target))), self.force(target) + cover

    def odds(self, target: Json) -> tuple[str, int]:
        """The best odds that the strengths reach, and the number that hits; the worst ones if they reach none."""
        attack, defence = self.strengths(target)
        return next(((name, hits) for name, one, other, hits in ODDS if attack * other >= defence * one), ("1-2", 1))

    def is_target(self, target: Json) -> bool:
        attack, defence = self.strengths(target)
        return bool(self.attackers(target)) and 2 * attack >= defence

    # ------------------------------------------------------------------ falling back (7)
    def refuges(self, unit: Json) -> list[str]:
        zone = self.controlled(foe(unit["side"]))
        near = {place for place, _ in self.ways[unit["place"]]}
        return sorted(place for place in near if not self.standing(place) and place not in zone)

    # ------------------------------------------------------------------ victory (8)
    def winner(self) -> str | None:
        if self.stage != "over":
            return None
        red = [unit for unit in self.units.values() if unit["side"] == "Red" and self.is_supplied(unit)]
        return "Red" if any(self.hexes[unit["place"]].get("goal") for unit in red) else "Blue"

    # ------------------------------------------------------------------ the turn (1)
    def settled(self) -> Table:
        """Remove beaten units without a way out (7.3), and end the game when a side has no unit (8.2)."""
        data, beaten = self.data, [unit for unit in self.units.values() if unit.get("beaten")]
        lost = [unit for unit in beaten if not self.refuges(unit)]
        if lost:
            data = {**data, "units": [unit for unit in data["units"] if unit not in lost]}
        if len({unit["side"] for unit in data["units"]}) < len(SIDES):
            data = {**data, "stage": "over"}
        return Table(data)

    def actions(self) -> Iterator[tuple[str, ...]]:
        """Yield what may be done, as kind and choices."""
        own = [unit for unit in self.units.values() if unit["side"] == self.side]
        others = [unit for unit in self.units.values() if unit["side"] != self.side]
        if self.stage == "marching":
            yield ("halt",)
            for unit in own:
                if not unit.get("marched"):
                    yield from (("go", unit["id"], place) for place in self.reachable(unit) if place != unit["place"])
        elif self.stage == "fighting":
            beaten = [unit for unit in others if unit.get("beaten")]
            yield from (("fall-back", unit["id"], place) for unit in beaten for place in self.refuges(unit))
            if not beaten:
                yield ("pass",)
                yield from (("strike", unit["id"]) for unit in others if self.is_target(unit))

    def outcomes(self, action: tuple[str, ...]) -> list[Table]:
        """The positions that an action may lead to: one for each number of hits."""
        kind, *choices = action
        if kind == "strike":
            return [self._after(lambda table, hits=hits: table.strike(choices[0], hits)) for hits in range(3)]
        return [self._after(lambda table: getattr(table, kind.replace("-", "_") + "_")(*choices))]

    def _after(self, change: Any) -> Table:
        table = Table(copy.deepcopy(self.data))
        change(table)
        return Table(table.data).settled()

    def go_(self, name: str, place: str) -> None:
        self.units[name].update(place=place, marched=True)

    def halt_(self) -> None:
        self.data["stage"] = "fighting"

    def fall_back_(self, name: str, place: str) -> None:
        self.units[name].update(place=place, beaten=False)

    def pass_(self) -> None:
        side, turn = self.side, self.data.get("turn", 1)
        for unit in self.data["units"]:
            unit.update(marched=False, fought=False)
        if side == "Blue" and turn == TURNS:
            self.data["stage"] = "over"
            return
        self.data.update(side_to_move=foe(side), stage="marching", turn=turn + (side == "Blue"))

    def strike(self, name: str, hits: int) -> None:
        target = self.units[name]
        for unit in self.attackers(target):
            unit["fought"] = True
            unit["strength"] -= hits == 0
        self.data["units"] = [
            unit for unit in self.data["units"] if unit["strength"] > 0 and not (hits == 2 and unit is target)
        ]
        if hits == 1:
            target["beaten"] = True


def answer(query: str, given: Mapping[str, Any]) -> Json:
    """Answer a question of the game."""
    table = Table(given["position"])
    unit = table.units.get(given.get("unit", given.get("target", "")), {})
    match query:
        case "reachable":
            return {"destinations": table.reachable(unit)}
        case "check_path":
            cost = table.path_cost(unit, given["path"])
            return {"legal": False} if cost is None else {"legal": True, "cost": cost}
        case "supplied":
            return {"supplied": table.is_supplied(unit)}
        case "winner":
            return {"winner": table.winner()}
    name, hits = table.odds(unit)
    if query == "attack_odds":
        return {"odds": name, "hits_on": hits} if table.attackers(unit) else {}
    return {"factor": hits, "drms": {}, "highest": hits}


def perft(table: Table, depth: int) -> int:
    """Count the courses of so many actions."""
    if not depth:
        return 1
    return sum(perft(after, depth - 1) for action in table.actions() for after in table.outcomes(action))
