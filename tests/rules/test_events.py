"""What the model holds of events, views and effects."""

import pytest
from titm_rules.diagnostics import RulesetError
from titm_rules.ir.model import PickPart, RollPart
from titm_rules.ir.terms import Call, Const, Field, Root, Var
from titm_rules.ir.types import Type

from tests.play.hills import rules

AIM = """
allocation fire on duel: each firer: fighter in reds, picks target: fighter in blues.
event aim on skirmish by mover: for each h in hexes seen as duel of h picks fire kept as aims-at.
clause 1 "Aiming" "Aims are kept; it is a new day."
  aim sets aims-at of firer to target, day to 2.
  aim sets for each s in scouts where (tired of s), tired of s to no when day is 1.
"""
SHOOT = """
roll shot of firer: scout on skirmish with d6.
event shoot on skirmish by side of s:
  for each s in scouts given loud: flag let best be strength of s rolls best dice for shot of s.
clause 1 "Shots" "Hits are counted."
  shot succeeds on 3.
  shoot sets count to successes.
"""
FIGHTER, SCOUT = Type("record", "fighter"), Type("record", "scout")


def whats(text):
    try:
        rules(text)
    except RulesetError as error:
        return [fault.what for fault in error.faults]
    return []


def test_an_event_opens_its_heads_with_its_names_actor_and_dice():
    model = rules(SHOOT)
    event = model.events["shoot"]
    assert event.params == (("s", SCOUT), ("loud", Type("flag")), ("best", Type("number", "", 0, 9)))
    assert event.open == ("s", "loud"), "a computed name is not a choice"
    assert model.heads["shoot.start"].params == ()
    assert model.heads["shoot.happen"].params == event.params
    assert model.heads["shoot.effects"].params == (*event.params, ("successes", Type("number")))
    modes = {word: model.heads[f"shoot.{word}"].mode for word in ("start", "happen", "effects")}
    assert modes == {"start": "bar", "happen": "bar", "effects": "effects"}
    assert event.actor == Field(Var("s", SCOUT), "side", Type("enum", "side"))
    rolling = event.parts[-1]
    assert (type(rolling), type(rolling.roll)) == (RollPart, Call)
    assert (rolling.roll.head, rolling.count) == ("shot", Var("best", event.params[2][1]))
    assert event.rolls
    assert not event.otherwise


def test_views_tell_twins_and_what_is_picked_is_of_the_situation():
    view = rules(AIM).views["duel"]
    assert view.twins == {"scout": "fighter"}
    assert [name for name, _ in view.answers] == ["mover", "reds", "blues"]
    reds = dict(view.answers)["reds"].parts[0][1]
    assert [name for name, _ in reds.parts] == ["strength", "well_hidden"], "fields as a situation spells them"
    event = rules(AIM).events["aim"]
    assert event.params == (("h", Type("record", "hex")), ("firer", SCOUT), ("target", SCOUT))
    assert event.parts[-1] == PickPart("fire", (), SCOUT, "aims_at", SCOUT)


def test_each_assignment_is_an_effect():
    head = rules(AIM).heads["aim.effects"]
    kept, day, swept = [statement.effect for statement in head.statements]
    assert (kept.op, kept.field) == ("set", "aims_at")
    assert (kept.target, kept.value) == (Var("firer", SCOUT), Var("target", SCOUT))
    assert (day.op, day.field, day.target, day.value) == ("set", "day", None, Const(2, Type("number")))
    assert (swept.var, swept.base) == ("s", Root("scouts", Type("set", "scout")))
    assert swept.where == Field(Var("s", SCOUT), "tired", Type("flag"))
    assert [statement.when is None for statement in head.statements] == [True, True, False]


