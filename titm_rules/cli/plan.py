"""`titm plan`: what a sheet of amendments changes, before it is printed."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.diff import check_outputs, show_document, write_document, write_out
from titm_rules.cli.terminal import echo, progress
from titm_rules.compare import plan as planning
from titm_rules.compare.corpus import read_corpus
from titm_rules.compare.documents import writer_of
from titm_rules.formats.safe_json import bad, dumped

LOOK_AFTER = 100_000  # objects made before the collector looks: rules are many, and stay; it took a seventh of the time


def plan_sheet(
    options: SharedOptions, first: str, second: str, corpus: Sequence[Path], tests: Sequence[Path], keep: Path | None,
    search: bool, out: Path | None,
) -> int:  # fmt: skip
    """Print what a sheet changes; give the exit code that says whether its own tests announce all of it."""
    gc.set_threshold(LOOK_AFTER)
    check_outputs(out, keep)
    if out is not None:
        writer_of(out)
    sheet = planning.open_sheet(first, second, options.edition or "", options.game)
    for folder in corpus:
        if not folder.is_dir():
            raise bad("this is not a folder", str(folder), "name a folder of cases, positions or records", "no-file")
    with progress("planning") as tell:
        cases = read_corpus(sheet.two.second.game, corpus)
        plan = planning.make_plan(sheet, cases, tests, search, lambda name, asked: tell(f"{name}: {asked}", None))
    if keep is not None:
        _keep(plan, keep)
    page = planning.plan_page(plan, whole=out is not None)
    if not write_document(page, options.as_json, out):
        show_document(page)
    return plan.exit_code


def _keep(plan: planning.Plan, path: Path) -> None:
    """Write the smallest situations in which idle clauses decide as a file of tests."""
    found = [one for clause in plan.idle if (one := planning.kept_case(plan, clause, path)) is not None]
    if not found:
        echo("no case to keep: every changed clause decides in a known case, or in none that was found", to_error=True)
        return
    about = f"The smallest situations in which clauses of {plan.sheet.name} decide"
    write_out(path, dumped({"about": about, "tests": found}, path.suffix or ".yaml"))
