"""`titm questions`: what can be asked."""

from __future__ import annotations

import json
import textwrap

import typer

from titm_rules.cli.guard import LEGAL, print_json
from titm_rules.cli.show import print_table
from titm_rules.oracle.edition import Edition
from titm_rules.rules.model import MISSING
from titm_rules.service.questions import QuestionTold, questions_told

WIDTH = 96


def show_questions(edition: Edition, name: str, as_json: bool) -> int:
    """Print the questions, or one of them in full."""
    found = questions_told(edition.model, name)
    if as_json:
        print_json([one.record() for one in found])
    elif name:
        _print_whole(found[0])
    else:
        _print_table(found)
    return LEGAL


def _print_table(found: list[QuestionTold]) -> None:
    from rich.table import Table

    table = Table("question", "about", "what is asked", box=None)
    for one in found:
        table.add_row(one.name, one.about, one.says)
    print_table(table)
    typer.echo("`titm questions NAME` tells what one takes, and gives a line to try")


def _print_whole(one: QuestionTold) -> None:
    typer.echo(f"{typer.style(one.name, bold=True)}: {one.says}" if one.says else typer.style(one.name, bold=True))
    typer.echo(f"  about: {one.about or 'nothing but what it takes'}")
    for name, kind, default in one.takes:
        told = "" if default == MISSING else f"; if left out: {_said(default)}"
        typer.echo(f"  takes {name}: {kind}{told}")
    for line in textwrap.wrap(f"answers {one.answer.replace('`', '')}", WIDTH):
        typer.echo(f"  {line}")
    typer.echo(f"  asked as: {one.form}")
    if one.example:
        typer.echo(f"  to try: {one.example}")


def _said(default: object) -> str:
    if isinstance(default, str):
        return default
    return json.dumps(default)
