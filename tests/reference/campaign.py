"""Arrivals, special forces, control, points and attrition of 1999 by hand, and single shots and bridges.

Written from the rulebook and the rulings alone, over the plain data of a request; supply, lists of fire and dice for
bridges are those of `handwritten`. Comments name the printed rule, or R for a ruling.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.reference.handwritten import (
    ALLIED,
    CLOSED,
    DEFAULTS,
    GERMAN,
    Readings,
    allocation_lines,
    read_battle,
    read_fire,
    read_position,
    supply_of_side,
)
from tests.reference.handwritten import answer as basic_answer

Json = dict[str, Any]
POINTS = {"foot": 5}  # 8.31: all others have 8
EFFECTS = ("mobility", "demolition", "confusion")  # 14.22 to 14.24
LEVELS = {40: "German Decisive", 30: "German Marginal", 25: "Draw", 15: "Allied Marginal", 0: "Allied Decisive"}


def strength(board: Json, place: str, side: str) -> int:
    return sum(unit["strength"] for unit in board["units"] if (unit["place"], unit["side"]) == (place, side))


def sides_in(board: Json, place: str) -> set[str]:
    return {unit["side"] for unit in board["units"] if unit["place"] == place}


def starving(board: Json) -> set[str]:
    """The units out of supply, of both sides (13.11)."""
    position = read_position(board)
    fewest = {side: supply_of_side(position, side) for side in (GERMAN, ALLIED)}
    return {name for name, unit in position.units.items() if fewest[unit.side][unit.place] > unit.reach}


# ---------------------------------------------------------------------- reinforcements (11)
def is_closed(zone: Json, side: str) -> bool:
    stated = zone.get(f"{side.lower()}_may_enter")
    return zone["id"] in CLOSED[side] if stated is None else not stated  # 11.22, 11.23


def shifts(board: Json, given: Json, side: str, readings: Readings) -> dict[str, int]:
    """How many zones each is away along the edge from the nearest zone of the card (11.14)."""
    zones = {zone["id"]: zone for zone in board["zones"]}
    away, reached = dict.fromkeys(given["entry"], 0), list(given["entry"])
    while reached:
        here = reached.pop(0)
        for pair in board.get("zone_neighbours", ()):
            there = pair[here == pair[0]] if here in pair else here
            barred = is_closed(zones[there], side) and readings.get("R47") != "any-open"
            if there not in away and not barred:
                away[there] = away[here] + 1
                reached.append(there)
    return away


def fares(board: Json, given: Json, readings: Readings) -> dict[str, int | None]:
    side, kind, (day, impulse) = given["side"], given.get("kind"), given["due"]
    late = 3 * (board["day"] - day) + board["impulse"] - impulse
    away = shifts(board, given, side, readings)
    most = POINTS.get(kind, 8) if kind and readings.get("R48") != "any-distance" else 999

    def fare(zone: Json) -> int | None:
        number = away.get(zone["id"])
        held = side == ALLIED and GERMAN in sides_in(board, zone["id"])  # 11.21
        strange = bool(number) and zone.get("owner") != side and readings.get("R47") != "any-open"
        if number is None or number > late or 2 * number > most or held or strange or is_closed(zone, side):
            return None
        return 2 * number

    return {zone["id"]: fare(zone) for zone in board["zones"] if zone["id"] in given["ask"]}


def is_released(board: Json, areas: Sequence[str], readings: Readings) -> bool:
    superior = [strength(board, area, GERMAN) > strength(board, area, ALLIED) for area in areas]  # 11.3
    return all(superior) if readings.get("E28") == "all-areas" else any(superior)


# ---------------------------------------------------------------------- special forces (14)
def special_forces(board: Json) -> Json:
    has_counter = board["day"] in (17, 18, 19) and board["day"] not in board.get("days_used", ())  # 14.11
    has_counter &= board["side_to_move"] == GERMAN and not board.get("special_forces")
    used = {*board.get("effects_used", ()), *(["mobility"] if board["impulse"] == 3 else [])}  # 14.21, 14.22
    effects = [effect for effect in EFFECTS if effect not in used and has_counter]
    areas = [area["id"] for area in board["areas"] if not area.get("vp")] if effects else []  # 14.12
    return {"effects": sorted(effects) if areas else [], "areas": sorted(areas)}


# ---------------------------------------------------------------------- control, points and attrition (12, 13.2)
def control(board: Json) -> dict[str, str | None]:
    found = {}
    for area in board["areas"]:
        here = sides_in(board, area["id"])
        found[area["id"]] = min(here) if len(here) == 1 else area.get("control")  # 12.22
    return found


def victory_points(board: Json, readings: Readings) -> Json:
    final, when = board.get("final", False), readings.get("R33", "at-the-end")
    hungry = starving(board) if final else set()  # 12.24
    areas, zones = {}, {}
    for area in board["areas"]:
        spoilt = (board["day"], board["impulse"], readings.get("E32")) == (22, 1, "scores-nothing")
        if area.get("control") == GERMAN and area.get("vp") and not spoilt:
            areas[area["id"]] = area["vp"]
    for zone in board["zones"]:
        units = [unit for unit in board["units"] if unit["place"] == zone["id"] and unit["side"] == GERMAN]
        there = [unit for unit in units if unit["id"] not in hungry]
        if when == "per-unit":
            fresh = sum(unit["strength"] for unit in there if not unit.get("scored"))
        else:
            fresh = max(0, sum(unit["strength"] for unit in there) - zone.get("counted", 0))
        points = fresh * zone.get("vp_factor", 0)  # 12.23
        if points and zone.get("owner") == ALLIED and (final or when != "at-the-end"):
            zones[zone["id"]] = points
    return {"areas": areas, "zones": zones, "total": sum(areas.values()) + sum(zones.values())}


# ---------------------------------------------------------------------- the protocol
def answer(query: str, given: Mapping[str, Any], readings: Readings = DEFAULTS) -> Json:
    """Answer what `handwritten` does not; what it does, it answers."""
    board: Json = given.get("position", {})
    match query:
        case "reinforcement_options":
            return {"zones": fares(board, dict(given), readings)}
        case "contingent_release":
            return {"released": is_released(board, given["areas"], readings)}
        case "special_forces_options":
            return special_forces(board)
        case "control_after_impulse":
            return {"control": control(board)}
        case "vp_at_turn_end":
            return victory_points(board, readings)
        case "attrition_losses":
            hungry = starving(board)
            left = {unit["id"]: unit["strength"] - 1 for unit in board["units"] if unit["id"] in hungry}
            return {"strength_left": left}
        case "campaign_victory_level":
            return {"level": next(level for least, level in LEVELS.items() if given["points"] >= least)}
        case "may_fire" | "fire_targets":
            return shots(query, given, readings)
        case "may_blow":
            options = basic_answer("demolition_options", given, readings)["options"]
        case "may_build":
            options = basic_answer("construction_options", given, readings)["options"].get(given["bridge"], {})
        case _:
            return basic_answer(query, given, readings)
    return {"allowed": given["unit"] in options, "highest": options.get(given["unit"])}


def shots(query: str, given: Mapping[str, Any], readings: Readings) -> Json:
    """Whom a unit fires at in some legal plan of fire."""
    plans = allocation_lines(read_fire(read_battle(given["battle"]), given["who"], readings))
    pairs = {tuple(shot.split(">")) for plan in plans for shot in plan.split(",")}
    hit = {target for firing, target in pairs if firing == given["firing"]}
    return {"allowed": given["target"] in hit} if query == "may_fire" else {"targets": sorted(hit)}
