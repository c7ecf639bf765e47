"""`titm diff`, `atlas` and `book`: compare editions, and print one."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.terminal import echo, print_json, progress, report_interrupt, share, styled
from titm_rules.cli.verdict_text import flat, print_table
from titm_rules.compare import all_pairs, edition_diff
from titm_rules.compare import results as report
from titm_rules.compare.book import book_page, examples, open_book
from titm_rules.compare.corpus import listed_cases, read_corpus
from titm_rules.compare.counterexamples import read_search
from titm_rules.compare.documents import COMMAND, HEADING, Document, Section, marked, writer_of
from titm_rules.compare.plan import show_clauses
from titm_rules.compare.player_page import PlayerPage
from titm_rules.compare.prove import proof_section, prove_pairs
from titm_rules.diagnostics import InputError
from titm_rules.editions.cache import cache_folder
from titm_rules.editions.registry import edition_on, list_editions
from titm_rules.files import write_file
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import ATTESTED
from titm_rules.oracle.all_editions import Subject
from titm_rules.oracle.edition import Edition

# ---------------------------------------------------------------------- jobs
NOTHING_STAYS = "nothing is kept, because no cache folder exists; name a folder for partial results with --work"


@contextmanager
def parts_folder(options: SharedOptions, name: str) -> Iterator[Path]:
    """Give the folder of partial results: named, cached, or temporary. Raises `InputError` if it cannot be made."""
    kept = options.folder or cache_folder()
    if kept is None:
        with tempfile.TemporaryDirectory() as made, report_interrupt(lambda: NOTHING_STAYS):
            yield Path(made)
        return
    mine = kept / name
    try:
        mine.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot make the folder: {error.strerror}"
        raise bad(what, str(mine), "name another with --work", "no-file") from None
    with report_interrupt(lambda: f"the same command goes on from what is done, which is kept in {mine}"):
        yield mine


def check_outputs(*paths: Path | None) -> None:
    """Refuse files that could not be written after the work. Raises `InputError` for a folder that does not exist."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise bad("cannot write the file: its folder does not exist", str(path), "name another file", "no-file")


def write_out(out: Path | None, text: str) -> None:
    """Write a result into a file, or on standard output. Raises `InputError` if the file cannot be written."""
    if out is None:
        sys.stdout.write(text)
        return
    write_file(out, text)
    echo(f"written: {out}", to_error=True)


BRIEF = {
    edition_diff.REWORDED: "reworded by a sheet, and the older words are lost",
    edition_diff.RENUMBERED: "renumbered only",
}
SIGNS = {
    "": "{}", "-": styled("[-{}-]", "red"), "+": styled("{{+{}+}}", "green"), HEADING: styled("{}", bold=True),
    COMMAND: "{}",
}  # fmt: skip


def show_difference(
    options: SharedOptions, first: str, second: str, find: bool, each: bool, names: Sequence[str], players: bool,
    out: Path | None,
) -> int:  # fmt: skip
    """Print what differs between two editions: in their texts, in one position, or in the smallest that differ.

    With `out` it is written there instead, as the ending of the file asks for.
    """
    check_outputs(out)
    if out is not None:
        writer_of(out)
    if find and each and not (first or options.overlays):
        return _show_all(options, out)
    two = edition_diff.compared(first, second, options.overlays, options.game)
    if players:
        return _show_to_players(two, find, options.as_json, out)
    if options.file or options.changes or options.at:
        return _show_here(two, options.subject[0], names, options.as_json, out)
    return _show_found(two, names, each, options.as_json, out) if find else _show_texts(two, options.as_json, out)


def write_document(document: Document, as_json: bool, out: Path | None) -> bool:
    """Write a report into a file, or as JSON; say whether that was asked for."""
    if out is not None:
        write_out(out, writer_of(out)(document))
    elif as_json:
        print_json(document.data)
    return out is not None or as_json


def show_document(document: Document) -> None:
    """Print a report on the terminal."""
    echo(document.title)
    if document.intro:
        echo(document.intro)
    for section in document.sections:
        echo(f"\n{styled(section.title, bold=True)}")
        for text in section.texts:
            echo("  " + marked(text, SIGNS).replace("\n", "\n    "))
        if section.rows:
            print_table(section.head, ([marked(cell, SIGNS) for cell in row] for row in section.rows))


def _show_to_players(two: edition_diff.Compared, find: bool, as_json: bool, out: Path | None) -> int:
    """Print what changed at the table; 1 if anything did."""
    with progress("asking") as tell:
        cases = read_corpus(two.second.game)
        plan = show_clauses(two, cases, find, lambda name, asked: tell(f"{name}: {asked}", None))
        page = PlayerPage(two, plan.clauses, [*plan.run.changes, *plan.found_cases()]).document()
    if not write_document(page, as_json, out):
        show_document(page)
    return report.DIFFERENT if page.sections else report.ALIKE


