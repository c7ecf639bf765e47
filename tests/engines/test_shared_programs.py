"""Programs of the same rules under other readings share what no reading changes, and nothing else."""

import copy
import gc
import itertools
import random
from dataclasses import replace
from weakref import ref

import pytest
from titm_rules import Edition
from titm_rules.engines.compiled.program import PROGRAMS, Program, program_of, programs_of
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.world.world import record_factories

from tests.clauses.corpus import conformance_rows

EDITION = Edition("1999")
OPEN = {name: reading for name, reading in EDITION.model.readings.items() if len(reading.offered) > 1}


def other(name):
    reading = OPEN[name]
    return next(choice for choice in reading.offered if choice != EDITION.model.reading(name))


@pytest.mark.parametrize("name", sorted(OPEN))
def test_a_head_is_shared_if_it_does_not_rest_on_the_reading(name):
    base = Program(EDITION.model)
    model = EDITION.with_readings({name: other(name)}).model
    beside, rests = Program(model, base), dependencies_of(model)
    asked = [key for key, head in model.heads.items() if head.mode in ("any", "bar", "sum")][::5]
    for key in asked:
        assert (beside.head(key) is base.head(key)) == (name not in rests.of_head(key).readings)


def test_what_they_remember_has_numbers_of_its_own():
    base = Program(EDITION.model)
    others = [Program(EDITION.with_readings({name: other(name)}).model, base) for name in sorted(OPEN)[:2]]
    assert len({one.memos for one in (base, *others)}) == 3


def test_answers_are_those_of_programs_that_stand_alone():
    for row, name in zip(conformance_rows()[::12], itertools.cycle(sorted(OPEN)), strict=False):
        edition = EDITION.with_readings({name: other(name)})
        EDITION.answer(row.query, row.input)
        shared = edition.answer(row.query, row.input)
        programs_of(edition.model).clear()
        assert edition.answer(row.query, row.input) == shared


def test_programs_under_other_readings_do_not_pile_up(monkeypatch):
    """They share parts, so they are removed together."""
    monkeypatch.setattr(PROGRAMS, "most", 16)
    older = Edition("1997-08-20").model
    asked = [key for key, head in older.heads.items() if head.mode in ("any", "bar", "sum")]
    programs_of(older).clear()
    made, told = [], []
    for number in range(48):
        rng = random.Random(number)
        readings = {name: rng.choice(reading.offered) for name, reading in older.readings.items()}
        one = program_of(older.with_readings(readings))
        for key in asked:
            one.head(key)
        made.append(ref(one))
        told.append(len(one.carried.footprints))
    del one
    gc.collect()
    assert sum(one() is not None for one in made) <= 16
    assert max(told) == max(told[:16])


def test_programs_of_all_rules_are_bounded_together(monkeypatch):
    """Those of the rules that were asked longest ago are removed first."""
    monkeypatch.setattr(PROGRAMS, "most", 4)
    models = [Edition(name).model for name in ("1998-01-15", "1999", "2002-07-25")]
    for model in models:
        program_of(model)
    others = [EDITION.with_readings({name: other(name)}).model for name in sorted(OPEN)[:2]]
    kept = [program_of(model) for model in others]
    assert not len(programs_of(models[0]))
    assert [program_of(model) for model in others] == kept
    assert sum(len(programs_of(model)) for model in models) <= 4


def test_programs_go_with_their_rules():
    model = replace(EDITION.model, heads=dict(EDITION.model.heads))
    made = ref(program_of(model))
    assert program_of(model) is made()
    del model
    gc.collect()
    assert made() is None


def test_copies_share_what_follows_from_the_parts_that_they_share():
    model = EDITION.model
    chosen = model.with_readings({sorted(OPEN)[0]: other(sorted(OPEN)[0])})
    assert dependencies_of(chosen) is dependencies_of(model)
    without = model.without_clause("9.55")
    assert dependencies_of(without) is not dependencies_of(model)
    assert record_factories(without) is record_factories(model)
    assert copy.deepcopy(model) == model