def test_records_that_come_and_go_are_effects():
    text = """
event enlist on skirmish by mover: for each r in recruits.
clause 1 "Recruits" "A recruit joins."
  enlist puts scout in scouts with id = id of r, side = red, place = place of scouts.
  enlist removes r from recruits.
"""
    put, gone = [statement.effect for statement in rules(text).heads["enlist.effects"].statements]
    assert (put.op, put.field, put.record) == ("put", "scouts", "scout")
    assert [name for name, _ in put.bindings] == ["id", "side", "place"]
    assert (gone.op, gone.field, gone.target) == ("remove", "recruits", Var("r", Type("record", "recruit")))


REST = """
event rest on skirmish by mover: for each s in scouts.
clause 1 "Rest" "Rest makes strong."
  rest sets strength of s to 9 when tired of s.
clause 2 "Red" "Reds are weak."
  rest sets strength of s to {}.
"""
LIFTED = 'clause 3 "No" "Reds do not rest."\n  lifts 1 in rest when {}.\n'
DAWN = """
event dawn on skirmish.
clause 1 "Dawn" "The tired wake up."
  dawn sets for each s in scouts where (tired of s), strength of s to 1.
clause 2 "Red" "Others get strong."
  dawn sets for each s in scouts where ({}), strength of s to 2.
"""
FORETELL = """
event foretell on skirmish by mover: for each h in hexes.
clause 1 "Omens" "An omen."
  foretell puts omen in omen with spot = h, kind = red.
clause 2 "Others" "Another."
  foretell puts omen in omen with spot = h, kind = {} when day is 1.
"""
PASS = """
event pass on skirmish by mover: for each r in recruits.
clause 1 "Passing" "One goes, two come."
  pass removes r from recruits.
  pass puts recruit in recruits with id = "x", side = red.
  pass puts recruit in recruits with id = "y", side = red.
"""
SING = 'event sing on skirmish by mover.\nclause 1 "Songs" "{}"\n  sing may not start{}.\n'
SING_FOR = """
define flag bold of s: scout on skirmish.
event sing on skirmish by mover: for each s in scouts where ({}).
"""
BOLD = 'clause 1 "Bold" "The strong are bold."\n  bold holds when strength of s is 9.\n'


@pytest.mark.parametrize(("text", "clash"), [
    pytest.param(REST.format("1 when side of s is red"), "`strength of s` in `rest`", id="two values in one case"),
    pytest.param(REST.format("9 when side of s is red"), "", id="one value"),
    pytest.param(REST.format("1 when not tired of s"), "", id="other cases"),
    pytest.param(REST.format("1 instead of 1 when side of s is red"), "", id="instead of"),
    pytest.param(REST.format("1 when side of s is red and not tired of s"), "", id="other cases, by a part"),
    pytest.param(REST.format("1 when side of s is red") + LIFTED.format("side of s is red"), "", id="lifted there"),
    pytest.param(REST.format("1 when side of s is red") + LIFTED.format("day is 1"), "`strength of s` in `rest`",
        id="lifted elsewhere"),
    pytest.param(DAWN.format("not tired of s"), "", id="sweeps of others"),
    pytest.param(DAWN.format("side of s is red"), "`strength of s` in `dawn`", id="sweeps that meet"),
    pytest.param(FORETELL.format("red"), "", id="the same record in a field"),
    pytest.param(FORETELL.format("blue"), "`omen` in `foretell`", id="two records in a field"),
    pytest.param(PASS, "", id="records that come and go in one list"),
])  # fmt: skip
def test_clauses_that_set_a_field_to_different_values_in_one_case(text, clash):
    assert whats(text) == ([f"1 and 2 both set {clash}, to different values"] if clash else [])


@pytest.mark.parametrize(("text", "is_refused"), [
    (SING.format("Sometimes.", " when day is 1"), True),
    (SING.format("Never.", ""), False),  # an edition may bar an event altogether
    (SING_FOR.format("tired of s and s is bold"), False),  # an edition may be without the clauses of a chapter
    (SING_FOR.format("tired of s or s is bold"), True),
    (SING_FOR.format("s is bold") + BOLD, True),
])  # fmt: skip
def test_an_event_without_effect(text, is_refused):
    assert whats(text) == ["`sing` has no effect"] * is_refused
