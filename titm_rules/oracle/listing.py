"""What may be done in a case: its legal actions, or the legal choices of its questions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from titm_rules.diagnostics import cut, did_you_mean
from titm_rules.engines.shower import line
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action
from titm_rules.rules.model import Question


def action_filter(
    position: Position, kinds: Sequence[str] | None, actor: str | None, where: tuple[str, str]
) -> Callable[[Action], bool]:
    """Make the test of which actions are meant: those of some kinds, or that choose a piece or a place.

    `where` says where the kinds and the actor stand, for errors.

    Raises:
        InputError: for a kind or an actor that does not exist.
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
    """Yield what an action chooses, the members of sets one by one."""
    for _, value in action.choices:
        yield from value if isinstance(value, tuple) else (value,)


def has_actions(case: Case) -> bool:
    """Whether a game is played in such a situation."""
    return any(event.situation == case.situation for event in case.edition.model.events.values())


def choice_lines(case: Case, words: Sequence[str]) -> Iterator[str]:
    """Write the legal choices of the question that words name, or of all, a line each.

    Raises:
        InputError: if there is nothing to choose, or the words fit no such question.
    """
    for question, given in questions_of_choices(case, words):
        asked = case.edition.ask(question.name, case.full_input(question.name, given))
        form, roles = asked.choice_form()
        label = " ".join((question.name, *given))
        yield from (f"{label}: {line(form, picked)}" for picked in asked.engine.choices(form, roles))


def count_choices(case: Case, words: Sequence[str]) -> int:
    """Count what `choice_lines` would list.

    Raises:
        InputError: as `choice_lines`.
    """
    total = 0
    for question, given in questions_of_choices(case, words):
        asked = case.edition.ask(question.name, case.full_input(question.name, given))
        total += asked.engine.count(*asked.choice_form())
    return total


def questions_of_choices(case: Case, words: Sequence[str]) -> list[tuple[Question, Sequence[str]]]:
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
