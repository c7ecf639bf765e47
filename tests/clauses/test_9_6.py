"""Combined arms: 9.6."""

from tests.builders import battle
from tests.clauses.rows import combines, hits, rows

ARMS = battle("armor 2, foot 2", "armor 2", attacker_artillery=1)
SILENT = battle("armor 2, foot 2", "armor 2")

ROWS = [
    combines("9.6a", ARMS, True, "infantry, armor and artillery"),
    combines("9.6a", battle("foot 2, foot 2", "armor 2", attacker_artillery=1), False, "no armor"),
    combines("9.6a", battle("armor 2, armor 2", "armor 2", attacker_artillery=1), False, "no infantry"),
    combines("9.6a", battle("foot 2", "armor 2", attacker_artillery=1, bystanders="armor 2"), False,
             "armor that stays out does not attack"),
    hits("9.6b", SILENT, "d1>a1", 6, "the defenders fire at -1", drms={"not-combined-arms": -1}),
    hits("9.6b", ARMS, "d1>a1", 5, "unless the attack has all arms", drms={}),
    hits("9.6b", SILENT, "a1>d1", 4, "the attackers gain nothing", drms={}),
    combines("9.6c", SILENT, False, "no call succeeded"),
    combines("9.6c", ARMS, True, "one did"),
]

test_9_6 = rows(ROWS)
