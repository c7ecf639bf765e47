"""Unit types and factors: 4.11, 4.17, 4.18, and the two sides, 2.0."""

from tests.builders import battle, position
from tests.clauses.rows import available, combines, hits, moves, rows

KINDS = ("engineer", "armor", "mechanized", "motorized", "foot")
ATTACK = {"engineer": 3, "armor": 4, "mechanized": 3, "motorized": 3, "foot": 3}
DEFENSE = {"engineer": 4, "armor": 5, "mechanized": 4, "motorized": 4, "foot": 4}


def fight(kind: str):
    """A battle without modifiers in which a unit of a kind fires on either side."""
    return battle(f"{kind} 2, armor 2, foot 2", f"{kind} 2", attacker_artillery=1)


ROWS = [
    *(hits(f"4.17-{k}", fight(k), "a1>d1", ATTACK[k], f"attacking {k}", drms={}) for k in KINDS),
    *(hits(f"4.17-{k}", fight(k), "d1>a1", DEFENSE[k], f"defending {k}", drms={}) for k in KINDS),
    hits("4.18a", fight("armor"), "a1>d1", 4, "an attacker hits by its attack factor"),
    hits("4.18a", fight("armor"), "d1>a1", 5, "a defender does not"),
    hits("4.18b", fight("armor"), "d1>a1", 5, "a defender hits by its defense factor"),
    hits("4.18b", fight("armor"), "a1>d1", 4, "an attacker does not"),
    moves("4.18c", position("B-s major; s-x minor; x-y minor; y-z minor; z-t minor", "m German armor 2 s"),
          "m", "s x y z t", 8, "armor has eight points"),
    moves("4.18c", position("B-s major; s-x minor; x-y minor; y-z minor", "m German foot 2 s"),
          "m", "s x y z", None, "foot infantry has but five"),
    combines("chart-unit-engineer", battle("engineer 2, armor 2", "foot 1", attacker_artillery=1), True,
             "an engineer is the infantry of combined arms"),
    combines("chart-unit-engineer", battle("armor 2, armor 3", "foot 1", attacker_artillery=1), False,
             "armor alone has none"),
    *(combines("4.11a", battle(f"{kind} 2, armor 2", "foot 1", attacker_artillery=1), True, f"{kind} is infantry")
      for kind in ("mechanized", "motorized", "foot")),
    combines("4.11a", battle("armor 2, armor 2", "foot 1", attacker_artillery=1), False, "armor is not infantry"),
    available("2.0a", battle("foot 3", "foot 3"), 4, 8, "the Germans attack, so the Allies defend"),
    available("2.0a", battle("foot 3", "foot 3", "Allied"), 8, 4, "the Allies attack, so the Germans defend"),
]

test_4_1 = rows(ROWS)