# ---------------------------------------------------------------------- texts
def _show_texts(two: edition_diff.Compared, as_json: bool, out: Path | None) -> int:
    """Print the clauses and readings that differ; 1 if there are any but new numbers."""
    clauses, readings = edition_diff.clause_differences(two.pair), edition_diff.reading_differences(two.pair)
    records = {"clauses": [asdict(one) for one in clauses], "readings": [asdict(one) for one in readings]}
    data = {"editions": two.labels, "counts": edition_diff.counts(clauses), **records}
    head = ("clause", "how", "number", "title", "words", "sentences")
    rows = [(one.clause, one.how, _numbers(one), one.title, one.words, one.form) for one in clauses]
    asked = [(one.name, one.question, *map(edition_diff.offered_text, one.defaults, one.offered)) for one in readings]
    open_head = ("reading", "question", *two.labels)
    sections = [Section("Clauses", (), head, rows), Section("Readings", (), open_head, asked)]
    if not write_document(Document(two.title, sections, data), as_json, out):
        _show_clauses(two, clauses)
        for one in readings:
            before, after = map(edition_diff.offered_text, one.defaults, one.offered)
            echo(f"\nreading {one.name}: {one.question}\n  {before}, then {after}")
    return int(any(one.how != edition_diff.RENUMBERED for one in clauses))


def _show_clauses(two: edition_diff.Compared, clauses: Sequence[edition_diff.ClauseDifference]) -> None:
    told = [f"{number} {how}" for how, number in edition_diff.counts(list(clauses)).items() if number]
    echo(f"{two.title}: {', '.join(told) or 'no clause differs'}")
    for one in clauses:
        if one.how not in BRIEF:
            echo(f"\n{styled(one.clause, bold=True)} {marked(one.title, SIGNS)} [{one.how}; {_numbers(one)}]")
            echo(f'  "{marked(one.words, SIGNS)}"')
            echo(f"  {marked(one.form, SIGNS)}")
            for reading in one.readings:
                echo(f"  reading {reading}")
            for when, grade in zip(("in the first", "in the second"), one.grades, strict=True):
                if grade not in (None, ATTESTED):
                    echo(f"  {when}: {grade}")
    for how, meant in BRIEF.items():
        some = [one for one in clauses if one.how == how]
        if some:
            echo(f"\n{meant}: " + ", ".join(f"{one.clause} ({_numbers(one)})" for one in some))


def _numbers(one: edition_diff.ClauseDifference) -> str:
    first, second = one.numbers
    if first == second:
        return f"as {first}"
    before = f"as {first}" if first else "not there"
    return f"{before}, then {second or 'gone'}"


# ---------------------------------------------------------------------- one situation
def _show_here(
    two: edition_diff.Compared, subject: Subject, names: Sequence[str], as_json: bool, out: Path | None
) -> int:
    """Print what differs in the situation of a file; 1 if something does, else 3 if words are lost that may differ."""
    here = edition_diff.compare_file(two, subject, names)
    two, found, left = here.two, here.found, here.not_asked
    code = report.DIFFERENT if found else report.OPEN if here.lost else report.ALIKE
    differences = [asdict(one) | {"cause": one.cause.listed} for one in found]
    data = {"editions": two.labels, "differences": differences, "not_asked": left, "lost": here.lost}
    rows = [
        (one.question or "legal actions", flat(one.inputs), str(one.cause), flat(one.first), flat(one.second))
        for one in found
    ]
    head = ("question", "asked", "clauses", *(f"only {label}" for label in two.labels))
    title = f"{two.title}, {subject.base}"
    if write_document(Document(title, [Section("Differences", (), head, rows)], data), as_json, out):
        return code
    echo(f"{len(found) or 'no'} difference{'s' * (len(found) != 1)} between {' and '.join(two.labels)}")
    for one in found:
        asked = f"{one.question or 'legal actions'} {flat(one.inputs) if one.inputs else ''}".rstrip()
        echo(f"\n{styled(asked, bold=True)}: {one.cause}")
        _show_answers(two, one.first, one.second)
        for label, grade in zip(two.labels, one.grades, strict=True):
            if grade.name != ATTESTED:
                echo(f"  {label} depends on: {grade}")
    if left:
        echo(f"\nnot asked, for what they take cannot be listed here: {', '.join(left)}")
        echo("put such a question into a file of its own")
    if here.lost:
        clauses = {clause: sheet for one in here.lost.values() for clause, sheet in one.items()}
        echo(f"\nnot known, for words behind them are lost: {', '.join(here.lost)}")
        echo("restated on a sheet: " + ", ".join(f"{clause} ({sheet})" for clause, sheet in clauses.items()))
    return code


def _show_answers(two: edition_diff.Compared, first: object, second: object, question: str = "") -> None:
    shown = report.told_outcome if question == report.PLAY else flat
    for label, answer in zip(two.labels, (first, second), strict=True):
        echo(f"  only {label}: {shown(answer)}")


