"""Reinforcements: 11.1 and 11.3."""

from tests.builders import position
from tests.clauses.rows import arrives, releases, rows

BORDERS = [["G", "H"], ["H", "I"], ["I", "K"], ["K", "L"]]


def world(day: int = 18, impulse: int = 1, units: str = "", side: str = "Allied", borders=BORDERS):
    roads = "G-s major; H-s major; I-s major; K-s major; L-s major; A-s major; B-s major"
    return position(roads, units, day, impulse, side, zone_neighbours=borders)


def balance(units: str):
    return position("B-x major; x-y major", units, side="Allied")


ROWS = [
    arrives("11.11", world(), "G", "18-1", {"G": 0, "H": None}, "at the zone of its card"),
    arrives("11.11", world(), "G H", "18-1", {"G": 0, "H": 0, "I": None}, "at any of the zones of its card"),
    arrives("11.12", world(), "G", "18-1", {"G": 0}, "in the impulse that it is due"),
    arrives("11.12", world(17, 3), "G", "18-1", {"G": None}, "not before"),
    arrives("11.12", world(18, 1), "G", "18-2", {"G": None}, "not an impulse before"),
    arrives("11.12", world(19, 1), "G", "18-2", {"G": 0}, "it may have waited"),
    arrives("11.14a", world(18, 1), "G", "18-1", {"H": None}, "the next zone is an impulse later"),
    arrives("11.14a", world(18, 2), "G", "18-1", {"G": 0, "H": 2, "I": None}, "and then it is open"),
    arrives("11.14a", world(19, 1), "G", "18-3", {"H": 2, "I": None}, "the first impulse follows the third of the day before"),
    arrives("11.14a", world(19, 1), "G", "18-2", {"I": 4}, "two impulses from day to day"),
    arrives("11.14a", world(18, 2), "G I", "18-1", {"H": 2, "K": 2}, "the nearest zone of the card counts"),
    arrives("11.14a", world(18, 2, borders=[]), "G", "18-1", {"H": None}, "zones that are no neighbours"),
    arrives("11.14b", world(18, 2), "G", "18-1", {"H": 2}, "two points a zone"),
    arrives("11.14b", world(18, 3), "G", "18-1", {"G": 0, "H": 2, "I": 4, "K": None}, "four for two zones"),
    arrives("11.14b", world(18, 3), "G", "18-1", {"H": 2}, "waiting costs no points"),
    arrives("11.21a", world(18, 2, "e German foot 1 G"), "G", "18-1", {"G": None, "H": 2}, "Germans hold the zone"),
    arrives("11.21a", world(18, 2, "e Allied foot 1 G"), "G", "18-1", {"G": 0}, "friends do not matter"),
    arrives("11.21a", world(18, 2, "e Allied foot 1 B", "German"), "B", "18-1", {"B": 0}, "the rule binds the Allies"),
    arrives("11.22", world(18, 2, side="German"), "K", "18-1", {"K": 0, "L": None}, "zone L is closed to Germans"),
    arrives("11.22", world(18, 2), "K", "18-1", {"K": 0, "L": 2}, "and open to the Allies"),
    arrives("11.23", world(18, 2, borders=[["A", "G"]]), "G", "18-1", {"A": None}, "zone A is closed to the Allies"),
    arrives("11.23", world(18, 2, side="German", borders=[["A", "B"]]), "B", "18-1", {"A": 2}, "and open to Germans"),
    releases("11.3a", balance("g German foot 3 x; e Allied foot 2 x"), "x y", True, "superior in one of the areas"),
    releases("11.3a", balance("g German foot 3 x; e Allied foot 2 x"), "y", False, "not in one of these"),
    releases("11.3b", balance("g German foot 3 x; e Allied foot 2 x"), "x", True, "three against two"),
    releases("11.3b", balance("g German foot 2 x; e Allied foot 2 x"), "x", False, "as many is not more"),
    releases("11.3b", balance("g German foot 2 x; h German foot 1 x; e Allied armor 2 x"), "x", True, "points, not units"),
    releases("11.3b", balance("g German foot 1 x; h German foot 1 x; e Allied armor 2 x"), "x", False, "not units, points"),
    releases("11.3b", balance("g German foot 1 x"), "x", True, "against nobody"),
    releases("11.3b", balance("g German foot 9 y; e Allied foot 1 x"), "x", False, "in the area, not next to it"),
]

test_11_1 = rows(ROWS)
