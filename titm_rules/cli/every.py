"""One question put to every edition: a line for each, and a mark where the answer changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.case import Options, open_case, split_words
from titm_rules.cli.guard import BAD_INPUT, DEPENDS, print_json
from titm_rules.cli.show import flat, print_table
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import list_editions
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.verdict import ILLEGAL, Verdict

NO_ANSWER = "no answer"
SHOWN = 4


@dataclass(frozen=True)
class Line:
    """What one edition says; `verdict` is none where it cannot be asked, and `why` says why."""

    edition: str
    verdict: Verdict | None
    clauses: tuple[str, ...] = ()
    why: str = ""
    changed: bool = False

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The plain answer; none if there is no verdict."""
        return None if self.verdict is None else self.verdict.answer

    def record(self) -> dict[str, Any]:
        """Give the line as JSON values."""
        if self.verdict is None:
            return {"edition": self.edition, "outcome": None, "error": self.why, "changed": self.changed}
        return {
            "edition": self.edition, "outcome": self.verdict.outcome, "answer": dict(self.verdict.answer),
            "clauses": list(self.clauses), "assumed": list(self.verdict.assumed),
            "deciding": [dict(one) for one in self.verdict.deciding], "changed": self.changed,
        }  # fmt: skip


def judge_every(file: Path, words: Sequence[str], options: Options) -> int:
    """Print what every edition says; the exit code is theirs if they agree, else 3.

    Raises:
        InputError: if no edition can answer.
    """
    lines: list[Line] = []
    fault: InputError | None = None
    for info in list_editions():
        try:
            line = _judged(file, words, replace(options, edition=info.name))
        except InputError as error:
            fault = error
            line = Line(info.name, None, why=error.faults[0].what)
        lines.append(replace(line, changed=bool(lines) and line.answer != lines[-1].answer))
    if fault is not None and all(line.verdict is None for line in lines):
        raise fault
    if options.as_json:
        print_json([line.record() for line in lines])
    else:
        _show(lines)
    return _exit_code(lines)


def _judged(file: Path, words: Sequence[str], options: Options) -> Line:
    case = open_case(file, options)
    query, rest = split_words(case, words)
    verdict = case.edition.verdict(query, case.full_input(query, rest), options.all_readings)
    named = verdict.clauses
    if verdict.outcome == ILLEGAL:
        named = tuple(dict.fromkeys(finding.clause for finding in verdict.failing))
    return Line(case.edition.label, verdict, tuple(_numbered(case.edition, clause) for clause in named))


def _numbered(edition: Edition, clause: str) -> str:
    """Name a clause, with the number that it bore where that was another."""
    number = edition.clauses[clause].number
    known = clause.split(":")[-1]
    return f"{clause} (as {number})" if number and not known.startswith(number) else clause


def _exit_code(lines: Sequence[Line]) -> int:
    answers = [line.answer for line in lines if line.verdict is not None]
    codes = {line.verdict.exit_code for line in lines if line.verdict is not None}
    if not codes:
        return BAD_INPUT
    return codes.pop() if len(codes) == 1 and all(answer == answers[0] for answer in answers) else DEPENDS


def _show(lines: Sequence[Line]) -> None:
    from rich.table import Table

    table = Table("", "edition", "verdict", "clauses", "assumed", box=None)
    for line in lines:
        mark = "*" if line.changed else ""
        if line.verdict is None:
            table.add_row(mark, line.edition, NO_ANSWER, line.why, "")
            continue
        rest = {name: value for name, value in line.verdict.answer.items() if name not in ("legal", "sha256")}
        told = f"{line.verdict.headline}: {flat(rest)}" if rest else line.verdict.headline
        more = len(line.clauses) - SHOWN
        named = ", ".join(line.clauses[:SHOWN]) + (f" and {more} more" if more > 0 else "")
        table.add_row(mark, line.edition, told, named, str(len(line.verdict.assumed) or ""))
    print_table(table)
    changes = [line.edition for line in lines if line.changed]
    typer.echo(f"* changes in {', '.join(changes)}" if changes else "the same in every edition")
