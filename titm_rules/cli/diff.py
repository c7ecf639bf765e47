"""`titm diff` and `titm atlas`: compare editions."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from titm_rules.cli.terminal import print_json, progress, report_interrupt
from titm_rules.cli.verdict_text import flat, print_table
from titm_rules.compare.all_pairs import (
    AtlasPlan,
    SearchPlan,
    find_differences,
    gather_atlas,
    gather_pairs,
    run_plan,
)
from titm_rules.compare.counterexamples import read_search
from titm_rules.compare.edition_diff import (
    RENUMBERED,
    REWORDED,
    ClauseDifference,
    Compared,
    FileCompared,
    Run,
    clause_differences,
    compare_file,
    counts,
    reading_differences,
)
from titm_rules.compare.results import (
    ALIKE,
    DIFFERENT,
    OPEN,
    Counterexample,
    QuestionResult,
    atlas_page,
    differences_page,
    evidence,
    exit_code,
    extent,
    situation,
)
from titm_rules.editions.cache import cache_folder
from titm_rules.editions.registry import list_editions
from titm_rules.files import write_file
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import ATTESTED
from titm_rules.oracle.all_editions import Subject

# ---------------------------------------------------------------------- jobs
NOTHING_STAYS = "nothing is kept, because no cache folder exists; name a folder for partial results with --work"


@dataclass(frozen=True)
class JobOptions:
    """Options of a job: the folder of partial results, the number of workers, and the backend."""

    folder: Path | None = None
    jobs: int = -1
    backend: str = "loky"

    @contextmanager
    def kept(self, name: str) -> Iterator[Path]:
        """Give the folder of the parts: one that is named, one of the user's cache, or one that goes when all is done.

        Raises:
            InputError: if it cannot be made.
        """
        kept = self.folder or cache_folder()
        if kept is None:
            with tempfile.TemporaryDirectory() as made, report_interrupt(lambda: NOTHING_STAYS):
                yield Path(made)
            return
        mine = kept / name
        try:
            mine.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise bad(
                f"cannot make the folder: {error.strerror}", str(mine), "name another with --work", "no-file"
            ) from None
        with report_interrupt(lambda: f"the same command goes on from what is done, which is kept in {mine}"):
            yield mine


def write_out(out: Path | None, text: str) -> None:
    """Write a result into a file, or on standard output if none is named.

    Raises:
        InputError: if the file cannot be written.
    """
    if out is None:
        typer.echo(text, nl=False)
        return
    write_file(out, text)
    typer.echo(f"written: {out}", err=True)


# ---------------------------------------------------------------------- diff
BRIEF = {REWORDED: "reworded by a sheet, and the older words are lost", RENUMBERED: "renumbered only"}
COLOURS = {"-": "red", "+": "green", "": None}


# ---------------------------------------------------------------------- texts
def show_texts(two: Compared, as_json: bool) -> int:
    """Print the clauses and readings that differ; 1 if there are any but new numbers."""
    clauses, readings = clause_differences(two.pair), reading_differences(two.pair)
    if as_json:
        print_json({
            "editions": two.labels, "counts": counts(clauses),
            "clauses": [asdict(one) for one in clauses], "readings": [asdict(one) for one in readings],
        })  # fmt: skip
    else:
        _show_clauses(two, clauses)
        for one in readings:
            before, after = (_offered(*side) for side in zip(one.defaults, one.offered, strict=True))
            typer.echo(f"\nreading {one.name}: {one.question}\n  {before}, then {after}")
    return int(any(one.how != RENUMBERED for one in clauses))


def _offered(default: str | None, offered: Sequence[str]) -> str:
    others = [choice for choice in offered if choice != default]
    tail = f" (open: {', '.join(others)})" if others else ""
    return f"{default or 'not asked'}{tail}"


def _show_clauses(two: Compared, clauses: Sequence[ClauseDifference]) -> None:
    told = [f"{number} {how}" for how, number in counts(list(clauses)).items() if number]
    typer.echo(f"{two.labels[0]} to {two.labels[1]}: {', '.join(told) or 'no clause differs'}")
    for one in clauses:
        if one.how not in BRIEF:
            _show_clause(one)
    for how, meant in BRIEF.items():
        some = [one for one in clauses if one.how == how]
        if some:
            typer.echo(f"\n{meant}: " + ", ".join(f"{one.clause} ({_numbers(one)})" for one in some))


def _show_clause(one: ClauseDifference) -> None:
    typer.echo(f"\n{typer.style(one.clause, bold=True)} {marked(one.title)} [{one.how}; {_numbers(one)}]")
    typer.echo(f'  "{marked(one.words)}"')
    typer.echo(f"  {marked(one.form)}")
    for reading in one.readings:
        typer.echo(f"  reading {reading}")
    for when, grade in zip(("in the first", "in the second"), one.grades, strict=True):
        if grade not in (None, ATTESTED):
            typer.echo(f"  {when}: {grade}")


def _numbers(one: ClauseDifference) -> str:
    first, second = one.numbers
    if first == second:
        return f"as {first}"
    before = f"as {first}" if first else "not there"
    return f"{before}, then {second or 'gone'}"


def marked(runs: Sequence[Run]) -> str:
    """Write a comparison of words on one line: removed words in [-...-], added words in {+...+}."""
    if all(sign == runs[0][0] for sign, _ in runs):
        return " ".join(words for _, words in runs)
    shown = {"": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
    return " ".join(typer.style(shown[sign].format(words), fg=COLOURS[sign]) for sign, words in runs)


# ---------------------------------------------------------------------- one situation
def show_here(two: Compared, subject: Subject, names: Sequence[str], as_json: bool) -> int:
    """Print what differs in the situation of a file; 1 if something does, else 3 if words are lost that may differ.

    A file that asks a question of its own is compared on that question alone.

    Raises:
        InputError: for a file that cannot be used in either edition.
    """
    compared = compare_file(two, subject, names)
    two, found, left = compared.two, compared.found, compared.not_asked
    if as_json:
        differences = [asdict(one) | {"cause": one.cause.listed} for one in found]
        print_json({"editions": two.labels, "differences": differences, "not_asked": left, "lost": compared.lost})
        return _code(compared)
    typer.echo(f"{len(found) or 'no'} difference{'s' * (len(found) != 1)} between {' and '.join(two.labels)}")
    for one in found:
        asked = f"{one.question or 'legal actions'} {flat(one.inputs) if one.inputs else ''}".rstrip()
        typer.echo(f"\n{typer.style(asked, bold=True)}: {one.cause}")
        _show_answers(two, one.first, one.second)
        for label, grade in zip(two.labels, one.grades, strict=True):
            if grade.name != ATTESTED:
                typer.echo(f"  {label} depends on: {grade}")
    if left:
        typer.echo(f"\nnot asked, for what they take cannot be listed here: {', '.join(left)}")
        typer.echo("put such a question into a file of its own")
    if compared.lost:
        clauses = {clause: sheet for one in compared.lost.values() for clause, sheet in one.items()}
        typer.echo(f"\nnot known, for words behind them are lost: {', '.join(compared.lost)}")
        typer.echo("restated on a sheet: " + ", ".join(f"{clause} ({sheet})" for clause, sheet in clauses.items()))
    return _code(compared)


def _code(compared: FileCompared) -> int:
    return DIFFERENT if compared.found else OPEN if compared.lost else ALIKE


def _show_answers(two: Compared, first: object, second: object) -> None:
    for label, answer in zip(two.labels, (first, second), strict=True):
        typer.echo(f"  only {label}: {flat(answer)}")


# ---------------------------------------------------------------------- searching
def show_found(two: Compared, names: Sequence[str], each: bool, as_json: bool) -> int:
    """Search for the smallest differences and print them with their evidence; give the exit code for them."""
    search = read_search(two.second.game)
    with progress("searching") as tell:
        told = find_differences(two.pair, search, names, lambda name, asked: tell(f"{name}: {asked}", None), each)
        results = list(told)
    if as_json:
        print_json({"editions": two.labels, "questions": [one.record() for one in results]})
    else:
        _show_results(two, results)
    return exit_code(results)


def _show_results(two: Compared, results: Sequence[QuestionResult]) -> None:
    from rich.table import Table

    title = f"{two.labels[1]} as against {two.labels[0]}"
    table = Table("question", "verdict", "searched", "evidence", title=title, box=None)
    for one in results:
        table.add_row(one.question, one.verdict, extent(one), evidence(one))
    print_table(table)
    for one in results:
        for found in one.found:
            typer.echo(f"\n{typer.style(one.question, bold=True)} {flat(found.inputs)}: {found.cause}")
            _show_found(two, found)


def _show_found(two: Compared, found: Counterexample) -> None:
    typer.echo(f"  size {found.size}, situation {found.number} in the order of search ({found.worlds})")
    for part in situation(found.data):
        typer.echo(f"  {part}")
    if found.line:
        typer.echo(f"  played: {', '.join(found.line)}")
    _show_answers(two, found.first, found.second)


def show_all(labour: JobOptions, game: str, out: Path | None, as_json: bool) -> int:
    """Compare all editions pair by pair on all questions, and print or write the page.

    Raises:
        InputError: for a folder or a file that cannot be written.
    """
    plan = SearchPlan(tuple(info.name for info in list_editions(game)), game)
    with labour.kept(f"differences-{plan.digest}") as folder, progress("comparing") as tell:
        run_plan(
            plan, folder, labour.jobs, labour.backend, lambda done, parts: tell(f"{done} of {parts}", done / parts)
        )
        found = gather_pairs(plan, folder)
    records = [
        {"editions": pair, "questions": [one.record() for one in results]} for pair, results in found.items()
    ]  # fmt: skip
    write_out(out, json.dumps(records, ensure_ascii=False, indent=1) + "\n" if as_json else differences_page(found))
    return exit_code(one for results in found.values() for one in results)


# ---------------------------------------------------------------------- atlas
def make_atlas(plan: AtlasPlan, labour: JobOptions, out: Path | None, as_json: bool) -> int:
    """Make an atlas, or resume one that was interrupted, and write it: a page, or with --json (or .json) data.

    Raises:
        InputError: for a plan that cannot be carried out, or a file that cannot be written.
    """
    with labour.kept(f"atlas-{plan.digest}") as folder, progress("atlas") as tell:

        def told(done: int, parts: int) -> None:
            tell(f"{done} of {parts}", done / parts if parts else 1.0)

        run_plan(plan, folder, labour.jobs, labour.backend, told)
        atlas = gather_atlas(plan, folder)
    whole = as_json or (out is not None and out.suffix == ".json")
    write_out(out, json.dumps(atlas, ensure_ascii=False, indent=1) + "\n" if whole else atlas_page(atlas))
    return 0
