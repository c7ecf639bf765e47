"""What clauses say under readings that are not the default: wading, release by all areas, one placing a day."""

from tests.builders import position
from tests.clauses.rows import Row, arrives, moves, releases, rows

WADING = {"R19": "wading"}


def crossing(way: str) -> dict:
    """Foot infantry and armor before a way from x to y."""
    return position(f"B-x major; x-y {way}; B-y major", "foot German foot 2 x; tank German armor 2 x")


def wades(clause: str, way: str, unit: str, cost: int | None, remark: str) -> Row:
    return moves(clause, crossing(way), unit, "x y", cost, remark, readings=WADING)


ROWS = [
    moves("8.33-unbridged", crossing("minor river"), "foot", "x y", None, "no bridge was ever there, default reading"),
    moves("8.33-unbridged", crossing("minor"), "foot", "x y", 2, "no river, default reading"),
    moves("8.33-unbridged", crossing("minor intact"), "foot", "x y", 2, "over the bridge, default reading"),
    wades("8.33-unbridged", "minor river", "foot", 3, "foot infantry wades"),
    wades("8.33-unbridged", "minor river", "tank", None, "armor does not wade"),
    wades("8.33-unbridged", "minor", "tank", 2, "no river to wade"),
    wades("8.33-unbridged", "minor intact", "tank", 2, "armor goes over the bridge"),
    wades("8.33-unbridged", "minor blown", "tank", None, "armor stops at a blown bridge"),
    wades("8.33-unbridged", "river", "foot", 3, "a river without a road is waded"),
    wades("8.33-unbridged", "", "foot", None, "no river and no road"),
    wades("8.33-unbridged", "intact", "foot", None, "a bridge without a road"),
    wades("8.34b", "minor river", "foot", 3, "3 in all, with a minor road"),
    wades("8.34b", "major river", "foot", 3, "3 in all, with a major road"),
    wades("8.34b", "minor", "foot", 2, "the road is paid where no river is"),
    wades("8.34b", "major", "foot", 1, "the major road too"),
    wades("8.34b", "minor intact", "foot", 2, "the road is paid over a bridge"),
    wades("8.34b", "major intact", "foot", 1, "the major road over a bridge"),
    *(
        releases(
            "11.3a", position("A-x major; x-y major", "g German foot 2 x; h German foot 2 y; e Allied foot 2 z"),
            areas, released, f"all of {areas or 'none'}", readings={"E28": "all-areas"},
        )
        for areas, released in (("x y", True), ("x z", False), ("z", False), ("", False))
    ),
    arrives(
        "11.14a", position("A-x major", "g German foot 2 x"), "A", "17-3", {"A": 0}, "all that is due this day",
        readings={"E23": "once-a-day"},
    ),
    arrives(
        "11.14a", position("A-x major", "g German foot 2 x"), "A", "18-1", {"A": None}, "not what is due tomorrow",
        readings={"E23": "once-a-day"},
    ),
]  # fmt: skip

test_row = rows(ROWS)
