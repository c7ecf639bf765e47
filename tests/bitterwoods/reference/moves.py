"""Moves: reachable hexes and paths (5), the slips of Peiper and of Panzer Brigade 150 (27)."""

import heapq
import itertools
from collections.abc import Iterator
from typing import Any

from tests.bitterwoods.reference import steps
from tests.bitterwoods.reference.board import Board, Thing

# A step of a walk: the hex entered, what has been spent, whether the move ends there.
Walk = tuple[str, int, bool]


def stops(board: Board, unit: Thing, side: Thing, to: str, by_zoc: bool) -> bool:
    crossing = steps.is_unbridged(side) and side.crossing_stops
    zoc = by_zoc and board.zoc_movement == "stop" and to in board.ezoc(unit.side)
    return crossing or zoc or steps.is_hindered(board, unit, to)


def onward(board: Board, unit: Thing, here: str, spent: int, first: bool, by_zoc: bool = True) -> Iterator[Walk]:
    for side, to in board.ways[here]:
        if steps.is_closed(board, unit, side, to) or (steps.is_unbridged(side) and not first):
            continue
        total = spent + steps.step_price(board, unit, side, to)
        if total <= 12 * unit.allowance:
            yield to, total, stops(board, unit, side, to, by_zoc)


def guaranteed(board: Board, unit: Thing) -> set[str]:
    """Name the neighbours that a unit may enter whatever they cost (BW3)."""
    if unit.place is None or unit.kind == "army-artillery":
        return set()
    zocs = [zoc for zoc in map(board.zoc_of, board.enemies(unit.side)) if unit.place in zoc]
    return {
        to for side, to in board.ways[unit.place]
        if not steps.is_closed(board, unit, side, to) and not any(to in zoc for zoc in zocs)
    }  # fmt: skip


def reachable(board: Board, unit: Thing) -> dict[str, int]:
    if unit.place is None or unit.kind == "army-artillery":
        return {}
    best: dict[tuple[str, bool], int] = {}
    queue: list[tuple[int, str, bool, bool]] = [(0, unit.place, False, True)]
    while queue:
        spent, here, stopped, first = heapq.heappop(queue)
        if best.get((here, stopped), spent + 1) <= spent:
            continue
        best[here, stopped] = spent
        if not stopped:
            for to, total, ends in onward(board, unit, here, spent, first):
                heapq.heappush(queue, (total, to, ends, False))
    found: dict[str, int] = dict.fromkeys(guaranteed(board, unit), 12 * unit.allowance)
    for (place, _), spent in best.items():
        found[place] = min(spent, found.get(place, spent))
    found.pop(unit.place, None)
    return found


def path_cost(board: Board, unit: Thing, path: list[str], by_zoc: bool = True) -> int | None:
    """Cost of a path; nothing if it is illegal. The guaranteed hex is not looked at."""
    if not path or unit.place is None or path[0] != unit.place or unit.kind == "army-artillery":
        return None
    states: set[tuple[int, bool]] = {(0, False)}
    for index, (here, to) in enumerate(itertools.pairwise(path)):
        states = {
            (total, ends)
            for spent, stopped in states
            if not stopped
            for entered, total, ends in onward(board, unit, here, spent, index == 0, by_zoc)
            if entered == to
        }
    return min((spent for spent, _ in states), default=None)


def check_path(board: Board, unit: Thing, path: list[str]) -> dict[str, Any]:
    cost = path_cost(board, unit, path)
    if cost is None and len(path) == 2 and path[0] == unit.place and path[1] in guaranteed(board, unit):
        cost = 12 * unit.allowance
    return {"legal": False} if cost is None else {"legal": True, "cost": cost}


# ---------------------------------------------------------------- Peiper and the sneak
def peiper_exploitation(board: Board, unit: Thing, path: list[str], rolls: list[int]) -> dict[str, Any]:
    """Judge a path through enemy ZOCs: a roll for each such hex that is left (BW18)."""
    allowed = "27" in board.options and unit.special == "peiper" and board.peiper_privileges
    if not allowed or not unit.in_reserve or (board.phase, board.phasing) != ("exploitation", unit.side):
        return {"legal": False}
    ezoc = board.ezoc(unit.side)
    used, last = 0, len(path) - 1
    for index, place in enumerate(path[:-1]):
        if place not in ezoc:
            continue
        if used == len(rolls):
            return {"legal": False}
        used += 1
        if rolls[used - 1] > 3:
            last = index
            break
    cost = path_cost(board, unit, path[: last + 1], by_zoc=False)
    return {"legal": False} if cost is None else {"legal": True, "end": path[last], "cost": cost, "rolls_used": used}


def sneak(board: Board, unit: Thing, path: list[str], die: int, used: bool) -> dict[str, Any]:
    """Judge the one attempt of Panzer Brigade 150 (BW15)."""
    in_phase = board.phase == "movement" or (board.phase == "exploitation" and unit.in_reserve)
    may = "27" in board.options and unit.special == "brigade-150" and board.between("16PM", "18PM") and not used
    if not may or not in_phase or board.phasing != unit.side:
        return {"legal": False}
    ezoc = board.ezoc(unit.side)
    held = [index for index, place in enumerate(path) if index and place in ezoc]
    if not held or held[0] == len(path) - 1:
        return {"legal": False}
    last = held[0] if die > 3 else held[1] if len(held) > 1 else len(path) - 1
    cost = path_cost(board, unit, path[: last + 1], by_zoc=False)
    return {"legal": False} if cost is None else {"legal": True, "end": path[last], "cost": cost}
