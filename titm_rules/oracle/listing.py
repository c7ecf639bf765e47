"""What may be done in a case: its legal actions, or the legal choices of its questions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from titm_rules.engines.shower import line
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case
from titm_rules.oracle.position import Position
from titm_rules.rules.model import Question


def _has_actions(case: Case) -> bool:
    return any(event.situation == case.situation for event in case.edition.model.events.values())


def legal_lines(case: Case, words: Sequence[str]) -> Iterator[str]:
    """Write the legal actions of a case, or the legal choices of the question that words name, a line each.

    Raises:
        InputError: if there is nothing to choose, or the words fit no such question.
    """
    if not words and _has_actions(case):
        position = Position.from_dict(case.data, case.edition, case.situation)
        yield from map(str, position.legal_actions)
        return
    for question, given in _asked(case, words):
        asked = case.edition.ask(question.name, case.full_input(question.name, given))
        form, roles = asked.choice_form()
        label = " ".join((question.name, *given))
        yield from (f"{label}: {line(form, picked)}" for picked in asked.engine.choices(form, roles))


def count_legal(case: Case, words: Sequence[str]) -> int:
    """Count what `legal_lines` would list.

    Raises:
        InputError: as `legal_lines`.
    """
    if not words and _has_actions(case):
        return len(Position.from_dict(case.data, case.edition, case.situation).legal_actions)
    total = 0
    for question, given in _asked(case, words):
        asked = case.edition.ask(question.name, case.full_input(question.name, given))
        total += asked.engine.count(*asked.choice_form())
    return total


def _asked(case: Case, words: Sequence[str]) -> list[tuple[Question, Sequence[str]]]:
    """List the questions of choices to put, each with its input as words.

    Raises:
        InputError: if a question is named that does not ask for choices, or none can be asked.
    """
    choices = {
        q.name: q for q in case.edition.questions.values() if q.ask == "choices" and q.situation == case.situation
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
