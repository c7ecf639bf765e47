"""The search finds the known differences by itself."""

import json
from functools import partial
from textwrap import dedent

import pytest
from titm_rules.compare.all_pairs import find_differences
from titm_rules.compare.counterexamples import EVERY_CASE, SAME_CLAUSES, PairRun, read_search
from titm_rules.compare.playout import play_result
from titm_rules.compare.results import LIKE, PROVED, SEARCHED, exit_code, read_result
from titm_rules.compare.rule_pair import ModelPair, machine_of
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import load_model
from titm_rules.engines.factory import make_engine
from titm_rules.oracle.edition import Edition

from tests.sampling import one_in

SEARCH = read_search()


SNOW = """\
add clause house:9 "Snow" "Minor roads cost armor one more."
  move costs 1 when the road of way is minor and some u in the stack where (the kind of u is armor)."""
STRICTER = """\
always on battle: the number of attackers is at most 1 says "one attacker at most".

add clause house:1 "Nothing" "Nothing is changed."
  decides nothing "it is a test".
"""


def ask(pair, query, budget=250):
    [result] = find_differences(pair, SEARCH, [query], budget=budget)
    return result


def search(first, second, query, budget=250):
    budget = 700 if query.startswith("artillery") else 1_500 if query in FULLY else budget
    return ask(ModelPair(load_model(first), load_model(second)), query, budget)


@pytest.fixture
def with_house_rule(tmp_path):
    """Pair the rulebook with what a house rule makes of it."""

    def pair(text):
        path = tmp_path / "house.rules"
        path.write_text(text, encoding="utf-8")
        return ModelPair(load_model("1999"), load_model("1999", overlays=(str(path),)))

    return pair


# What the sheets are known to have changed: the clause, and how the newer edition stands to the older.
KNOWN = [
    ("1998-01-15", "1999", "artillery_targetings", {"+9.46d"}, "incomparable"),
    ("1997-03-01", "1999", "special_forces_options", {"-1996:14.2"}, "wider"),
    ("1997-08-20", "1998-01-15", "fire_allocations", {"-1997:9.59", "1998:9.52"}, "incomparable"),
    ("1997-08-20", "1998-01-15", "special_forces_options", {"1996:14.2"}, "wider"),
    ("1996-08-01", "1996-11-01", "special_forces_options", {"+14.21b"}, "narrower"),
    ("1998-01-15", "1999", "construction_options", {"+10.14b", "+10.14c", "+10.14b or +10.14c"}, "narrower"),
    ("1998-01-15", "1999", "attack_status", {"+10.14b"}, "incomparable"),
    ("1998-01-15", "1999", "demolition_options", {"+14.23c"}, "wider"),
    ("1999", "2002-07-25", "vp_at_turn_end", {"+2002:12.22b"}, "narrower"),
    ("1999", "2002-07-25", "contingent_release", {"+2002:11.34"}, "narrower"),
    ("1997-03-01", "1997-08-20", "may_fire", {"+1997:9.59"}, "wider"),
    ("1997-03-01", "1997-08-20", "fire_targets", {"+1997:9.59"}, "wider"),
    ("1998-01-15", "1999", "may_build", {"+10.14b", "+10.14c"}, "narrower"),
    ("1994-11-01", "1996-08-01", "may_blow", {"+14.23d"}, "narrower"),
]  # fmt: skip


FULLY = ("may_fire", "fire_targets", "may_blow")  # take the budget of the command


@pytest.mark.parametrize(("first", "second", "query", "causes", "verdict"), one_in(2, KNOWN))
def test_known_differences_are_found(first, second, query, causes, verdict):
    result = search(first, second, query)
    assert result.how == SEARCHED
    assert {str(found.cause) for found in result.found} == causes
    assert result.verdict == verdict


