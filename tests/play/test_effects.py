"""What an event makes of its situation."""

from copy import deepcopy

import pytest
from titm_rules.diagnostics import Undecided

from tests.play.hills import DATA, ENGINES, after, by_itself, done, lines, machine, scouts

pytestmark = pytest.mark.parametrize("engine", ENGINES)

SWAP = """
event swap on skirmish by mover:
  for each s in scouts where (side of s is mover)
  for each t in scouts where (side of t is not mover).
clause 1 "Swap" "Two scouts swap their strengths, which is counted by the day."
  swap sets strength of s to strength of t, strength of t to strength of s.
  swap sets day to day + 1, count to day.
"""
MARK = """
event mark on skirmish by mover: for each s in scouts for each t in scouts.
clause 1 "First" "The first gets one."
  mark sets strength of s to 1.
clause 2 "Second" "The second gets two."
  mark sets strength of t to 2.
"""


def test_effects_are_read_in_the_situation_before_which_stays(engine):
    data = after(engine, SWAP, "swap ann cid", day=5)
    assert scouts(data, "strength") == {"ann": 2, "bob": None, "cid": 4, "dot": 1}
    assert (data["day"], data["count"]) == (6, 5)
    text = """
event share on skirmish by mover.
clause 1 "Share" "Everybody gets the highest strength and one more for each who is weaker."
  share sets for each s in scouts, strength of s to
    highest strength of x over x in scouts + (number of x in scouts where strength of x is less than strength of s).
"""
    assert scouts(after(engine, text, "share"), "strength") == {"ann": 4 + 3, "bob": 4 + 2, "cid": 4 + 1, "dot": 4}
    game = machine(engine, SWAP)
    done(game, "swap ann cid")
    assert game.world.data == DATA
    assert done(game, "swap ann cid") == done(game, "swap ann cid")


def test_clauses_that_set_one_field_to_different_values_are_undecided(engine):
    game = machine(engine, MARK)
    assert scouts(done(game, "mark ann bob")[0], "strength") == {"ann": 1, "bob": 2, "cid": 2, "dot": 1}
    with pytest.raises(Undecided) as caught:
        done(game, "mark ann ann")
    assert [fault.what for fault in caught.value.faults] == [
        "not covered: 1, 2 all decide `mark.effects on scout.ann.strength`"
    ]


@pytest.mark.parametrize("field", ["day", "strength of s"])
def test_one_sentence_may_contradict_itself(engine, field):
    text = f"""
event muddle on skirmish by mover: for each s in scouts.
clause 1 "Muddle" "Whoever comes last is right."
  muddle sets for each t in scouts, {field} to number of x in scouts where (x is t or x is s).
"""
    with pytest.raises(Undecided, match=r"1 all decide `muddle\.effects on"):
        done(machine(engine, text), "muddle ann")


def test_clauses_agree_stand_instead_of_others_and_are_lifted(engine):
    text = MARK.replace("to 2", "to 1")
    data, happened = done(machine(engine, text), "mark ann ann")
    assert scouts(data, "strength")["ann"] == 1
    assert happened.clauses == ("1", "2")
    text = MARK.replace("to 2.", "to 2 instead of 1 when tired of t.")
    game = machine(engine, text)
    assert scouts(done(game, "mark ann bob")[0], "strength")["ann"] == 4, "the first clause does not count"
    assert scouts(done(game, "mark ann cid")[0], "strength")["ann"] == 1
    text = MARK + 'clause 3 "Tired" "The tired get nothing."\n  lifts 1 in mark when tired of s.\n'
    game = machine(engine, text)
    assert "strength" not in game.world.data["scouts"][1]
    data, happened = done(game, "mark bob cid")
    assert (scouts(data, "strength")["bob"], happened.clauses) == (None, ("2",))


SWEEP = """
event dawn on skirmish by mover.
clause 1 "Dawn" "The tired wake up."
  dawn sets for each s in scouts where (tired of s), tired of s to no, strength of s to strength of s - 1.
"""


