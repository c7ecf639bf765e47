"""What events let the sides choose, and what they make of their situation."""

from copy import deepcopy
from fractions import Fraction

import pytest
from titm_rules.diagnostics import Undecided
from titm_rules.explain.refusals import judge
from titm_rules.play.action import Action

from tests.play import hills
from tests.play.hills import DATA, ENGINES, after, by_itself, done, lines, machine, option, scouts

pytestmark = pytest.mark.parametrize("engine", ENGINES)

REST = """
event rest on skirmish by mover: for each s in scouts where (side of s is mover) given guarded: flag.
clause 1 "Rest" "Nobody rests on the ninth day; the tired rest, and unguarded only on the first."
  rest may not start when day is 9.
  rest may not happen when not tired of s.
  rest may not happen when not guarded and day is more than 1.
  rest sets tired of s to no.
"""


def test_clauses_bar_choices_and_an_action_knows_its_own(engine):
    assert lines(machine(engine, REST)) == ["rest bob", "rest bob guarded"]
    assert lines(machine(engine, REST, day=2)) == ["rest bob guarded"]
    assert lines(machine(engine, REST, day=9)) == []
    guarded = Action("rest", "Red", (("s", "bob"), ("guarded", True)))
    assert option(machine(engine, REST), "rest bob guarded").action == guarded


def test_an_action_is_found_only_if_it_is_legal(engine):
    game = machine(engine, REST, day=2)
    assert game.options.find(Action("rest", "Red", (("s", "bob"), ("guarded", True)))) is not None
    for wrong in (
        Action("rest", "Red", (("s", "bob"), ("guarded", False))),
        Action("rest", "Red", (("s", "ann"), ("guarded", True))),
        Action("rest", "Red", (("s", "cid"), ("guarded", True))),
        Action("rest", "Blue", (("s", "bob"), ("guarded", True))),
        Action("rest", "Red", (("s", "bob"),)),
        Action("rest", "Red", (("s", "nobody"), ("guarded", True))),
        Action("sleep", "Red", (("s", "bob"), ("guarded", True))),
    ):
        assert game.options.find(wrong) is None, wrong


def test_choices_are_those_of_whom_all_in_a_list_say_the_same(engine):
    text = """
event hide on skirmish by mover:
  for each s in scouts where (every t in scouts standing at (place of s) where (side of t is side of s))
  for each h in hexes where (every t in scouts where (height of place of t is height of h))
  for each u in scouts where (every t in scouts where (strength of t is strength of t)).
clause 1 "Hiding" "Who hides is tired."
  hide sets tired of s to yes.
"""
    assert lines(machine(engine, text)) == []
    apart = [{**row, "place": "low" if row["side"] == "Red" else "top"} for row in DATA["scouts"]]
    assert lines(machine(engine, text, scouts=apart)) == []
    alone = [row for row in apart if row["side"] == "Blue"]
    names = [f"hide {s} top {u}" for s in ("cid", "dot") for u in ("cid", "dot")]
    assert lines(machine(engine, text, scouts=alone)) == names


def test_values_of_a_type_are_given_in_their_order(engine):
    text = """
event shout on skirmish by mover: given name: side.
clause 1 "Shouting" "It changes sides."
  shout sets mover to name.
"""
    assert lines(machine(engine, text)) == ["shout Red", "shout Blue"]
    assert after(engine, text, "shout Blue")["mover"] == "Blue"


def test_the_first_is_that_of_the_list(engine):
    text = """
event wake on skirmish: for first s in scouts where (tired of s).
clause 1 "Waking" "The tired wake one after the other."
  wake sets tired of s to no.
"""
    tired = [{**row, "tired": row["id"] in ("cid", "dot")} for row in DATA["scouts"]]
    game = machine(engine, text, scouts=tired)
    assert [one.env["s"].id for one in game.options.automatic()] == ["cid"]
    data, _ = game.after(next(game.options.automatic()))
    assert scouts(data, "tired", default=False) == {"ann": False, "bob": False, "cid": False, "dot": True}
    assert by_itself(machine(engine, text, scouts=[{**row, "tired": False} for row in tired])) == ""


