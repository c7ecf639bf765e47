"""`titm editions`: which rules there are, and what each rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.editions.load import EditionInfo, applicable_sheets, consolidated, edition_on, list_editions


@dataclass(frozen=True)
class Tally:
    """An edition with the number of its clauses, and of those that no document up to it shows."""

    info: EditionInfo
    clauses: int
    unattested: int

    def record(self) -> dict[str, Any]:
        """Give it as JSON values."""
        return {
            "edition": self.info.name, "title": self.info.title, "dated": self.info.dated,
            "follows": self.info.base or None, "source": self.info.source, "clauses": self.clauses,
            "attested": self.clauses - self.unattested, "unattested": self.unattested,
        }  # fmt: skip


def show_editions(date: str, as_json: bool) -> int:
    """Print all editions, or the one in force on a date."""
    name = edition_on(date) if date else ""
    if date:
        consolidated(name)
    tallied = [_tallied(info) for info in list_editions() if name in ("", info.name)]
    if as_json:
        print_json([one.record() for one in tallied])
        return 0
    from rich.table import Table

    table = Table("edition", "title", "attested", "carried back", "preserved", box=None)
    for one in tallied:
        table.add_row(
            one.info.name, one.info.title, str(one.clauses - one.unattested), str(one.unattested or ""),
            one.info.source,
        )  # fmt: skip
    print_table(table)
    return 0


def _tallied(info: EditionInfo) -> Tally:
    standing = consolidated(info.name).standing.values()
    return Tally(info, len(standing), sum(not one.attested for one in standing))


def show_owned(owned: str, sheets: str, as_json: bool) -> int:
    """Say which sheets apply to rules that somebody owns, and how the result is named."""
    given = [sheet.strip() for sheet in sheets.split(",") if sheet.strip()]
    asked = given or [info.name for info in list_editions() if info.name != owned]
    applies, others = applicable_sheets(owned, asked)
    name = "+".join([owned, *applies])
    clauses = len(consolidated(name).standing)
    if as_json:
        print_json({"owned": owned, "apply": applies, "do_not_apply": others, "edition": name, "clauses": clauses})
        return 0
    typer.echo(f"{name}: {clauses} clauses")
    typer.echo(f"  apply: {', '.join(applies) or 'none'}")
    if given:
        typer.echo(f"  do not apply (not dated after {owned}, or to other rules): {', '.join(others) or 'none'}")
    return 0
