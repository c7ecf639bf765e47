"""Who attacks: 9.1."""

from tests.builders import battle, position
from tests.clauses.rows import allocates, attacks, moves, rows

ROADS = "B-s major; s-x major; x-y major; y-B major"


def contact(flags: str, more: str = "e Allied foot 1 x", **fields):
    return position(ROADS, f"m German foot 2 x {flags}; {more}", **fields)


STAYING = battle("foot 2", "foot 2", bystanders="foot 3")

ROWS = [
    attacks("9.11a", contact("attacked"), "m", "may not", "one attack a turn"),
    attacks("9.11a", contact("attacked moved"), "m", "may not", "whether it moved to that attack or not"),
    attacks("9.11a", contact("attacked moved impulse_start=s"), "m", "may not", "or came in this impulse"),
    attacks("9.11a", contact(""), "m", "may", "it has not attacked yet"),
    attacks("9.12", contact("moved impulse_start=s"), "m", "must", "it entered in this impulse"),
    attacks("9.12", contact("", "n German foot 2 x moved impulse_start=s; e Allied foot 1 x"), "m", "may",
            "a friend who was there before is not forced"),
    attacks("9.13", contact(""), "m", "may", "in contact since the impulse began"),
    attacks("9.13", contact("", "e Allied foot 1 s"), "m", "may not", "not in contact"),
    attacks("9.13", contact("", side="Allied"), "e", "may", "the other side in its impulse"),
    moves("9.13", contact(""), "m", "x y", 2, "it may move elsewhere instead"),
    allocates("9.14a", STAYING, "defender", ["d1>a1"], "friends who stay out are no targets"),
    allocates("9.14a", STAYING, "defender", ["d1>a1", "d1>b1"], "unless all present are", readings={"R6": "all-present"}),
    allocates("9.14a", STAYING, "attacker", ["a1>d1"], "nor do they fire", readings={"R6": "all-present"}),
    moves("9.16", contact("attacked", ""), "m", "x y", None, "it has attacked today"),
    moves("9.16", contact("", ""), "m", "x y", 1, "it has not"),
    moves("9.16", position(ROADS, "m German foot 2 x; n German foot 2 x attacked"), "m n", "x y", None, "one of the stack has"),
    attacks("9.17", position("D-s major; s-B major", "m German foot 2 D moved impulse_start=s; e Allied foot 1 D"), "m",
            "may not", "no combat in a zone"),
    attacks("9.17", contact("moved impulse_start=s"), "m", "must", "in an area there is"),
]

test_9_1 = rows(ROWS)
