"""`titm clauses`: the rules as they are printed and as they are formalised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.diagnostics import Fault, InputError, Span, did_you_mean
from titm_rules.editions.load import edition_on, game_folder, read_ledger
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


def rules_of(date: str | None, overlays: Sequence[str]) -> Edition:
    """Give the rules in force on a date, with house rules on top."""
    return Edition(edition_on(date or Edition.date), overlays=tuple(overlays))


def _chosen(edition: Edition, numbers: Sequence[str], chapter: str) -> list[ClauseInfo]:
    known = edition.clauses
    faults = [
        Fault(f"unknown clause `{number}`", edition.date, "", did_you_mean(number, known), kind="unknown-name")
        for number in numbers if not meant(number, known)
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
    if numbers:
        return [known[found] for number in numbers for found in meant(number, known)]
    found = [info for info in known.values() if not chapter or info.id.split(".")[0] == chapter]
    if not found:
        raise InputError([Fault(f"no clause stands in chapter `{chapter}`", "--chapter", kind="unknown-name")])
    return sorted(found, key=lambda info: natural(info.id))


def meant(number: str, known: Mapping[str, ClauseInfo]) -> list[str]:
    """Find clauses by number: the one they bear in the edition, their own, or that of all parts."""
    borne = [one for one, info in known.items() if info.number == number]
    if borne:
        return sorted(borne, key=natural)
    if number in known:
        return [number]
    parts = [one for one in known if one.startswith(number) and _is_part(one[len(number) :])]
    return sorted(parts, key=natural)


def _is_part(rest: str) -> bool:
    return rest[:1].isalpha() or rest.startswith("-")


def natural(number: str) -> list[tuple[int, str]]:
    """Sort clause numbers as a reader counts: part by part, each number by its size."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _PARTS.split(number) if part]


def _record(info: ClauseInfo, whole: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "clause": info.id, "title": info.title, "says": info.says, "at": f"{info.span.path}:{info.span.line}",
        "decides": list(info.heads), "excepts": list(info.excepts), "sees": list(info.sees),
        "silent": info.silent or None, "number": info.number or info.id, "edition": info.edition,
        "attested": info.attested,
    }  # fmt: skip
    return record | {"text": formal_text(info.span)} if whole else record


def formal_text(span: Span) -> str:
    """Read a clause as it stands in its rule file."""
    path = data_folder("rulesets").parent / span.path
    lines = path.read_text(encoding="utf-8").splitlines()[span.line - 1 :]
    end = next((n for n, text in enumerate(lines[1:], 1) if text and not text[0].isspace()), len(lines))
    return "\n".join(lines[:end]).rstrip()


def _whole(info: ClauseInfo) -> str:
    number = f" (as {info.number})" if info.number not in ("", info.id) else ""
    mark = "" if info.attested else " (carried back: not attested in this edition)"
    head = typer.style(f"{info.id}{number} {info.title}", bold=True) + mark
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


def show_totals(edition: Edition, as_json: bool) -> int:
    """Print, for every chapter of the book, how many clauses are formalised and which are missing."""
    chapters: dict[str, Chapter] = {}
    for entry in read_ledger(game_folder(edition.game)).values():
        if entry.is_in(edition.date):
            chapters.setdefault(_chapter(entry.number), Chapter()).add(entry.number, edition.clauses)
    if as_json:
        print_json({name: chapter.record() for name, chapter in chapters.items()})
    else:
        _show_chapters(edition, chapters)
    return 0


@dataclass
class Chapter:
    """The clauses of a chapter, by what the rule set does with them."""

    formal: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def add(self, number: str, clauses: Mapping[str, ClauseInfo]) -> None:
        """Put a clause where it belongs."""
        info = clauses.get(number)
        if info is None:
            self.missing.append(number)
        elif info.heads or info.excepts:
            self.formal.append(number)
        else:
            (self.seen if info.sees else self.silent).append(number)

    def record(self) -> dict[str, list[str]]:
        """Give the lists as JSON values."""
        return {"formal": self.formal, "see": self.seen, "nothing": self.silent, "missing": self.missing}


def _chapter(number: str) -> str:
    return re.split(r"[.\-:]", number)[0]


def _show_chapters(edition: Edition, chapters: Mapping[str, Chapter]) -> None:
    from rich.table import Table

    title = f"{edition.title} ({edition.date}): clauses that are more than a heading or a component"
    table = Table("chapter", "clauses", "formal", "see another", "decide nothing", "missing", title=title, box=None)
    total = Chapter()
    for name, chapter in chapters.items():
        table.add_row(name, *_counts(chapter), f"{len(chapter.missing)}  {' '.join(chapter.missing)}")
        for mine, theirs in zip(vars(total).values(), vars(chapter).values(), strict=True):
            mine.extend(theirs)
    table.add_row("all", *_counts(total), str(len(total.missing)))
    print_table(table)


def _counts(chapter: Chapter) -> list[str]:
    parts = (chapter.formal, chapter.seen, chapter.silent, chapter.missing)
    return [str(sum(map(len, parts))), *(str(len(part)) for part in parts[:3])]
