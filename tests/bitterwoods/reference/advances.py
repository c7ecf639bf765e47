"""Advances after combat: the usual ones (9.8), after an Angriff (23.3), Peiper's (27.1.convert)."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.bitterwoods.reference import steps
from tests.bitterwoods.reference.board import FOOT, Board, Thing, is_gun, is_mechanized
from tests.bitterwoods.reference.results import Battle


class At(NamedTuple):
    place: str
    hexes: int = 0
    spent: int = 0
    by_road: bool = True
    zocs: int = 0
    stopped: bool = False


def spread(unit: Thing, after: Callable[[At], set[At]]) -> set[At]:
    """Collect all that steps from a unit's hex lead to."""
    found: set[At] = set()
    waiting = [At(unit.place)]
    while waiting:
        new = after(waiting.pop()) - found
        found |= new
        waiting += new
    return found


class Advance:
    def __init__(self, battle: Battle, unit: Thing) -> None:
        self.battle, self.board, self.unit = battle, battle.board, unit
        self.ezoc = self.board.ezoc(unit.side)
        self.limit = battle.advance_length(by_road=False)
        mechanized = is_mechanized(unit)
        self.road_limit = battle.advance_length(by_road=True) if mechanized else self.limit

    @property
    def may_advance(self) -> bool:
        """Whether the unit is among those that may advance (9.8.right, 9.8.artillery, 24.3.advance)."""
        battle, unit = self.battle, self.unit
        if is_gun(unit) or unit.place is None:
            return False
        winners = battle.units(battle.winner)
        if unit.kind != "leader":
            return unit in winners
        stacked = any(u.place == unit.place and u.kind != "leader" and u.side == unit.side for u in winners)
        return battle.winner == "attacker" and "24" in self.board.options and stacked

    def is_legal(self, at: At) -> bool:
        limit = max(self.limit, self.road_limit) if at.by_road else self.limit
        return at.hexes <= limit and (at.hexes <= 1 or at.spent <= 12 * self.unit.allowance)

    def after(self, at: At) -> Iterator[At]:
        """Yield where one more step leads; lengths may still be broken by it."""
        if at.stopped:
            return
        board, unit = self.board, self.unit
        for side, to in board.ways[at.place]:
            wet = steps.is_unbridged(side)
            first = at.hexes == 0
            strays = first and to not in self.battle.raw["vacated"]
            if strays or (wet and not first) or self._is_closed(side, to):
                continue
            zocs = at.zocs + (to in self.ezoc)
            stopped = self._must_stop(at, to, zocs) or (wet and not self._goes_on(side))
            spent = at.spent + steps.plain_cost(board, unit, side, to)
            yield At(to, at.hexes + 1, spent, at.by_road and steps.is_road(unit, side), zocs, stopped)

    def _is_closed(self, side: Thing, to: str) -> bool:
        board, unit = self.board, self.unit
        closed = steps.barred_by_river(board, unit, side) or steps.barred_by_forest(board, unit, side)
        return closed or board.has_enemy(to, unit.side)

    def _must_stop(self, at: At, to: str, zocs: int) -> bool:
        """Whether enemy ZOCs end the advance (BW5)."""
        if to not in self.ezoc:
            return False
        if self.board.read("BW5", "first-hex-free") == "count":
            return zocs == 2
        return at.hexes >= 1

    def _goes_on(self, side: Thing) -> bool:
        """9.8.river-infantry: infantry that waited goes on behind a river, but not behind the Meuse."""
        return self.unit.kind in FOOT and not self.unit.moved and side.river not in steps.MEUSE

    def ends(self) -> set[At]:
        if not self.may_advance:
            return set()
        return spread(self.unit, lambda at: {step for step in self.after(at) if self.is_legal(step)})

    def follows(self, path: list[str]) -> bool:
        if path == [self.unit.place]:
            return True  # who stays does not advance
        if not path or path[0] != self.unit.place or not self.may_advance:
            return False
        states = {At(path[0])}
        for to in path[1:]:
            states = {step for at in states for step in self.after(at) if step.place == to}
        return any(self.is_legal(at) for at in states)


def advances(battle: Battle, unit: Thing) -> list[str]:
    return sorted({at.place for at in Advance(battle, unit).ends()} - {unit.place})


# ---------------------------------------------------------------- Peiper
def peiper_advance(battle: Battle, unit: Thing) -> list[str]:
    """Name the hexes where Peiper may end, when unused hexes become movement by road (BW20)."""
    board = battle.board
    advance = Advance(battle, unit)
    ends = advance.ends()
    found = {at.place for at in ends}
    if "27" in board.options and board.peiper_privileges and unit.special == "peiper" and unit in battle.attackers:
        for at in ends:
            if not at.stopped and at.hexes < advance.limit:
                found |= _by_road(board, unit, at.place, 12 * (advance.limit - at.hexes))
    return sorted(found - {unit.place})


def _by_road(board: Board, unit: Thing, start: str, points: int) -> set[str]:
    """Name the hexes that connecting roads lead to."""
    ezoc = board.ezoc(unit.side)
    rate = steps.road_rate(unit)
    found: dict[str, int] = {}
    waiting = [(start, points)]
    while waiting:
        here, left = waiting.pop()
        for side, to in board.ways[here]:
            if not steps.is_road(unit, side) or steps.is_closed(board, unit, side, to) or left < rate:
                continue
            if found.get(to, -1) < left - rate:
                found[to] = left - rate
                if not (board.zoc_movement == "stop" and to in ezoc):
                    waiting.append((to, left - rate))
    return set(found)


# ---------------------------------------------------------------- after an Angriff
def angriff_advances(battle: Battle, unit: Thing) -> list[str]:
    """Name the hexes where an advance after an Angriff may end (23.2.river, 23.3, BW21)."""
    board = battle.board
    if unit not in battle.attackers or not is_mechanized(unit) or unit.place is None:
        return []
    ezoc = board.ezoc(unit.side)
    shut = {name for u in battle.defenders for name in (*board.zoc_of(u), u.place)}
    length = battle.raw["advance_hexes"] or 0

    def after(at: At) -> set[At]:
        steps_on = set()
        for side, to in board.ways[at.place] if not at.stopped and at.hexes < length else ():
            wet = steps.is_unbridged(side)
            if to in shut or steps.is_closed(board, unit, side, to) or (wet and (at.hexes > 0 or unit.moved)):
                continue
            spent = at.spent + steps.step_price(board, unit, side, to)
            stopped = to in ezoc or steps.is_hindered(board, unit, to) or (wet and side.crossing_stops)
            step = At(to, at.hexes + 1, spent, stopped=stopped)
            if step.hexes == 1 or spent <= 12 * unit.allowance:
                steps_on.add(step)
        return steps_on

    return sorted({at.place for at in spread(unit, after)} - {unit.place})