def test_nothing_smaller_differs():
    """Every situation before the first found one is answered alike, also by the other engine."""
    pair = ModelPair(load_model("1998-01-15"), load_model("1999"))
    question = pair.second.questions["construction_options"]
    finder = PairRun(pair, SEARCH, budget=250)
    first = finder.result(question).found[0]
    older, newer = (Edition(name, engine="reference") for name in ("1998-01-15", "1999"))
    worlds = next(finder.grounds(question)).worlds
    asked = [
        (size, older.answer(question.name, given), newer.answer(question.name, given))
        for size in range(first.size + 1)
        for data, inputs in worlds.of_size(size)
        for given in [{"position": data, **inputs}]
    ]
    differ = [number for number, (_, one, other) in enumerate(asked, 1) if one != other]
    assert differ[0] == first.number
    assert asked[first.number - 1][0] == first.size


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second", "causes"), [
    ("1997-08-20", "1999", {"-1997:9.59", "+9.53a"}),
    ("1998-01-15", "1999", {"-1998:9.52", "+9.53a with -1998:9.52"}),
])  # fmt: skip
def test_known_differences_of_fire_are_found(first, second, causes):
    result = search(first, second, "fire_allocations", 3_000)
    assert {str(found.cause) for found in result.found} == causes


def test_a_check_is_searched_as_its_list_and_a_path_by_itself():
    result = search("1998-01-15", "1999", "artillery_sequence_legal")
    assert (result.how, result.like, result.verdict) == (LIKE, "artillery_targetings", "incomparable")
    # What can be reached does not say what may be tried on the way there; and what only holds up a march bears on a
    # path as written, and on no list of destinations.
    for first, second in (("2002-07-25", "2016-10-01"), ("1998-01-15", "1999")):
        result = search(first, second, "check_path", 60)
        assert (result.how, result.like) == (SEARCHED, "")


@pytest.mark.slow
def test_a_situation_is_not_made_so_simple_that_what_is_asked_about_is_gone():
    result = search("1997-08-20", "1999", "may_fire")
    assert result.found
    for one in result.found:
        units = {unit["id"] for name in ("attackers", "defenders") for unit in one.data[name]}
        assert {one.inputs["firing"], one.inputs["target"]} <= units


def test_a_path_rests_on_what_a_blown_bridge_costs(with_house_rule):
    """The comparison forgot once that a path may be interrupted, and called the two equivalent at any size."""
    free = 'replace clause 8.42b "For nothing" "A blown bridge costs nothing." balk costs 0.'
    result = ask(with_house_rule(free), "check_path")
    assert (result.how, result.verdict) == (SEARCHED, "wider")  # a way for 0 points is one that there is
    assert [str(found.cause) for found in result.found] == ["8.42b"]


def test_what_is_searched_and_what_is_not():
    # An Allied unit that may move on 16-1 and crosses a scenario line: five values that are not the plain ones.
    result = search("2002-07-25", "2016-10-01", "reachable", 900)
    [found] = result.found
    assert (str(found.cause), found.worlds, found.data["day"]) == ("+2016:5.23", "roads, drawn", 16)
    assert {one["side"] for one in found.data["units"]} == {"Allied"}
    result = search("1999", "2002-07-25", "fire_allocations")
    assert (result.how, result.proof, result.verdict, result.asked) == (PROVED, SAME_CLAUSES, "equivalent", 0)
    with pytest.raises(InputError, match="unknown query `fires`"):
        search("1998-01-15", "1999", "fires")


# ---------------------------------------------------------------------- derived worlds, evidence, proofs
def test_rules_on_what_no_world_varies_or_on_fields_of_their_own_are_found(with_house_rule):
    # No world of the search file has minor roads, and none that moves has armor.
    result = ask(with_house_rule(SNOW), "reachable")
    assert (result.verdict, [str(found.cause) for found in result.found]) == ("narrower", ["+house:9"])
    [found] = result.found
    assert {one["road"] for one in found.data["connections"]} == {"minor"}
    assert {one["kind"] for one in found.data["units"]} == {"armor"}
    pair = ModelPair(load_model("1999"), load_model("1999", overlays=("divisional-integrity",)))
    duels = [hunt for hunt in SEARCH.find if hunt.question == "to_hit" and hunt.world == "duel"]
    finder = PairRun(pair, SEARCH.model_copy(update={"find": duels}), budget=1_600)
    result = finder.result(pair.second.questions["to_hit"])
    assert [str(found.cause) for found in result.found] == ["+house:3"]


def test_positions_that_one_edition_refuses_are_no_evidence(with_house_rule):
    pair = with_house_rule(STRICTER)
    result = ask(pair, "fire_allocations", 50)
    assert result.verdict == "no evidence"
    assert "positions that only one of them refuses were not compared" in result.why()
    assert read_result(result.record()) == result
    assert ask(pair, "supplied", 50).verdict == "equivalent"


