"""Which of two answers allows more."""

import pytest
from titm_rules.compare.rule_pair import EQUIVALENT, INCOMPARABLE, NARROWER, WIDER, compare, relation, split_by_answer
from titm_rules.editions.load import load_model

QUESTIONS = load_model("1999").questions


@pytest.mark.parametrize(
    ("query", "first", "second", "differs"),
    [
        ("fire_allocations", frozenset({"a", "b"}), frozenset({"b"}), (True, False)),
        ("fire_allocations", frozenset({"a"}), frozenset({"b"}), (True, True)),
        ("check_path", {"legal": True, "cost": 3}, {"legal": False}, (True, False)),
        ("reachable", {"destinations": {"x": 3}}, {"destinations": {"x": 2}}, (False, True)),
        ("reachable", {"destinations": {"x": 3}}, {"destinations": {"x": 3, "y": 9}}, (False, True)),
        ("to_hit", {"drms": {"n": -1}, "highest": 5}, {"drms": {}, "highest": 4}, (True, False)),
        ("demolition_options", {"options": {"e": 1}}, {"options": {"e": 8}}, (False, True)),
        ("contingent_release", {"released": False}, {"released": True}, (False, True)),
        ("attack_status", {"status": "must"}, {"status": "may"}, (True, True)),
        ("attack_status", {"status": "must"}, {"undecided": "no clause"}, (True, True)),
        ("special_forces_options", {"areas": [], "effects": []}, {"areas": ["x"], "effects": ["y"]}, (False, True)),
    ],
)  # fmt: skip
def test_what_only_one_allows(query, first, second, differs):
    assert compare(QUESTIONS[query], first, second) == differs
    assert compare(QUESTIONS[query], second, first) == differs[::-1]
    assert compare(QUESTIONS[query], first, first) == (False, False)


def test_four_verdicts():
    assert relation(False, False) == EQUIVALENT
    assert relation(True, False) == WIDER
    assert relation(False, True) == NARROWER
    assert relation(True, True) == INCOMPARABLE


def test_what_answers_have_in_common_is_left_out():
    assert split_by_answer(frozenset("ab"), frozenset("bc")) == (["a"], ["c"])
    assert split_by_answer({"x": 1, "y": 2}, {"x": 1, "y": 3, "z": 4}) == ({"y": 2, "z": None}, {"y": 3, "z": 4})
    assert split_by_answer({"areas": ["p", "q"]}, {"areas": ["q"]}) == ({"areas": ["p"]}, {"areas": []})