def test_let_names_a_value_for_later_parts_and_for_clauses(engine):
    text = """
event boast on skirmish by mover:
  let best be highest strength of s over s in scouts
  for each s in scouts where (strength of s is best).
clause 1 "Boasting" "The strongest boasts."
  boast sets count to best * 10.
"""
    game = machine(engine, text)
    assert lines(game) == ["boast ann"], "a name that is no choice does not show"
    assert done(game, "boast ann")[0]["count"] == 40


LEAVE = """
selection retreat on skirmish: given spot: hex, picks gone: scout in scouts standing at spot.
event leave on skirmish by mover: for each spot in hexes where (some scouts standing at spot) selects retreat with
  spot = spot.
clause 1 "Leaving" "All but two leave, and never the strongest."
  retreat may not choose when number of scouts standing at spot - number of gone is not 2.
  retreat may not choose when some s in gone where strength of s is 4.
  leave removes for each s in gone, s from scouts.
"""


def test_a_selection_offers_each_set(engine):
    assert lines(machine(engine, LEAVE)) == ["leave low bob+cid", "leave low bob+dot", "leave low cid+dot"]
    assert set(scouts(after(engine, LEAVE, "leave low bob+dot"), "side")) == {"ann", "cid"}


# ---------------------------------------------------------------------- views
AIM = """
allocation fire on duel:
  each firer: fighter in reds, picks target: fighter in blues, in order of strength of firer.
event aim on skirmish by mover: seen as duel of (place of scouts) picks fire kept as aims-at.
clause 1 "Aiming" "The strongest aims first; nobody is aimed at twice while another is not aimed at."
  fire may not choose when picks of target is more than lowest picks of b over b in blues.
  aim sets aims-at of firer to target.
"""


def test_choosers_pick_in_their_order_and_equal_ones_in_any(engine):
    game = machine(engine, AIM)
    assert lines(game) == ["aim ann cid", "aim ann dot"], "the weaker waits"
    data, _ = done(game, "aim ann dot")
    assert scouts(data, "aims_at") == {"ann": "dot", "bob": None, "cid": None, "dot": None}
    game = machine(engine, AIM, **data)
    assert lines(game) == ["aim bob cid"], "what was picked counts"
    data, _ = done(game, "aim bob cid")
    assert lines(machine(engine, AIM, **data)) == []
    equal = [{**row, "strength": 3} for row in DATA["scouts"]]
    assert lines(machine(engine, AIM, scouts=equal)) == ["aim ann cid", "aim ann dot", "aim bob cid", "aim bob dot"]


def test_targets_count_how_often_they_were_picked(engine):
    text = """
allocation shelling on duel: given n: number 0 to 9, each of n, picks target: fighter in blues.
event shell on skirmish by mover: seen as duel of (place of scouts) picks shelling kept as shells with n = 3.
clause 1 "Shelling" "Shells fall on the strongest, less what fell on it; three in all."
  shelling may not choose when
    some b in blues where strength of b - picks of b is more than strength of target - picks of target.
  shell may not start when total shells of s over s in scouts is at least 3.
  shell sets shells of target to shells of target + 1.
"""
    data, course = DATA, []
    while found := lines(game := machine(engine, text, **data)):
        course.append(found)
        data, _ = done(game, found[0])
    # strengths 2 and 1; then 1 and 1, a choice; then 0 and 1
    assert course == [["shell cid"], ["shell cid", "shell dot"], ["shell dot"]]
    assert scouts(data, "shells", default=0) == {"ann": 0, "bob": 0, "cid": 2, "dot": 1}


SHOT = """
roll shot of firer: fighter on duel with d6.
event shoot on skirmish by mover:
  for each s in scouts where (side of s is red)
  seen as duel of (place of scouts)
  rolls number of stronger dice for shot of s.
clause 1 "Shots" "A shot hits on half the strength; from a hiding place it gets -1 on the die; nobody shoots with 9."
  shot succeeds on strength of firer / 2 rounded down.
  shot adds -1 "hidden" when well-hidden of firer.
  shot may not try when strength of firer is 9.
  shoot sets count to successes.
""".replace("number of stronger", "2")


