"""Random amendments of the shipped rules: the engines, the explanation and the comparison agree on them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.editions.load import load_model
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Model, Question

from tests.rulefuzz.amendments import Amendment
from tests.rulefuzz.asking import UNDECIDED, Json, answer, disagreement, unexplained
from tests.worlds import BATTLE_QUERIES, POSITION_QUERIES, random_case

WORLDS = 2


@cache
def shipped() -> Model:
    return load_model("1999")


def drawn(seed: int) -> tuple[Question, Amendment, Model] | None:
    """Draw a question and an amendment that may change its answer; `None` if other clauses need a deleted one."""
    rng, model = Random(seed), shipped()
    question = model.questions[rng.choice(BATTLE_QUERIES + POSITION_QUERIES)]
    heads = sorted(key for key in dependencies_of(model).of_question(question).heads if key not in model.forms)
    amendment = Amendment(rng, model, heads)
    amended = amendment.amended()
    return (question, amendment, amended) if amended is not None else None


def faults(question: Question, amended: Model, rng: Random) -> Iterator[str]:
    """Ask the amended rules about random cases; yield what is wrong."""
    pair = ModelPair(shipped(), amended)
    for number in range(WORLDS):
        inputs: Json = dict(random_case(rng, question.name)["input"])
        situation = inputs.pop(question.situation)
        found = disagreement(amended, question, situation, inputs)
        if found:
            yield f"{question.name} {inputs} in {situation}: {found}"
        if number == 0 and (wrong := unexplained(amended, question, situation, inputs)):
            yield f"{question.name} {inputs} in {situation}: {wrong}"
        if wrong := compared(pair, question, situation, inputs):
            yield f"{question.name} {inputs} in {situation}: {wrong}"


def compared(pair: ModelPair, question: Question, situation: Json, inputs: Json) -> str:
    """Say what the comparison gets wrong: that nothing differs, or what makes the difference."""
    first, second = (answer(model, "compiled", question, situation, inputs) for model in (pair.first, pair.second))
    if first == second or UNDECIDED in (first, second):
        return ""
    changed = pair.changed_for(question)
    if not changed:
        return f"called equivalent, but {first} became {second}"
    mixed = answer(pair.mixture_for(question, changed), "compiled", question, situation, inputs)
    return "" if mixed == second else f"with {changed} the answer is {mixed} and not {second}"


def faults_of(seeds: range) -> list[str]:
    found = []
    for seed in seeds:
        case = drawn(seed)
        if case is not None:
            question, amendment, amended = case
            found += [
                f"{fault}\n{amendment.gone} {amendment.text}" for fault in faults(question, amended, Random(seed))
            ]
    return found


@pytest.mark.parametrize("part", range(3))
def test_engines_reasons_and_comparison_agree_on_random_amendments(part):
    assert faults_of(range(part * 12, part * 12 + 12)) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(40))
def test_engines_reasons_and_comparison_agree_on_a_thousand_amendments(part):
    assert faults_of(range(1_000 + part * 30, 1_030 + part * 30)) == []
