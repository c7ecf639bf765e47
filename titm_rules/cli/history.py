"""`titm clauses NUMBER --history`: a clause through all editions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from titm_rules.cli.clauses import meant
from titm_rules.cli.guard import print_json
from titm_rules.cli.show import print_table
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.consolidate import Consolidated
from titm_rules.editions.load import consolidated, list_editions
from titm_rules.editions.text import natural
from titm_rules.oracle.edition import Edition

CARRIED = "carried back"


def show_history(edition: Edition, numbers: Sequence[str], as_json: bool) -> int:
    """Print how clauses stand in every edition.

    A number is looked up in the edition first, and else in all of them.

    Raises:
        InputError: for a number that no edition has.
    """
    rules = {info.name: consolidated(info.name) for info in list_editions(edition.game)}
    chosen = [clause for number in numbers for clause in _clauses(number, edition, rules)]
    if not chosen:
        raise InputError([Fault("no clause is named", "NUMBER", "", "write a number before --history")])
    histories = {clause: _history(clause, rules) for clause in dict.fromkeys(chosen)}
    if as_json:
        print_json(histories)
    else:
        for clause, history in histories.items():
            _show(clause, history)
    return 0


def _clauses(number: str, edition: Edition, rules: Mapping[str, Consolidated]) -> list[str]:
    found = meant(number, edition.clauses)
    if found:
        return found
    everywhere = {
        name for one in rules.values() for name, how in one.standing.items()
        if number in (name, how.number) or name.rstrip("abcdefghijklmnop") == number
    }  # fmt: skip
    if not everywhere:
        known = {name for one in rules.values() for name in one.standing}
        raise InputError(
            [Fault(f"unknown clause `{number}`", "NUMBER", "", did_you_mean(number, known), kind="unknown-name")]
        )
    return sorted(everywhere, key=natural)


def _history(clause: str, rules: Mapping[str, Consolidated]) -> list[dict[str, Any]]:
    """Tell how a clause stands in each edition; an edition without it is left out."""
    told = []
    last = ""
    for name, one in rules.items():
        how = one.standing.get(clause)
        if how is None:
            continue
        text = f"{how.path}:{how.clause.id.span.line}"
        told.append(
            {
                "edition": name, "number": how.number or (clause.split(":")[-1] if how.attested else None),
                "title": how.clause.title, "attested": how.attested, "how": how.how if how.attested else CARRIED,
                "by": how.worded, "at": text, "same_text": text == last,
            }
        )  # fmt: skip
        last = text
    return told


def _show(clause: str, history: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table

    table = Table("edition", "number", "what its document does", "words of", "text", title=f"{clause}", box=None)
    for row in history:
        does = row["how"] if row["by"] == row["edition"] or not row["attested"] else "="
        table.add_row(row["edition"], row["number"] or "?", does, row["by"], "=" if row["same_text"] else row["at"])
    print_table(table)