def test_a_roll_has_its_outcomes_unless_it_is_barred(engine):
    game = machine(engine, SHOT)
    dice = option(game, "shoot ann").dice
    assert (dice.count, dice.low, dice.high, dice.highest) == (2, 1, 6, 2)
    assert dice.outcomes() == ((0, Fraction(4, 9)), (1, Fraction(4, 9)), (2, Fraction(1, 9)))
    assert dice.successes((2, 3)) == 1
    assert [done(game, "shoot ann", n)[0].get("count", 0) for n in (0, 1, 2)] == [0, 1, 2]
    high = [{**row, "place": "top"} for row in DATA["scouts"]]
    assert option(machine(engine, SHOT, scouts=high), "shoot ann").dice.highest == 3, "the hill hides"
    strong = [{**row, "strength": 9} if row["id"] == "ann" else row for row in DATA["scouts"]]
    assert lines(machine(engine, SHOT, scouts=strong)) == ["shoot bob"]


# ---------------------------------------------------------------------- routes
WALK = """
route march on skirmish:
  mover who: scout, crosses way: trail from start to goal,
  interrupted by sabotage setting bridge of way from whole to broken noted in spoilt,
  closed by camp.
event set-out on skirmish by mover: for each s in scouts where (side of s is mover) able to march with who = s.
walk going on skirmish along march from front after spent with who = walker.
event step on skirmish by mover: steps going.
event halt on skirmish by mover: halts going.
event rest on skirmish by mover: closes going.
clause 1 "Marching" "A scout marches as far as it is strong; a step costs one, and one more for each level of the goal."
  march costs 1.
  march costs height of goal.
  march has strength of who points.
  march may not step when bridge of way is broken.
clause 2 "Hills" "Nobody ends on the middle hill; on the top everybody stops."
  march may not end when height of goal is 1.
  march must stop when height of goal is 3.
clause 3 "Camps" "To camp costs one, and not at the start."
  camp costs 1.
  camp may not try when goal is place of who.
clause 4 "One walker" "One walks at a time."
  set-out may not start when walker is not nothing.
  set-out sets walker to s, front to place of s.
  step sets front to goal, spent to spent + price, count to count + 100 when stops.
  step sets front to goal, spent to spent + price when not stops.
  halt sets place of walker to front, walker to nothing, front to nothing, spent to 0.
  rest sets spent to spent + price.
"""
WAYS = {
    "trails": [{"id": "up", "ends": ["low", "mid"]}, {"id": "on", "ends": ["mid", "top"]}],
    "scouts": [{**row, "strength": {"ann": 7, "bob": 2}.get(row["id"], 9)} for row in DATA["scouts"]],
}


def test_who_can_end_a_way_sets_out_and_a_way_may_lead_back(engine):
    # To the middle costs 2, and nobody ends there; to the top it costs 6: Bob's 2 points lead nowhere.
    assert lines(machine(engine, WALK, **WAYS)) == ["set-out ann"]
    # With 3 points Bob goes to the middle and back.
    stronger = [{**row, "strength": 3} if row["id"] == "bob" else row for row in WAYS["scouts"]]
    assert lines(machine(engine, WALK, **{**WAYS, "scouts": stronger})) == ["set-out ann", "set-out bob"]


def test_who_stands_nowhere_does_not_set_out(engine, monkeypatch):
    monkeypatch.setattr(hills, "VOCABULARY", hills.VOCABULARY.replace("place: place,", "place: place or nothing,"))
    away = [{**row, "place": None} if row["id"] == "ann" else row for row in WAYS["scouts"]]
    rules = f"{WALK}# scouts may be nowhere\n"
    assert lines(machine(engine, rules, **WAYS)) == ["set-out ann"]
    nowhere = machine(engine, rules, **{**WAYS, "scouts": away})
    verdict = judge(nowhere, Action("set-out", "Red", (("s", "ann"),)))
    assert (lines(nowhere), verdict.outcome) == ([], "illegal")
    assert verdict.witness["why"] == "the scout is not on the board"


LEAP = """
event leap on skirmish by mover see 2:
  for each s in scouts where (side of s is mover) for each p in (ends of march (with who = s)).
clause 5 "Leaps" "Who leaps is there." leap sets place of s to p.
"""


@pytest.mark.parametrize(("place", "why"), [
    ("mid", ("2", "ending in mid", "the height of mid is 1")), ("low", ("2", "", "`low` is not one of the choices")),
])  # fmt: skip
def test_who_may_not_leap_to_a_place_is_told_what_bars_its_end(engine, place, why):
    here = machine(engine, WALK + LEAP, **WAYS)
    assert "leap ann top" in lines(here)
    verdict = judge(here, Action("leap", "Red", (("s", "ann"), ("p", place))))
    assert verdict.outcome == "illegal"
    assert why in {(one.clause, one.where, one.message) for one in verdict.findings}


