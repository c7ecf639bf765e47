"""`titm legal`: what may be done."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import typer

from titm_rules.cli.guard import print_json
from titm_rules.cli.options import SharedOptions
from titm_rules.oracle.case import open_case
from titm_rules.oracle.listing import count_legal, legal_lines


def list_legal(file: Path, words: Sequence[str], options: SharedOptions, limit: int | None) -> int:
    """Print the legal actions of a position, or the legal choices of one question or of all.

    At most `limit` are listed; without a limit they are only counted.
    """
    case = open_case(file, options.rules)
    if limit is None:
        total = count_legal(case, words)
        print_json({"count": total}) if options.as_json else typer.echo(str(total))
        return 0
    lines = legal_lines(case, words)
    found = list(itertools.islice(lines, limit))
    more = next(lines, None) is not None
    if options.as_json:
        print_json({"legal": found, "more": more})
        return 0
    for one in found:
        typer.echo(one)
    if more:
        typer.echo(f"(more than {limit}; --limit lists more, --count counts them)", err=True)
    return 0
