"""36.leader.1, BW25: Peiper's leader is there for his own units only, in every engine and in the reference."""

import pytest
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.edition import Edition

from tests.bitterwoods.reference.answer import answer
from tests.bitterwoods.worlds import Maker

BATTALION, FULL, REGIMENT = ("battalion", "peiper-battalion"), ("full", "peiper"), ("regiment", None)
PEIPER, DIETRICH = "peiper-leader", "dietrich"
HEXES = ("A", "B")  # the leader stands in A
TOO = {"BW25": "standard-too"}


def unit(name, kind, place, side="German", **more):
    return {"id": name, "side": side, "kind": kind, "place": place, "allowance": 5, "strength": 5, "er": 4, **more}


def request(query, result, losers, leader=PEIPER, others=(), readings=None, options=("24", "36")):
    """Ask about a battle that German units lose; they and other units stand as `(name, special), hex`."""
    stand = [(who, "A") if isinstance(who[0], str) else who for who in (*losers, *others)]
    units = [unit(name, "armored-infantry", place, special=special) for (name, special), place in stand]
    units.append(unit("leader", "leader", "A", special=leader, range=3, influence=1))
    units.append(unit("enemy", "infantry", "C", "Allied", zoc=[]))
    position = {
        "options": list(options), "units": units, "hexes": [{"id": name} for name in (*HEXES, "C")],
        "hexsides": [{"id": "A-B", "ends": ["A", "B"]}, {"id": "A-C", "ends": ["A", "C"]}],
    }  # fmt: skip
    names = [unit["id"] for unit in units[: len(losers)]]
    battle = {"attacker": "Allied", "attackers": ["enemy"], "defenders": names, "result": result, "leader": "leader"}
    given = {"position": position, "battle": battle}
    return {"game": "bitterwoods", "edition": "2014", "readings": readings or {}, "query": query, "input": given}


def answers(asked):
    found = [Edition(asked["edition"], asked["readings"], game="bitterwoods", engine=engine) for engine in ENGINES]
    return [*(edition.answer(asked["query"], asked["input"]) for edition in found), answer(asked)]


STAY = [
    ("D2", [BATTALION, REGIMENT], {}, {"battalion"}, "he lets his battalion stay, the regiment beside it retreats"),
    ("D2", [REGIMENT], {}, None, "a regiment alone with him retreats"),
    ("D2", [FULL], {}, None, "the full unit is not one of the three battalions"),
    ("D2", [FULL], {"readings": TOO}, {"full"}, "but by the other reading it may stay"),
    ("D2", [REGIMENT], {"readings": TOO}, None, "and a regiment does not by either"),
    ("D2", [BATTALION, REGIMENT], {"leader": DIETRICH}, {"battalion", "regiment"}, "others' leaders let all stay"),
    ("D2", [(BATTALION, "B")], {}, {"battalion"}, "a battalion in his range need not stand with him"),
    ("D2", [BATTALION, REGIMENT], {"options": ["24"]}, {"battalion"}, "where he is in play, the rule is in force"),
    ("D2", [REGIMENT], {"others": [BATTALION]}, None, "a battalion outside the battle helps nobody to stay"),
]
LOST = [
    ("1D1", [BATTALION, REGIMENT], {}, True, "he is a loss beside his battalion"),
    ("1D1", [REGIMENT], {}, False, "and is not beside a regiment alone"),
    ("1D1", [FULL], {}, False, "nor beside the full unit"),
    ("1D1", [FULL], {"readings": TOO}, False, "which may stay by the other reading, and is no battalion by it"),
    ("1D1", [(BATTALION, "B"), REGIMENT], {}, False, "nor where the battalion stands in another hex"),
    ("1D1", [REGIMENT], {"others": [BATTALION]}, True, "the battalion that he stands with need not be in the battle"),
    ("1D1", [REGIMENT], {"leader": DIETRICH}, True, "any other leader is a loss beside a regiment"),
    ("D1", [BATTALION], {}, False, "no loss is compulsory, so none is offered"),
]


@pytest.mark.parametrize(("result", "losers", "more", "staying", "why"), STAY, ids=[row[-1] for row in STAY])
def test_who_may_stay(result, losers, more, staying, why):
    asked = request("retreat_responses", result, losers, **more)
    for found in answers(asked):
        stays = [set(choice["stay"]) for choice in found["choices"] if choice["stay"]]
        assert stays == ([staying] if staying else [])


@pytest.mark.parametrize(("result", "losers", "more", "lost", "why"), LOST, ids=[row[-1] for row in LOST])
def test_who_is_a_loss(result, losers, more, lost, why):
    asked = request("loss_candidates", result, losers, **more)
    assert [("leader" in found["units"]) for found in answers(asked)] == [lost] * (len(ENGINES) + 1)


@pytest.mark.parametrize(("losers", "offered"), [([BATTALION], True), ([FULL], False)])
def test_his_step_counts_only_where_he_is_a_loss(losers, offered):
    choices = [found["choices"] for found in answers(request("retreat_responses", "3D0", losers))]
    assert [bool(found) for found in choices] == [offered] * (len(ENGINES) + 1)


def test_random_worlds_around_him_hold_what_he_changes():
    differing = 0
    for seed in range(300):
        maker = Maker(seed)
        maker.gather_around_peiper()
        asked = maker.request("retreat_responses" if seed % 2 else "loss_candidates")
        before = answer(asked)
        for unit in maker.units:
            unit["special"] = None
        differing += answer(asked) != before
    assert differing >= 20
