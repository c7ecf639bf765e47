"""One step: what it costs and who may make it (5, 9.7, 9.8, 22.1, 28.1, 37.2)."""

from tests.bitterwoods.reference.board import GUNS, HEAVY, Board, Thing, is_gun, is_mechanized

MEUSE = ("meuse", "cliff")
FOREST, ROUGH, EASY = 24, 24, 12


def is_unbridged(side: Thing) -> bool:
    return side.river is not None and side.bridge != "intact"


def is_road(unit: Thing, side: Thing) -> bool:
    """Whether a unit can go by road here (BW1)."""
    return side.road and not is_unbridged(side) and not unit.no_road


def barred_by_river(board: Board, unit: Thing, side: Thing) -> bool:
    """Whether a river closes a hex-side to a unit (BW2)."""
    british = unit.nation == "British" and unit.special not in ("11/29", "montgomery")
    if "28" in board.options and british and side.river in MEUSE:
        return True
    if not is_unbridged(side):
        return False
    on_meuse = unit.kind in ("armor", "armored-cavalry", *GUNS) and side.river == "meuse"
    return side.river == "cliff" or unit.silhouette in HEAVY or on_meuse


def barred_by_forest(board: Board, unit: Thing, side: Thing) -> bool:
    """Whether forest at either end closes a hex-side to a unit with a silhouette."""
    forest = any(board.hexes[end].terrain == "forest" for end in side.ends)
    return unit.silhouette is not None and forest and not is_road(unit, side)


def is_bound(board: Board, unit: Thing) -> bool:
    """Whether a gun keeps the army boundaries (BW22)."""
    kinds = unit.side == "German" and unit.kind in ("corps-artillery", "rockets")
    return "37" in board.options and kinds and board.now <= 5 and not unit.free_of_boundaries


def barred_by_boundary(board: Board, unit: Thing, to: str, action: str = "enter") -> bool:
    """Whether 37.2 keeps a gun from entering a hex or attacking it."""
    if not is_bound(board, unit) or action == "retreat":
        return False
    place = board.hexes[to]
    north = place.boundary_0915 if not place.shared_stretch else None
    if action == "attack":
        return unit.army == "sixth" and north == "on"
    match unit.army:
        case "sixth":
            return north in ("on", "south")
        case "fifth":
            return north == "north" or place.boundary_1129 == "south"
        case "seventh":
            return place.boundary_1129 == "north"
    return False


def is_closed(board: Board, unit: Thing, side: Thing, to: str) -> bool:
    """Whether a hex-side, or the hex behind it, is closed to a move of a unit."""
    return (
        barred_by_river(board, unit, side)
        or barred_by_forest(board, unit, side)
        or board.has_enemy(to, unit.side)
        or barred_by_boundary(board, unit, to)
    )


# ---------------------------------------------------------------- costs, in twelfths
def road_rate(unit: Thing) -> int:
    if unit.side == "German":
        return {"infantry": 4, "rockets": 4, "corps-artillery": 6}.get(unit.kind, 3)
    return 3


def terrain_cost(board: Board, unit: Thing, to: str) -> int:
    """Price of a hex off the road; a leader goes as he likes."""
    wheels = is_mechanized(unit) or is_gun(unit)
    match board.hexes[to].terrain:
        case "forest" | "broken":
            return 24
        case "light-woods":
            return 24 if wheels and board.now < 14 else 12
        case "clear":
            return 24 if wheels and board.between("18AM", "19PM") else 12
    return 12


def plain_cost(board: Board, unit: Thing, side: Thing, to: str) -> int:
    if is_road(unit, side):
        return road_rate(unit)
    return terrain_cost(board, unit, to) + ((side.crossing_cost or 0) if is_unbridged(side) else 0)


def has_27_1(board: Board, unit: Thing) -> bool:
    """Whether Peiper is free of interdiction."""
    exploits = unit.in_reserve and board.phase == "exploitation"
    return unit.special == "peiper" and exploits and "27" in board.options and bool(board.peiper_privileges)


def is_hindered(board: Board, unit: Thing, to: str) -> bool:
    """Whether interdiction hinders a unit that enters a hex (BW4)."""
    return unit.side == "German" and board.hexes[to].interdicted and not has_27_1(board, unit)


def step_price(board: Board, unit: Thing, side: Thing, to: str) -> int:
    return plain_cost(board, unit, side, to) + (24 if is_hindered(board, unit, to) else 0)


def best_step(board: Board, unit: Thing, to: str) -> int | None:
    if unit.kind == "army-artillery":
        return None
    sides = [s for s in board.sides_between(unit.place, to) if not is_closed(board, unit, s, to)]
    return min((step_price(board, unit, side, to) for side in sides), default=None)
