"""`titm clauses`: the rules as they are printed and as they are formalised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.diagnostics import Fault, InputError, Span, did_you_mean
from titm_rules.model.model import ClauseInfo
from titm_rules.oracle.edition import Edition
from titm_rules.vocabulary.data import data_folder

_PARTS = re.compile(r"(\d+)")


def show_clauses(edition: Edition, numbers: Sequence[str], chapter: str, as_json: bool) -> int:
    """Print the list of clauses, or some of them in full."""
    chosen = _chosen(edition, numbers, chapter)
    if as_json:
        print_json([_record(info, bool(numbers)) for info in chosen])
    elif numbers:
        typer.echo("\n\n".join(map(_whole, chosen)))
    else:
        _show_table(edition, chosen)
    return 0


def _chosen(edition: Edition, numbers: Sequence[str], chapter: str) -> list[ClauseInfo]:
    known = edition.clauses
    faults = [
        Fault(f"unknown clause `{number}`", edition.date, "", did_you_mean(number, known), kind="unknown-name")
        for number in numbers if number not in known
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
    if numbers:
        return [known[number] for number in numbers]
    found = [info for info in known.values() if not chapter or info.id.split(".")[0] == chapter]
    if not found:
        raise InputError([Fault(f"no clause stands in chapter `{chapter}`", "--chapter", kind="unknown-name")])
    return sorted(found, key=lambda info: natural(info.id))


def natural(number: str) -> list[tuple[int, str]]:
    """Sort clause numbers as a reader counts: 8.9 before 8.10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _PARTS.split(number) if part]


def _record(info: ClauseInfo, whole: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "clause": info.id, "title": info.title, "says": info.says, "at": f"{info.span.path}:{info.span.line}",
        "decides": list(info.heads), "excepts": list(info.excepts), "sees": list(info.sees),
        "silent": info.silent or None,
    }  # fmt: skip
    return record | {"text": formal_text(info.span)} if whole else record


def formal_text(span: Span) -> str:
    """Read a clause as it stands in its rule file."""
    path = data_folder("rulesets").parent / span.path
    lines = path.read_text(encoding="utf-8").splitlines()[span.line - 1 :]
    end = next((n for n, text in enumerate(lines[1:], 1) if text and not text[0].isspace()), len(lines))
    return "\n".join(lines[:end]).rstrip()


def _whole(info: ClauseInfo) -> str:
    head = typer.style(f"{info.id} {info.title}", bold=True)
    return f"{head}\n{info.span.path}:{info.span.line}\n\n{formal_text(info.span)}"


def _show_table(edition: Edition, chosen: Sequence[ClauseInfo]) -> None:
    from rich.table import Table

    table = Table(
        "clause", "title", "decides", "at", title=f"{edition.title} ({edition.date}): {len(chosen)} clauses", box=None
    )
    for info in chosen:
        file = info.span.path.rsplit("/", 1)[-1]
        table.add_row(info.id, info.title, _role(info), f"{file}:{info.span.line}")
    print_table(table)


def _role(info: ClauseInfo) -> str:
    """Say in a few words what a clause does."""
    parts = [", ".join(info.heads)] if info.heads else []
    if info.excepts:
        parts.append(f"exception to {', '.join(info.excepts)}")
    if info.sees:
        parts.append(f"see {', '.join(info.sees)}")
    if info.silent:
        parts.append(f"nothing: {info.silent}")
    return "; ".join(parts)
