"""Artillery, Angriff, column shifts and surprise (10, 21, 23, 28, 31, 32)."""

from typing import Any

from tests.bitterwoods.reference.board import FOOT, Board, Thing, is_gun, is_mechanized
from tests.bitterwoods.reference.results import Battle


# ---------------------------------------------------------------- artillery
def needs_own_army(board: Board, gun: Thing) -> bool:
    """Whether a gun serves its own army only (37.2.c, BW12)."""
    kinds = ["corps-artillery", "army-artillery"]
    if board.read("BW12", "corps-only") == "rockets-too":
        kinds.append("rockets")
    return gun.side == "German" and gun.kind in kinds and "37" in board.options and board.now <= 5


def is_of_army(gun: Thing, units: list[Thing]) -> bool:
    return gun.army is not None and any(u.army == gun.army for u in units)


def has_fired(gun: Thing) -> bool:
    """Whether a gun has been used: Allies fire once a player turn, Germans once a game-turn."""
    return bool(gun.fired_game_turn if gun.side == "German" else gun.fired_player_turn)


def may_support(battle: Battle, gun: Thing) -> bool:
    """Whether a gun may support a battle (10.1, 10.2, 28.4, 37.2.c)."""
    board = battle.board
    offensive = gun.side == battle.attacker
    own = battle.attackers if offensive else battle.defenders
    if gun.place is None or has_fired(gun):
        return False
    if offensive and not any(is_mechanized(u) or u.kind in FOOT for u in own):
        return False
    if "28" in board.options and gun.side == "Allied" and not any(u.nation == gun.nation for u in own):
        return False
    if needs_own_army(board, gun) and not is_of_army(gun, own):
        return False
    near = board.distances(gun.place)
    reach = [u.place in near and near[u.place] <= gun.range for u in battle.defenders]
    return all(reach) if offensive or board.read("BW16", "each") == "each" else any(reach)


def guns_asked(battle: Battle, side: str) -> list[Thing]:
    fighting = (*battle.attackers, *battle.defenders)
    return [u for u in battle.board.units.values() if is_gun(u) and u.side == side and u not in fighting]


def support_options(battle: Battle, side: str) -> dict[str, Any]:
    return {"units": sorted(gun.id for gun in guns_asked(battle, side) if may_support(battle, gun))}


def bombardment_options(board: Board, gun: Thing) -> dict[str, Any]:
    """Name the hexes that a gun may bombard (21.2, BW22)."""
    if not is_gun(gun) or gun.side != board.phasing or gun.place is None:
        return {"hexes": []}
    near = board.distances(gun.place)
    targets = {enemy.place for enemy in board.enemies(gun.side)} - board.bombarded_hexes
    return {"hexes": sorted(name for name in targets if near.get(name, 99) <= gun.range and _is_seen(board, gun, name))}


def _is_seen(board: Board, gun: Thing, name: str) -> bool:
    beside = [u for place in board.neighbours(name) for u in board.at(place, gun.side)]
    return bool(beside) and (not needs_own_army(board, gun) or is_of_army(gun, beside))


def combat_order(actions: list[dict[str, str]]) -> dict[str, Any]:
    """Judge the combats of a phase (21.2, 23.2.bombard)."""
    for index, action in enumerate(actions):
        rest = [one for one in actions[index + 1 :] if one["hex"] == action["hex"]]
        kinds = [one["do"] for one in rest]
        if action["do"] == "bombard" and ("attack" not in kinds or "bombard" in kinds or "angriff" in kinds):
            return {"legal": False}
    return {"legal": True}


