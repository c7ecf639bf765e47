"""`titm legal`: what may be done."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import typer

from titm_rules.cli.guard import print_answer
from titm_rules.cli.options import SharedOptions
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case
from titm_rules.oracle.listing import action_filter, choice_lines, count_choices, has_actions
from titm_rules.oracle.position import Position
from titm_rules.oracle.subject import Subject


@dataclass(frozen=True)
class WantedActions:
    """Which actions are listed: of some kinds, or that choose a piece or a place; without a limit they are counted."""

    kinds: tuple[str, ...] = ()
    unit: str = ""
    limit: int | None = None


def list_legal(subject: Subject, words: Sequence[str], options: SharedOptions, wanted: WantedActions) -> int:
    """Print the legal actions of a position, or the legal choices of one question or of all."""
    case = subject.open(options.rules)
    of_game = not words and has_actions(case)
    if not of_game and (wanted.kinds or wanted.unit):
        raise bad("choices have no kind and no unit", "--kind, --unit", "leave them out, or the question", "bad-value")
    if options.as_json:
        _print_json(case, words, wanted, of_game)
    elif wanted.limit is None:
        count = sum(1 for _ in _actions(case, wanted)) if of_game else count_choices(case, words)
        typer.echo(str(count))
    else:
        _print_some(_actions(case, wanted) if of_game else choice_lines(case, words), wanted.limit)
    return 0


def _print_some(lines: Iterator[str], limit: int) -> None:
    for one in itertools.islice(lines, limit):
        typer.echo(one)
    if next(lines, None) is not None:
        typer.echo(f"(more than {limit}; --limit lists more, --count counts them)", err=True)


def _actions(case: Case, wanted: WantedActions) -> Iterator[str]:
    position = Position.from_dict(case.data, case.edition, case.situation)
    fits = action_filter(position, wanted.kinds or None, wanted.unit or None, ("--kind", "--unit"))
    return (str(action) for action in position.legal_actions if fits(action))


def _print_json(case: Case, words: Sequence[str], wanted: WantedActions, of_game: bool) -> None:
    """Print what the protocol answers: `legal_actions`, or each question of choices."""
    from titm_rules.service.told import choices_told, legal_actions_told

    if of_game:
        print_answer(legal_actions_told(case, wanted.kinds, wanted.unit, wanted.limit or 0))
    else:
        print_answer(choices_told(case, words))
