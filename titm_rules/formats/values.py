"""The values of situations and questions, checked."""

from __future__ import annotations

from typing import Any

from titm_rules.formats.validate import sound_input, sound_situation
from titm_rules.ir.model import Model, Question


def check_situation(model: Model, name: str, raw: object, path: str) -> dict[str, Any]:
    """Check the JSON values of a situation; return them as plain values of its own, defaults left out.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    found = sound_situation(model, name, raw)
    if found is not None:
        return found
    from titm_rules.formats.record_schemas import situation_class, validate

    return validate(situation_class(model, name), raw, path)


def check_input(model: Model, question: Question, raw: object, path: str, whole: bool = True) -> dict[str, Any]:
    """Check the JSON values of the input of a question; return them as plain values, defaults left out.

    `whole`: with the situation that the question is about.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    found = sound_input(model, question, raw, whole)
    if found is not None:
        return found
    from titm_rules.formats.record_schemas import inputs_class, question_class, validate

    made_of = question_class(model, question) if whole else inputs_class(model, question)
    return validate(made_of, raw, path)
