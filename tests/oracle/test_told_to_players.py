"""Reasons as a player at the table hears them: the clause that decides, in a sentence on the case, and what is near."""

import pytest
from titm_rules import Edition, Position
from titm_rules.play.action import read_action

from tests.builders import battle, position
from tests.play.script import play


def asked(notation, query, edition="1999", **inputs):
    return Position.from_notation(notation, Edition(edition)).check(query, **inputs)


def walked(notation, units, path, **more):
    return asked(notation, "check_path", units=units.split(","), path=path.split(","), **more)


def forbidden(verdict):
    return [(one.clause, one.message) for one in verdict.failing]


def refused(notation, line, *before):
    here = play(Position.from_notation(notation, Edition()), *before)
    by, kind, *words = line.split()
    return here.judge(read_action(here.edition.model.events[kind], by, words))


# ---------------------------------------------------------------------- a bridge blown in one's face
@pytest.mark.parametrize(
    ("notation", "path", "clause", "message"),
    [
        ("two-bridges, a-foot@5", "1,!3", "8.41", "no unit of the Allied side is beside the bridge to 3"),
        ("two-bridges, a-foot@5, a-tank@3", "1,!3", "10.22b", "a-tank is armor; only infantry types blow bridges"),
        ("two-bridges", "1,!2", "8.41", "between 1 and 2 there is no bridge to blow"),
    ],
)
def test_who_could_have_blown_the_bridge(notation, path, clause, message):
    assert forbidden(walked(notation, "g-mech", path)) == [(clause, message)]


def test_a_bridge_is_not_blown_twice():
    found = walked("two-bridges, bridge 2-4 blown", "g-foot", "2,!4")
    assert forbidden(found) == [("8.41", "the bridge to 4 is blown already")]


def test_a_bridge_that_fell_on_the_way_is_no_fault_of_those_who_can_try_no_more():
    clauses = {clause for clause, _ in forbidden(walked("two-bridges", "g-mech", "1,!3,!3"))}
    assert clauses == {"8.33-unbridged", "8.41"}


def test_of_many_bars_on_who_could_blow_it_one_is_told():
    units = "m German armor 2 s; e Allied engineer 1 x; f German foot 1 B impulse_start=x"
    roads = "B-s major; s-x major intact"
    found = Position.from_dict(position(roads, units, day=16)).check("check_path", units=["m"], path=["s", "!x"])
    assert len(forbidden(found)) == 1
    assert {one.clause for one in found.findings if one.where == "e at s-x" and one.effect in ("forbids", "also")} == {
        "10.24", "10.26", "13.24",
    }  # fmt: skip


def test_what_kinds_there_are_forbids_nothing():
    roads, units = "D-s major; s-x major blown", "u Allied engineer 2 x; e German foot 1 s"
    found = Position.from_dict(position(roads, units, side_to_move="Allied")).check("supplied", unit="u")
    assert forbidden(found) == [("13.12a", "enemies are in s (e)")]


def test_where_nobody_could_blow_it_the_bridge_stands_for_the_rest_of_the_way():
    assert forbidden(walked("two-bridges, a-foot@5", "g-mech", "1,!3,3")) == [
        ("8.41", "no unit of the Allied side is beside the bridge to 3")
    ]


def test_a_way_without_the_attempt_is_offered_at_its_price():
    found = walked("two-bridges, a-foot@5", "g-mech", "1,!3,2")
    assert found.nearest["legal_route"] == ["1", "2"]
    assert found.nearest["cost"] == walked("two-bridges, a-foot@5", "g-mech", "1,2").answer["cost"] == 3
    assert walked("two-bridges, a-foot@5", "g-mech", "1,!3").nearest["legal_route"] == ["1", "3"]


