"""Programs of the same rules under other readings share what no reading changes, and nothing else."""

import itertools

import pytest
from titm_rules import Edition
from titm_rules.engines.compiled.program import Program, forget_programs
from titm_rules.rules.rests import rests_of
from titm_rules.service.conform import shipped_cases

EDITION = Edition("1999")
OPEN = {name: reading for name, reading in EDITION.model.readings.items() if len(reading.offered) > 1}


def other(name):
    reading = OPEN[name]
    return next(choice for choice in reading.offered if choice != EDITION.model.reading(name))


@pytest.mark.parametrize("name", sorted(OPEN))
def test_a_head_is_shared_if_it_does_not_rest_on_the_reading(name):
    base = Program(EDITION.model)
    model = EDITION.with_readings({name: other(name)}).model
    beside, rests = Program(model, base), rests_of(model)
    asked = [key for key, head in model.heads.items() if head.mode in ("any", "bar", "sum")][::5]
    for key in asked:
        assert (beside.head(key) is base.head(key)) == (name not in rests.of_head(key).readings)


def test_what_they_remember_has_numbers_of_its_own():
    base = Program(EDITION.model)
    others = [Program(EDITION.with_readings({name: other(name)}).model, base) for name in sorted(OPEN)[:2]]
    assert len({one.memos for one in (base, *others)}) == 3


def test_answers_are_those_of_programs_that_stand_alone():
    cases = [case for case in shipped_cases("titm") if case["edition"] == "1999" and case["query"] in EDITION.questions]
    cases = cases[::12]
    for case, name in zip(cases, itertools.cycle(sorted(OPEN)), strict=False):
        edition = EDITION.with_readings({name: other(name)})
        EDITION.answer(case["query"], case["input"])
        shared = edition.answer(case["query"], case["input"])
        forget_programs()
        assert edition.answer(case["query"], case["input"]) == shared
