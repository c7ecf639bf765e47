"""Cold Ford, a game that is rules alone: its clauses, its scenario played to the end, three engines."""

import random

import pytest
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import POLICIES, open_start, play_game
from titm_rules.oracle.position import Position

GAME = "cold-ford"
RULES = Edition(game=GAME)
START = open_start("the-ford", Rules(game=GAME))[1]


def at(*units, edition=RULES, **more):
    """Make a position from `r5 0103`: a side, a strength, a hex; the id is the hex with its side."""
    rows = []
    for unit in units:
        who, place = unit.split()
        side = {"r": "Red", "b": "Blue"}[who[0]]
        rows.append({"id": f"{who[0]}{place}", "side": side, "strength": int(who[1]), "place": place})
    return Position.from_dict({"map": "valley", "units": rows, **more}, edition)


PATHS = [
    ("3.2", ["r2 0203"], "0203 0303 0403", 2, ""), ("3.3", ["r2 0203"], "0203 0202", 2, ""),
    ("3.1", ["r2 0203"], "0203 0202 0302 0301", None, "3.1"), ("3.4", ["r2 0103", "b2 0203"], "0103 0203", None, "3.4"),
    ("3.5", ["r2 0302"], "0302 0402", None, "3.5"), ("3.8", ["r2 0203"], "0203 0303 0403 0503", None, "3.8"),
    ("2.2", ["r2 0103", "r2 0203"], "0103 0203", None, "2.2"),
    ("2.2 on the way", ["r2 0103", "r2 0203"], "0103 0203 0303", 2, ""),
    ("4.2", ["r2 0102", "b2 0203"], "0102 0202 0201", None, "4.2"), ("4.3", ["r2 0102", "b2 0203"], "0102 0103", 1, ""),
    ("4.3 from zone to zone", ["r2 0103", "b2 0203"], "0103 0104", None, "4.3"),
    ("4.1 none beyond the river", ["r2 0204", "b2 0404"], "0204 0304", 2, ""), ("5.5", ["r2 0503"], "0503 0504", 1, ""),
    ("5.5 one point", ["r2 0604"], "0604 0504 0505", None, "5.5"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "units", "path", "cost", "clause"), PATHS, ids=[row[0] for row in PATHS])
def test_marches(name, units, path, cost, clause):
    position = at(*units)
    verdict = position.check("check_path", unit=f"r{path[:4]}", path=path.split())
    assert verdict.answer == ({"legal": False} if cost is None else {"legal": True, "cost": cost})
    assert clause in {finding.clause for finding in verdict.failing} or not clause


SUPPLY = [
    ("5.1 on the depot", ["r2 0103", "b2 0203"], "r0103", True),
    ("5.2 four hexes", ["r2 0503"], "r0503", True),
    ("5.2 and no more", ["r2 0603"], "r0603", False),
    ("5.3 an enemy zone", ["r2 0503", "b2 0402"], "r0503", False),
    ("5.4 but not over the river", ["r1 0305", "r2 0405"], "r0405", False),
    ("5.4 a friend keeps it open", ["r2 0503", "b2 0402", "r2 0403", "r2 0303"], "r0503", True),
]


@pytest.mark.parametrize(("name", "units", "unit", "supplied"), SUPPLY, ids=[row[0] for row in SUPPLY])
def test_supply(name, units, unit, supplied):
    assert at(*units).ask("supplied", unit=unit) == {"supplied": supplied}


ODDS = [
    ("6.3 cover", ["r5 0403", "b3 0404"], "b0404", "1-1", 2),
    ("6.4 more than twice", ["r9 0403", "b3 0404"], "b0404", "2-1", 3),
    ("6.4 three times", ["r9 0303", "b3 0403"], "b0403", "3-1", 4),
    ("6.4 less", ["r2 0303", "b3 0403"], "b0403", "1-2", 1),
    ("6.2 together", ["r2 0303", "r8 0402", "b3 0403"], "b0403", "2-1", 3),
    ("5.6 half", ["r9 0505", "b3 0604"], "b0604", "1-1", 2),
    ("5.6 half against half", ["r9 0604", "b3 0605"], "b0605", "2-1", 3),
]


@pytest.mark.parametrize(("name", "units", "target", "odds", "hits"), ODDS, ids=[row[0] for row in ODDS])
def test_odds(name, units, target, odds, hits):
    assert at(*units).ask("attack_odds", target=target) == {"odds": odds, "hits_on": hits}


def struck(units, dice):
    position = at(*units, stage="fighting")
    [strike] = [action for action in position.legal_actions if action.kind == "strike"]
    return position.apply(strike, dice)


def strengths(position):
    return {unit["id"]: unit["strength"] for unit in position.to_dict()["units"]}


@pytest.mark.parametrize(("dice", "left"), [
    ((5, 6), {"r0303": 2, "b0403": 3}),  # 6.8
    ((1, 1), {"r0303": 3}),  # 6.9
])  # fmt: skip
def test_the_results_table(dice, left):
    assert strengths(struck(["r3 0303", "b3 0403"], dice)) == left


def test_a_beaten_unit_falls_back_out_of_zones():
    after = struck(["r3 0303", "b3 0403"], (1, 6))
    lines = {str(action) for action in after.legal_actions}
    assert lines == {f"fall-back b0403 {place}" for place in ("0402", "0404", "0503", "0504")}
    assert {action.by for action in after.legal_actions} == {"Blue"}


def test_a_beaten_unit_without_a_way_out_is_gone():
    around = ["r1 0402", "r1 0404", "r1 0503", "r1 0504"]
    assert "b0403" not in strengths(struck(["r3 0303", "b9 0403", *around], (1, 6)))


def test_an_attack_that_is_too_weak():
    position = at("r1 0303", "b3 0403", stage="fighting")
    assert "strike" not in {action.kind for action in position.legal_actions}


@pytest.mark.parametrize(
    ("units", "winner"), [(["r2 0503"], "Red"), (["r2 0603"], "Blue"), (["r2 0503", "b2 0402"], "Blue")]
)
def test_victory(units, winner):
    assert at(*units, stage="over").ask("winner") == {"winner": winner}


# ---------------------------------------------------------------------- engines
def test_three_engines_agree():
    """On questions; `tests/properties/test_hex_games.py` compares the actions, and replays random games."""
    chance = random.Random(7)
    for turn in list(play_game(START, POLICIES["random"], 3, 40))[::13]:
        data = turn.before.to_dict()
        unit = chance.choice(data["units"])["id"]
        positions = [Position.from_dict(data, Edition(engine=engine, game=GAME)) for engine in ENGINES]
        for query in ("reachable", "supplied"):
            answers = [position.ask(query, unit=unit) for position in positions]
            assert answers[0] == answers[1] == answers[2]
