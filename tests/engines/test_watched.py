"""What compiled conditions tell of how they came about is what their evaluation, word by word, tells."""

import json
import random

import pytest
from titm_rules import Edition
from titm_rules.engines.compiled.engine import CompiledEngine
from titm_rules.explain.findings import Reasons

from tests.clauses.corpus import conformance_rows
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
    rows = conformance_rows()
    for row in rows[::4]:
        found = told(edition, row.query, row.input)
        assert found == by_evaluation(monkeypatch, edition, row.query, row.input)
        effects |= {finding["effect"] for finding in found["why"]}
    assert effects >= LIFTED
    # The other tests compare something: a verdict on fire lets the engine watch, and evaluates nothing itself.
    row = next(one for one in rows if one.query == "fire_allocation_legal")
    monkeypatch.delattr(Reasons, "_evaluated")
    assert edition.verdict(row.query, row.input).findings
