"""Answers whose amounts are written in their unit: `1 1/3`, where programs get the parts that these are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.rules.amounts import amount
from titm_rules.rules.model import Answer, Form, Question, Route
from titm_rules.world.show import in_unit


def answer_in_units(question: Question, form: Form | None, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the same answer, in which the numbers of a measure are amounts."""
    if question.ask == "answers":
        parts = dict(question.answers)
        return {name: _in_unit(parts[name], value) if name in parts else value for name, value in answer.items()}
    if not isinstance(form, Route) or form.measure is None:
        return answer
    return {name: _priced(form, value) for name, value in answer.items()}


def _priced(route: Route, value: Any) -> Any:
    """Write what a route costs: a number, or numbers by place; whatever else it is stays."""
    if isinstance(value, Mapping):
        return {place: _priced(route, cost) for place, cost in value.items()}
    return amount(route.measure, value) if type(value) is int else value


def _in_unit(answer: Answer, value: Any) -> Any:
    match answer.kind:
        case "term" if answer.term is not None:
            return in_unit(answer.term.type, value)
        case "record":
            parts = dict(answer.parts)
            return {name: _in_unit(parts[name], one) for name, one in value.items()}
        case "each" if answer.parts:
            return {name: _in_unit(answer.parts[0][1], one) for name, one in value.items()}
        case "list" if answer.parts:
            return [_in_unit(answer.parts[0][1], one) for one in value]
    return value
