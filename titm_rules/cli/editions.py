"""`titm editions`: which rules there are, and what each rests on."""

from __future__ import annotations

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.editions.load import consolidated
from titm_rules.editions.named import applicable_sheets, edition_on, list_editions
from titm_rules.editions.tally import tally_editions


def show_editions(date: str, game: str, as_json: bool) -> int:
    """Print all editions, or the one in force on a date."""
    tallied = tally_editions(edition_on(date, game) if date else "", game)
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


def show_owned(owned: str, sheets: str, game: str, as_json: bool) -> int:
    """Say which sheets apply to a printed copy of the rules, named by any date, and how the result is named."""
    owned = edition_on(owned, game)
    given = [sheet.strip() for sheet in sheets.split(",") if sheet.strip()]
    asked = given or [info.name for info in list_editions(game) if info.name != owned]
    applies, others = applicable_sheets(owned, asked, game)
    name = "+".join([owned, *applies])
    clauses = len(consolidated(name, game).standing)
    if as_json:
        print_json({"owned": owned, "apply": applies, "do_not_apply": others, "edition": name, "clauses": clauses})
        return 0
    typer.echo(f"{name}: {clauses} clauses")
    typer.echo(f"  apply: {', '.join(applies) or 'none'}")
    if given:
        typer.echo(f"  do not apply (not dated after {owned}, or to other rules): {', '.join(others) or 'none'}")
    return 0