@pytest.mark.parametrize(("firer", "target", "why"), [
    ("bob", "cid", "it is not the turn of `bob` to choose"), ("ann", "bob", "`bob` is not a target"),
    ("cid", "dot", "it is not the turn of `cid` to choose"),
])  # fmt: skip
def test_who_picks_out_of_turn_or_no_target_is_told_so(engine, firer, target, why):
    here = machine(engine, AIM)
    verdict = judge(here, Action("aim", "Red", (("firer", firer), ("target", target))))
    assert (verdict.outcome, verdict.witness.get("why")) == ("illegal", why), verdict


def test_a_pick_that_a_clause_forbids_is_refused_by_that_clause(engine):
    picked = [{**row, "aims_at": "dot" if row["id"] == "ann" else None} for row in DATA["scouts"]]
    here = machine(engine, AIM, scouts=picked)
    assert lines(here) == ["aim bob cid"]
    verdict = judge(here, Action("aim", "Red", (("firer", "bob"), ("target", "dot"))))
    assert (verdict.outcome, {one.clause for one in verdict.failing}) == ("illegal", {"1"})
    assert "why" not in verdict.witness, "it is his turn, and she is a target"


def test_a_mover_goes_on_step_by_step_and_closes_no_way_without_points(engine):
    data = after(engine, WALK, "set-out ann", **WAYS)
    assert lines(machine(engine, WALK, **data)) == ["step mid up", "halt"], "the start is left by halting there"
    data = after(engine, WALK, "step mid up", **data)
    assert (data["front"], data["spent"]) == ("mid", 2)
    assert lines(machine(engine, WALK, **data)) == ["step low up", "step top on"]
    data = after(engine, WALK, "step top on", **data)
    assert (data["spent"], data["count"]) == (6, 100), "it must stop on the top"
    assert scouts(data, "place")["ann"] == "low", "the scout itself goes there when it halts"
    assert {"halt", "rest"} <= set(lines(machine(engine, WALK, **data)))
    data = after(engine, WALK, "halt", **data)
    assert (scouts(data, "place")["ann"], {"walker", "front", "spent"} & set(data)) == ("top", set())
    data = after(engine, WALK, "set-out ann", **WAYS)
    on_top = [lines(machine(engine, WALK, **{**data, "front": "top", "spent": spent})) for spent in (7, 6)]
    assert ["rest" in offered for offered in on_top] == [False, True]


def test_a_broken_bridge_is_seen_at_once_and_what_was_before_is_kept(engine):
    """The way to the top is broken in the middle of the move; in the world before the move it is whole."""
    broken = [{**row, "bridge": "broken"} if row["id"] == "on" else row for row in WAYS["trails"]]
    data = after(engine, WALK, "set-out ann", **WAYS)
    data = after(engine, WALK, "step mid up", **data)
    game = machine(engine, WALK, **{**data, "trails": broken, "spoilt": ["on"]})
    assert lines(game) == ["step low up"]
    assert [way.bridge for way in (game.world.named("trail", "on"), game.world.origin.named("trail", "on"))] == [1, 0]


CROWD = """
route march on skirmish: mover group: list of scout, crosses way: trail from start to goal.
event leap on skirmish by mover: for each s in scouts where (side of s is mover).
clause 1 "Crowds" "Every other scout who is tired costs one point, and to leave one who is not."
  march costs 1 + number of s in scouts besides group where (tired of s).
  march costs 1 when some s in scouts standing at start besides group where (not tired of s).
  march has lowest strength of s over s in group points.
  leap sets tired of s to no.
"""


@pytest.mark.parametrize(("names", "costs"), [
    ("ann", {"mid": 2, "top": 4}), ("bob", {"mid": 2, "top": 3}), ("ann bob", {"mid": 1, "top": 2}),
])  # fmt: skip
def test_besides_the_movers_is_meant_wherever_they_stand(engine, names, costs):
    red = [row for row in DATA["scouts"] if row["side"] == "Red"]  # Ann, and Bob, who is tired, stand together
    game = machine(engine, CROWD, trails=WAYS["trails"], scouts=red)
    group = [game.world.named("scout", name) for name in names.split()]
    ends = game.engine.ends(game.model.forms["march"], group, {})
    assert {place.id: cost for place, cost in ends.items()} == costs


