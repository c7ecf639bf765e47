"""Why an action is refused: the clauses that bar it, or what it lacks."""

import random

import pytest
from titm_rules import Action, Edition, Position
from titm_rules.diagnostics import InputError
from titm_rules.oracle.game import POLICIES, play_game

from tests.builders import battle, fault_of, position
from tests.play.script import action, play


@pytest.fixture
def start():
    return Position.from_dict(
        position(
            "B-x major; x-y minor; x-z major blown; y-w minor; w-v major; v-u major; D-z major; D-w major",
            "tank German armor 2 x; foot German foot 2 x; eng German engineer 1 y moved;"
            "us Allied foot 2 z; us2 Allied foot 2 w",
        )
    )


@pytest.mark.parametrize(("before", "line", "clauses", "reason"), [
    ("", "Allied muster us", ("8.1c",), ""), ("", "German muster eng", ("8.25",), ""),
    ("", "German muster tank foot", ("8.35a",), ""),
    ("", "Allied muster tank", ("8.1c",), "the German side may do this, not the Allied side"),
    ("", "German muster nobody", (), "`nobody` is not one of the choices"),
    ("", "German halt", ("8.21a", "8.24a"), ""), ("", "German assault z", ("6.0-II.3",), ""),
    ("German muster tank", "German advance z x-z", ("8.33-unbridged",), ""),
    ("German muster tank", "German advance z x-y", ("8.2b",), ""),
    ("German muster tank", "German end-phase", ("8.39",), ""),
    # 2 and 1 for the friends in y, then 2 of 5 points are not enough for a road of 2 and an enemy
    ("German muster foot; German advance y x-y", "German advance w y-w", ("8.38", "8.33-minor", "8.37"), ""),
    ("German muster foot", "German muster tank", ("8.21a",), ""),
    ("German muster tank", "German dig-in", ("8.54",), ""),
])  # fmt: skip
def test_refused_with_its_clauses(start, before, line, clauses, reason):
    here = play(start, *(one for one in before.split("; ") if one))
    made, _ = action(here, line)
    assert made not in here.legal_actions
    verdict = here.judge(made)
    assert verdict.outcome == "illegal"
    assert set(clauses) <= {finding.clause for finding in verdict.findings if finding.holds}
    assert verdict.witness.get("why", "") == reason


@pytest.mark.parametrize(("chosen", "what", "fix"), [
    ({"place-entered": "yy", "way": "x-y"}, "unknown place `yy`", "did you mean `y`?"),
    ({"place-entered": "y", "way": "x-yy"}, "unknown link `x-yy`", "did you mean `x-y`?"),
])  # fmt: skip
def test_a_place_or_a_connection_that_does_not_exist_is_bad_input(start, chosen, what, fix):
    here = play(start, "German muster tank")
    fault = fault_of(here.judge, Action("advance", "German", tuple(chosen.items())))
    assert (fault.what, fault.fix, fault.kind) == (what, fix, "unknown-name")
    with pytest.raises(InputError, match="unknown"):
        here.apply(Action("advance", "German", tuple(chosen.items())))


@pytest.mark.parametrize("made", [
    Action("fly", "German"), Action("muster", "German"), Action("score", ""),
    Action("muster", "German", (("foot", False), ("u", "tank"))),
], ids=["unknown", "no choices", "by itself", "other order"])  # fmt: skip
def test_what_is_no_action_is_bad_input_and_what_is_legal_is_said_to_be(start, made):
    assert start.judge(Action("muster", "German", (("u", "tank"), ("foot", False)))).outcome == "legal"
    with pytest.raises(InputError):
        start.judge(made)
    with pytest.raises(InputError):
        start.apply(made)


@pytest.fixture
def crossing():
    """A stack tries to cross a bridge, and the Allies may try to blow it."""
    here = position("B-x major intact; x-y major intact; D-y major", "foot German foot 2 x; us Allied foot 2 y")
    return play(Position.from_dict(here), "German muster foot", "German advance y x-y")


