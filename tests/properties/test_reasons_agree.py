"""What is told besides an answer is the same whichever engine gives it, and in every run."""

import json
import os
import random
import subprocess
import sys

import pytest
from titm_rules import Edition
from titm_rules.engines.factory import ENGINES
from titm_rules.explain.explain import explain
from titm_rules.service.protocol import Oracle

from tests.answers import UNBOUNDED, question
from tests.sampling import one_in
from tests.worlds import wide_case

QUERIES = ("fire_allocation_legal", "artillery_sequence_legal")
# Seeds of refused choices for which several legal ones are as near.
TIED = (3, 5, 6, 15, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (9, 16)))
# Seeds of questions of which engines once told the same in another order, and some more.
MIXED = (0, 42, 123, 130, 200, 201, 202, 205, 207)
TOLD = """
import random
from titm_rules import Edition
from tests.properties.test_reasons_agree import told
for seed in (5, 6):
    print(told(seed, "artillery_sequence_legal", "reference"), told(seed, "fire_allocation_legal", "reference"))
"""


def told(seed, query, engine):
    case = wide_case(random.Random(f"n{seed}"), query)
    verdict = Edition(case["edition"], case["readings"], engine).verdict(query, case["input"])
    return verdict.assumed, dict(verdict.nearest)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("seed", TIED)
def test_engines_tell_the_same(seed, query):
    assert told(seed, query, "compiled") == told(seed, query, "reference") == told(seed, query, "library")


def test_no_legal_way_is_lost_to_what_an_engine_knows():
    """One that knows a place to be out of reach spares the search for a legal way there."""
    shown = set()
    for seed in range(20):
        case = wide_case(random.Random(f"reach{seed}"), "check_path")
        editions = [Edition(case["edition"], case["readings"], engine) for engine in ("compiled", "library")]
        asked = [edition.ask("check_path", case["input"]) for edition in editions]
        one, other = (dict(explain(each, lambda _, each=each: each).nearest) for each in asked)
        assert one == other, seed
        if not asked[0].answer()["legal"]:
            shown.add("legal_route" in one)
    assert shown == {True, False}


def verdicts(seed):
    """Ask a random question of a random edition of three engines; give all that each tells of it."""
    case = wide_case(random.Random(f"three{seed}"))
    engines = (Edition(case["edition"], engine=name) for name in ENGINES)
    return [engine.verdict(case["query"], case["input"]).to_dict() for engine in engines]


@pytest.mark.parametrize("seed", one_in(2, MIXED))
def test_engines_tell_the_same_in_the_same_order(seed):
    compiled, library, reference = map(json.dumps, verdicts(seed))
    assert compiled == library == reference


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_engines_tell_the_same_of_many_questions(part):
    told = {seed: {json.dumps(one) for one in verdicts(seed)} for seed in range(part * 10**4, part * 10**4 + 50)}
    assert [seed for seed, texts in told.items() if len(texts) > 1] == []


def explained(oracle, numbers):
    return {number: json.dumps(oracle.ask({**question(number), "explain": True}), default=str) for number in numbers}


@pytest.mark.parametrize("first", one_in(11, [10**6 + 378, *range(10**6, 10**6 + 500, 50)]))
def test_what_was_asked_before_changes_no_explanation(first):
    numbers = range(first, first + (6 if first % 50 else 50))
    oracle = Oracle("compiled", UNBOUNDED)
    once = explained(oracle, numbers)
    assert explained(oracle, reversed(numbers)) == once == explained(Oracle("compiled", UNBOUNDED), reversed(numbers))


def test_hashes_decide_nothing():
    texts = {
        subprocess.run(
            [sys.executable, "-c", TOLD], env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in "12"
    }  # fmt: skip
    assert len(texts) == 1
