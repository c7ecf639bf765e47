"""The same questions put to clingo: the rules of the drawn situations as logic programs, ground and solved each time.

They know what `libraries.py` knows, and no more. Fire is told by what is left after each class of equal firers: shots
differ by one at most, and no target that was hit is less preferred than one without a shot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import clingo

from benchmarks.libraries import QUALITY, ROAD

Json = dict[str, Any]

FIRE = """
1 { pick(F, D) : target(D, _) } 1 :- firer(F, _).
class(C) :- firer(_, C).
shots(C, D, N) :- class(C), target(D, _), N = #count { F : pick(F, D), firer(F, K), K >= C }.
prefers(C, D, 0, C - Q) :- class(C), target(D, Q), C >= Q.
prefers(C, D, 1, Q - C) :- class(C), target(D, Q), C < Q.
before(C, D, E) :- prefers(C, D, A, X), prefers(C, E, B, Y), (A, X) < (B, Y).
:- shots(C, D, N), shots(C, E, M), N > M + 1.
:- pick(F, D), firer(F, C), shots(C, E, 0), before(C, E, D).
#show pick/2.
"""

SUPPLY = """
open(P, Q, B) :- way(P, Q, _, B), not held(Q).
at(P, P, 0, L) :- unit(_, P, _, L).
at(S, Q, B + X, L) :- at(S, P, B, L), open(P, Q, X), B + X <= L.
supplied(U) :- unit(U, P, _, L), at(P, Q, _, L), source(Q).
#show supplied/1.
"""

MOVES = """
open(P, Q, B) :- way(P, Q, _, B), not held(Q).
back(P, 0) :- source(P).
back(P, B + X) :- back(Q, B), open(P, Q, X), B + X <= 1.
ends(P, L) :- back(P, B), limit(L), B <= L.
limit(L) :- unit(_, _, _, L).
price(P, Q, 0, R + E + O) :- way(P, Q, R, 0), leaving(P, E), entering(Q, O).
price(P, Q, 1, R + E + O) :- way(P, Q, R, 0), leaving(P, E), entering(Q, O).
price(P, Q, 1, 3 + E + O) :- way(P, Q, _, 1), leaving(P, E), entering(Q, O).
mover(P, T, L) :- unit(_, P, T, L).
points(0, 8). points(1, 5).
from(P, T, L, P, 0) :- mover(P, T, L).
from(S, T, L, Q, C) :- mover(S, T, L), points(T, M), price(S, Q, T, C), C <= M, not both(S, Q).
from(S, T, L, Q, C + X) :- onward(S, T, L, P, C), points(T, M), price(P, Q, T, X), C + X <= M.
onward(S, T, L, P, C) :- from(S, T, L, P, C), P != S, ends(S, L), not contact(P).
both(P, Q) :- way(P, Q, _, _), contact(P), contact(Q).
goes(S, T, L, Q, C) :- from(S, T, L, Q, C), Q != S, not ends(S, L).
goes(S, T, L, Q, C) :- from(S, T, L, Q, C), Q != S, ends(S, L), ends(Q, L).
#show goes/5.
"""


def solved(program: str, facts: str, most: int = 0) -> Iterator[list[clingo.Symbol]]:
    """Ground a program with facts and yield what its answers show, up to `most` of them (0: all)."""
    control = clingo.Control([str(most)], logger=lambda *_: None)
    control.add("base", [], program + facts)
    control.ground([("base", [])])
    with control.solve(yield_=True) as found:
        for model in found:
            yield model.symbols(shown=True)


# ---------------------------------------------------------------------- fire
def fire(battle: Json) -> Callable[[], list[tuple[int, ...]]]:
    """Put the fire of a battle as facts; give what lists all allocations, the target of each firer by number."""
    facts = [f"firer({n}, {QUALITY[unit['kind']]})." for n, unit in enumerate(battle["attackers"])]
    facts += [f"target({n}, {QUALITY[unit['kind']]})." for n, unit in enumerate(battle["defenders"])]
    text = " ".join(facts)

    def listed() -> list[tuple[int, ...]]:
        return [_picked(shown) for shown in solved(FIRE, text)]

    return listed


def _picked(shown: Iterable[clingo.Symbol]) -> tuple[int, ...]:
    pairs = {one.arguments[0].number: one.arguments[1].number for one in shown}
    return tuple(pairs[firer] for firer in range(len(pairs)))


# ---------------------------------------------------------------------- the map
class Board:
    """The map of the side to move, as facts."""

    def __init__(self, position: Json) -> None:
        side = position["side_to_move"]
        places = [place["id"] for place in position["areas"] + position["zones"]]
        areas = {area["id"] for area in position["areas"]}
        numbers = {name: number for number, name in enumerate(places)}
        occupied = {unit["place"] for unit in position["units"]}
        held = {unit["place"] for unit in position["units"] if unit["side"] != side}
        self.places = places
        self.units = [unit for unit in position["units"] if unit["side"] == side]
        facts = [f"held({numbers[name]})." for name in held]
        facts += [f"contact({numbers[name]})." for name in held & areas]
        facts += [f"leaving({numbers[name]}, {int(name in held & areas)})." for name in places]
        facts += [f"entering({numbers[name]}, {int(name in occupied & areas)})." for name in places]
        own = [zone["id"] for zone in position["zones"] if zone["owner"] == side]
        facts += [f"source({numbers[name]})." for name in own if name not in held]
        for link in position["connections"]:
            told = f"{ROAD[link['road']]}, {int(link.get('bridge') == 'blown')}"
            one, other = (numbers[name] for name in link["ends"])
            facts += [f"way({one}, {other}, {told}).", f"way({other}, {one}, {told})."]
        self.keys = [(numbers[u["place"]], int(u["kind"] == "foot"), int(u["kind"] != "armor")) for u in self.units]
        facts += [f"unit({n}, {place}, {foot}, {limit})." for n, (place, foot, limit) in enumerate(self.keys)]
        self.facts = " ".join(facts)

    def supply(self) -> list[bool]:
        """Tell of each unit whether it is in supply."""
        [shown] = solved(SUPPLY, self.facts, 1)
        supplied = {one.arguments[0].number for one in shown}
        return [number in supplied for number in range(len(self.units))]

    def moves(self) -> list[dict[str, int]]:
        """Map, for each unit, the places where it may end to the cheapest cost."""
        [shown] = solved(MOVES, self.facts, 1)
        found: dict[tuple[int, ...], dict[str, int]] = {}
        for one in shown:
            *key, place, cost = (argument.number for argument in one.arguments)
            costs = found.setdefault(tuple(key), {})
            name = self.places[place]
            costs[name] = min(cost, costs.get(name, cost))
        return [found.get(key, {}) for key in self.keys]
