"""Rules of two editions: what differs, mixtures of them, the smallest causes, and which answer allows more."""

import itertools
import random
from dataclasses import replace

import pytest
from titm_rules.compare.rule_pair import (
    DECLARATIONS,
    DecidingSets,
    ModelPair,
    QuestionRunner,
    compare,
    relation,
    smallest,
    specialize,
    split_by_answer,
)
from titm_rules.editions.load import load_model
from titm_rules.ir.dependencies import head_terms
from titm_rules.ir.model import NOBODY
from titm_rules.ir.terms import Const, Var, subterms

from tests.worlds import BATTLE_QUERIES, POSITION_QUERIES, random_case


def pair(first, second):
    return ModelPair(load_model(first), load_model(second))


# ---------------------------------------------------------------------- clauses
def asked_for_readings(model):
    parts = (part for head in model.heads.values() for term in head_terms(head) for part in subterms(term))
    return {part.name for part in parts if isinstance(part, Var) and part.type.kind == "reading"}


@pytest.mark.parametrize("name", ["1998-01-15", "1999", "2016-10-01"])
def test_settled_rules_leave_no_reading_open(name):
    model = load_model(name)
    assert asked_for_readings(model)
    assert not asked_for_readings(specialize(model))


# Worked out by hand from the sheets: what each says that bears on the question.
@pytest.mark.parametrize(("first", "second", "query", "clauses"), [
    ("1997-03-01", "1997-08-20", "fire_allocations", ["1997:9.59"]),
    ("1998-01-15", "1999", "fire_allocations", ["9.53a", "1998:9.52"]),
    ("1998-01-15", "1999", "artillery_targetings", ["9.46d"]),
    ("1998-01-15", "1999", "construction_options", ["10.14b", "10.14c"]),
    ("1998-01-15", "1999", "demolition_options", ["14.23b", "14.23c"]),
    ("1999", "2002-07-25", "vp_at_turn_end", ["2002:12.22b"]), ("1999", "2002-07-25", "fire_allocations", []),
    ("2002-07-25", "2016-10-01", "check_path", ["2016:5.23", "2016:8.295d"]), ("1999", "1999", "check_path", []),
])  # fmt: skip
def test_the_clauses_that_a_difference_can_rest_on(first, second, query, clauses):
    both = pair(first, second)
    assert both.changed_for(both.second.questions[query]) == clauses


def test_a_clause_that_says_something_in_one_edition_only_is_marked():
    both = pair("1998-01-15", "1999")
    heads = both.heads_of(both.second.questions["artillery_targetings"])
    assert both.sign("9.46d", heads) == "+"  # the text is in both; the default reading lets it rest in 1998
    assert {clause: both.sign(clause) for clause in ("1998:9.52", "14.23b", "9.57a")} == {
        "1998:9.52": "-", "14.23b": "-", "9.57a": "",
    }  # fmt: skip


def test_a_difference_that_rests_on_a_definition_alone_does_not_vanish():
    """What no clause says is named as the declarations, and can be taken over as a clause can."""
    first = load_model("1999")
    might = first.heads["might"]
    [said] = might.statements
    assert said.clause == NOBODY
    nothing = replace(said, value=Const(0, might.type))
    second = replace(first, heads={**first.heads, "might": replace(might, statements=(nothing,))})
    both = ModelPair(first, second)
    assert both.changed_for(second.questions["contingent_release"]) == [DECLARATIONS]
    assert both.changed_for(second.questions["fire_allocations"]) == []
    assert both.mixture([]).heads["might"].statements == (said,)
    assert both.mixture([DECLARATIONS]).heads["might"].statements == (nothing,)
    # A new definition comes with what it says by itself.
    both = pair("1997-03-01", "1997-08-20")
    assert "shots-laid" not in both.first.heads
    assert both.mixture(["1997:9.59"]).heads["shots-laid"].statements


def cases(both):
    """Draw cases of questions that may differ, and of some others."""
    rng = random.Random(7)
    queries = [one for one in (*BATTLE_QUERIES, *POSITION_QUERIES) if both.changed_for(both.second.questions[one])]
    return [random_case(rng, query) for query in queries for _ in range(12)] + [random_case(rng) for _ in range(20)]


