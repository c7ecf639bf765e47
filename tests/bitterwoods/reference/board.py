"""A position of Bitter Woods as its JSON says it, with the defaults of the protocol filled in."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import Any

TURNS = [f"{day}{half}" for day in range(16, 27) for half in ("AM", "PM")]
MECHANIZED = {"armored-infantry", "armored-cavalry", "armor"}
FOOT = {"infantry", "armored-infantry"}
GUNS = {"corps-artillery", "rockets", "army-artillery"}
HEAVY = {"panther", "tiger", "jagdtiger"}
RANGES = {"corps-artillery": 4, "rockets": 1}
BATTALION = "peiper-battalion"

HEX: dict[str, Any] = {
    "terrain": "clear", "interdicted": False, "map_edge": False, "companies": 0,
    "boundary_0915": None, "boundary_1129": None, "shared_stretch": False,
}  # fmt: skip
HEXSIDE: dict[str, Any] = {"road": False, "river": None, "bridge": None, "crossing_cost": None, "crossing_stops": False}
UNIT: dict[str, Any] = {
    "silhouette": None, "place": None, "strength": 0, "er": 0, "allowance": 0, "steps": 2, "stacking": 1,
    "influence": 0, "influence_used": 0, "army": None, "special": None, "ss": False, "moved": False,
    "in_reserve": False, "shocked": False, "in_fortification": False, "in_improved_position": False,
    "fired_player_turn": False, "fired_game_turn": False, "no_road": False, "free_of_boundaries": False,
    "supplied": None, "zoc": None,
}  # fmt: skip
POSITION: dict[str, Any] = {
    "turn": "17AM", "phasing": "German", "phase": "movement", "options": [], "hexes": [], "hexsides": [],
    "units": [], "stack_limit": None, "zoc_movement": None, "bombarded_hexes": [], "supply_roads": None,
    "peiper_privileges": None,
}  # fmt: skip


class Thing:
    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)


def make_unit(raw: dict[str, Any]) -> Thing:
    nation = "German" if raw["side"] == "German" else "US"
    unit = Thing({**UNIT, "nation": nation, "range": RANGES.get(raw["kind"]), **raw})
    if unit.kind == "leader":
        unit.zoc = []
    return unit


class Board(Thing):
    def __init__(self, raw: dict[str, Any], edition: str, readings: dict[str, str]) -> None:
        super().__init__({**POSITION, **raw})
        self.answers = edition == "2014-qa"
        self.readings = readings
        self.options, self.bombarded_hexes = set(self.options), set(self.bombarded_hexes)
        self.hexes = {h["id"]: Thing({**HEX, **h}) for h in self.hexes}
        self.units = {u["id"]: make_unit(u) for u in self.units}

    # ------------------------------------------------------------------ time and readings
    @property
    def now(self) -> int:
        """Number the turn, 16AM as 0."""
        return TURNS.index(self.turn)

    def between(self, first: str, last: str) -> bool:
        return TURNS.index(first) <= self.now <= TURNS.index(last)

    def read(self, name: str, default: str) -> str:
        return self.readings.get(name, default)

    # ------------------------------------------------------------------ places
    @cached_property
    def ways(self) -> dict[str, list[tuple[Thing, str]]]:
        """List the hex-sides of each hex with the hex behind."""
        found: dict[str, list[tuple[Thing, str]]] = {name: [] for name in self.hexes}
        for side in (Thing({**HEXSIDE, **raw}) for raw in self.hexsides):
            one, other = side.ends
            found[one].append((side, other))
            found[other].append((side, one))
        return found

    def neighbours(self, name: str | None) -> set[str]:
        return {other for _, other in self.ways.get(name, ())} if name is not None else set()

    def sides_between(self, one: str | None, other: str) -> list[Thing]:
        return [side for side, end in self.ways.get(one, ()) if end == other] if one is not None else []

    def distances(self, start: str | None, passable: Callable[[str], bool] = lambda _: True) -> dict[str, int]:
        """Count the steps to each hex; what is not passable may be reached but not gone through."""
        if start is None:
            return {}
        found = {start: 0}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            if here != start and not passable(here):
                continue
            for other in self.neighbours(here) - found.keys():
                found[other] = found[here] + 1
                queue.append(other)
        return found

    # ------------------------------------------------------------------ units
    def at(self, place: str | None, side: str | None = None) -> list[Thing]:
        if place is None:
            return []
        return [u for u in self.units.values() if u.place == place and side in (None, u.side)]

    def enemies(self, side: str) -> Iterator[Thing]:
        return (u for u in self.units.values() if u.side != side and u.place is not None)

    def has_enemy(self, place: str, side: str) -> bool:
        return any(u.place == place for u in self.enemies(side))

    def zoc_of(self, unit: Thing) -> set[str]:
        """Name the hexes that the ZOC of a unit covers (qa.3)."""
        if unit.place is None or unit.kind == "leader":
            return set()
        own = {unit.place} if self.answers and unit.special == BATTALION else set()
        return set(unit.zoc or ()) | own

    def ezoc(self, side: str) -> set[str]:
        return {name for enemy in self.enemies(side) for name in self.zoc_of(enemy)}

    def get(self, names: Iterable[str]) -> list[Thing]:
        return [self.units[name] for name in names]

    # ------------------------------------------------------------------ stacking
    def weight(self, unit: Thing) -> int:
        free = unit.kind in ("leader", "army-artillery") or unit.special == "653"
        return 0 if free else int(unit.stacking)

    def stacked(self, place: str, side: str, but: Collection[str] = ()) -> int:
        return sum(self.weight(u) for u in self.at(place, side) if u.id not in but)


def is_mechanized(unit: Thing) -> bool:
    return unit.kind in MECHANIZED


def is_gun(unit: Thing) -> bool:
    return unit.kind in GUNS
