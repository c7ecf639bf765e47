"""`titm atlas`: all small situations asked of several editions, and where they differ."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from titm_rules.cli.diff import progress
from titm_rules.cli.guard import print_json
from titm_rules.compare.atlas import Plan, gather, run
from titm_rules.compare.report import atlas_page
from titm_rules.diagnostics import Fault, InputError
from titm_rules.edges.jsonin import bad
from titm_rules.editions.load import cache_folder, edition_on, list_editions

LARGEST = 6


@dataclass(frozen=True)
class Labour:
    """How the work is done: where its parts are kept, by how many workers, and by whom."""

    folder: Path | None = None
    jobs: int = -1
    backend: str = "loky"


def make_atlas(plan: Plan, labour: Labour, out: Path | None, as_json: bool) -> int:
    """Make an atlas, or go on with one that was broken off, and write it: a page, or with --json (or .json) data.

    Raises:
        InputError: for a plan that cannot be carried out, or a file that cannot be written.
    """
    import json

    with _folder(plan, labour.folder) as folder, progress("atlas") as tell:

        def told(done: int, parts: int) -> None:
            tell(f"{done} of {parts}", done / parts if parts else 1.0)

        run(plan, folder, labour.jobs, labour.backend, told)
        atlas = gather(plan, folder)
    if out is None:
        print_json(atlas) if as_json else typer.echo(atlas_page(atlas), nl=False)
        return 0
    whole = as_json or out.suffix == ".json"
    text = json.dumps(atlas, ensure_ascii=False, indent=1) + "\n" if whole else atlas_page(atlas)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise bad(f"cannot write the file: {error.strerror}", str(out), "name another one", "no-file") from None
    typer.echo(f"written: {out}", err=True)
    return 0


def plan_of(names: list[str], every: bool, most: str) -> Plan:
    """Read from the command line what to compare.

    Raises:
        InputError: for fewer than two editions, or sizes that are none.
    """
    sizes = re.fullmatch(r"(\d{1,2})(?:x(\d{1,2}))*", most)
    numbers = tuple(int(part) for part in most.split("x")) if sizes else ()
    if not numbers or not all(1 <= number <= LARGEST for number in numbers):
        raise bad(
            f"`{most}` is no size", "--max", f"write numbers from 1 to {LARGEST} with x between them", "bad-value"
        )
    infos = list_editions()
    if every:
        return Plan(tuple(info.name for info in infos), numbers)
    chosen = {edition_on(name) for name in names}
    if len(chosen) < 2:
        raise InputError([Fault("an atlas compares two editions or more", "A B", "", "name them, or give --all")])
    dated = {info.name: info.dated for info in infos}
    return Plan(tuple(sorted(chosen, key=lambda name: dated.get(name, name))), numbers)


@contextmanager
def _folder(plan: Plan, folder: Path | None) -> Iterator[Path]:
    """Give the folder of the parts: one that is named, one of the user's cache, or one that goes when all is done."""
    kept = folder or cache_folder()
    if kept is None:
        with tempfile.TemporaryDirectory() as name:
            yield Path(name)
        return
    mine = kept / f"atlas-{plan.digest}"
    try:
        mine.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise bad(
            f"cannot make the folder: {error.strerror}", str(mine), "name another with --work", "no-file"
        ) from None
    yield mine
