"""Reasons as a player at the table reads them: the clause that decides, in a sentence on the case, and what is near."""

import random

import pytest
from titm_rules import Edition, Position

from tests.builders import battle, position
from tests.play.script import action, play
from tests.worlds import random_position


def asked(here, query, edition="1999", **inputs):
    """Ask about a notation, or the values of a position or a battle."""
    rules = Edition(edition)
    if isinstance(here, str):
        return Position.from_notation(here, rules).check(query, **inputs)
    name = "battle" if "attackers" in here else "position"
    return rules.verdict(query, {name: here, **inputs})


def walked(here, units, path):
    return asked(here, "check_path", units=units.split(","), path=path.split(","))


def fired(attackers, defenders, shots):
    allocation = dict(shot.split(">") for shot in shots.split())
    return asked(battle(attackers, defenders), "fire_allocation_legal", who="attacker", allocation=allocation)


def pairs(found, effect):
    """Collect the clauses of some findings, each with where it was asked."""
    return {(one.clause, one.where) for one in found.findings if one.effect == effect}


def clauses(found, effect="forbids"):
    return {clause for clause, _ in pairs(found, effect)}


def forbidden(found):
    return [(one.clause, one.message) for one in found.failing]


# ---------------------------------------------------------------------- fire
@pytest.mark.parametrize(("attackers", "defenders", "shots", "clause"), [
    ("armor 2, foot 2", "armor 2, foot 3", "a1>d1 a2>d1", "9.55a"),  # one is left uncovered
    ("foot 2", "foot 2, mechanized 2, armor 2", "a1>d3", "9.52a"),  # not the lowest: an equal exists
    ("foot 2", "mechanized 2, armor 2", "a1>d2", "9.52c"),
])  # fmt: skip
def test_a_target_is_the_fault_of_one_clause(attackers, defenders, shots, clause):
    found = fired(attackers, defenders, shots)
    assert clauses(found) == {clause}
    assert {"9.52a", "9.52c"} & set(found.clauses) <= {clause}
    assert [one.message for one in found.failing if one.title.lower() in one.message.lower()] == []


@pytest.mark.parametrize(("firer", "targets", "shot", "clause"), [
    ("armor 2, foot 1", "armor 2, foot 2", "a1>d2 a2>d1", "9.57b"),
    ("armor 2, foot 1", "mechanized 2, motorized 2", "a1>d2 a2>d1", "9.57c"),
    ("motorized 2, foot 1", "armor 2, mechanized 2", "a1>d1 a2>d2", "9.57d"),
])  # fmt: skip
def test_a_target_passed_over_is_the_fault_of_its_own_rule(firer, targets, shot, clause):
    assert clause in clauses(fired(firer, targets, shot))


FIRE = "armor 3, mechanized 2", "engineer 2, foot 3"


@pytest.mark.parametrize(("sides", "shots", "message", "choice"), [
    (FIRE, "a1>d2", "a2 must also choose a target", "a1>d2,a2>d1"),
    (FIRE, "a1>d2 a2>a1", "a1 cannot be chosen as the target here", "a1>d2,a2>d1"),
    (("foot 1, foot 2", "foot 1"), "a1>d1", "a2 must also choose a target", "a1>d1,a2>d1"),
])  # fmt: skip
def test_who_fires_at_whom_is_said_by_a_clause(sides, shots, message, choice):
    found = fired(*sides, shots)
    assert forbidden(found) == [("9.21a", message)]
    assert found.nearest == {"legal_choice": choice, "changes": 1}


def test_artillery_is_told_with_its_numbers_and_in_another_order():
    fight = battle("foot 3", "foot 3, foot 3, armor 2")
    found = asked(fight, "artillery_sequence_legal", who="attacker", sequence=["d3"])
    says = "d3 is armor, of 2 points; d1 and d2 are of a type with more"
    assert forbidden(found) == [("9.46b", says)]
    fight = battle("foot 4", "armor 2, foot 3")
    found = asked(fight, "artillery_sequence_legal", who="attacker", sequence=["d1", "d2"])
    assert found.nearest["order"] == "d2,d1"
    assert "legal in another order: d2,d1" in found.alternatives
    found = asked(battle("foot 5, foot 4", "foot 2"), "artillery_calls")
    [message] = {one.message for one in found.findings if one.clause == "9.42a" and one.holds}
    assert message.endswith("9 strength / 3 = 3")
    found = asked(battle("foot 5", "foot 5"), "artillery_calls")
    assert ("9.42b", "exception") in {(one.clause, one.effect) for one in found.findings if not one.holds}


