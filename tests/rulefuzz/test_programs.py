"""Random small rule sets: the engines agree, refusals have reasons, and the layout loses nothing."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from titm_rules.syntax.format import format_rules

from tests.rulefuzz.asking import disagreement, trial, unexplained
from tests.rulefuzz.programs import Program
from tests.sampling import one_in
from tests.syntax.test_format import assert_sound

WORLDS = 1
# Every n-th question is explained too: that takes the longest.
EXPLAINED = 5


def faults(program: Program, rng: Random) -> Iterator[str]:
    """Ask a rule set about some random situations; yield what is wrong with the answers."""
    for number, (question, situation, inputs) in enumerate(trial(rng, program, WORLDS)):
        answers = disagreement(program.model, question, situation, inputs)
        if answers:
            yield f"{question.name} {inputs} in {situation}: {answers}\n{program.text}"
        if number % EXPLAINED == 0 and (wrong := unexplained(program.model, question, situation, inputs)):
            yield f"{question.name} {inputs} in {situation}: {wrong}\n{program.text}"


def faults_of(seeds: range) -> list[str]:
    programs = ((seed, Program.sound(Random(seed))) for seed in seeds)
    return [fault for seed, program in programs if program is not None for fault in faults(program, Random(seed))]


def test_most_programs_are_rules():
    assert sum(Program.sound(Random(seed)) is not None for seed in range(30)) > 18


@pytest.mark.parametrize("part", one_in(2, range(4)))
def test_engines_and_reasons_agree_on_random_rules(part):
    assert faults_of(range(part * 20, part * 20 + 20)) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(40))
def test_engines_and_reasons_agree_on_thousands_of_random_rules(part):
    assert faults_of(range(1_000 + part * 50, 1_050 + part * 50)) == []


@settings(max_examples=10)
@given(rng=st.randoms(use_true_random=False))
def test_engines_and_reasons_agree_on_what_hypothesis_finds(rng):
    program = Program.sound(rng)
    assume(program is not None)
    assert next(faults(program, rng), "") == ""


@pytest.mark.parametrize("part", range(4))
def test_laying_out_random_rules_loses_nothing(part):
    for seed in range(part * 8, part * 8 + 8):
        text = Program(Random(seed)).text
        assert_sound(text, format_rules(text, "fuzz.rules"))