def test_rules_without_effect_are_evidence_once_they_held(with_house_rule):
    rule = """\
    add clause house:9 "Never" "Day 16 and day 17 at one time."
      move may not step when the day is 16 and the number of stack is more than 50."""
    result = ask(with_house_rule(dedent(rule)), "reachable", 60)
    assert result.verdict == "no evidence"
    assert result.why().startswith("+house:9 never held in ")
    assert exit_code([result]) == 3
    # Nobody digs in on a minor road, whatever it costs armor to go there: the rule is at work and changes nothing.
    result = ask(with_house_rule(SNOW), "entrench_options", 300)
    assert result.verdict == "equivalent"
    assert [(one.clause, one.grade) for one in result.evidence] == [("+house:9", "held")]
    assert not result.proof


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("""\
        replace clause S4.v3 "Campaign victory: Draw" "25 to 28 points."
          level is draw when points is at least 25 and points is at most 28.
        replace clause S4.v4 "Campaign victory: German marginal" "29 to 39 points."
          level is german-marginal when points is at least 29 and points is at most 39.""", "incomparable"),
        ("""\
        replace clause S4.v3 "Campaign victory: Draw" "25 to 29 points."
          level is draw when points is more than 24 and points is less than 30.""", "equivalent"),
    ],
)  # fmt: skip
def test_numbers_are_asked_on_both_sides_of_what_clauses_name(with_house_rule, rule, verdict):
    """Every level of victory is told apart by its bounds, so a finite number of cases is a proof."""
    result = ask(with_house_rule(dedent(rule)), "campaign_victory_level")
    assert (result.how, result.proof, result.verdict) == (PROVED, EVERY_CASE, verdict)


def test_what_the_time_does_not_attest_is_unknown_and_results_can_be_read_back():
    # Both editions answer by the same clauses, but nobody knows what 9.42 said before it was changed.
    result = search("1994-11-01", "1996-08-01", "artillery_calls")
    assert (result.how, result.verdict, result.grade) == (PROVED, "unknown", "known to have been revised")
    assert result.grades[0].revised["9.42a"] == "1996-11-01"
    assert exit_code([result]) == 3
    later = search("1999", "2002-07-25", "artillery_calls")
    assert (later.verdict, later.grade, exit_code([later])) == ("equivalent", "attested", 0)
    result = search("1999", "2002-07-25", "vp_at_turn_end")
    written = json.dumps(result.record())
    assert json.dumps(read_result(json.loads(written)).record()) == written


# ---------------------------------------------------------------------- what shows only in the course of a game
def courses(*worlds: str):
    return SEARCH.model_copy(update={"play": [one for one in SEARCH.play if one.world in worlds]})


@pytest.fixture(scope="module")
def melee():
    return play_result(ModelPair(load_model("1998-01-15"), load_model("1999")), courses("melee"), nodes=60)


def test_the_price_of_standing_aside_is_found_and_its_line_can_be_played(melee):
    # No question shows it: a unit that stands aside while friends attack has moved, from 1999 on.
    found = {str(one.cause): one for one in melee.found}
    assert melee.how == SEARCHED
    assert "+9.14b" in found
    assert [action.split()[0] for action in found["+9.14b"].line] == ["assault"]
    # From the situation, by the actions of the line, until the editions part.
    one = next(one for one in melee.found if str(one.cause) == "+9.14b")
    models = [load_model(name) for name in ("1998-01-15", "1999")]
    after = [after_action(model, dict(one.data), one.line[-1]) for model in models]
    assert after[0] != after[1]


def after_action(model, data, wanted):
    make = partial(make_engine, "reference", model)
    machine = machine_of(model, "position", data, make)
    while (following := machine.next_automatic()) is not None:
        machine = machine_of(model, "position", machine.after(following)[0], make)
    [option] = [option for option in machine.options.listed() if str(option.action) == wanted]
    return machine.after(option)[0]


def test_clauses_that_never_came_up_are_named_and_the_same_rules_play_alike(melee):
    grades = {one.clause: one.grade for one in melee.evidence}
    assert grades["+9.14b"] == "decided"
    assert grades["+14.23c"] == "never held", "there is no bridge in a melee"
    result = play_result(ModelPair(load_model("1999"), load_model("1999")), SEARCH)
    assert (result.how, result.proof, result.verdict) == (PROVED, SAME_CLAUSES, "equivalent")