# ---------------------------------------------------------------------- a bridge blown in one's face
RIVER = "A-s major; s-x major; x-y major intact; D-y major"
TRIED = [{"bridge": f"y-{end}", "unit": "e"} for end in "uv"]


@pytest.mark.parametrize(("roads", "sapper", "more", "expected"), [
    (RIVER, "e Allied engineer 1 y", {"day": 16}, ("10.26", "e at x-y")),
    (RIVER, "e Allied armor 1 y", {}, ("10.22b", "e at x-y")),
    (RIVER, "e Allied engineer 1 y; n German foot 1 s impulse_start=y", {}, ("10.24", "e at x-y")),
    ("A-x major; x-y major intact", "e Allied engineer 1 y", {}, ("13.24", "e at x-y")),  # out of supply
    (
        f"{RIVER}; y-u minor intact; y-v minor intact", "e Allied engineer 1 y", {"demolition_attempts": TRIED},
        ("10.23b", "e at x-y"),
    ),
])  # fmt: skip
def test_what_bars_the_attempt_is_cited(roads, sapper, more, expected):
    found = walked(position(roads, f"m German armor 2 x; {sapper}", **{"day": 18, **more}), "m", "x,!y")
    assert found.outcome == "illegal"
    assert pairs(found, "forbids") == {expected}
    assert clauses(found, "counts") == {"8.42b"}  # it is priced too


def test_bars_of_attempts_at_a_bridge():
    roads = "A-x major; x-y major; x-y-b minor intact; D-y major"
    found = walked(position(roads, "m German armor 2 x; e Allied armor 1 y"), "m", "x,!y")
    assert pairs(found, "forbids") == {("10.22b", "e at x-y-b")}
    assert ("8.41", "another way") in pairs(found, "rests")
    here = position("A-x major; x-y major intact", "m German armor 2 x; e Allied armor 1 y")
    found = walked(here, "m", "x,!y")
    assert clauses(found) == {"10.22b"}
    assert "13.24" in clauses(found, "also")
    units = "m German armor 2 s; e Allied engineer 1 x; f German foot 1 B impulse_start=x"
    found = walked(position("B-s major; s-x major intact", units, day=16), "m", "s,!x")
    assert len(forbidden(found)) == 1
    told = pairs(found, "forbids") | pairs(found, "also")
    assert {clause for clause, where in told if where == "e at s-x"} == {"10.24", "10.26", "13.24"}
    # An attempt costs what the change of direction costs.
    here = position(RIVER, "m German armor 2 x; e Allied engineer 1 y; f Allied foot 1 y", day=18)
    found = walked(here, "m", "x,!y")
    assert (found.outcome, found.witness["costs"]) == ("legal", [1])
    assert clauses(found, "counts") == {"8.42b"}


NOBODY = ("8.41", "nobody on the other side is beside 1-3")


@pytest.mark.parametrize(("notation", "units", "path", "expected"), [
    ("two-bridges, a-foot@5", "g-mech", "1,!3", NOBODY),
    ("two-bridges, a-foot@5", "g-mech", "1,!3,3", NOBODY),  # the bridge is whole for the rest of the way
    ("two-bridges, a-foot@5, a-tank@3", "g-mech", "1,!3",
     ("10.22b", "a-tank is armor, not an infantry type")),
    ("two-bridges", "g-mech", "1,!2", ("8.41", "1-2 has no bridge")),
    ("two-bridges, bridge 2-4 blown", "g-foot", "2,!4", ("8.41", "2-4 is blown")),
])  # fmt: skip
def test_who_could_have_blown_the_bridge(notation, units, path, expected):
    assert forbidden(walked(notation, units, path)) == [expected]
    # A bridge that fell on the way is no fault of those who can try no more.
    assert clauses(walked("two-bridges", "g-mech", "1,!3,!3")) == {"8.33-unbridged", "8.41"}


def test_what_is_offered_instead_of_a_blown_bridge():
    found = walked("two-bridges, a-foot@5", "g-mech", "1,!3,2")
    assert found.nearest["legal_route"] == ["1", "2"]
    assert found.nearest["cost"] == walked("two-bridges, a-foot@5", "g-mech", "1,2").answer["cost"] == 3
    assert walked("two-bridges, a-foot@5", "g-mech", "1,!3").nearest["legal_route"] == ["1", "3"]
    # a way is not offered that leaves the blown bridge whole
    assert "legal_route" not in walked("two-bridges", "g-mech", "1,!3,3").nearest
    roads = "B-s major; s-x major intact; x-E major; s-y major; y-x major; s-z major; z-y minor"
    here = position(roads, "m German armor 2 s; e Allied foot 2 x")
    found = walked(here, "m", "s,!x,x")
    assert found.nearest["legal_route"] == ["s", "!x", "y", "x"]
    assert walked(here, "m", "s,!x,y,x").answer == {"legal": True, "cost": found.nearest["cost"]}


