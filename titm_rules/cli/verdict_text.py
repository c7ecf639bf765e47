"""Verdicts and answers as text for people."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable

from titm_rules.cli.terminal import echo, styled
from titm_rules.explain.headline import is_cut
from titm_rules.explain.verdict import ANSWERED, DEPENDS, ILLEGAL, LEGAL, UNDETERMINED, Finding, Verdict

COLOURS = {LEGAL: "green", ILLEGAL: "red", DEPENDS: "yellow", UNDETERMINED: "yellow", ANSWERED: "blue"}
WIDTH, WIDEST = 96, 10_000
MOST = 3
GROUPS = {
    "what forbids it": ("forbids",),
    "what would forbid it too": ("also",),
    "what this depends on": ("rests", "counts", "gives"),
    "exceptions that apply": ("lifts",),
    "what another answer would need": ("unmet",),
    "considered, without effect here": ("lifted", "exception", "considered"),
}


def show_verdict(verdict: Verdict, everything: bool = False) -> None:
    """Print a verdict: its head, the clauses that forbid it and what is legal instead; if asked for all the rest."""
    head = styled(f"{verdict.words or verdict.label} ({verdict.edition})", COLOURS[verdict.outcome], bold=True)
    echo(head if verdict.words else head + _answer_tail(verdict))
    if verdict.words and is_cut(verdict.answer):
        _wrapped(f"in full{_answer_tail(verdict)}", "  ")
    if everything:
        _show_all(verdict)
    else:
        _show_reasons(verdict)
    for alternative in verdict.alternatives:
        _wrapped(alternative, "  ")
    for name, choices in verdict.depends_on.items():
        echo(f"  reading {name}: {' or '.join(choices)} would change the answer")
    for together in verdict.deciding:
        if len(together) > 1:
            listed = " and ".join(f"{name}={choice}" for name, choice in together.items())
            echo(f"  readings {listed} together would change the answer")
    if verdict.assumed:
        echo(f"  not documented in {verdict.edition} (assumed): {', '.join(verdict.assumed)}")
    if verdict.revised:
        told = ", ".join(f"{clause} (on {sheet})" for clause, sheet in verdict.revised.items())
        echo(f"  later revised; the original wording is lost: {told}")
    for note in verdict.notes:
        _wrapped(f"note: {note}", "  ")


def _show_reasons(verdict: Verdict) -> None:
    """Print the clauses that forbid the action; if none do, the clauses behind the answer, with their arithmetic."""
    failing = verdict.failing if verdict.is_negative else ()
    shown = failing[:MOST]
    _show_findings(shown, False)
    named = {one.clause for one in shown}
    rest = dict.fromkeys(one.clause for one in failing[MOST:] if one.clause not in named)
    if rest:
        _wrapped(f"also forbidden by {', '.join(rest)} (details: `titm why`)", "  ")
    if verdict.plain_reason:
        _wrapped(verdict.plain_reason, "  ")
    elif not failing and verdict.unmet and (verdict.is_negative or not verdict.clauses):
        for one in verdict.unmet[:MOST]:
            echo(f"  {styled(one.clause, bold=True)} {one.title} (does not hold here)")
            _wrapped(one.says, "    ")
    elif not failing and verdict.clauses:
        barred = {one.clause for one in verdict.failing}
        by = [clause for clause in verdict.clauses if clause not in barred]
        _wrapped(f"by {', '.join(by or verdict.clauses)}", "  ")
        sums = (f"{one.clause} {one.message}" for one in verdict.findings if one.holds and " = " in one.message)
        for told in list(dict.fromkeys(sums))[:MOST]:
            _wrapped(told, "    ")


def _show_all(verdict: Verdict) -> None:
    for title, effects in GROUPS.items():
        found = [finding for finding in verdict.findings if finding.effect in effects]
        if found:
            echo(f"  {title}:")
            _show_findings(found, True)
    if verdict.plain_reason:
        _wrapped(verdict.plain_reason, "  ")
    for name, value in verdict.witness.items():
        label = "witness" if name == "witness" else f"witness {name.replace('_', ' ')}"
        _wrapped(f"{label}: {flat(value)}", "  ")


def _answer_tail(verdict: Verdict) -> str:
    told = {name: value for name, value in verdict.answer.items() if name not in ("legal", "sha256")}
    if not told or (verdict.outcome == ILLEGAL and all(value is None for value in told.values())):
        return ""
    return f": {flat({name.replace('_', ' '): value for name, value in told.items()})}"


def _show_findings(findings: Iterable[Finding], everything: bool) -> None:
    clauses: dict[tuple[str, bool], list[Finding]] = {}
    for finding in findings:
        clauses.setdefault((finding.clause, finding.holds), []).append(finding)
    for (clause, holds), found in clauses.items():
        echo(f"  {styled(clause, bold=True)} {found[0].title}{'' if holds else ' (does not count)'}")
        messages = _by_message(found)
        for message, places in messages.items():
            told = "" if message == found[0].title else message.removeprefix(f"{found[0].title}: ")
            _wrapped(": ".join(part for part in ("; ".join(places), told) if part), "    ")
        if everything:
            if not any(found[0].says.startswith(message.partition(" (")[0]) for message in messages):
                _wrapped(found[0].says, "    | ")
            looked_at = dict.fromkeys(one for finding in found for one in finding.looked_at)
            if looked_at:
                _wrapped(f"looked at: {', '.join(looked_at)}", "    ")


def _by_message(findings: Iterable[Finding]) -> dict[str, list[str]]:
    """List the places of each message that does not name its own."""
    messages: dict[str, list[str]] = {}
    for finding in findings:
        places = messages.setdefault(finding.message, [])
        if finding.where and finding.where not in finding.message and finding.where not in places:
            places.append(finding.where)
    return messages


def _wrapped(text: str, indent: str) -> None:
    for line in textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False):
        echo(line)


def flat(value: object) -> str:
    """Write a JSON value on one line, without marks that only programs need."""
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case dict():
            return ", ".join(f"{name} {flat(item)}" for name, item in value.items()) or "none"
        case list() | tuple():
            parts = [f"({flat(item)})" if isinstance(item, dict) else flat(item) for item in value]
            return ", ".join(parts) or "none"
    return str(value)


def print_table(columns: Iterable[str], rows: Iterable[Iterable[str]], title: str = "", folded: str = "") -> None:
    """Print a table as wide as the terminal, or as its texts where nobody looks at one.

    `folded` is a last column whose texts are never cut off.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title or None, box=None)
    if folded:
        table.add_column(folded, overflow="fold")
    for row in rows:
        table.add_row(*row)
    # Caught first: on a closed pipe the console would end the program with a code of its own.
    shown = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(markup=False, highlight=False, emoji=False, width=None if shown else WIDEST)
    with console.capture() as caught:
        console.print(table)
    for line in caught.get().splitlines():
        echo(line.rstrip())