BACK = WALK.replace("camp may not try when goal is place of who", "camp may not try when height of goal is 3")
AT_MID = {
    **WAYS,
    "scouts": [{**row, "place": "mid", "strength": 7 if row["id"] == "ann" else 0} for row in DATA["scouts"]],
    "walker": "ann", "front": "mid",
}  # fmt: skip


def test_who_comes_back_or_never_left_and_what_an_interruption_costs(engine):
    # Nobody ends on the middle hill, where Ann stands: she may stay there, in a camp or not, and may not come back.
    assert lines(machine(engine, BACK, **AT_MID)) == ["step low up", "step top on", "halt", "rest"]
    assert lines(machine(engine, BACK, **AT_MID, spent=3)) == ["step low up", "step top on"]
    trails = [{**row, "bridge": "broken"} if row["id"] == "on" else row for row in WAYS["trails"]]
    here = {**AT_MID, "trails": trails, "spent": 1}
    assert lines(machine(engine, BACK, **here, spoilt=["on"])) == ["step low up", "halt", "rest"]
    assert lines(machine(engine, BACK, **here)) == ["step low up"]
    sabotage = "interrupted by sabotage setting bridge of way from whole to broken noted in spoilt,"
    assert lines(machine(engine, BACK.replace(sabotage, ""), **AT_MID, spent=3)) == ["step low up", "step top on"]


CAMPERS = """
route march on skirmish:
  mover who: scout, crosses way: trail from start to goal,
  interrupted by sabotage setting bridge of way from whole to broken noted in spoilt,
  closed by camp, counts camps up to 1.
walk going on skirmish along march from front after spent with who = walker, camps = 0.
event step on skirmish by mover: steps going.
event halt on skirmish by mover: halts going.
event rest on skirmish by mover: closes going.
clause 1 "Marching" "A scout marches as far as it is strong, over no broken bridge, and ends its way in a camp alone."
  march costs 1.
  march has strength of who points.
  march may not step when bridge of way is broken.
  march may not end unless camps is 1.
clause 2 "Camps" "To camp costs one point."
  camp costs 1.
  camp counts 1 as camps.
clause 3 "Going" "A walker goes on step by step."
  step sets front to goal, spent to spent + price.
  halt sets walker to nothing.
  rest sets walker to nothing.
"""


def test_a_way_that_ends_by_its_closing_alone_is_walked_as_paths_allow(engine):
    # With 3 points Ann goes to the top and camps there; to come back from there she lacks the points.
    scouts = [{**row, "strength": 3} for row in WAYS["scouts"]]
    here, offered = {"trails": WAYS["trails"], "scouts": scouts}, [
        ("low", ["step mid up", "halt", "rest"]), ("mid", ["step low up", "step top on", "rest"]), ("top", ["rest"]),
    ]  # fmt: skip
    for spent, (front, found) in enumerate(offered):
        assert lines(machine(engine, CAMPERS, **here, walker="ann", front=front, spent=spent)) == found
    game = machine(engine, CAMPERS, **here)
    route, ann = game.model.forms["march"], game.world.named("scout", "ann")
    costs = {"low mid": None, "low mid camp": 2, "low mid top camp": 3, "low mid low camp": 3, "low mid top": None,
             "low mid low mid camp": None, "low !mid": 0, "low mid !top camp": 2}  # fmt: skip
    assert {path: game.engine.path(route, ann, {}, path.split()) for path in costs} == costs


# ---------------------------------------------------------------------- what an event makes of its situation
SWAP = """
event swap on skirmish by mover:
  for each s in scouts where (side of s is mover)
  for each t in scouts where (side of t is not mover).
clause 1 "Swap" "Two scouts swap their strengths, which is counted by the day."
  swap sets strength of s to strength of t, strength of t to strength of s.
  swap sets day to least of (day + 1, 9), count to day.
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
    assert done(game, "swap ann cid") == done(game, "swap ann cid")
    assert game.world.data == DATA


def test_clauses_that_set_one_field_to_different_values_are_undecided(engine):
    game = machine(engine, MARK)
    assert scouts(done(game, "mark ann bob")[0], "strength") == {"ann": 1, "bob": 2, "cid": 2, "dot": 1}
    with pytest.raises(Undecided, match=r"not covered: 1, 2 all decide `mark\.effects on scout\.ann\.strength`"):
        done(game, "mark ann ann")


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
    assert (scouts(data, "strength")["ann"], happened.clauses) == (1, ("1", "2"))
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
  dawn sets for each s in scouts where (tired of s), tired of s to no, strength of s to most of (strength of s - 1, 0).
"""


