"""Questions put to three engines and to the explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from titm_rules.diagnostics import InputError, Undecided
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.explain import explain
from titm_rules.explain.verdict import ILLEGAL, LEGAL
from titm_rules.formats.record_schemas import schemas_of, validate
from titm_rules.ir.model import Model, Question
from titm_rules.world.world import World

from tests.rulefuzz.fields import random_field, random_inputs
from tests.rulefuzz.programs import Program

UNDECIDED, REFUSED = "undecided", "refused"
Json = dict[str, Any]


def put(model: Model, engine: str, question: Question, situation: Json, inputs: Json) -> BoundQuestion:
    """Put a question to an engine."""
    raw = validate(schemas_of(model).question(question), {**inputs, question.situation: situation}, "$")
    data = raw.pop(question.situation)
    world = World(model, question.situation, data, "$")
    return BoundQuestion(model, question, make_engine(engine, model, world), world, raw, "$")


def answer(model: Model, engine: str, question: Question, situation: Json, inputs: Json) -> Any:
    """Answer a question; undecided if clauses contradict each other, refused if an input does not fit."""
    try:
        return put(model, engine, question, situation, inputs).answer()
    except Undecided:
        return UNDECIDED
    except InputError:
        return REFUSED


def questions(rng: Random, model: Model, situation: Json, times: int = 2) -> Iterator[tuple[Question, Json]]:
    """Draw inputs for every question of a small rule set."""
    for question in model.questions.values():
        for _ in range(times):
            inputs = random_inputs(rng, model, question, situation)
            if inputs is not None:
                yield question, inputs


def disagreement(model: Model, question: Question, situation: Json, inputs: Json) -> Mapping[str, Any]:
    """Return the answers of the engines if they differ; contradictory clauses allow any answer."""
    answers = {engine: answer(model, engine, question, situation, inputs) for engine in ENGINES}
    if UNDECIDED in answers.values() or all(each == answers["reference"] for each in answers.values()):
        return {}
    return answers


def unexplained(model: Model, question: Question, situation: Json, inputs: Json) -> str:
    """Describe the error in the explanation of an answer; empty: there is none."""

    def under(choices: Mapping[str, str]) -> BoundQuestion:
        return put(model.with_readings(choices), "compiled", question, situation, inputs)

    try:
        verdict = explain(put(model, "compiled", question, situation, inputs), under)
    except (Undecided, InputError):
        return ""
    if (
        verdict.outcome == ILLEGAL
        and question.ask in ("path", "choice")
        and not verdict.failing
        and not verdict.plain_reason
    ):
        return "no clause forbids an illegal answer"
    if verdict.outcome == LEGAL and question.ask in ("path", "choice") and verdict.failing:
        return f"{[finding.clause for finding in verdict.failing]} forbid a legal answer"
    return ""


def trial(rng: Random, program: Program, worlds: int) -> Iterator[tuple[Question, Json, Json]]:
    """Draw situations of a program and questions."""
    for _ in range(worlds):
        plain = random_field(rng)
        situation = called(plain, program.names)
        yield from ((question, situation, inputs) for question, inputs in questions(rng, program.model, plain))


def called(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the fields of a situation as a program does."""
    if isinstance(value, dict):
        return {names.get(key, key): called(each, names) for key, each in value.items()}
    return [called(each, names) for each in value] if isinstance(value, list) else value