@pytest.mark.parametrize(("first", "second"), [("1998-01-15", "1999"), ("1994-11-01", "2016-10-01")])
def test_no_clause_taken_over_is_the_first_edition_and_all_are_the_second(first, second):
    both = pair(first, second)
    differ = 0
    for case in cases(both):
        question = both.second.questions[case["query"]]
        inputs = dict(case["input"])
        runner = QuestionRunner(question.situation, inputs.pop(question.situation))
        one, other = (runner.answer(model, question, inputs) for model in (both.first, both.second))
        assert runner.answer(both.mixture([]), question, inputs) == one
        assert runner.answer(both.mixture(both.changed()), question, inputs) == other
        if not both.changed_for(question):
            assert one == other
        differ += one != other
    assert differ


# ---------------------------------------------------------------------- causes
@pytest.mark.parametrize("seed", range(20))
def test_smallest_sets_are_those_of_brute_force(seed):
    rng = random.Random(seed)
    items = list("abcdef")
    needed = [set(rng.sample(items, rng.randint(1, 4))) for _ in range(3)]

    def passes(chosen):
        return any(one <= set(chosen) for one in needed)

    passing = [one for size in range(1, 7) for one in itertools.combinations(items, size) if passes(one)]
    assert smallest(items, passes) == [one for one in passing if len(one) == len(passing[0])]


def test_causes_are_sets_without_spare_clauses_in_words():
    needed = {"b", "d", "e"}
    assert smallest("abcdef", lambda chosen: needed <= set(chosen), tried=3) == [("b", "d", "e")]
    assert str(DecidingSets((("+1", "-2"), ("3",)))) == "+1 with -2 or 3"
    assert str(DecidingSets(())) == "declarations"


# ---------------------------------------------------------------------- answers
@pytest.mark.parametrize(("query", "first", "second", "differs"), [
    ("fire_allocations", frozenset({"a", "b"}), frozenset({"b"}), (True, False)),
    ("fire_allocations", frozenset({"a"}), frozenset({"b"}), (True, True)),
    ("check_path", {"legal": True, "cost": 3}, {"legal": False}, (True, False)),
    ("reachable", {"destinations": {"x": 3}}, {"destinations": {"x": 2}}, (False, True)),
    ("reachable", {"destinations": {"x": 3}}, {"destinations": {"x": 3, "y": 9}}, (False, True)),
    ("entrench_options", {"at": "x", "cost": 3}, {"at": "x", "cost": 4}, (True, False)),  # a price, in any question
    ("to_hit", {"drms": {"n": -1}, "highest": 5}, {"drms": {}, "highest": 4}, (True, False)),
    ("demolition_options", {"options": {"e": 1}}, {"options": {"e": 8}}, (False, True)),
    ("contingent_release", {"released": False}, {"released": True}, (False, True)),
    ("attack_status", {"status": "must"}, {"status": "may"}, (True, True)),
    ("attack_status", {"status": "must"}, {"undecided": "no clause"}, (True, True)),
    ("special_forces_options", {"areas": [], "effects": []}, {"areas": ["x"], "effects": ["y"]}, (False, True)),
])  # fmt: skip
def test_what_only_one_allows(query, first, second, differs):
    question = load_model("1999").questions[query]
    assert compare(question, first, second) == differs
    assert compare(question, second, first) == differs[::-1]
    assert compare(question, first, first) == (False, False)


def test_rules_have_four_verdicts_and_answers_their_difference():
    verdicts = [relation(more, less) for more, less in ((False, False), (True, False), (False, True), (True, True))]
    assert verdicts == ["equivalent", "wider", "narrower", "incomparable"]
    assert split_by_answer(frozenset("ab"), frozenset("bc")) == (["a"], ["c"])
    assert split_by_answer({"x": 1, "y": 2}, {"x": 1, "y": 3, "z": 4}) == ({"y": 2, "z": None}, {"y": 3, "z": 4})
    assert split_by_answer({"areas": ["p", "q"]}, {"areas": ["q"]}) == ({"areas": ["p"]}, {"areas": []})
