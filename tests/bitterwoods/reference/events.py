"""Interdiction, random events, Peiper's battalions, stacking, the sequence of play (4, 22, 27, 29, 36)."""

import itertools
from typing import Any

from tests.bitterwoods.reference import steps
from tests.bitterwoods.reference.board import BATTALION, TURNS, Board, Thing, is_mechanized
from tests.bitterwoods.reference.results import Battle

PHASES = {
    "German": ["supply", "interdiction", "reserve", "movement", "combat", "exploitation", "construction"],
    "Allied": ["supply", "reserve", "movement", "combat", "exploitation", "construction"],
}


# ---------------------------------------------------------------- interdiction
def interdiction_options(board: Board, unit: Thing, to: str, points: int) -> dict[str, Any]:
    """Give the points left after each way to enter a hex (22.1)."""
    sides = [s for s in board.sides_between(unit.place, to) if not steps.is_closed(board, unit, s, to)]
    plain = min((steps.plain_cost(board, unit, side, to) for side in sides), default=None)
    road = min((steps.road_rate(unit) for side in sides if steps.is_road(unit, side)), default=None)
    left = {"free": plain, "pay": None, "challenge": None}
    if steps.is_hindered(board, unit, to):
        left = {"free": None, "pay": None if plain is None else plain + 24, "challenge": road}
    return {way: points - cost if cost is not None and cost <= points else None for way, cost in left.items()}


def challenge_result(board: Board, unit: Thing, to: str, points: int, die: int) -> dict[str, Any]:
    """Tell what a challenge comes to (22.2)."""
    left = interdiction_options(board, unit, to, points)["challenge"]
    if left is None:
        return {"legal": False}
    return {"legal": True, "steps": int(die <= 2), "goes_on": die >= 5, "points": left if die >= 5 else 0}


def challenge_overstack(board: Board, place: str, side: str, challengers: list[str]) -> dict[str, Any]:
    """List the smallest sets of challengers to eliminate (22.2.overstack)."""
    limit = board.stack_limit
    for size in range(len(challengers) + 1):
        sets = itertools.combinations(sorted(challengers), size)
        found = [",".join(gone) for gone in sets if board.stacked(place, side, but=gone) <= limit]
        if found:
            return {"sets": sorted(found)}
    return {"sets": [",".join(sorted(challengers))]}


# ---------------------------------------------------------------- stacking
def stack_check(board: Board, place: str, side: str, voluntary: bool) -> dict[str, Any]:
    """Count a stack and name what it breaks (6, 24.3, 28.2)."""
    units = board.at(place, side)
    count = board.stacked(place, side)
    free = {"peiper-leader"} if "36" in board.options else set()
    leaders = [u for u in units if u.kind == "leader" and u.special not in free]
    nations = {u.nation for u in units if u.special != "montgomery"}
    broken = {
        "leaders": "24" in board.options and len(leaders) > 1,
        "limit": board.stack_limit is not None and count > board.stack_limit,
        "nations": "28" in board.options and voluntary and {"US", "British"} <= nations,
    }
    return {"count": count, "breaches": [name for name, is_so in broken.items() if is_so]}


# ---------------------------------------------------------------- the events of 18AM
def event_roll(board: Board, rolled: bool, placed: bool) -> dict[str, Any]:
    """Say whether the die for the event may be rolled (29)."""
    now = (board.turn, board.phasing, board.phase) == ("18AM", "German", "interdiction")
    return {"legal": "29" in board.options and now and placed and not rolled}


def drop_zones(board: Board) -> dict[str, Any]:
    """Name the hexes for the drop (29.1)."""
    hexes = board.hexes.values()
    fit = [h for h in hexes if h.terrain not in ("forest", "town") and h.boundary_0915 == "north"]
    return {"hexes": sorted(h.id for h in fit)}


def landing_entry(board: Board, unit: Thing, to: str, points: int, die: int) -> dict[str, Any]:
    """Price the step into a landing site (29.1.entry)."""
    cost = steps.best_step(board, unit, to)
    gone = "29" not in board.options or unit.side != "Allied" or board.now >= TURNS.index("19AM")
    companies = 0 if gone else board.hexes[to].companies
    if cost is None or cost + (12 if companies else 0) > points:
        return {"may_try": False, "cost": None}
    return {"may_try": True, "cost": cost + (12 if companies > 1 or (companies and die >= 4) else 0)}


def town_deception(board: Board, unit: Thing, town: str, named: str, die: int) -> dict[str, Any]:
    """Tell what happens in the named town (29.4)."""
    if board.turn != "18AM" or unit.side != "Allied" or town != named or die <= 3:
        return {"effect": "none"}
    return {"effect": "stop" if die == 6 else "no-road"}


def air_losses(die: int, available: list[int]) -> dict[str, Any]:
    """Take the losses of the raid off the next units (29.5)."""
    left = []
    for number in available:
        left.append(max(0, number - die))
        die = max(0, die - number)
    return {"left": left, "owed": die}


def bridge_barred(board: Board, bridge: str, named: str | None) -> dict[str, Any]:
    """Say whether a bridge is saved (29.3)."""
    now = (board.turn, board.phasing) == ("18AM", "Allied")
    return {"barred": "29" in board.options and now and bridge == named}