@pytest.mark.parametrize("dice", [(), (1, 2), (-1,), (11,)], ids=["none", "two", "negative", "eleven"])
def test_dice_are_those_that_are_thrown(crossing, dice):
    made, _ = action(crossing, "Allied blow us")
    with pytest.raises(InputError) as caught:
        crossing.apply(made, dice)
    assert caught.value.faults[0].kind == "bad-dice"


@pytest.mark.parametrize(("face", "bridge"), [(4, "blown"), (10, "intact"), (0, "intact")])
def test_a_face_of_zero_is_a_ten(crossing, face, bridge):
    """A face of 0 that was read as a number would be the best of all, not the worst."""
    made, _ = action(crossing, "Allied blow us")
    after = crossing.apply(made, (face,))
    assert after.to_dict()["connections"][1]["bridge"] == bridge
    assert after == crossing.apply(made, (face or 10,))


MAP = "A-B major; B-s major; s-x major; x-E major; L-x major; s-y major intact; y-E major"
TO_COME = {"id": "r", "side": "German", "kind": "armor", "strength": 2, "entry": ["B"], "due": [17, 1]}
EDGE = [["A", "B"], ["B", "L"], ["L", "E"]]


def arriving(side="German", **more):
    units = "m German foot 2 s; e Allied foot 2 x"
    reserve = TO_COME | ({"side": side, "entry": ["E"]} if side == "Allied" else {}) | more
    due = reserve | {"id": "other", "due": [17, 1], "release": []}  # so that the phase goes on
    return position(MAP, units, phase="reinforcement", placing=side, reserves=[reserve, due], zone_neighbours=EDGE)


def moving(**more):
    return position(MAP, "m German foot 2 s; e Allied foot 2 x", areas={"s": {"vp": 2}}, **more)


@pytest.mark.parametrize(("here", "line", "clause", "words"), [
    (arriving(due=[18, 1]), "German bring-on r B", "6.0-I", "r is not due"),
    (arriving(release=["x"]), "German bring-on r B", "11.3a", "released only if"),
    (arriving(), "German bring-on r L", "11.22", "may not enter zones L, M, N and P"),
    (arriving("Allied"), "Allied bring-on r B", "11.23", "may not enter zones A, B and C"),
    (arriving(), "German bring-on r A", "11.14a", "1 impulses more to come by A; r has had 0"),
    (moving(), "German infiltrate s mobility", "14.12b", "not a VP area"),
    (moving(day=16), "German infiltrate x mobility", "14.11a", "December 17, 18"),
    (moving(days_used=[17]), "German infiltrate x mobility", "14.11a", "December 17, 18"),
    (moving(impulse=3), "German infiltrate x mobility", "14.22d", "may not be chosen on the third impulse"),
    (moving(effects_used=["confusion"]), "German infiltrate x confusion", "14.21b", "cannot be used again"),
    (moving(phase="construction"), "German build-bridge s-y m", "10.16a", "s-y is intact, not blown"),
    (moving(), "Allied end-phase", "8.1c", "the German side may do this"),
])  # fmt: skip
def test_what_was_never_offered_is_forbidden_by_a_clause(here, line, clause, words):
    start = Position.from_dict(here)
    made, _ = action(start, line)
    assert made not in start.legal_actions
    forbidding = [(finding.clause, finding.message) for finding in start.judge(made).failing]
    assert any(one == clause and words in message for one, message in forbidding)
    assert "11.11" not in dict(forbidding)


# ---------------------------------------------------------------------- whatever is refused in a game
TRIED_AT_EACH_STEP = 3


def positions(name, date, seed, limit):
    """Positions of a random game of a scenario."""
    start = Position.from_file(name, Edition(date))
    return (turn.before for turn in play_game(start, POLICIES["random"], seed, limit))


