"""Combat modifiers: 9.7."""

from tests.builders import battle
from tests.clauses.rows import hits, rows

ARMS = {"attacker_artillery": 1}
BOTH = battle("armor 2 river, foot 2 river", "armor 2", **ARMS)

ROWS = [
    hits("9.71-entrenched", battle("mechanized 2", "foot 2 entrenched"), "a1>d1", 2, "at a unit that is dug in",
         drms={"entrenched": 1}),
    hits("9.71-entrenched", battle("mechanized 2", "foot 2"), "a1>d1", 3, "at one that is not", drms={}),
    hits("9.71-oos", battle("armor 2, foot 2", "armor 2 oos", **ARMS), "d1>a1", 4, "a defender", drms={"out-of-supply": 1}),
    hits("9.71-oos", battle("armor 2 oos", "armor 2"), "a1>d1", 3, "an attacker", drms={"out-of-supply": 1}),
    hits("9.71-oos", battle("armor 2, foot 2 oos", "armor 2 oos"), "a1>d1", 4, "it is the firer's supply that counts", drms={}),
    hits("9.71-river", BOTH, "d1>a1", 6, "all came over a river", drms={"river": -1}),
    hits("9.71-river", BOTH, "a1>d1", 4, "the attackers gain nothing", drms={}),
    hits("9.71-river", battle("armor 2 river, foot 2 here", "armor 2", **ARMS), "d1>a1", 5, "one was there before", drms={}),
    hits("9.71-river", battle("armor 2 here, foot 2 here", "armor 2", **ARMS), "d1>a1", 5, "all were", drms={}),
    hits("9.71-river", battle("armor 2 road, foot 2 road", "armor 2", **ARMS), "d1>a1", 5, "no river at all", drms={}),
    hits("9.72", battle("armor 2 river, foot 2 road", "armor 2", **ARMS), "d1>a1", 5, "one came by a dry road", drms={}),
    hits("9.72", battle("armor 2 road, foot 2 river", "armor 2", **ARMS), "d1>a2", 5, "the river helps against none", drms={}),
    hits("9.72", BOTH, "d1>a2", 6, "both came over a river", drms={"river": -1}),
    hits("9.73", battle("armor 2 river, foot 2 river", "armor 2", bystanders="foot 1", **ARMS), "d1>a1", 5, "a friend stays there",
         drms={}),
    hits("9.73", battle("armor 2 river, foot 2 river", "armor 2", departed=1, **ARMS), "d1>a1", 5, "one left in this impulse",
         drms={}),
    hits("9.73", BOTH, "d1>a1", 6, "nobody was there", drms={"river": -1}),
    hits("9.74", battle("foot 2 river", "armor 2"), "d1>a1", 7, "river and no combined arms",
         drms={"river": -1, "not-combined-arms": -1}),
    hits("9.74", battle("foot 2 river", "armor 2 oos"), "d1>a1", 6, "and out of supply",
         drms={"river": -1, "not-combined-arms": -1, "out-of-supply": 1}),
]

test_9_7 = rows(ROWS)