# ---------------------------------------------------------------------- supply
def test_what_closes_the_ways_of_supply_is_cited():
    units = "m German motorized 1 x; v Allied foot 1 s; w Allied foot 1 B"
    found = asked(position("B-s major; s-x major; x-G major; G-B major", units), "supplied", unit="m")
    assert clauses(found) == {"13.12b"}
    assert clauses(found, "also") <= {"13.11c", "13.12a"}
    found = asked(position("B-s major blown", "m German armor 1 s; w Allied foot 1 B"), "supplied", unit="m")
    assert clauses(found) == {"13.12b", "13.14a"}
    units = "u Allied engineer 2 x; e German foot 1 s"
    found = asked(position("D-s major; s-x major blown", units, side_to_move="Allied"), "supplied", unit="u")
    assert forbidden(found) == [("13.12a", "enemies are in s (e)")]
    found = asked(position("A-s major", "m German armor 1 s; w Allied foot 1 A"), "supplied", unit="m")
    assert forbidden(found) == [("13.12b", "enemies are in A (w)")]
    found = asked(position("x-y major; y-E major", "m German armor 1 x"), "supplied", unit="m")
    assert found.plain_reason == "no connection leads from x to a place of 13.11b, Supply sources"
    assert pairs(found, "unmet") == {("13.11a", ""), ("13.11b", "x")}
    found = asked("campaign, 17-1", "supplied", unit="2-pz-a", at="Marnach")
    assert forbidden(found) == [("13.14a", "crosses a blown bridge; 2-pz-a, armor, may cross none")]


# ---------------------------------------------------------------------- arithmetic
MOBILITY = {"side_to_move": "Allied", "special_forces": {"area": "y", "effect": "mobility"}}


@pytest.mark.parametrize(("here", "unit", "path", "words", "cited", "counts"), [
    (position("A-s minor; s-x minor; x-y minor; y-z minor", "m German armor 2 A; f German foot 1 z", day=18), "m",
        "A,s,x,y,z", "y > z costs 3 (2 by 8.33 + 1 by 8.37), 9 in total; the stack has only 8 (8.31)",
        {"8.31", "8.33-minor", "8.37", "8.38"}, set()),
    (position("x-y minor; D-y major", "u Allied foot 2 x points_spent=1; g German foot 1 x; f Allied foot 2 y",
        day=18, **MOBILITY), "u", "x,y", "costs 5 (2 by 8.33 + 1 by 8.36 + 1 by 8.37 + 1 by 14.22a)", set(),
        {"8.33-minor", "8.36-leave", "8.37", "14.22a"}),
    (position("A-s minor; s-x minor", "m German armor 2 A points_spent=5", day=18), "m", "A,s,x",
        "the stack has only 3 (8 by 8.31 - 5 points spent)", set(), set()),
], ids=["every number names its clause", "four parts", "points spent are taken off"])  # fmt: skip
def test_a_sum_names_its_clauses(here, unit, path, words, cited, counts):
    found = walked(here, unit, path)
    assert words in found.sentence()
    assert cited <= set(found.clauses)
    assert counts <= clauses(found, "counts")


def test_sums_are_written_so_that_they_come_out():
    found = walked("two-bridges, 16-2, g-foot@2(strength=9), g-mech@1(strength=3)", "g-mech", "1,2")
    assert dict(forbidden(found))["7.1c"] == "2 would hold 3 units of 13 points"
    here = position("x-y major intact; D-y major", "m German armor 2 x points_spent=8; e Allied engineer 1 y")
    assert [clause for clause, _ in forbidden(walked(here, "m", "x,!y"))] == ["8.38"]  # one sum for one step
    found = asked("two-bridges", "reinforcement_options", side="German", entry=["A"], due=[20, 3], ask=["A", "B"])
    messages = {one.message for one in found.findings if one.clause == "11.14a"}
    assert "Entering by the next zone: (21 - 20) * 3 + 1 - 3 = 1" in messages
    assert not [one for one in found.findings if "None" in one.message]


# ---------------------------------------------------------------------- paths
APART = position("B-x major; D-y major", "u German foot 3 x; v German foot 1 x; w German foot 1 B")