def random_action(here, rng):
    """An action whose choices are of the right types, and name what there is."""
    model = here.edition.model
    event = rng.choice([one for one in model.events.values() if one.actor is not None])
    types = dict(event.params)
    choices = tuple((name, random_choice(here, types[name], rng)) for name in event.open)
    return Action(event.name, rng.choice(model.enums["side"].texts), choices)


def random_choice(here, wanted, rng):
    if wanted.kind == "flag":
        return rng.random() < 0.5
    if wanted.kind == "enum":
        return rng.choice(here.edition.model.enums[wanted.name].texts)
    names = [one.id for one in here.world.places] if wanted.kind == "place" else here.world.ids(wanted.name)
    if wanted.kind == "set":
        return tuple(sorted(rng.sample(names, min(len(names), rng.randint(1, 3)))))
    return rng.choice(names) if names else "none"


def cited(verdict):
    """What forbids, what it would cost, and else what says when and how such a thing is done."""
    return {one.clause for one in verdict.findings if one.holds and one.effect in ("forbids", "counts", "rests")}


@pytest.mark.parametrize("date", ["1994-11-01", "1996-08-01", "1999", "2016-10-01"])
@pytest.mark.parametrize("name", ["two-bridges", "sauer-crossing"])
def test_every_refusal_names_a_clause(name, date):
    rng = random.Random(f"{name} {date}")
    refused = 0
    for here in positions(name, date, seed=1, limit=60):
        for _ in range(TRIED_AT_EACH_STEP):
            made = random_action(here, rng)
            verdict = here.judge(made)
            assert (verdict.outcome == "legal") is here.is_legal(made)
            if verdict.outcome == "illegal":
                refused += 1
                assert cited(verdict) & set(here.edition.clauses), (str(made), made.by, verdict.witness)
    assert refused > 100


# ---------------------------------------------------------------------- inputs that make no sense
BATTLE = battle("armor 2, foot 2", "foot 4, engineer 1")


@pytest.mark.parametrize(("query", "inputs", "where", "what"), [
    ("to_hit", {"who": "attacker", "firing": "d1", "target": "d2"}, "firing", "d1 is not a unit of the attacker"),
    ("to_hit", {"who": "defender", "firing": "a1", "target": "a2"}, "firing", "a1 is not a unit of the defender"),
    ("to_hit", {"who": "attacker", "firing": "a1", "target": "a2"}, "target", "a2 is not an enemy of the attacker"),
    ("to_hit", {"who": "defender", "firing": "d1", "target": "d1"}, "target", "d1 is not an enemy of the defender"),
    ("artillery_to_hit", {"who": "attacker", "target": "a1"}, "target", "a1 is not an enemy of the attacker"),
    ("artillery_to_hit", {"who": "defender", "target": "d1"}, "target", "d1 is not an enemy of the defender"),
])  # fmt: skip
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_what_cannot_occur_is_bad_input(query, inputs, where, what, engine):
    fault = fault_of(Edition("1999", engine=engine).answer, query, {"battle": BATTLE, **inputs})
    assert what in fault.what
    assert fault.where == f"$.input.{where}"
    assert fault.why
    assert fault.fix
    assert fault.kind == "impossible"


@pytest.mark.parametrize(("query", "inputs"), [
    ("to_hit", {"who": "attacker", "firing": "a1", "target": "d2"}),
    ("to_hit", {"who": "defender", "firing": "d1", "target": "a2"}),
    ("artillery_to_hit", {"who": "defender", "target": "a1"}),
    ("artillery_targetings", {"who": "defender", "n": 1}),
    ("artillery_targetings", {"who": "attacker", "n": 3}),  # called before the defender's fire
    ("artillery_targetings", {"who": "defender", "n": 3}),  # how many lie is for the one who asks to say
    ("artillery_sequence_legal", {"who": "defender", "sequence": ["a1"]}),
])  # fmt: skip
def test_what_can_occur_is_answered(query, inputs):
    assert Edition("1999").answer(query, {"battle": BATTLE, **inputs})
