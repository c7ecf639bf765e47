"""One question put to every edition: a line for each, and a mark where the answer changes."""

from __future__ import annotations

from collections.abc import Sequence

from titm_rules.cli.guard import DEPENDS, print_answer
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.show import flat, print_table
from titm_rules.cli.terminal import echo
from titm_rules.editions.named import edition_on
from titm_rules.oracle.every import Opinion, agreed, ask_every
from titm_rules.oracle.subject import Subject

NO_ANSWER = "no answer"
SHOWN = 4


EVERY = "all"


def editions_meant(text: str | None, game: str) -> list[str] | None:
    """Name the editions of `A,B,C`, none for all of them; nothing if one is meant.

    Raises:
        InputError: for a date that names no edition.
    """
    if text == EVERY:
        return []
    names = [part.strip() for part in (text or "").split(",") if part.strip()]
    return list(dict.fromkeys(edition_on(name, game) for name in names)) if len(names) > 1 else None


def judge_every(subject: Subject, words: Sequence[str], options: SharedOptions, editions: Sequence[str]) -> int:
    """Print what some editions say, or every one if none is named; the exit code is theirs if they agree, else 3.

    Raises:
        InputError: if no edition can answer.
    """
    lines = ask_every(subject, words, options.rules, options.all_readings, editions)
    if options.as_json:
        from titm_rules.service.told import opinions_told

        print_answer(opinions_told(lines))
    else:
        _show(lines)
    shared = agreed(lines)
    return DEPENDS if shared is None else shared.exit_code


def _show(lines: Sequence[Opinion]) -> None:
    from rich.table import Table

    table = Table("", "edition", "verdict", "clauses", "assumed", "readings", box=None)
    for line in lines:
        mark = "*" if line.changed else ""
        if line.verdict is None:
            table.add_row(mark, line.edition, NO_ANSWER, line.error.faults[0].what if line.error else "", "", "")
            continue
        rest = {name: value for name, value in line.verdict.answer.items() if name not in ("legal", "sha256")}
        told = f"{line.verdict.headline}: {flat(rest)}" if rest else line.verdict.headline
        more = len(line.clauses) - SHOWN
        named = ", ".join(line.clauses[:SHOWN]) + (f" and {more} more" if more > 0 else "")
        table.add_row(mark, line.edition, told, named, str(len(line.verdict.assumed) or ""), _readings(line))
    print_table(table)
    if any(line.without for line in lines):
        echo("(not NAME): the edition does not have this choice; its own reading holds")
    changes = [line.edition for line in lines if line.changed]
    echo(f"* changes in {', '.join(changes)}" if changes else "the same in every edition")


def _readings(line: Opinion) -> str:
    """Name the readings that would change the answer, and those that were chosen but are not to be had."""
    deciding = line.verdict.depends_on if line.verdict is not None else {}
    told = [f"{name}={'/'.join(choices)}" for name, choices in deciding.items()]
    return ", ".join([*told, *(f"(not {name})" for name in line.without)])