def test_a_gap_in_a_path_is_the_fault_of_the_clause_on_connections():
    gap = [("8.2b", "no road leads from x to y")]
    found = walked(APART, "u", "x,y")
    assert forbidden(found) == forbidden(asked(APART, "reachable_cost", units=["u"], to="y")) == gap
    assert found.sentence().startswith("May u go from x to y? No, under the rules of 1999: 8.2b (x > y: no road leads")
    assert clauses(walked(APART, "u,w", "x,y")) == {"8.21b"}
    assert walked(APART, "w", "x,y").plain_reason == "the units are not in x"
    broken = walked(position("B-x major; x-y blown", "u German armor 3 x"), "u", "x,y")
    assert broken.failing
    assert broken.plain_reason == ""


def test_each_clause_by_which_a_move_must_end_is_cited():
    found = walked(position("x-y major; y-z major", "u German armor 3 x; e Allied foot 1 y"), "u", "x,y,z")
    why = {"8.22": "enemies are in y", "8.29": "u is not in supply at x"}
    assert forbidden(found) == [(clause, f"the move must end in y: {said}") for clause, said in why.items()]


def test_it_would_be_legal_on_foot_or_as_two_moves():
    found = walked(position("A-x major; x-y major blown", "m German motorized 2 x", day=18), "m", "x,y")
    assert found.nearest["declared"] == {"foot_mode": True, "cost": 3}
    assert "legal with foot_mode=yes (cost 3)" in found.alternatives
    found = walked(position("A-s minor; s-x minor; x-y minor", "m German foot 2 A", day=18), "m", "A,s,x,y")
    assert found.nearest["later"] == {"now": ["A", "s", "x"], "then": ["x", "y"]}
    assert "legal as two moves: to x now, then from there to y in a later move" in found.alternatives
    assert walked("two-bridges", "g-mech", "1,2,entrench").alternatives == (
        "legal as far as 2: 1, 2",
        "legal as two moves: to 2 now, then entrench there in a later move",
    )
    # A stack that digs in is not charged for each of its units.
    assert [clause for clause, _ in forbidden(walked("two-bridges", "g-eng,g-foot", "2,entrench"))] == ["8.51b"]


# ---------------------------------------------------------------------- may this unit?
@pytest.mark.parametrize(("notation", "query", "inputs", "expected"), [
    ("two-bridges", "may_blow", {"unit": "a-foot", "bridge": "2-4", "crossing": ["g-mech"]},
     [("10.21a", "2-4 is blown, not intact"),
      ("10.22c", "a-foot is not near 2-4")]),
    ("two-bridges", "may_build", {"unit": "g-eng", "bridge": "2-4"},
     [("10.12b", "no friend of g-eng stands at the other end of 2-4")]),
    ("two-bridges, g-foot@4, g-eng@2(entrenched-today)", "may_build", {"unit": "g-eng", "bridge": "2-4"},
     [("8.36-construct", "g-eng has entrenched today")]),
])  # fmt: skip
def test_a_question_of_one_unit_is_answered_in_sentences(notation, query, inputs, expected):
    assert forbidden(asked(notation, query, **inputs)) == expected


def test_exceptions_forbid_and_the_nearest_are_told():
    found = asked("two-bridges, g-tank@3, Allied, a-mot@1", "contingent_release", "2002-07-25", areas=["3", "4"])
    assert forbidden(found)[0][0] == "2002:11.34"
    found = asked("two-bridges, a-foot@5, a-tank@3", "demolition_options", bridge="1-3", crossing=["g-mech"])
    away = {("10.22c", f"{unit} at 1-3") for unit in ("a-foot", "a-mot", "a-eng")}
    assert pairs(found, "forbids") == away | {("10.22b", "a-tank at 1-3")}


@pytest.mark.parametrize(("query", "inputs", "expected"), [
    ("contingent_release", {"areas": ["3", "4"]}, ("11.3b", "11.3a")),
    ("attack_status", {"unit": "g-mech"}, ("8.23",)),
    ("special_forces_options", {}, ("14.11a",)),
    ("supplied", {"unit": "g-mech"}, ()),
])  # fmt: skip
def test_where_nothing_forbids_it_is_told_what_is_missing(query, inputs, expected):
    assert tuple(one.clause for one in asked("two-bridges", query, **inputs).unmet) == expected
    given = {"side": "German", "entry": ["C"], "due": [17, 1], "ask": ["A", "L"], "kind": "foot"}
    assert asked("campaign, 19-1", "reinforcement_options", **given).answer == {"zones": {"A": 4, "L": None}}


