"""`titm clauses NUMBER --history`: a clause through all editions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.editions.history import histories
from titm_rules.oracle.edition import Edition


def show_history(edition: Edition, numbers: Sequence[str], as_json: bool) -> int:
    """Print how clauses stand in every edition.

    A number is that of the edition; what bore it in any other is shown too.

    Raises:
        InputError: for a number that no edition has.
    """
    found = histories(numbers, edition.clauses, edition.game)
    if as_json:
        print_json(found)
    else:
        for clause, history in found.items():
            _show(clause, history)
    return 0


def _show(clause: str, history: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table

    table = Table("edition", "number", "what its document does", "words of", title=f"{clause}", box=None)
    table.add_column("text", overflow="fold")  # a path that is cut off leads nowhere
    for row in history:
        does = row["how"] if row["by"] == row["edition"] or not row["attested"] else "="
        table.add_row(row["edition"], row["number"] or "?", does, row["by"], "=" if row["same_text"] else row["at"])
    print_table(table)