def shock_values(unit: Thing) -> dict[str, Any]:
    """Give strength and ER as shock leaves them (21.3)."""
    if not unit.shocked or unit.kind == "leader":
        return {"strength": unit.strength, "er": unit.er}
    return {"strength": -(-unit.strength // 2), "er": unit.er - 1}


# ---------------------------------------------------------------- Angriff
def angriff_status(battle: Battle) -> dict[str, Any]:
    """Say whether an Angriff is one (23.1, 23.2, BW14)."""
    board, raw = battle.board, battle.raw
    attackers = battle.attackers
    foot = any(u.kind in FOOT for u in attackers) or board.read("BW14", "foot-needed") == "need-not"
    tank = any(u.kind == "armor" and u.silhouette is not None and u.er >= 5 for u in attackers)
    ready = all(u.supplied for u in attackers) and not any(u.shocked and u.kind != "leader" for u in attackers)
    bombed = bool(raw["bombarded"]) or any(u.place in board.bombarded_hexes for u in battle.defenders)
    barred = raw["refought"] or raw["air"] or board.turn == "16AM" or bombed
    declared = raw["attack"] >= 2 * raw["defense"]
    if "23" not in board.options or not (foot and tank and ready and declared) or barred:
        return {"status": "illegal"}
    spoilt = raw["attack"] < 2 * (raw["defense"] + raw["defense_support"])
    return {"status": "standard" if spoilt else "angriff"}


def angriff_column(battle: Battle, column: str) -> dict[str, Any]:
    """Cap the column against rough ground (23.2.max-odds)."""
    left, right = map(int, column.split("-"))
    hexes = battle.board.hexes
    rough = any(u.place is not None and hexes[u.place].terrain in ("forest", "broken") for u in battle.defenders)
    return {"column": "3-1" if rough and left > 3 * right else column}


def angriff_group(battle: Battle, gone: list[str]) -> dict[str, Any]:
    """Judge who leaves after an Angriff (23.3.infantry)."""
    board = battle.board
    leaving = board.get(gone)
    near = {name for u in battle.defenders for name in board.neighbours(u.place)}
    stays = any(u.kind in FOOT and u not in leaving and u.place in near for u in battle.attackers)
    return {"legal": stays and all(is_mechanized(u) and u in battle.attackers for u in leaving)}


# ---------------------------------------------------------------- shifts and modifiers
def column_shifts(battle: Battle) -> dict[str, Any]:
    """List the column shifts, to the right positive (28.3, 32)."""
    shifts = {}
    if "32" in battle.board.options and _has_combined_arms(battle):
        shifts["combined-arms"] = 1
    if "28" in battle.board.options and _is_mixed(battle):
        shifts["mixed-allies"] = 1 if battle.attacker == "German" else -1
    return {"shifts": shifts, "total": sum(shifts.values())}


def _has_combined_arms(battle: Battle) -> bool:
    kinds = {u.kind for u in battle.attackers}
    hexes = battle.board.hexes
    open_ground = all(u.place and hexes[u.place].terrain in ("clear", "light-woods") for u in battle.defenders)
    guns = battle.raw["support"] or set(battle.raw["bombarded"]) & {u.id for u in battle.defenders}
    dug_in = any(u.in_improved_position for u in battle.defenders)
    return "armor" in kinds and bool(kinds & FOOT) and bool(guns) and open_ground and not dug_in


def _is_mixed(battle: Battle) -> bool:
    role, field = ("attacker", "support") if battle.attacker == "Allied" else ("defender", "defensive_support")
    units = list(battle.units(role))
    if battle.board.read("BW17", "support-counts") == "support-counts":
        units += battle.board.get(battle.raw[field])
    return {"US", "British"} <= {u.nation for u in units if u.kind != "leader"}


def surprise(battle: Battle) -> dict[str, Any]:
    """Say whether a die is rolled for surprise, and what succeeds (31)."""
    board = battle.board
    when = board.turn == "16AM" and board.phasing == "German" and battle.attacker == "German"
    least = board.read("BW9", "exactly-5")
    able = [u for u in battle.attackers if is_mechanized(u) and (u.er == 5 or (least == "or-more" and u.er > 5))]
    if not when or not able:
        return {"roll": False, "succeeds_on": []}
    best = max((shock_values(u)["er"] for u in battle.defenders if u.kind != "leader"), default=0)
    return {"roll": True, "succeeds_on": [face for face in range(1, 7) if face > best]}


def attack_drm(battle: Battle, event: int) -> dict[str, Any]:
    """Give the modifier of event 2 (29.2)."""
    board = battle.board
    turns = ("18AM", "18PM") if board.read("BW10", "two-from-now") == "two-from-now" else ("18PM", "19AM")
    fierce = battle.attacker == "German" and any(u.ss for u in battle.attackers)
    return {"drm": int("29" in board.options and event == 2 and board.turn in turns and fierce)}
