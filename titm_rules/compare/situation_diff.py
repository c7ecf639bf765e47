"""Differences between two editions in one situation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from titm_rules.compare.counterexamples import COVERS
from titm_rules.compare.results import Data, Grade, QuestionRunner, grades_of, split_by_answer
from titm_rules.compare.rule_pair import DecidingSets, ModelPair, cause_of, causes
from titm_rules.diagnostics import InputError
from titm_rules.engines.factory import make_engine
from titm_rules.formats.file_schemas import SearchFile
from titm_rules.formats.validate import check_input
from titm_rules.ir.model import FieldSpec, Model, Question
from titm_rules.play.machine import Machine, resolve

MOST_INPUTS = 20_000
LISTED = frozenset({"flag", "enum", "record", "set", "place"})  # types of inputs all of whose values can be listed


@dataclass(frozen=True)
class SituationDiff:
    """A question that two editions answer differently in a situation.

    Attributes:
        question: its name; empty for the list of legal actions.
        first: what only the first edition allows or answers; `second`: what only the second does.
        grades: how well each edition attests the clauses that the answer depends on.
    """

    question: str
    inputs: Data
    first: Any
    second: Any
    cause: DecidingSets
    grades: tuple[Grade, Grade] = (Grade(), Grade())


def differences_in(
    pair: ModelPair, situation: str, data: Data, search: SearchFile, names: Sequence[str] = (), engine: str = "compiled"
) -> Iterator[SituationDiff]:
    """List what differs: every question about a situation for all inputs that can be listed, and the legal actions.

    Args:
        pair: the two editions.
        situation: its name.
        data: its values, checked.
        search: names inputs where every value would be too many.
        names: only these questions.
        engine: which engine answers.
    """
    bench = QuestionRunner(situation, data, engine)
    for question in asked_in(pair, situation, names):
        for inputs in inputs_of(pair.second, question, data, search):
            found = _asked(pair, bench, question, inputs)
            if found is not None:
                yield found
    if not names and any(event.situation == situation for event in pair.first.events.values()):
        yield from _actions(pair, situation, data, engine)


def asked_in(pair: ModelPair, situation: str, names: Sequence[str] = ()) -> list[Question]:
    """List the questions about a situation that may differ; those that another one covers are left out."""
    questions = [q for q in pair.second.questions.values() if q.situation == situation and pair.changed_for(q)]
    if names:
        return [question for question in questions if question.name in names]
    listing = {(question.form, question.ask) for question in questions}
    return [q for q in questions if (q.form, COVERS.get(q.ask)) not in listing]


def _asked(pair: ModelPair, bench: QuestionRunner, question: Question, inputs: Data) -> SituationDiff | None:
    try:
        raw = check_input(pair.second, question, {**inputs, question.situation: bench.data}, "$")
        del raw[question.situation]
        return difference(pair, bench, question, raw)
    except InputError:  # inputs that do not go together, such as pieces that stand apart
        return None


def difference(pair: ModelPair, bench: QuestionRunner, question: Question, raw: Data) -> SituationDiff | None:
    """Compare the answers to one question whose inputs are checked; nothing if they are the same.

    Raises:
        InputError: for inputs that name what the situation does not have.
    """
    first, second = (bench.answer(model, question, raw) for model in (pair.first, pair.second))
    if first == second:
        return None
    cause = cause_of(pair, question, lambda model: bench.answer(model, question, raw), second)
    return SituationDiff(question.name, raw, *split_by_answer(first, second), cause, grades_of(pair, question))


def clauses_lost_between(pair: ModelPair, situation: str, names: Sequence[str] = ()) -> dict[str, dict[str, str]]:
    """Name for each question about a situation the clauses that a sheet between two editions restates, with the sheet.

    What they said in the first is lost, so nobody knows whether it was otherwise. Questions without any are left out.
    """
    found: dict[str, dict[str, str]] = {}
    for question in pair.second.questions.values():
        if question.situation == situation and (not names or question.name in names):
            first, second = grades_of(pair, question)
            lost = {clause: sheet for clause, sheet in first.revised.items() if second.revised.get(clause) != sheet}
            found.update({question.name: lost} if lost else {})
    return found


# ---------------------------------------------------------------------- inputs
def not_asked(pair: ModelPair, situation: str, data: Data, search: SearchFile, names: Sequence[str] = ()) -> list[str]:
    """Name the questions that may differ, but have inputs that cannot be listed, or too many of them."""
    questions = asked_in(pair, situation, names)
    return [q.name for q in questions if _choices(pair.second, q, data, search) is None]


def inputs_of(model: Model, question: Question, data: Data, search: SearchFile) -> Iterator[dict[str, Any]]:
    """List all inputs of a question; none if they cannot be listed, or are too many."""
    choices = _choices(model, question, data, search)
    for row in itertools.product(*choices) if choices is not None else ():
        named = zip(question.inputs, row, strict=True)
        yield {spec.json: value for spec, value in named if value is not ...}


def _choices(model: Model, question: Question, data: Data, search: SearchFile) -> list[list[Any]] | None:
    """List the values of each input; nothing if they cannot be listed, or go together in too many ways."""
    given = search.asked.get(question.name, {})
    if any(spec.type.kind not in LISTED and not spec.same_as and spec.json not in given for spec in question.inputs):
        return None
    values = [given.get(spec.json) or _values(model, question, spec, data) for spec in question.inputs]
    return values if math.prod(map(len, values)) <= MOST_INPUTS else None


def _values(model: Model, question: Question, spec: FieldSpec, data: Data) -> list[Any]:
    """List the values of an input: a list is asked with each record alone; `...` leaves the input out."""
    kind = spec.type.kind
    if spec.same_as:
        return [...]
    if kind == "flag":
        return [False, True]
    if kind == "enum":
        return list(model.enums[spec.type.name].texts)
    ids = _ids(model, question.situation, spec.type.name if kind in ("record", "set") else kind, data)
    return [[one] for one in ids] if kind == "set" else ids


def _ids(model: Model, situation: str, wanted: str, data: Data) -> list[str]:
    """List the ids of the records of one kind, or of all places."""
    found = []
    for spec in model.records[situation].fields:
        record = model.records.get(spec.type.name)
        if spec.owns and record is not None and wanted in (record.name, record.role):
            found += [one["id"] for one in data.get(spec.json, []) if isinstance(one, Mapping) and "id" in one]
    return found


# ---------------------------------------------------------------------- actions
def _actions(pair: ModelPair, situation: str, data: Data, engine: str) -> Iterator[SituationDiff]:
    first, second = (legal_actions(model, situation, data, engine) for model in (pair.first, pair.second))
    if first == second:
        return

    def turns(clauses: Sequence[str]) -> bool:
        return legal_actions(pair.mixture(clauses), situation, data, engine) == second

    yield SituationDiff("", {}, *split_by_answer(first, second), causes(pair, pair.changed(), turns))


def legal_actions(model: Model, situation: str, data: Data, engine: str) -> frozenset[str]:
    """List the legal actions of a situation, as they are written."""
    world = resolve(model, situation, dict(data))
    machine = Machine(model, world, lambda one: make_engine(engine, model, one))
    return frozenset(str(option.action) for option in machine.options.listed())
