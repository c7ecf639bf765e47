"""Why an action is refused: the clauses that bar it, or what it lacks."""

import pytest
from titm_rules import Action, Position
from titm_rules.diagnostics import InputError

from tests.builders import position
from tests.play.script import action, play


@pytest.fixture
def start() -> Position:
    return Position.from_dict(
        position(
            "B-x major; x-y minor; x-z major blown; y-w minor; w-v major; v-u major; D-z major; D-w major",
            "tank German armor 2 x; foot German foot 2 x; eng German engineer 1 y moved;"
            "us Allied foot 2 z; us2 Allied foot 2 w",
        )
    )


@pytest.mark.parametrize(
    ("before", "line", "clauses", "reason"),
    [
        ("", "Allied muster us", ("8.1c",), ""),
        ("", "German muster eng", ("8.25",), ""),
        ("", "German muster tank foot", ("8.35a",), ""),
        ("", "Allied muster tank", (), "German may do this, not Allied"),
        ("", "German muster nobody", (), "`nobody` is not there to be chosen"),
        ("", "German halt", ("8.24a",), ""),
        ("", "German assault z", ("6.0-II.3",), ""),
        ("German muster tank", "German advance z x-z", ("8.33-unbridged",), ""),
        ("German muster tank", "German advance z x-y", (), "no connection `x-y` leads from x to z"),
        ("German muster tank", "German end-phase", ("6.0-II.1",), ""),
        # 2 and 1 for the friends in y, then 2 of 5 points are not enough for a road of 2 and an enemy
        (
            "German muster foot; German advance y x-y",
            "German advance w y-w",
            ("8.33-minor", "8.37"),
            "it costs 3, and 2 of 5 points are left",
        ),
        ("German muster foot", "German muster tank", ("8.21a",), ""),
        ("German muster tank", "German dig-in", ("8.51a",), ""),
    ],
)  # fmt: skip
def test_refused_with_its_clauses(start, before, line, clauses, reason):
    here = play(start, *(one for one in before.split("; ") if one))
    made, _ = action(here, line)
    if made in here.legal_actions:
        pytest.fail(f"{line} is legal")
    verdict = here.judge(made)
    assert verdict.outcome == "illegal"
    assert set(clauses) <= {finding.clause for finding in verdict.findings if finding.holds}
    assert verdict.witness.get("why", "") == reason


def test_what_is_legal_is_said_to_be(start):
    assert start.judge(Action("muster", "German", (("u", "tank"), ("foot", False)))).outcome == "legal"


@pytest.mark.parametrize(
    "made",
    [
        Action("fly", "German"), Action("muster", "German"), Action("score", ""),
        Action("muster", "German", (("foot", False), ("u", "tank"))),
    ],
    ids=["unknown", "no choices", "by itself", "other order"],
)  # fmt: skip
def test_what_is_no_action_is_bad_input(start, made):
    with pytest.raises(InputError):
        start.judge(made)
    with pytest.raises(InputError):
        start.apply(made)


@pytest.mark.parametrize("dice", [(), (1, 2), (0,), (11,)], ids=["none", "two", "zero", "eleven"])
def test_dice_are_those_that_are_thrown(start, dice):
    here = Position.from_dict(
        position("B-x major intact; x-y major intact; D-y major", "foot German foot 2 x; us Allied foot 2 y")
    )
    crossing = play(here, "German muster foot", "German advance y x-y")
    made, _ = action(crossing, "Allied blow us")
    with pytest.raises(InputError) as caught:
        crossing.apply(made, dice)
    assert caught.value.faults[0].kind == "bad-dice"
    assert crossing.apply(made, (4,)).to_dict()["connections"][1]["bridge"] == "blown"