def test_a_sweep_goes_through_those_for_whom_its_condition_holds(engine):
    data, happened = done(machine(engine, SWEEP), "dawn")
    assert scouts(data, "strength") == {"ann": 4, "bob": 2, "cid": 2, "dot": 1}
    assert happened.clauses == ("1",)
    rested = [{**row, "tired": False} for row in DATA["scouts"]]
    data, happened = done(machine(engine, SWEEP, scouts=rested), "dawn")
    assert (data["scouts"], happened.clauses) == (rested, ())


def test_what_is_the_default_is_left_out(engine):
    """So situations that are alike look alike, however they came about."""
    text = """
event clear on skirmish by mover.
clause 1 "Clear" "All is as it was."
  clear sets day to 1, count to 0, front to nothing, walkers to nothing, omen to nothing.
  clear sets for each s in scouts, tired of s to no, aims-at of s to nothing.
"""
    changed = machine(engine, text, day=4, count=7, front="top", walkers=["ann"], omen={"spot": "top", "kind": "Red"})
    data, _ = done(changed, "clear")
    expected = deepcopy(DATA)
    del expected["scouts"][1]["tired"]
    assert data == expected


def test_values_are_written_as_in_a_situation(engine):
    text = """
event go on skirmish by mover: for each s in scouts for each spot in hexes.
clause 1 "Going" "A scout goes, aims at the first, changes sides, and walks with all others of its new side."
  go sets place of s to spot, side of s to blue, front to spot, walkers to those x in scouts where (side of x is blue).
  go sets aims-at of s to s.
"""
    data = after(engine, text, "go ann top")
    ann = {"id": "ann", "side": "Blue", "place": "top", "strength": 4, "aims_at": "ann"}
    assert data["scouts"][0] == ann
    assert (data["front"], data["walkers"]) == ("top", ["cid", "dot"])


JOIN = """
event join on skirmish by mover: for each r in recruits given worn: flag.
clause 1 "Joining" "A recruit joins in the hex of the first scout."
  join puts scout in scouts with
    id = id of r, side = side of r, place = place of scouts, strength = 3, tired = worn.
  join removes r from recruits.
"""
RECRUITS = [{"id": "eve", "side": "Blue"}, {"id": "fay", "side": "Red"}]


def test_a_record_is_put_at_the_end_and_a_field_takes_one(engine):
    data = after(engine, JOIN, "join eve worn", recruits=RECRUITS)
    assert data["scouts"] == [*DATA["scouts"], {"id": "eve", "side": "Blue", "place": "low", "tired": True}]
    assert data["recruits"] == RECRUITS[1:]
    data = after(engine, JOIN, "join eve", recruits=RECRUITS)
    assert data["scouts"][-1] == {"id": "eve", "side": "Blue", "place": "low"}
    text = """
event foretell on skirmish by mover: for each h in hexes.
clause 1 "Omens" "There is one omen."
  foretell puts omen in omen with spot = h, kind = mover.
"""
    assert after(engine, text, "foretell top")["omen"] == {"spot": "top", "kind": "Red"}


def test_a_sweep_puts_one_for_each(engine):
    text = """
event flee on skirmish by mover.
clause 1 "Flight" "Tired scouts leave and are recruits again; those who stay are counted before."
  flee puts for each s in scouts where (side of s is blue), recruit in recruits with id = id of s, side = side of s.
  flee removes for each s in scouts where (side of s is blue), s from scouts.
  flee sets count to number of scouts.
"""
    data = after(engine, text, "flee")
    assert data["recruits"] == [{"id": "cid", "side": "Blue"}, {"id": "dot", "side": "Blue"}]
    assert data["scouts"] == DATA["scouts"][:2]
    assert data["count"] == 4


def test_a_record_is_set_and_removed_in_whichever_list_holds_it(engine):
    text = """
event fall on skirmish by mover: for each s in scouts.
clause 1 "Falling" "All get tired, and one is gone."
  fall sets for each x in scouts, tired of x to yes.
  fall removes s from scouts.
"""
    assert scouts(after(engine, text, "fall ann"), "tired") == {"bob": True, "cid": True, "dot": True}
    text = """
event turn-coat on skirmish by mover: for each r in guests.
clause 1 "Turning" "A guest changes sides."
  turn-coat sets side of r to red.
"""
    data = after(engine, text, "turn-coat eve", recruits=RECRUITS[1:], guests=RECRUITS[:1])
    assert (data["recruits"], data["guests"]) == (RECRUITS[1:], [{"id": "eve", "side": "Red"}])


