"""`titm plan`: what a sheet of amendments changes, before it is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.diff import offered_text, write_out
from titm_rules.cli.terminal import echo, print_json, progress, styled
from titm_rules.cli.verdict_text import print_table
from titm_rules.compare import edition_diff, results
from titm_rules.compare import plan as planning
from titm_rules.compare.corpus import CaseChange, read_corpus
from titm_rules.compare.counterexamples import SAME_CLAUSES
from titm_rules.formats.safe_json import bad, dumped

SHOWN, MANY = 3, 20  # changes of one question by the same clauses; clauses of one kind


def plan_sheet(
    options: SharedOptions, first: str, second: str, corpus: Sequence[Path], tests: Sequence[Path], keep: Path | None,
    search: bool,
) -> int:  # fmt: skip
    """Print what a sheet changes; give the exit code that says whether its own tests announce all of it."""
    sheet = planning.open_sheet(first, second, options.edition or "", options.game)
    for folder in corpus:
        if not folder.is_dir():
            raise bad("this is not a folder", str(folder), "name a folder of cases, positions or records", "no-file")
    with progress("planning") as tell:
        cases = read_corpus(sheet.two.second.game, corpus)
        plan = planning.make_plan(sheet, cases, tests, search, lambda name, asked: tell(f"{name}: {asked}", None))
    if keep is not None:
        _keep(plan, keep)
    if options.as_json:
        print_json(plan.record())
    else:
        _show(plan, search)
    return plan.exit_code


def _keep(plan: planning.Plan, path: Path) -> None:
    """Write the smallest situations in which idle clauses decide as a file of tests."""
    found = [one for clause in plan.idle if (one := planning.kept_case(plan, clause)) is not None]
    if not found:
        echo("no case to keep: every changed clause decides in a known case, or in none that was found", to_error=True)
        return
    about = f"The smallest situations in which clauses of {plan.sheet.name} decide"
    write_out(path, dumped(json.loads(json.dumps({"about": about, "tests": found})), path.suffix or ".yaml"))


# ---------------------------------------------------------------------- text
def _show(plan: planning.Plan, search: bool) -> None:
    before, after = plan.run.two.labels
    differ = len(plan.clauses)
    echo(f"{before} to {after}: {differ or 'no'} clause{'s' * (differ != 1)} differ{'s' * (differ == 1)}")
    for how in edition_diff.counts(plan.clauses):
        named = [one.clause for one in plan.clauses if one.how == how]
        if named:
            rest = f" and {len(named) - MANY} more" if len(named) > MANY else ""
            echo(f"  {how}: {', '.join(named[:MANY])}{rest}")
    for reading in plan.readings:
        echo(f"  reading {reading.name}: {' then '.join(map(offered_text, reading.defaults, reading.offered))}")
    _show_changes(plan)
    _show_tests(plan)
    _show_idle(plan, search)
    _show_questions(plan, after)
    for note in plan.notes:
        echo(f"\nnote: {note.render()}")


def _show_changes(plan: planning.Plan) -> None:
    echo(f"\n{styled('What changes', bold=True)}")
    changes = sorted(plan.run.changes, key=lambda one: (one.question, str(one.cause)))
    if not changes:
        echo("  no known case changes")
    for (question, cause), group in groupby(changes, key=lambda one: (one.question, str(one.cause))):
        same = list(group)
        echo(f"  {styled(question, bold=True)}, by {cause}: {len(same)} case{'s' * (len(same) != 1)}")
        for one in same[:SHOWN]:
            _show_change(one)
        if len(same) > SHOWN:
            echo(f"    and {len(same) - SHOWN} more; --json has all")
    echo(f"  asked before and after: {planning.told_asked(plan.run)}")
    for name, why in plan.run.refused.items():
        echo(f"  cannot be asked: {name}: {why}")


def _show_change(one: CaseChange) -> None:
    echo(f"    {one.kind} {one.name}: {one.asked}")
    echo(f"      before: {one.before or 'legal'}")
    echo(f"      after:  {one.after or 'legal'}")


def _show_tests(plan: planning.Plan) -> None:
    if plan.tests:
        failed = [one for one in plan.tests if not one.passes]
        echo(f"\n{styled('Tests of the sheet', bold=True)}: {len(plan.tests)}, {len(failed) or 'none'} failed")
        for one in failed:
            echo(f"  {one.name}: {one.trouble}")
    if plan.run.changes:
        told = f"{len(plan.beyond)} of {len(plan.run.changes)} changed cases are announced by no test of the sheet"
        echo(f"  {told}" if plan.tests else f"\n{told}")


def _show_idle(plan: planning.Plan, search: bool) -> None:
    echo(f"\n{styled('Cases in which changed clauses decide', bold=True)}")
    decided = plan.decided()
    for clause in plan.changed:
        if decided[clause]:
            echo(f"  {clause}: {decided[clause]}")
            continue
        found = plan.smallest(clause)
        if found is None:
            asked = sum(one.asked for one in plan.searches.values())
            known = f"nor in {asked:,} situations that were searched" if search else "and nothing was searched"
            echo(f"  {clause}: none, {known}")
            continue
        name, one = found
        echo(f"  {clause}: none; the smallest situation found is of {name} (--keep FILE writes it as a test)")
        for part in results.situation(one.data):
            echo(f"    {part}")
        if one.inputs:
            echo(f"    asked: {results.brief(dict(one.inputs))}")
        if one.line:
            echo(f"    played: {', '.join(one.line)}")
        echo(f"    only before: {results.brief(one.first)}")
        echo(f"    only after:  {results.brief(one.second)}")


def _show_questions(plan: planning.Plan, after: str) -> None:
    rows = list(plan.questions())
    alike = [one.question for one in rows if one.how == f"{results.PROVED}: {SAME_CLAUSES}"]
    others = [one for one in rows if one.question not in alike]
    echo()
    if others:
        cells = ((one.question, one.relation, one.how, ", ".join(one.clauses)) for one in others)
        print_table(("question", f"{after} is", "known by", "clauses"), cells)
    if alike:
        echo(f"The same, proved, as no clause behind them changes: {', '.join(alike)}.")