def test_a_sweep_goes_through_those_for_whom_its_condition_holds(engine):
    data, happened = done(machine(engine, SWEEP), "dawn")
    assert (scouts(data, "strength"), happened.clauses) == ({"ann": 4, "bob": 2, "cid": 2, "dot": 1}, ("1",))
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
    assert data["scouts"][0] == {"id": "ann", "side": "Blue", "place": "top", "strength": 4, "aims_at": "ann"}
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
    gone = [{"id": "cid", "side": "Blue"}, {"id": "dot", "side": "Blue"}]
    assert (data["recruits"], data["scouts"], data["count"]) == (gone, DATA["scouts"][:2], 4)


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
    text, gus = CLEARED.replace("less than 5", "at most 3"), {"id": "gus", "side": "Red"}
    assert "recruits" not in after(engine, text, "clear", recruits=RECRUITS, day=4)
    assert after(engine, text, "clear", recruits=RECRUITS, day=3)["recruits"] == [*RECRUITS, gus]


def test_a_record_of_a_list_that_is_emptied_cannot_be_set(engine):
    text = """
event clear on skirmish by mover: for each r in recruits.
clause 1 "Clearing" "All recruits go."
  clear sets recruits to nothing.
clause 2 "Turning" "One changes sides."
  clear sets side of r to red.
"""
    with pytest.raises(Undecided, match=r"not covered: 1, 2 all decide `clear\.effects on recruits`"):
        done(machine(engine, text, recruits=RECRUITS), "clear eve")


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
define number toll.
event weaken on skirmish by mover: for each s in scouts where side of s is mover.
event postpone on skirmish by mover.
clause 1 "Weaken" "It loses five, or goes."
  toll is 5.
  weaken sets strength of s to strength of s - toll.
  postpone sets day to day + toll + 4.
"""
GOES = """\
clause 2 "Gone" "Who has less than five goes."
  weaken removes s from scouts when strength of s is less than 5.
"""


@pytest.mark.parametrize(("line", "what", "why", "limit"), [
    ("weaken ann", "`weaken` sets strength of ann to -1", "strength is 0 to 9", "`most of (..., 0)`"),
    ("postpone", "`postpone` sets day to 10", "day is 1 to 9", "`least of (..., 9)`"),
])  # fmt: skip
def test_an_effect_out_of_range_is_a_fault_of_the_rules(engine, line, what, why, limit):
    with pytest.raises(Undecided) as caught:
        after(engine, RANGE, line)
    [fault] = caught.value.faults
    assert (fault.what, fault.why, fault.kind) == (f"not covered: {what}", why, "not-covered")
    assert fault.fix == f"bar the event in this case, or set {limit} in 1"


NOTHING_LEFT = """
define number or nothing second on skirmish.
event weaken on skirmish by mover: for each s in scouts where side of s is mover.
event postpone on skirmish by mover.
clause 1 "The second" "There is one number, and no second one."
  second is member of (numbers from (1) to (1)) at (2).
  weaken sets strength of s to second.
  postpone sets day to second.
"""


@pytest.mark.parametrize(("line", "what"), [("weaken ann", "strength of ann"), ("postpone", "day")])
def test_an_effect_that_sets_nothing_where_a_value_belongs_is_a_fault_of_the_rules(engine, line, what):
    with pytest.raises(Undecided) as caught:
        after(engine, NOTHING_LEFT, line)
    [fault] = caught.value.faults
    weaken, name = line.split()[0], what.split()[0]
    assert (fault.what, fault.kind) == (f"not covered: `{weaken}` sets {what} to nothing", "not-covered")
    assert fault.fix == f"bar the event in this case, or set {name} to a value in 1"


def test_what_is_removed_may_have_been_out_of_range(engine):
    assert "ann" not in scouts(after(engine, RANGE + GOES, "weaken ann"), "strength")