# ---------------------------------------------------------------------- searching
def _show_found(two: edition_diff.Compared, names: Sequence[str], each: bool, as_json: bool, out: Path | None) -> int:
    """Search for the smallest differences and print them with their evidence; give the exit code for them."""
    search = read_search(two.second.game)
    with progress("searching") as tell:
        told = all_pairs.find_differences(
            two.pair, search, names, lambda name, asked: tell(f"{name}: {asked}", None), each
        )
        results = list(told)
    title = f"{two.labels[1]} as against {two.labels[0]}"
    data = {"editions": two.labels, "questions": [one.record() for one in results]}
    rows = list(map(_result_row, results))
    if not write_document(Document(title, _found_sections("Questions", two.labels, results), data), as_json, out):
        print_table(RESULT_HEAD, rows, title)
        for question, found in ((one.question, found) for one in results for found in one.found):
            asked = f"{question} {flat(found.inputs) if found.inputs else ''}".rstrip()
            echo(f"\n{styled(asked, bold=True)}: {found.cause}")
            echo(f"  found at size {found.size}, number {found.number + 1} of the search ({found.worlds})")
            for part in report.situation(found.data):
                echo(f"  {part}")
            if found.line:
                echo(f"  played: {', '.join(found.line)}")
            _show_answers(two, found.first, found.second, question)
    return report.exit_code(results)


RESULT_HEAD = ("question", "verdict", "searched", "evidence")


def _result_row(one: report.QuestionResult) -> Sequence[str]:
    return one.question, one.verdict, report.extent(one), report.evidence(one)


def _found_sections(title: str, labels: Sequence[str], results: Sequence[report.QuestionResult]) -> list[Section]:
    head = ("question", "asked", "clauses", "situation", "played", *(f"only {label}" for label in labels))
    rows = [
        (result.question, flat(one.inputs) if one.inputs else "", str(one.cause),
         "; ".join(report.situation(one.data)), ", ".join(one.line),
         *(report.told_outcome(answer) if result.question == report.PLAY else flat(answer)
           for answer in (one.first, one.second)))
        for result in results for one in result.found
    ]  # fmt: skip
    return [Section(title, (), RESULT_HEAD, list(map(_result_row, results))), Section("Situations", (), head, rows)]


def _show_all(options: SharedOptions, out: Path | None) -> int:
    plan = all_pairs.SearchPlan(tuple(info.name for info in list_editions(options.game)), options.game)
    with parts_folder(options, f"differences-{plan.digest}") as folder, share("comparing") as tell:
        all_pairs.run_plan(plan, folder, options.jobs, options.backend, tell)
        found = all_pairs.gather_pairs(plan, folder)
    records = [{"editions": pair, "questions": [one.record() for one in results]} for pair, results in found.items()]
    if out is not None and out.suffix != ".md":
        sections = [
            part for pair, results in found.items() for part in _found_sections(" to ".join(pair), pair, results)
        ]
        write_out(out, writer_of(out)(Document("Differences between editions", sections, records)))
    else:
        write_out(out, _json_text(records) if options.as_json else report.differences_page(found, _proved(plan, found)))
    return report.exit_code(one for results in found.values() for one in results)


def _proved(plan: all_pairs.SearchPlan, found: Mapping[tuple[str, str], Sequence[report.QuestionResult]]) -> str:
    """Write what is proved of the verdicts; empty without a solver."""
    marks = {pair: {one.question: report.mark(one) for one in results} for pair, results in found.items()}
    with suppress(InputError):
        return proof_section(marks, prove_pairs(all_pairs.EditionSet(plan)))
    return ""


def make_atlas(options: SharedOptions, names: Sequence[str], every: bool, most: str, out: Path | None) -> None:
    """Make an atlas, or resume one that was interrupted, and write it: a page, or with --json (or .json) data."""
    check_outputs(out)
    plan = all_pairs.plan_of(list(names), every, most, options.game)
    with parts_folder(options, f"atlas-{plan.digest}") as folder, share("atlas") as tell:
        all_pairs.run_plan(plan, folder, options.jobs, options.backend, tell)
        atlas = all_pairs.gather_atlas(plan, folder)
    write_out(
        out, _json_text(atlas) if options.as_json or (out and out.suffix == ".json") else report.atlas_page(atlas)
    )


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


# ---------------------------------------------------------------------- books
def print_book(options: SharedOptions, date: str, against: str, out: Path | None) -> None:
    """Write the consolidated rulebook of an edition as a page that is made to be printed.

    Raises `InputError` for a file that is not named as a page of HTML.
    """
    check_outputs(out)
    if out is not None and out.suffix.lower() not in ("", ".html", ".htm"):
        fix = "end its name in .html, and print it to PDF from the browser"
        raise bad("a book is a page of HTML", str(out), fix, "bad-value")
    on = edition_on(date, options.game) if date else ""
    edition = Edition(on, game=options.game, overlays=tuple(options.overlays))
    book = open_book(edition, edition_on(against, options.game) if against else "")
    write_out(out, book_page(book, examples(edition, listed_cases(edition.game)), strike=bool(against)))