CLEARED = """
event clear on skirmish by mover.
clause 1 "Clearing" "All recruits go."
  clear sets recruits to nothing when day is more than 3.
clause 2 "Joining" "A recruit comes."
  clear puts recruit in recruits with id = "gus", side = red when day is less than 5.
"""


def test_a_condition_tells_which_effects_count(engine):
    text = CLEARED.replace("less than 5", "at most 3")
    assert "recruits" not in after(engine, text, "clear", recruits=RECRUITS, day=4)
    gus = {"id": "gus", "side": "Red"}
    assert after(engine, text, "clear", recruits=RECRUITS, day=3)["recruits"] == [*RECRUITS, gus]


def test_a_record_of_a_list_that_is_emptied_cannot_be_set(engine):
    text = """
event clear on skirmish by mover: for each r in recruits.
clause 1 "Clearing" "All recruits go."
  clear sets recruits to nothing.
clause 2 "Turning" "One changes sides."
  clear sets side of r to red.
"""
    with pytest.raises(Undecided) as caught:
        done(machine(engine, text, recruits=RECRUITS), "clear eve")
    assert [fault.what for fault in caught.value.faults] == ["not covered: 1, 2 all decide `clear.effects on recruits`"]


def test_by_itself_comes_what_nobody_chooses(engine):
    text = """
event search on skirmish by mover: for each s in scouts where (side of s is mover).
event nightfall on skirmish otherwise.
event rain on skirmish.
clause 1 "Searching" "Who is not tired searches."
  search may not happen when tired of s.
  search sets tired of s to yes.
clause 2 "Night" "Night falls once."
  nightfall may not start when count is at least 9.
  nightfall sets count to 9.
clause 3 "Rain" "It rains on the second day."
  rain may not start unless day is 2.
  rain sets day to 3.
"""
    game = machine(engine, text)
    assert (lines(game), by_itself(game)) == (["search ann"], "")
    assert by_itself(machine(engine, text, day=2)) == "rain", "it does not wait for choices"
    tired = done(game, "search ann")[0]
    assert (lines(machine(engine, text, **tired)), by_itself(machine(engine, text, **tired))) == ([], "nightfall")
    assert by_itself(machine(engine, text, **{**tired, "day": 2})) == "rain", "before what happens otherwise"
    assert by_itself(machine(engine, text, **{**tired, "count": 9})) == ""


FORGET = """
event forget on skirmish by mover: given wholly: flag.
clause 1 "Forgetting" "What is known is forgotten: nobody is known, or it is not even known who is."
  forget sets known to nothing, walkers to nothing when wholly.
  forget sets known to known besides known when not wholly.
"""


def test_a_list_that_may_be_nothing_becomes_nothing(engine):
    hills = machine(engine, FORGET, known=["ann"], walkers=["bob"])
    assert done(hills, "forget")[0].get("known", []) == []
    after = done(hills, "forget wholly")[0]
    assert (after["known"], after.get("walkers", [])) == (None, [])


RANGE = """\
event weaken on skirmish by mover: for each s in scouts where side of s is mover.
event postpone on skirmish by mover.
clause 1 "Weaken" "It loses five, or goes."
  weaken sets strength of s to strength of s - 5.
  postpone sets day to day + 9.
"""
GOES = """\
clause 2 "Gone" "Who has less than five goes."
  weaken removes s from scouts when strength of s is less than 5.
"""


@pytest.mark.parametrize(
    ("line", "what", "why"),
    [
        ("weaken ann", "`weaken` sets strength of ann to -1", "strength is 0 to 9"),
        ("postpone", "`postpone` sets day to 10", "day is 1 to 9"),
    ],
)
def test_an_effect_out_of_range_is_a_fault_of_the_rules(engine, line, what, why):
    with pytest.raises(Undecided) as caught:
        after(engine, RANGE, line)
    [fault] = caught.value.faults
    assert (fault.what, fault.why, fault.kind) == (f"not covered: {what}", why, "not-covered")
    assert "(1)" in fault.fix


def test_what_is_removed_may_have_been_out_of_range(engine):
    assert "ann" not in scouts(after(engine, RANGE + GOES, "weaken ann"), "strength")
