"""What clauses say under the readings of their editions, and rules made of clauses of two."""

import random
from dataclasses import replace

import pytest
from titm_rules.compare.rule_pair import DECLARATIONS, ModelPair, QuestionRunner, specialize
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.ir.model import NOBODY
from titm_rules.ir.terms import Const, Var, children

from tests.worlds import BATTLE_QUERIES, POSITION_QUERIES, random_case

NAMES = [info.name for info in list_editions()]


def pair(first: str, second: str) -> ModelPair:
    return ModelPair(load_model(first), load_model(second))


def asked_for_readings(model) -> set[str]:
    found: set[str] = set()

    def walk(term) -> None:
        if isinstance(term, Var) and term.type.kind == "reading":
            found.add(term.name)
        for part in children(term):
            walk(part)

    for head in model.heads.values():
        for sentence in (*head.statements, *head.lifts):
            for term in (sentence.when, getattr(sentence, "value", None)):
                if term is not None:
                    walk(term)
    return found


@pytest.mark.parametrize("name", ["1998-01-15", "1999", "2016-10-01"])
def test_settled_rules_leave_no_reading_open(name):
    model = load_model(name)
    assert asked_for_readings(model)
    assert not asked_for_readings(specialize(model))


# Worked out by hand from the sheets: what each says that bears on the question.
@pytest.mark.parametrize(
    ("first", "second", "query", "clauses"),
    [
        ("1997-03-01", "1997-08-20", "fire_allocations", ["1997:9.59"]),
        ("1998-01-15", "1999", "fire_allocations", ["9.53a", "1998:9.52"]),
        ("1998-01-15", "1999", "artillery_targetings", ["9.46d"]),
        ("1998-01-15", "1999", "construction_options", ["10.14b", "10.14c"]),
        ("1998-01-15", "1999", "demolition_options", ["14.23b", "14.23c"]),
        ("1999", "2002-07-25", "vp_at_turn_end", ["2002:12.22b"]),
        ("1999", "2002-07-25", "fire_allocations", []),
        ("2002-07-25", "2016-10-01", "check_path", ["2016:5.23", "2016:8.295d"]),
        ("1999", "1999", "check_path", []),
    ],
)
def test_the_clauses_that_a_difference_can_rest_on(first, second, query, clauses):
    both = pair(first, second)
    assert both.changed_for(both.second.questions[query]) == clauses


def test_a_clause_that_says_something_in_one_edition_only_is_marked():
    both = pair("1998-01-15", "1999")
    heads = both.heads_of(both.second.questions["artillery_targetings"])
    assert both.sign("9.46d", heads) == "+"  # the text is in both; the default reading lets it rest in 1998
    assert both.sign("1998:9.52") == "-"
    assert both.sign("14.23b") == "-"
    assert both.sign("9.57a") == ""


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


def test_a_new_definition_comes_with_what_it_says_by_itself():
    both = pair("1997-03-01", "1997-08-20")
    assert "shots-laid" not in both.first.heads
    assert both.mixture(["1997:9.59"]).heads["shots-laid"].statements


def cases(both: ModelPair):
    """Draw cases of questions that may differ, and of some others."""
    rng = random.Random(7)
    questions = [both.second.questions[query] for query in (*BATTLE_QUERIES, *POSITION_QUERIES)]
    queries = [question.name for question in questions if both.changed_for(question)]
    return [random_case(rng, query) for query in queries for _ in range(12)] + [random_case(rng) for _ in range(20)]


@pytest.mark.parametrize(("first", "second"), [("1998-01-15", "1999"), ("1994-11-01", "2016-10-01")])
def test_no_clause_taken_over_is_the_first_edition_and_all_are_the_second(first, second):
    both = pair(first, second)
    differ = 0
    for case in cases(both):
        question = both.second.questions[case["query"]]
        inputs = dict(case["input"])
        bench = QuestionRunner(question.situation, inputs.pop(question.situation))
        one, other = (bench.answer(model, question, inputs) for model in (both.first, both.second))
        assert bench.answer(both.mixture([]), question, inputs) == one
        assert bench.answer(both.mixture(both.changed()), question, inputs) == other
        if not both.changed_for(question):
            assert one == other
        differ += one != other
    assert differ
