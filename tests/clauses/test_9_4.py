"""Artillery: 9.4."""

from tests.builders import battle
from tests.clauses.rows import available, calls, counters, hits, rows

ONE = battle("foot 3, foot 2", "foot 1")
FIRST = battle("foot 3", "foot 3, foot 3, armor 2")
SECOND = battle("foot 3", "foot 4, foot 3, mechanized 3")
UNEVEN = battle("foot 3", "armor 4, foot 1")
WADING = battle("foot 3 river", "foot 3 entrenched")
FREELY = {"E42": "free-choice"}

ROWS = [
    calls("9.41b", ONE, 1, 1, "both sides call"),
    calls("9.41b", battle("foot 3 oos", "foot 3 oos"), 0, 0, "out of supply nobody does"),
    calls("9.42a", battle("foot 8", "foot 9"), 2, 3, "one call per three points"),
    calls("9.42a", battle("foot 3, foot 2, armor 1", "foot 2, foot 4"), 2, 2, "points of all units together"),
    calls("9.42a", ONE, 1, 1, "five points, one call"),
    calls("9.42b", battle("foot 2", "foot 1"), 0, 1, "the defender has one at least, the attacker has not"),
    calls("9.42b", battle("foot 2", "foot 2"), 0, 1, "two points of a defender"),
    calls("9.42b", battle("foot 2", "foot 1 oos"), 0, 0, "nobody to call"),
    calls("9.42b", battle("foot 2", "foot 1, foot 5 oos"), 0, 1, "one point that is in supply"),
    calls("9.42b", battle("foot 3", "foot 6 oos"), 1, 1, "one call out of supply too", readings={"E41": "always"}),
    available("9.43", battle("foot 2", "foot 2"), 4, 8, "the Allies defend"),
    available("9.43", battle("foot 2", "foot 2", "Allied", front_line=True), 8, 6, "they attack on the front line"),
    available("9.44", battle("foot 2", "foot 2", front_line=True), 6, 8, "Germans on the old front line"),
    available("9.44", battle("foot 2", "foot 2"), 4, 8, "Germans elsewhere"),
    available("9.45", battle("foot 2", "foot 2"), 4, 8, "Germans elsewhere"),
    available("9.45", battle("foot 2", "foot 2", front_line=True), 6, 8, "Germans on the old front line"),
    counters("9.46a", FIRST, "attacker", "d1", True, "a counter goes to a target"),
    counters("9.46a", UNEVEN, "attacker", "d2", False, "not to one of few points"),
    counters("9.46a", UNEVEN, "attacker", "d1 d2", True, "points count until their unit is targeted"),
    counters("9.46b", FIRST, "attacker", "d2", True, "foot has six points"),
    counters("9.46b", FIRST, "attacker", "d3", False, "armor has two"),
    counters("9.46b", battle("foot 3, foot 3, armor 5", "foot 2"), "defender", "a3", False, "the defender likewise"),
    counters("9.46b", battle("foot 3, foot 3, armor 5", "foot 2"), "defender", "a2", True, "six points beat five"),
    counters("9.46d", FIRST, "attacker", "d1 d2", True, "three foot points are left, more than two"),
    counters("9.46d", FIRST, "attacker", "d1 d3", False, "the armor has but two"),
    counters("9.46d", SECOND, "attacker", "d1 d3", True, "three foot points are left, as many as the mechanized unit's"),
    counters("9.46d", SECOND, "attacker", "d1 d2", True, "a tie is the firer's choice"),
    counters("9.46d", SECOND, "attacker", "d2 d3", False, "four foot points are left"),
    counters("9.46d", SECOND, "attacker", "d2 d1", True, "the four of the other foot unit"),
    counters("9.46d", SECOND, "attacker", "d1 d3", False, "seven against three without subtraction",
             edition="1998-01-15"),
    counters("9.46d", SECOND, "attacker", "d1 d2 d3 d3", False, "a new layer starts with all points again"),
    counters("9.46f", SECOND, "attacker", "d1 d2 d3 d3", True, "any target when all have one", readings=FREELY),
    counters("9.46f", SECOND, "attacker", "d2 d3", False, "not before", readings=FREELY),
    counters("9.46f", UNEVEN, "attacker", "d1 d2", True, "the second goes to the unit without one"),
    counters("9.46f", UNEVEN, "attacker", "d1 d1", False, "however few its points"),
    counters("9.46f", UNEVEN, "attacker", "d1 d2 d1", True, "a second one when all have one"),
    counters("9.46f", UNEVEN, "attacker", "d1 d2 d1 d1", False, "but no third"),
    counters("9.46f", battle("foot 3", "foot 1"), "attacker", "d1 d1", True, "a single target takes all"),
    hits("9.48a", battle("foot 3", "foot 3"), ">d1", 3, "the attacker's artillery"),
    hits("9.48a", battle("foot 3, armor 3", "foot 3", attacker_artillery=1), ">a1", 5, "not the defender's"),
    hits("9.48b", battle("foot 3, armor 3", "foot 3", attacker_artillery=1), ">a1", 5, "the defender's artillery"),
    hits("9.48b", battle("foot 3", "foot 3"), ">d1", 3, "not the attacker's"),
    hits("9.49a", WADING, ">d1", 2, "at a unit that is dug in", drms={"entrenched": 1}),
    hits("9.49a", WADING, ">a1", 7, "at units without combined arms that cross a river",
         drms={"not-combined-arms": -1, "river": -1}),
    hits("9.49a", battle("foot 3 river, armor 3 river", "foot 3", attacker_artillery=1), ">a1", 6, "at units that cross",
         drms={"river": -1}),
    hits("9.49a", battle("foot 3 entrenched, armor 3", "foot 3", attacker_artillery=1), ">a1", 5, "attackers are never dug in",
         drms={}),
    hits("9.49a", battle("foot 3", "foot 3"), ">d1", 3, "the attacker gains nothing by the lack of an arm", drms={}),
]

test_9_4 = rows(ROWS)
