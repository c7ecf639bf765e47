"""The trace of a piece: which question of the rules asks for it."""

from __future__ import annotations

from typing import Any

from titm_rules.diagnostics import did_you_mean
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case
from titm_rules.rules.model import FieldSpec, Model, Question, Route, head_key
from titm_rules.rules.rests import rests_of


def trace_verdict(case: Case, piece: str, at: str = "", route: str = "") -> Verdict:
    """Judge the question that traces a route of a piece to its goal.

    Raises:
        InputError: if the rules trace no such route, or the piece or place is unknown.
    """
    found = _routes_with_goals(case.edition.model, case.situation)
    if not found or (route and route not in found):
        raise bad(f"no route `{route}` leads to a goal here", "--route", did_you_mean(route, found), "unknown-name")
    name = route or next(iter(found))
    form = found[name]
    question = _question_about(case.edition.model, form)
    inputs: dict[str, Any] = {case.situation: case.data, _input_of(question, form.mover[1].name).json: piece}
    if at:
        inputs[_input_of(question, "place").json] = at
    return case.edition.verdict(question.name, inputs)


def tracing_questions(model: Model) -> dict[str, str]:
    """Map the questions that follow a route to its goal to that route."""
    routes = (form for one in model.records.values() if one.role == "situation"
              for form in _routes_with_goals(model, one.name).values())  # fmt: skip
    found = ((route.name, _asking_for(model, route)) for route in routes)
    return {question.name: name for name, question in found if question is not None}


def _routes_with_goals(model: Model, situation: str) -> dict[str, Route]:
    return {
        name: form for name, form in model.forms.items()
        if isinstance(form, Route) and form.situation == situation and model.heads[head_key(name, "goal")].statements
    }  # fmt: skip


def _asking_for(model: Model, route: Route) -> Question | None:
    """Find the question that tells of a route; the first of several."""
    asking = (q for q in model.questions.values() if q.ask == "answers")
    return next((q for q in asking if route.name in rests_of(model).of_question(q).forms), None)


def _question_about(model: Model, route: Route) -> Question:
    found = _asking_for(model, route)
    if found is not None:
        return found
    raise bad(f"no question asks for the route `{route.name}`", "--route", kind="unknown-name")


def _input_of(question: Question, wanted: str) -> FieldSpec:
    for spec in question.inputs:
        if wanted in (spec.type.name, spec.type.kind):
            return spec
    raise bad(f"`{question.name}` takes no {wanted}", question.name, kind="unknown-name")