# ---------------------------------------------------------------- shock, reserves, Peiper
def shock_lasts(board: Board, turn: str, phasing: str, owner: str) -> dict[str, Any]:
    """Say whether a unit is still shocked (21.3.removal, BW11)."""
    start = _player_turn(turn, phasing)
    last = start
    if board.read("BW11", "owner-turn") == "owner-turn":
        last = next(n for n in range(start + 1, start + 4) if n % 3 == ("German", "Allied").index(owner))
    return {"shocked": start <= _player_turn(board.turn, board.phasing) <= last}


def _player_turn(turn: str, phasing: str | None) -> int:
    return 3 * TURNS.index(turn) + ("German", "Allied", None).index(phasing)


def reserve_legal(board: Board, unit: Thing, sneak_done: bool) -> dict[str, Any]:
    """Say whether a unit may be put in reserve (4.A.3, qa.1)."""
    own = is_mechanized(unit) and board.phasing == unit.side
    if not board.answers:
        return {"legal": own and board.phase == "reserve"}
    return {"legal": own and not (board.turn == "17AM" and unit.side == "German" and sneak_done)}


def exploitation_release(board: Board, unit: Thing, leader: Thing) -> dict[str, Any]:
    """Say whether a leader releases a Peiper unit (36.leader.3)."""
    ours = unit.in_reserve and board.phase == "exploitation" and board.phasing == unit.side
    return {"legal": ours and leader.special in ("peiper-leader", "dietrich")}


def combine_peiper(board: Board, units: list[Thing], spent: dict[str, int], reduced: dict[str, bool]) -> dict[str, Any]:
    """Combine the battalions or break the full unit down (36.11, 36.12)."""
    kinds = [u.special for u in units]
    whole = kinds == ["peiper"] or (kinds == [BATTALION] * 3 and len({u.id for u in units}) == 3)
    together = len({u.place for u in units}) == 1 and all(u.place is not None for u in units)
    if "36" not in board.options or not whole or not together or any(reduced.get(u.id) for u in units):
        return {"legal": False}
    return {"legal": True, "points": max(0, min(12 * u.allowance - spent.get(u.id, 0) for u in units))}


def peiper_attack(battle: Battle, unit: Thing, done: bool) -> dict[str, Any]:
    """Judge Peiper's attack after exploitation (27.1.attack)."""
    board, raw = battle.board, battle.raw
    may = "27" in board.options and board.peiper_privileges and unit.special == "peiper" and unit.in_reserve
    when = done and (board.phase, board.phasing) == ("exploitation", unit.side)
    alone = battle.attackers == [unit] and not raw["support"] and unit.side not in raw["air"]
    near = board.neighbours(unit.place)
    beside = bool(battle.defenders) and all(u.place in near and u.side != unit.side for u in battle.defenders)
    return {"legal": bool(may and when and alone and beside)}


# ---------------------------------------------------------------- the sequence of play
def next_phase(board: Board) -> dict[str, Any]:
    """Name what comes next (4)."""
    turn, phasing, phase = board.turn, board.phasing, board.phase
    if phase == "record-keeping" or phasing is None:
        if turn == TURNS[-1]:
            return {"turn": None, "phasing": None, "phase": None}
        return {"turn": TURNS[board.now + 1], "phasing": "German", "phase": "supply"}
    order = PHASES["German"]
    later = [one for one in order[order.index(phase) + 1 :] if one in PHASES[phasing]]
    if later:
        return {"turn": turn, "phasing": phasing, "phase": later[0]}
    if phasing == "German":
        return {"turn": turn, "phasing": "Allied", "phase": "supply"}
    return {"turn": turn, "phasing": None, "phase": "record-keeping"}


def action_legal(board: Board, side: str, action: str, due: str | None, combats_left: int) -> dict[str, Any]:
    """Say whether the sequence of play allows an action (4)."""
    own = board.phasing == side
    allied = side == "Allied"
    german_turn = board.phasing == "German"
    legal = {
        "air-drop": allied and german_turn and board.phase == "supply",
        "interdiction": allied and german_turn and board.phase == "interdiction",
        "improved-position": own and board.phase == "movement",
        "fortification": own and allied and board.phase == "movement",
        "begin-bridge": own and board.phase == "movement", "finish-bridge": own and board.phase == "construction",
        "reinforcement": own and board.phase == "movement" and due == board.turn,
        "attack": own and board.phase == "combat", "demolition": board.phase == "combat" and not combats_left,
    }  # fmt: skip
    return {"legal": legal[action]}


BARRED = {
    "36": {"pattons-relief", "erasing-the-bulge"},
    "38": {"pattons-relief", "plan-martin", "early-german-offensive"},
}
OPEN = {"36": ("plan-martin", "rule 1.4"), "38": ("erasing-the-bulge", "rule 1.5")}


def options_legal(scenario: str, wanted: list[str]) -> dict[str, Any]:
    """Say whether options fit a scenario (1.4, 1.5)."""
    if any(scenario in BARRED.get(option, ()) for option in wanted):
        return {"legal": False}
    unknown = [rule for option, (name, rule) in OPEN.items() if option in wanted and name == scenario]
    return {"undetermined": unknown[0]} if unknown else {"legal": True}
