"""Clauses through all editions: how each stands in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.book import meant
from titm_rules.editions.consolidate import ClauseStanding, Consolidated
from titm_rules.editions.load import consolidated
from titm_rules.editions.named import list_editions
from titm_rules.editions.text import natural
from titm_rules.rules.model import CARRIED_BACK, ClauseInfo


def histories(
    numbers: Sequence[str], clauses: Mapping[str, ClauseInfo], game: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Tell how clauses stand in every edition, by clause.

    Args:
        numbers: numbers of clauses, each as `clauses` has it, or as any edition has had it.
        clauses: those of the edition that is meant.
        game: its name; empty: the one that is meant.

    Raises:
        InputError: for a number that no edition has.
    """
    rules = {info.name: consolidated(info.name, game) for info in list_editions(game)}
    chosen = [clause for number in numbers for clause in _clauses(number, clauses, rules)]
    if not chosen:
        raise InputError([Fault("no clause is named", "NUMBER", "", "write a number before --history")])
    return {clause: _history(clause, rules) for clause in dict.fromkeys(chosen)}


def _clauses(number: str, clauses: Mapping[str, ClauseInfo], rules: Mapping[str, Consolidated]) -> list[str]:
    found = meant(number, clauses)
    borne = {
        name for one in rules.values() for name, how in one.standing.items()
        if how.attested and number in (name, how.number)
    }  # fmt: skip
    if found or borne:
        return [*found, *sorted(borne - {*found}, key=natural)]
    everywhere = {
        name for one in rules.values() for name in one.standing if name.rstrip("abcdefghijklmnop") == number
    }  # fmt: skip
    if not everywhere:
        known = {name for one in rules.values() for name in one.standing}
        raise InputError(
            [Fault(f"unknown clause `{number}`", "NUMBER", "", did_you_mean(number, known), kind="unknown-name")]
        )
    return sorted(everywhere, key=natural)


def _kept_back(how: ClauseStanding) -> str:
    return f"revised on {how.revised}" if how.revised else CARRIED_BACK


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
                "title": how.clause.title, "attested": how.attested,
                "how": how.how if how.attested else _kept_back(how),
                "by": how.worded, "at": text, "same_text": text == last,
            }
        )  # fmt: skip
        last = text
    return told