def test_what_is_offered_behind_a_blown_bridge_goes_on_from_there():
    roads = "B-s major; s-x major intact; x-E major; s-y major; y-x major; s-z major; z-y minor"
    here = position(roads, "m German armor 2 s; e Allied foot 2 x")
    found = Position.from_dict(here).check("check_path", units=["m"], path=["s", "!x", "x"])
    assert found.nearest["legal_route"] == ["s", "!x", "y", "x"]
    again = Position.from_dict(here).check("check_path", units=["m"], path=found.nearest["legal_route"])
    assert again.answer == {"legal": True, "cost": found.nearest["cost"]}


def test_a_way_is_not_offered_that_leaves_the_blown_bridge_whole():
    assert "legal_route" not in walked("two-bridges", "g-mech", "1,!3,3").nearest


# ---------------------------------------------------------------------- paths
def test_digging_in_another_day_is_put_into_words():
    found = walked("two-bridges", "g-mech", "1,2,entrench")
    assert found.alternatives == (
        "legal as far as 2: 1, 2",
        "legal as two moves: to 2 now, then entrench there in a later move",
    )


def test_a_stack_that_digs_in_is_not_charged_for_each_of_its_units():
    assert [clause for clause, _ in forbidden(walked("two-bridges", "g-eng,g-foot", "2,entrench"))] == ["8.51b"]


def test_how_many_would_stand_there_is_counted():
    found = walked("two-bridges, 16-2, g-foot@2(strength=9), g-mech@1(strength=3)", "g-mech", "1,2")
    assert "3 German units with 13 strength points in 2" in dict(forbidden(found))["7.1c"]


def test_of_two_ways_that_are_closed_once_the_shorter_one_is_told():
    found = asked("campaign, 17-1", "supplied", unit="2-pz-a", at="Marnach")
    assert forbidden(found) == [("13.14a", "crosses a blown bridge; 2-pz-a, armor, may cross none")]


# ---------------------------------------------------------------------- bridges: may this unit?
@pytest.mark.parametrize(
    ("notation", "query", "inputs", "expected"),
    [
        ("two-bridges", "may_blow", {"unit": "a-foot", "bridge": "2-4", "crossing": ["g-mech"]},
         [("10.21a", "2-4 is no intact bridge"), ("10.22c", "a-foot stands in no area beside 2-4")]),
        ("two-bridges", "may_build", {"unit": "g-eng", "bridge": "2-4"},
         [("10.12b", "no friend of g-eng stands at the other end of 2-4")]),
        ("two-bridges, g-foot@4, g-eng@2(entrenched-today)", "may_build", {"unit": "g-eng", "bridge": "2-4"},
         [("8.36-construct", "g-eng has dug in today and has not all its MPs left")]),
    ],
)  # fmt: skip
def test_a_question_of_one_unit_is_answered_in_sentences(notation, query, inputs, expected):
    assert forbidden(asked(notation, query, **inputs)) == expected


def test_an_exception_that_takes_the_answer_away_forbids():
    found = asked("two-bridges, g-tank@3, Allied, a-mot@1", "contingent_release", "2002-07-25", areas=["3", "4"])
    assert forbidden(found)[0][0] == "2002:11.34"


