"""List legal actions and choices, and find the questions that ask for them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.engines.engine import line
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.safe_json import bad
from titm_rules.ir.dependencies import asking_for, routes_with_goals
from titm_rules.ir.model import FieldSpec, Question
from titm_rules.oracle.case import Case
from titm_rules.oracle.odds import rolling_questions
from titm_rules.oracle.planning import lists_choices
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action


def trace_verdict(case: Case, piece: str, at: str = "", route: str = "") -> Verdict:
    """Judge the question that traces a route of a piece to its goal.

    Raises `InputError` if the rules trace no such route, or the piece or place is unknown.
    """
    found = routes_with_goals(case.edition.model, case.situation)
    if not found or (route and route not in found):
        raise bad(f"no route `{route}` leads to a goal here", "--route", did_you_mean(route, found), "unknown-name")
    name = route or next(iter(found))
    form = found[name]
    question = asking_for(case.edition.model, form)
    if question is None:
        raise bad(f"no question asks for the route `{form.name}`", "--route", kind="unknown-name")
    inputs: dict[str, Any] = {case.situation: case.data, _input_of(question, form.mover[1].name).json: piece}
    if at:
        inputs[_input_of(question, "place").json] = at
    return case.edition.verdict(question.name, inputs)


def _input_of(question: Question, wanted: str) -> FieldSpec:
    for spec in question.inputs:
        if wanted in (spec.type.name, spec.type.kind):
            return spec
    raise bad(f"`{question.name}` takes no {wanted}", question.name, kind="unknown-name")


def action_filter(
    position: Position, kinds: Sequence[str] | None, actor: str | None, where: tuple[str, str]
) -> Callable[[Action], bool]:
    """Make the test of which actions are meant: those of some kinds, or that choose a piece or a place.

    `where` says where the kinds and the actor stand, for the `InputError` if one does not exist.
    """
    events = [name for name, event in position.edition.model.events.items() if event.actor is not None]
    for number, kind in enumerate(kinds or ()):
        if kind not in events:
            what, fix = f"unknown action `{cut(kind)}`", did_you_mean(kind, events)
            raise bad(what, f"{where[0]}[{number}]", fix, "unknown-name")
    known = None if actor is None else position.known_id(actor, where[1])

    def wanted(action: Action) -> bool:
        return (kinds is None or action.kind in kinds) and (known is None or known in _chosen(action))

    return wanted


def _chosen(action: Action) -> Iterator[object]:
    for _, value in action.choices:
        yield from value if isinstance(value, tuple) else (value,)


def has_actions(case: Case) -> bool:
    return any(event.situation == case.situation for event in case.edition.model.events.values())


def choice_lines(case: Case, words: Sequence[str]) -> Iterator[str]:
    """Write the legal choices of the question that words name, or of all, a line each.

    Raises `InputError` if there is nothing to choose, or the words fit no such question.
    """
    for label, asked in _asked_of_choices(case, words):
        form, roles = asked.choice_form()
        yield from (f"{label}: {line(form, picked)}" for picked in asked.engine.choices(form, roles))


def count_choices(case: Case, words: Sequence[str]) -> int:
    return sum(asked.engine.count(*asked.choice_form()) for _, asked in _asked_of_choices(case, words))


def _asked_of_choices(case: Case, words: Sequence[str]) -> Iterator[tuple[str, BoundQuestion]]:
    for question, given in questions_of_choices(case, words):
        asked = case.edition.ask(question.name, case.full_input(question.name, given))
        yield " ".join((question.name, *given)), asked


def questions_of_choices(case: Case, words: Sequence[str]) -> list[tuple[Question, Sequence[str]]]:
    """List the questions of choices to put, each with its input as words.

    Raises `InputError` if a question is named that does not ask for choices, or none can be asked.
    """
    model = case.edition.model
    choices = {
        q.name: q for q in model.questions.values() if q.situation == case.situation and lists_choices(model, q)
    }
    if words:
        if words[0] not in choices:
            fix = f"known: {', '.join(choices)}" if choices else "put it with `titm check`"
            raise bad(f"`{words[0]}` lists no choices", "QUERY", fix, "unknown-query")
        return [(choices[words[0]], words[1:])]
    found: list[tuple[Question, Sequence[str]]] = [
        (q, given) for q in choices.values() for given in every_input(case, q)
    ]
    if not found:
        raise bad(f"a {case.situation} has no choices to list", "QUERY", kind="unknown-query")
    return found


def every_input(case: Case, question: Question) -> list[list[str]]:
    """List all inputs of a question that takes enumerated values only; else none."""
    enums = case.edition.model.enums
    if any(spec.type.kind != "enum" for spec in question.inputs):
        return []
    texts = [[f"{spec.json}={text}" for text in enums[spec.type.name].texts] for spec in question.inputs]
    return [list(given) for given in itertools.product(*texts)]


PLAN, PLANS = "choice", "choices"
Put = tuple[Question, Sequence[str]]


def questions_of_plans(case: Case, words: Sequence[str], plan: str) -> list[Put]:
    """List the questions about plans with dice to put, each with its input as words; `InputError` if none fits."""
    known = _known(case)
    named = words[0] if words and "=" not in words[0] else ""
    if named and named not in known:
        faults = [Fault(f"`{named}` has no odds", "QUERY", "", did_you_mean(named, known), kind="unknown-query")]
        raise InputError(faults)
    given = words[1:] if named else words
    if plan:
        shape = "assignment" if ">" in plan else "sequence"
        checks = [
            q for q in known.values()
            if q.ask == PLAN and any(s.json == q.names[0] and s.type.kind == shape for s in q.inputs)
        ]  # fmt: skip
        question = _fitting([q for q in checks if not named or q.form == known[named].form], given)
        return [(question, [*given, f"{question.names[0]}={plan}"])]
    if named or case.query in known:
        return [(known[named or case.query], given)]
    lists = [q for q in known.values() if q.ask == PLANS]
    if given:
        return [(_fitting(lists, given), given)]
    return [(q, inputs) for q in lists for inputs in every_input(case, q)]


def _known(case: Case) -> dict[str, Question]:
    """Map the questions of a situation about plans that dice are rolled for, by name."""
    found = [q for ask in (PLANS, PLAN) for q in rolling_questions(case.edition.model, ask)]
    known = {q.name: q for q in found if q.situation == case.situation}
    if not known:
        raise bad(f"no dice are rolled for the choices of a {case.situation}", "FILE", kind="unknown-query")
    return known


def _fitting(questions: Sequence[Question], given: Sequence[str]) -> Question:
    """Find the question that takes what is given, its plan apart."""
    for word in given:
        if "=" not in word:
            raise bad(f"`{word}` is not an input", "NAME=VALUE", "write NAME=VALUE, after the question if one is named")
    names = {word.partition("=")[0].replace("-", "_") for word in given}
    for question in questions:
        if names == set(_taken(question)):
            return question
    what = f"no question about such plans takes just {', '.join(sorted(names))}" if names else "whose plan is it?"
    takes = [" ".join((q.name, *(f"{name}=" for name in _taken(q)))) for q in questions]
    raise bad(what, "NAME=VALUE", f"known: {'; '.join(takes)}", "missing-field")


def _taken(question: Question) -> list[str]:
    plan = question.names[:1] if question.ask == PLAN else ()
    return [spec.json for spec in question.inputs if spec.json not in plan]
