"""Of the readings that an answer did not ask for none changes it; the reference engine is the judge."""

import random
from itertools import combinations

import pytest
from titm_rules import Edition
from titm_rules.engines.factory import make_noting
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.explain import readings_behind
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Allocation
from titm_rules.world.world import World

from tests.worlds import wide_case


def noted(edition, asked):
    """Put a question again to an engine that notes readings."""
    engine = make_noting("compiled", edition.model, asked.world)
    return BoundQuestion(edition.model, asked.question, engine, asked.world, asked.raw, asked.path)


def drawn(seed):
    """Draw a question, with its edition; nothing if it asks for choices among targets, which are not noted."""
    case = wide_case(random.Random(f"noted{seed}"))
    edition = Edition(case["edition"], case["readings"])
    asked = edition.ask(case["query"], case["input"])
    forms = dependencies_of(edition.model).of_question(asked.question).forms
    return None if any(isinstance(edition.model.forms[one], Allocation) for one in forms) else (edition, asked, case)


def others(edition, asked):
    """List the other choices of each reading behind a question."""
    readings = {name: edition.model.readings[name].offered for name in readings_behind(asked)}
    return [(name, one) for name in sorted(readings) for one in readings[name] if one != edition.model.reading(name)]


def by_reference(edition, choices, case):
    return edition.with_readings(dict(choices)).ask(case["query"], case["input"]).answer()


@pytest.mark.parametrize("part", range(3))
def test_what_is_not_asked_for_changes_nothing(part):
    asked_for = 0
    for seed in range(part * 100, part * 100 + 8):
        found = drawn(seed)
        if found is None:
            continue
        edition, asked, case = found
        reference = Edition(edition.date, edition.readings, "reference")
        again = noted(edition, asked)
        answer = again.answer()
        assert answer == by_reference(reference, (), case)
        readings = again.engine.readings
        singles = others(edition, asked)
        for choices in [(one,) for one in singles] + list(combinations(singles, 2))[:3]:
            if readings.isdisjoint(name for name, _ in choices):
                assert by_reference(reference, choices, case) == answer, (seed, choices)
            else:
                asked_for += 1
    assert asked_for


def test_some_readings_are_asked_for_and_some_are_not():
    seen = [found for seed in range(40) if (found := drawn(seed)) is not None]
    asked_for = skipped = 0
    for edition, asked, _ in seen:
        again = noted(edition, asked)
        again.answer()
        behind = {name for name, _ in others(edition, asked)}
        asked_for += len(again.engine.readings & behind)
        skipped += len(behind - again.engine.readings)
        assert again.engine.readings <= readings_behind(asked)
    assert asked_for
    assert skipped


def asks_for_some(edition, asked):
    """Give the readings that a question asks for."""
    again = noted(edition, asked)
    again.answer()
    return again.engine.readings


def test_readings_are_noted_anew_each_time_and_the_plain_engine_takes_nothing_over():
    seen = [found for seed in range(40) if (found := drawn(seed)) and asks_for_some(*found[:2])]
    assert seen
    for edition, asked, _ in seen:
        before, readings, here = asked.answer(), asks_for_some(edition, asked), asked.world
        assert asks_for_some(edition, asked) == readings
        assert asked.answer() == before
        after = World(edition.model, here.situation, dict(here.data), "$", here)
        assert after.before is here
        moved = BoundQuestion(asked.model, asked.question, asked.engine, after, asked.raw, asked.path)
        assert asks_for_some(edition, moved) == readings