def test_of_those_who_may_not_the_nearest_are_told():
    found = asked("two-bridges, a-foot@5, a-tank@3", "demolition_options", bridge="1-3", crossing=["g-mech"])
    assert {(one.clause, one.where) for one in found.failing} == {
        ("10.22c", "a-foot at 1-3"), ("10.22c", "a-mot at 1-3"), ("10.22c", "a-eng at 1-3"),
        ("10.22b", "a-tank at 1-3"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("notation", "query", "inputs", "clauses"),
    [
        ("two-bridges", "contingent_release", {"areas": ["3", "4"]}, ("11.3b", "11.3a")),
        ("two-bridges", "attack_status", {"unit": "g-mech"}, ("8.23",)),
        ("two-bridges", "special_forces_options", {}, ("14.11a",)),
        ("two-bridges", "supplied", {"unit": "g-mech"}, ()),
    ],
)
def test_where_nothing_forbids_it_is_told_what_is_missing(notation, query, inputs, clauses):
    assert tuple(one.clause for one in asked(notation, query, **inputs).unmet) == clauses


def test_a_zone_that_is_closed_is_closed_to_a_kind_too():
    found = asked("campaign, 19-1", "reinforcement_options", side="German", entry=["C"], due=[17, 1], ask=["A", "L"],
                  kind="foot")  # fmt: skip
    assert found.answer == {"zones": {"A": 4, "L": None}}


def test_a_sum_is_written_so_that_it_comes_out():
    found = asked("two-bridges", "reinforcement_options", side="German", entry=["A"], due=[20, 3], ask=["A", "B"])
    messages = {one.message for one in found.findings if one.clause == "11.14a"}
    assert "Entering by the next zone: (21 - 20) * 3 + 1 - 3 = 1" in messages
    assert not [one for one in found.findings if "None" in one.message]


def test_what_has_to_be_given_up_is_told_with_its_clauses():
    crowded = "two-bridges, g-foot@1, g-mech@1(strength=9)"
    assert asked(crowded, "overstack_eliminations", place="1", side="German").clauses == ("7.2", "7.1a")
    assert asked("two-bridges", "overstack_eliminations", place="1", side="German").clauses == ()


# ---------------------------------------------------------------------- fire
FIRE = battle("armor 3, mechanized 2", "engineer 2, foot 3")


@pytest.mark.parametrize(
    ("allocation", "message", "changes"),
    [
        ({"a1": "d2"}, "a2 must also choose a target", 1),
        ({"a1": "d2", "a2": "a1"}, "a1 cannot be chosen as the target here", 1),
    ],
)
def test_who_fires_at_whom_is_said_by_a_clause(allocation, message, changes):
    found = Edition().verdict("fire_allocation_legal", {"battle": FIRE, "who": "attacker", "allocation": allocation})
    assert forbidden(found) == [("9.21a", message)]
    assert found.nearest == {"legal_choice": "a1>d2,a2>d1", "changes": changes}


def test_the_type_that_counts_most_is_named():
    inputs = {"battle": battle("foot 3", "foot 3, foot 3, armor 2"), "who": "attacker", "sequence": ["d3"]}
    [(clause, message)] = forbidden(Edition().verdict("artillery_sequence_legal", inputs))
    assert clause == "9.46b"
    assert message == "d3 is armor, which counts 2 strength points; the most, 6, are foot"


# ---------------------------------------------------------------------- actions of a game
@pytest.mark.parametrize(
    ("line", "before", "expected"),
    [
        ("German advance 2 1-2", ("German muster g-foot", "German advance 1 1-2"),
         ("8.38", "1 to 2 costs 3 (2 by 8.33 + 1 by 8.37), 6 in total; the stack has only 5 (8.32)")),
        ("German dig-in", ("German muster g-mech", "German advance 2 1-2"),
         ("8.38", "entrench in 2 costs 8 (8.31, 8.53), 11 in total; the stack has only 8 (8.31)")),
        ("German muster g-tank foot", (), ("8.35a", "g-tank is armor; only infantry types may choose to move on foot")),
        ("German let-cross", ("German muster g-mech", "German advance 3 1-3"),
         ("10.21a", "the Allied side may do this, not the German side")),
        ("German build-bridge 2-4 g-eng", (),
         ("6.0-II.4", "bridges are built after the battles; the step now is movement")),
    ],
)  # fmt: skip
def test_an_action_is_refused_by_one_clause_in_a_sentence(line, before, expected):
    assert forbidden(refused("two-bridges", line, *before)) == [expected]


def test_what_cannot_be_given_up_is_named():
    crowded = "two-bridges, g-mech@2(strength=5), g-foot@2(strength=5)"
    before = ("German muster g-tank", "German advance 2 1-2", "German halt", "German end-phase")
    found = refused(crowded, "German give-up German 2 g-eng", *before)
    assert forbidden(found) == [
        ("7.2", "3 German units with 13 strength points would be left in 2; 4 units and 10 points are the most")
    ]
    unknown = refused(crowded, "German give-up German 2 ghost", *before)
    assert unknown.plain_reason == "ghost cannot be chosen here"
