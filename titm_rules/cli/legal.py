"""`titm legal`: what may be done."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from titm_rules.cli.case import Case, Options, open_case
from titm_rules.cli.guard import print_json
from titm_rules.edges.jsonin import bad
from titm_rules.model.model import Question
from titm_rules.oracle.answer import line


def list_legal(file: Path, words: Sequence[str], options: Options, limit: int | None) -> int:
    """Print the legal actions of a position, or the legal choices of one question or of all.

    At most `limit` are listed; without a limit they are only counted.
    """
    case = open_case(file, options)
    if limit is None:
        total = _count(case, words)
        print_json({"count": total}) if options.as_json else typer.echo(str(total))
        return 0
    lines = _lines(case, words)
    found = list(itertools.islice(lines, limit))
    more = next(lines, None) is not None
    if options.as_json:
        print_json({"legal": found, "more": more})
        return 0
    for one in found:
        typer.echo(one)
    if more:
        typer.echo(f"(more than {limit}; --limit lists more, --count counts them)", err=True)
    return 0


def _has_actions(case: Case) -> bool:
    return any(event.situation == case.situation for event in case.edition.model.events.values())


def _lines(case: Case, words: Sequence[str]) -> Iterator[str]:
    if not words and _has_actions(case):
        position = case.edition.position(case.data, case.situation)
        yield from map(str, position.legal_actions)
        return
    for question, given in _asked(case, words):
        asked = case.edition.ask(question.name, case.full_input(question.name, given))
        form, roles = asked.choice_form()
        label = " ".join((question.name, *given))
        yield from (f"{label}: {line(form, picked)}" for picked in asked.engine.choices(form, roles))


def _count(case: Case, words: Sequence[str]) -> int:
    if not words and _has_actions(case):
        return case.edition.position(case.data, case.situation).legal_actions.count()
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
            raise bad(f"`{words[0]}` lists no choices", "QUERY", f"known: {', '.join(choices)}", "unknown-query")
        return [(choices[words[0]], words[1:])]
    found: list[tuple[Question, Sequence[str]]] = [
        (q, given) for q in choices.values() for given in _every_input(case, q)
    ]
    if not found:
        raise bad(f"a {case.situation} has no choices to list", "QUERY", kind="unknown-query")
    return found


def _every_input(case: Case, question: Question) -> list[list[str]]:
    """List all inputs of a question that takes enumerated values only; else none."""
    enums = case.edition.model.enums
    if any(spec.type.kind != "enum" for spec in question.inputs):
        return []
    texts = [[f"{spec.json}={text}" for text in enums[spec.type.name].texts] for spec in question.inputs]
    return [list(given) for given in itertools.product(*texts)]
