"""`titm event`: the book of an event."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.terminal import echo, print_answer
from titm_rules.files import write_file
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.event import EventBook, new_event, open_event


def begin(options: SharedOptions, place: Path, name: str, because: str) -> None:
    rules = options.rules
    edition = Edition(options.dated_edition.date, rules.readings, game=rules.game, overlays=tuple(rules.overlays))
    _keep(new_event(place, name, edition, because), options)


def show(options: SharedOptions, place: Path) -> None:
    _show(open_event(place), options)


def rule(options: SharedOptions, place: Path, files: Sequence[Path], because: str) -> None:
    book, readings = open_event(place), options.rules.readings
    if not (files or readings):
        raise bad("nothing is ruled", "RULING", "name a ruling, or --reading NAME=CHOICE", "missing-field")
    for name, choice in readings.items():
        book = book.settle(name, choice, because)
    for path in files:
        book = book.with_ruling(path)
    _keep(book, options)


def export(options: SharedOptions, place: Path, out: Path) -> None:
    book = open_event(place)
    cases = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in book.cases())
    write_file(out / "cases.jsonl", cases, "cases", make_folder=True)
    write_file(out / "event.md", book.page(), "page")
    if options.as_json:
        print_answer({"answer": {"cases": len(book.rulings), "folder": str(out)}})
    else:
        echo(f"{len(book.rulings)} cases and the page are in {out}")


def _keep(book: EventBook, options: SharedOptions) -> None:
    book.save()
    _show(book, options)


def _show(book: EventBook, options: SharedOptions) -> None:
    if options.as_json:
        told = {"folder": str(book.folder), **book.text.model_dump(), "rulings": list(book.rulings)}
        print_answer({"answer": told})
    else:
        echo(book.page().rstrip())
