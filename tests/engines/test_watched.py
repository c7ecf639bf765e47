"""What compiled conditions tell of how they came about is what their evaluation, word by word, tells."""

import json
import random

import pytest
from titm_rules import Edition
from titm_rules.engines.compiled.engine import CompiledEngine
from titm_rules.explain.findings import Reasons
from titm_rules.service.capabilities import conformance_cases

from tests.worlds import wide_case

LIFTED = {"lifts", "lifted"}


def told(edition, query, given):
    return edition.verdict(query, given).to_dict()


def by_evaluation(monkeypatch, edition, query, given):
    with monkeypatch.context() as patched:
        patched.delattr(CompiledEngine, "traced_condition")
        return told(edition, query, given)


@pytest.mark.parametrize("part", [2, 3])
def test_verdicts_tell_the_same(monkeypatch, part):
    for seed in range(part * 100, part * 100 + 5):
        case = wide_case(random.Random(f"watched{seed}"))
        edition = Edition(case["edition"], case["readings"])
        asked = edition, case["query"], case["input"]
        assert json.dumps(told(*asked)) == json.dumps(by_evaluation(monkeypatch, *asked)), seed


def test_conditions_are_watched_and_examples_show_what_was_taken_away(monkeypatch):
    edition, effects = Edition("1999"), set()
    cases = [
        case for case in conformance_cases("titm") if case["edition"] == "1999" and case["query"] in edition.questions
    ]
    for case in cases[::4]:
        found = told(edition, case["query"], case["input"])
        assert found == by_evaluation(monkeypatch, edition, case["query"], case["input"])
        effects |= {finding["effect"] for finding in found["why"]}
    assert effects >= LIFTED
    # The other tests compare something: a verdict on fire lets the engine watch, and evaluates nothing itself.
    case = next(one for one in conformance_cases("titm") if one["query"] == "fire_allocation_legal")
    monkeypatch.delattr(Reasons, "_evaluated")
    assert Edition(case["edition"]).verdict(case["query"], case["input"]).findings
