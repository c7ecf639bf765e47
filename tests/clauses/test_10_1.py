"""Building bridges: 10.1."""

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import position
from tests.clauses.rows import attacks, bars, builds, cases, moves, rows
from tests.worlds import EDITIONS

ROADS = "B-s major; s-x major {bridge}; s-w major; s-v major blown"
FRIEND = "f German foot 2 x"
SITE = {"s-x": {"g": 4}}


def site(engineer: str = "", friend: str = FRIEND, bridge: str = "blown", kind: str = "engineer", **fields):
    return position(ROADS.format(bridge=bridge), f"g German {kind} 2 s {engineer}; {friend}", **fields)


def playing(engineer: str):
    """Make the same site in a game, in the step in which bridges are built."""
    return site(engineer, phase="construction")


BUILD = "German build-bridge s-x g"
TWICE = [{"bridge": "s-v", "unit": "g"}]

WHERE_IT_BEGAN = [  # asked of every edition
    builds("10.12a", site("day_start=x"), SITE, "it began the turn at the other end"),
    builds("10.12a", site("day_start=w"), {}, "it began the turn elsewhere"),
    bars("10.12a", playing("day_start=x"), BUILD, "", "in a game, from the other end"),
    bars("10.12a", playing("day_start=w"), BUILD, "10.12a", "in a game, from elsewhere"),
    builds("10.14a", site("day_start=x moved"), {}, "it came from the other end"),
    bars("10.14a", playing("day_start=x moved"), BUILD, "10.14a", "in a game, the move alone bars it"),
]

ROWS = [
    *WHERE_IT_BEGAN,
    builds("10.11", site(), SITE, "an engineer may build"),
    *(builds("10.11", site(kind=kind), {}, f"{kind} may not") for kind in ("armor", "mechanized", "motorized", "foot")),
    builds("10.11", site(bridge="intact"), {}, "there is nothing to build"),
    builds("10.11", site(bridge="river"), {}, "where never a bridge was none is built"),
    builds("10.12a", site("day_start=s"), SITE, "it was there at dawn"),
    builds("10.12a", site("day_start=null"), {}, "it is new on the map"),
    builds("10.12a", site("day_start=B"), {}, "it began the turn in a zone"),
    builds("10.12a", position("B-s major; s-x major; x-y major blown", "g German engineer 2 s; f German foot 2 y"), {},
           "it is not beside the bridge"),
    builds("10.12a", position("B-s major blown", "g German engineer 2 B; f German foot 2 s"), {}, "a zone is no area"),
    builds("10.12b", position("B-s major; s-x major; s-v major blown", "g German engineer 2 x day_start=s; f German foot 2 v"), {},
           "now at neither end"),
    builds("10.12b", position("B-s major blown", "g German engineer 2 B day_start=s; f German foot 2 s"), {},
           "now in a zone"),
    builds("10.12b", position("A-s major; B-s major blown", "g German engineer 2 s; f German foot 2 B"), {},
           "nor at the other end"),
    builds("10.12b", site(), SITE, "a friend stands at the other end"),
    builds("10.12b", site(friend="f German armor 2 x day_start=s moved impulse_start=s"), SITE, "of any type, new there too"),
    builds("10.12b", site(friend=""), {}, "nobody does"),
    builds("10.12b", site(friend="f German foot 2 s"), {}, "a friend at the same end is none"),
    builds("10.12b", site(friend="f Allied foot 2 x"), {}, "an enemy is none"),
    builds("10.13a", site(friend=FRIEND + "; e Allied foot 2 s"), {}, "an enemy beside the engineer"),
    builds("10.13a", site(), SITE, "no enemy there"),
    builds("10.13b", site(friend=FRIEND + "; e Allied foot 2 x"), SITE, "an enemy at the other end"),
    builds("10.14a", site("moved"), {}, "it has moved"),
    builds("10.14a", site(), SITE, "it has not"),
    moves("10.14a", site("built_today"), "g", "s w", None, "having tried it does not move"),
    moves("10.14a", site(), "g", "s w", 1, "not having tried it may"),
    moves("10.14a", site("built_today", "f German foot 2 s"), "f g", "s w", None, "nor in a stack"),
    builds("10.14a", site("built_today"), SITE, "an attempt does not bar one in a later impulse"),
    builds("10.14b", site("attacked"), {}, "it has attacked"),
    builds("10.14b", site(), SITE, "it has not"),
    attacks("10.14b", site("built_today", "e Allied foot 1 s"), "g", "may not", "having tried it does not attack"),
    attacks("10.14b", site("", "e Allied foot 1 s"), "g", "may", "not having tried it may"),
    builds("10.14c", site(battle_areas=["s"]), {}, "a battle in its area"),
    builds("10.14c", site(battle_areas=["x"]), SITE, "one at the other end"),
    builds("10.15", site(), SITE, "1 to 4"),
    builds("10.15", site(bridge="blown failed=1"), {"s-x": {"g": 5}}, "more only after a failure"),
    builds("10.16a", site(construction_attempts=TWICE), {}, "it has tried in this impulse"),
    builds("10.16a", site(), SITE, "it has not"),
    builds("10.16a", site(side="Allied"), {}, "not in the enemy's impulse"),
    builds("10.16b", site(bridge="blown failed=1"), {"s-x": {"g": 5}}, "the second attempt"),
    builds("10.16b", site(bridge="blown failed=2"), {"s-x": {"g": 6}}, "the third"),
    builds("10.16b", site(bridge="blown failed=6"), {"s-x": {"g": 10}}, "the seventh cannot fail"),
    builds("10.16b", site(bridge="blown failed=8"), {"s-x": {"g": 10}}, "a die has ten faces"),
    builds("10.17a", site(friend=FRIEND + "; h German engineer 2 s"), {"s-x": {"g": 4, "h": 4}}, "two engineers gain nothing"),
    builds("10.17b", site(friend=FRIEND + "; h German engineer 2 s moved",
                          construction_attempts=[{"bridge": "s-x", "unit": "h"}]), {}, "another has tried this bridge"),
    builds("10.17b", site(friend=FRIEND + "; h German engineer 2 s moved",
                          construction_attempts=[{"bridge": "s-v", "unit": "h"}]), SITE, "another has tried another"),
    builds("13.24", site("", FRIEND + "; e Allied foot 1 B"), {}, "an engineer out of supply"),
    builds("13.24", site(), SITE, "one in supply"),
]

test_10_1 = rows(ROWS)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(("row", "engine"), cases(WHERE_IT_BEGAN))
def test_where_the_engineer_began_the_turn_in_every_edition(row, engine, edition):
    assert row.ask(Edition(edition, engine=engine)) == row.expected
