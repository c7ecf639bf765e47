"""A game's records, questions and looks as JSON values: enough to draw its board and to ask about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.formats.file_schemas import question_schema
from titm_rules.ir.model import MISSING, FieldSpec, Model, Question, Route
from titm_rules.ir.types import Type
from titm_rules.oracle.choice_listing import tracing_questions
from titm_rules.render.style import load_style

Json = dict[str, Any]
LOOKS = ("front", "route", "closest", "blocker", "barred", "changed", "number")
PRICES = ("cost", "costs", "points")  # of a route, in answers and in what shows them
TABLES = ("bases", "notes", "shots", "teams")


def vocabulary(model: Model) -> Json:
    """Describe the records, words and looks of a game."""
    return {
        "words": {enum.name: list(enum.texts) for enum in model.enums.values()},
        "records": {
            record.name: {"role": record.role, "fields": [_field(spec) for spec in record.fields]}
            for record in model.records.values()
        },
        "played": [name for name, answers in model.summaries.items() if answers],
        "views": {
            name: {"situation": view.situation, "of": view.params[0][1].name} for name, view in model.views.items()
        },
        "style": _style(model.home),
    }


def _field(spec: FieldSpec) -> Json:
    """Describe a field; one that has no `default` has to be given, unless it has the value of another."""
    told: Json = {"name": spec.json, "type": _type(spec.type)}
    if spec.owns:
        told["owns"] = True
    if spec.same_as:
        told["same_as"] = list(spec.same_as)
    elif spec.default != MISSING:
        told["default"] = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    return told


def _type(given: Type) -> Json:
    bounds = {"low": given.low, "high": given.high} if given.low is not None or given.high is not None else {}
    measure = {"unit": given.measure.name, "parts": given.measure.parts} if given.measure is not None else {}
    return {"kind": given.kind, "name": given.name, "optional": given.optional, **bounds, **measure}


def _style(game: str) -> Json:
    """Describe how a game is drawn: rules by what they draw, each with the fields it wants, and looks by name."""
    style = load_style(game)
    rules = {what: [{"when": dict(r.when), **r.draw} for r in its] for what, its in style.rules.items()}
    named = {name: dict(getattr(style, name)) for name in LOOKS}
    tables = {name: {key: dict(look) for key, look in getattr(style, name).items()} for name in TABLES}
    return {
        **rules, **named, **tables, "piece_label": list(style.piece_label), "piece_number": style.piece_number,
        "short": dict(style.short),
    }  # fmt: skip


def questions(model: Model) -> Json:
    """Describe the questions of a game: their inputs, the form of their answers, and the schemas of their inputs."""
    traces = tracing_questions(model)
    return {name: _question(model, one, traces) for name, one in model.questions.items()}


def _parts(model: Model, question: Question) -> Json:
    """Tell which numbers of an answer, and of what shows it, are in parts, and of how many parts one is."""
    form = model.forms.get(question.form)
    if isinstance(form, Route) and form.measure is not None:
        return dict.fromkeys((*question.names, *PRICES), form.measure.parts)
    typed = ((name, answer.term.type) for name, answer in question.answers if answer.term is not None)
    return {name: wanted.measure.parts for name, wanted in typed if wanted.measure is not None}


def _question(model: Model, question: Question, traces: Mapping[str, str]) -> Json:
    return {
        "says": question.says or None,
        "situation": question.situation,
        "asks": question.ask,
        "about": question.form,
        "traces": traces.get(question.name),
        "inputs": [_field(spec) for spec in question.inputs],
        "answers": list(question.names) or [name for name, _ in question.answers],
        "parts": _parts(model, question),
        "schema": dict(question_schema(model, question)),
    }
