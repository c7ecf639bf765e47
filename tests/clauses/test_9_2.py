"""Who fires at whom at all: 9.21."""

from tests.builders import battle
from tests.clauses.rows import allocates, fires, rows

FIGHT = battle("foot 2", "armor 2, foot 1")

ROWS = [
    allocates("9.21a", FIGHT, "attacker", ["a1>d2"], "the attacker fires at a defender"),
    allocates("9.21a", FIGHT, "defender", ["d1>a1,d2>a1"], "every defender fires at the attacker"),
    fires("9.21a", FIGHT, "defender", "d1>a1", False, "no unit may hold its fire"),
    fires("9.21a", FIGHT, "defender", "d1>a1 d2>a1", True, "all of them fire"),
    fires("9.21a", FIGHT, "attacker", "d1>a1 d2>a1", False, "defenders do not fire for the attacker"),
]

test_9_2 = rows(ROWS)