@pytest.mark.parametrize(
    ("notation", "expected"),
    [("two-bridges, g-foot@1, g-mech@1(strength=9)", ("7.2", "7.1a")), ("two-bridges", ())],
)
def test_what_has_to_be_given_up_is_told_with_its_clauses(notation, expected):
    assert asked(notation, "overstack_eliminations", place="1", side="German").clauses == expected


def test_a_zone_by_which_nothing_comes_on_says_why():
    given = {"side": "Allied", "due": [19, 1]}
    found = asked("campaign, 19-1, 2-pz-a@D", "reinforcement_options", entry=["D"], ask=["D"], **given)
    assert [clause for clause, _ in forbidden(found)] == ["11.21a"]
    assert "11.21a" in found.sentence()
    early = asked("campaign, 18-1", "reinforcement_options", entry=["D"], ask=["D"], **given)
    assert [one.clause for one in early.unmet] == ["11.11"]


def test_a_trace_ends_in_a_zone_and_passes_none():
    found = asked(position("B-D major; D-s major", "m German armor 2 s"), "supplied", unit="m")
    assert forbidden(found) == [("13.11c", "zone D is not one of its side")]


# ---------------------------------------------------------------------- actions of a game
def refused(notation, line, *before):
    here = play(Position.from_notation(notation, Edition()), *before)
    return here.judge(action(here, line)[0])


@pytest.mark.parametrize(("line", "before", "expected"), [
    ("German advance 2 1-2", ("German muster g-foot", "German advance 1 1-2"),
     ("8.38", "1 to 2 costs 3 (2 by 8.33 + 1 by 8.37), 6 in total; the stack has only 5 (8.32)")),
    ("German dig-in", ("German muster g-mech", "German advance 2 1-2"),
     ("8.38", "entrench in 2 costs 8 (8.31, 8.53), 11 in total; the stack has only 8 (8.31)")),
    ("German muster g-tank foot", (), ("8.35a", "g-tank is armor and cannot choose to move on foot")),
    ("German let-cross", ("German muster g-mech", "German advance 3 1-3"),
     ("10.21a", "the Allied side may do this, not the German side")),
    ("German build-bridge 2-4 g-eng", (),
     ("6.0-II.4", "the phase is movement")),
])  # fmt: skip
def test_an_action_is_refused_by_one_clause_in_a_sentence(line, before, expected):
    assert forbidden(refused("two-bridges", line, *before)) == [expected]


def test_what_cannot_be_given_up_is_named():
    crowded = "two-bridges, g-mech@2(strength=5), g-foot@2(strength=5)"
    before = ("German muster g-tank", "German advance 2 1-2", "German halt", "German end-phase")
    found = refused(crowded, "German give-up German 2 g-eng", *before)
    assert forbidden(found) == [("7.2", "2 would hold 3 units of 13 points")]
    unknown = refused(crowded, "German give-up German 2 ghost", *before)
    assert forbidden(unknown) == [("7.2", "ghost cannot be chosen here")]


# ---------------------------------------------------------------------- answers that list nothing say why
TELLING = {"forbids", "counts", "rests", "lifts"}
DEFINED = {"special_forces_options": {"unmet"}}  # clauses that say when something is offered, and it is not so


def questions(world, rng):
    """Questions whose answer may list nothing."""
    for unit in world["units"]:
        yield "reachable", {"units": [unit["id"]]}, "destinations"
        yield "entrench_options", {"unit": unit["id"]}, "areas"
    movers = [unit["id"] for unit in world["units"] if unit["side"] == world["side_to_move"]]
    others = [unit for unit in world["units"] if unit["side"] != world["side_to_move"]]
    for link in world["connections"] if others and movers else ():
        yield "demolition_options", {"bridge": link["id"], "crossing": movers[:1]}, "options"
    if world["units"] and world["connections"]:
        yield "construction_options", {}, "options"
    yield "special_forces_options", {}, "areas"
    yield "special_forces_options", {}, "effects"


@pytest.mark.parametrize("date", ["1996-08-01", "1999"])
def test_nothing_is_listed_without_a_reason(date):
    edition, empty = Edition(date), 0
    for seed in range(12):
        rng = random.Random(seed)
        world = random_position(rng, 4)
        position = Position.from_dict(world, edition)
        for query, inputs, name in questions(world, rng):
            if position.ask(query, **inputs)[name]:
                continue
            empty += 1
            verdict = position.check(query, **inputs)
            told = [finding for finding in verdict.findings if finding.effect in TELLING | DEFINED.get(query, set())]
            assert told or "unconnected" in verdict.witness, (seed, query, inputs)
    assert empty > 100
