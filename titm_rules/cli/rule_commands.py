"""`titm clauses`, `editions`, `games`, `lint`, `fmt` and `test`: rules as text, and their tests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from titm_rules.catalog import files_of, game_folder, scenario_files
from titm_rules.checker.consistency import unchecked_heads
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.terminal import ILLEGAL, LEGAL, echo, print_json, styled
from titm_rules.cli.verdict_text import print_table
from titm_rules.editions import clause_index
from titm_rules.editions.coverage import (
    COLUMNS,
    Chapter,
    ClauseCoverage,
    chapters_of,
    clause_record,
    coverage_of,
    whole_book,
)
from titm_rules.editions.load import consolidated
from titm_rules.editions.registry import applicable_sheets, edition_on, list_editions
from titm_rules.editions.rule_files import changed_layouts, check_files, lost_by, write_skeleton
from titm_rules.editions.sources import LedgerEntry, read_ledger
from titm_rules.files import write_file
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import ClauseInfo, CourseInfo, Reading
from titm_rules.oracle.edition import Edition, GameInfo, list_games


def _show_history(edition: Edition, numbers: Sequence[str], as_json: bool) -> None:
    found = clause_index.clause_histories(numbers, edition.clauses, edition.game)
    if as_json:
        print_json(found)
        return
    from titm_rules.cli.diff import SIGNS  # slow to import, and seldom wanted
    from titm_rules.compare.documents import marked
    from titm_rules.compare.edition_diff import runs

    for clause, history in found.items():
        columns = ("edition", "number", "what its document does", "words of")
        print_table(columns, map(_history_row, history), clause, folded="text")  # a path that is cut off leads nowhere
        for before, row in zip([None, *history], history, strict=False):
            if before is None or before["says"] != row["says"]:
                words = marked(runs(before["says"] if before else "", row["says"]), SIGNS)
                echo(f"  {row['edition']}: {words}")


def _history_row(row: Mapping[str, Any]) -> Sequence[str]:
    does = row["how"] if row["by"] == row["edition"] or not row["attested"] else "="
    return row["edition"], row["number"] or "?", does, row["by"], "=" if row["same_text"] else row["at"]


# ---------------------------------------------------------------------- clauses
def show_clauses(
    options: SharedOptions, numbers: Sequence[str], chapter: str, totals: bool = False, history: bool = False
) -> None:
    """Print the list of clauses, some of them in full, their history, or how many each chapter has."""
    edition = options.dated_edition
    if history:
        _show_history(edition, numbers, options.as_json)
    elif totals:
        _show_totals(edition, options.as_json)
    else:
        _show_clauses(edition, numbers, chapter, options.as_json)


def _show_clauses(edition: Edition, numbers: Sequence[str], chapter: str, as_json: bool) -> None:
    book = whole_book(edition.date, edition.model, edition.game)
    courses = edition.model.courses
    readings = {name: one for one in edition.model.readings.values() for name in (one.name, one.alias) if name}
    sections = [courses[name] for name in numbers if name in courses]
    asked = [readings[name] for name in numbers if name in readings]
    numbers = [number for number in numbers if number not in courses and number not in readings]
    words = [number for number in numbers if not clause_index.find_clauses(number, book.clauses)]
    coverage = coverage_of(book.clauses, book.tested)
    if words and (searched := clause_index.search_clauses(book.clauses, words)):
        _show_search(edition, searched, coverage, as_json)
        return
    chosen = (
        []
        if (sections or asked) and not numbers
        else clause_index.choose_clauses(book.clauses, edition.date, numbers, chapter, edition.game)
    )
    if as_json:
        records = [clause_record(info, coverage.get(info.id), bool(numbers)) for info in chosen]
        print_json([*records, *map(_section_record, sections), *map(_reading_record, asked)])
    elif numbers or sections or asked:
        ledger = read_ledger(game_folder(edition.game))
        texts = [_whole(info, ledger.get(info.id), coverage.get(info.id)) for info in chosen]
        echo("\n\n".join([*texts, *map(_section, sections), *(_reading(one, book.clauses) for one in asked)]))
    else:
        _show_table(edition, chosen, coverage)


def _show_search(
    edition: Edition, found: Sequence[ClauseInfo], coverage: Mapping[str, ClauseCoverage], as_json: bool
) -> None:
    if as_json:
        print_json([clause_record(info, coverage.get(info.id), False) for info in found])
        return
    for info in found:
        echo(f"{styled(info.id, bold=True)} {info.title}")
        echo(f"  {info.says}")
    echo(f"{len(found)} clauses of {edition.label}; `titm clauses NUMBER` shows one in full")


def _whole(info: ClauseInfo, entry: LedgerEntry | None, tested: ClauseCoverage | None) -> str:
    number = f" (as {info.number})" if info.number not in ("", info.id) else ""
    mark = "" if info.attested else " (carried back: not attested in this edition)"
    head = styled(f"{info.id}{number} {info.title}", bold=True) + mark
    tests = "".join(f"\n  {name}" for name in tested.tests) if tested else ""
    deciding = f"\n\ntests in which it decides, the first few:{tests}" if tests else ""
    part = f"\nprinted in {entry.printed}" if entry is not None and entry.printed else ""
    return f"{head}\n{info.span.path}:{info.span.line}{part}\n\n{clause_index.formal_text(info.span)}{deciding}"


def _section(info: CourseInfo) -> str:
    head = styled(f"{info.name} {info.title}", bold=True) + " (course of play, no clause)"
    return f"{head}\n{info.span.path}:{info.span.line}\n\n{clause_index.formal_text(info.span)}"


def _section_record(info: CourseInfo) -> dict[str, Any]:
    at = f"{info.span.path}:{info.span.line}"
    return {"course": info.name, "title": info.title, "at": at, "text": clause_index.formal_text(info.span)}


def _reading(reading: Reading, clauses: Mapping[str, ClauseInfo]) -> str:
    name = f"{reading.name} ({reading.alias})" if reading.alias else reading.name
    lines = [f"{styled(name, bold=True)} {reading.question}", ""]
    for choice, text in zip(reading.choices, reading.texts, strict=True):
        settled = "" if choice in reading.offered else " (not open in this edition)"
        because = f", because {reading.because}" if reading.because else ""
        lines.append(f"  {choice}: {text}{f' (default{because})' if choice == reading.default else settled}")
    asks = re.compile(rf"\b{re.escape(reading.alias or reading.name)}\b(?!-)")
    asking = [info.id for info in clauses.values() if asks.search(clause_index.formal_text(info.span))]
    return "\n".join([*lines, "", f"clauses that ask for it: {', '.join(asking) or 'none'}"])


def _reading_record(reading: Reading) -> dict[str, Any]:
    choices = dict(zip(reading.choices, reading.texts, strict=True))
    return {
        "reading": reading.name, "alias": reading.alias, "question": reading.question, "choices": choices,
        "default": reading.default, "because": reading.because, "open": list(reading.offered),
    }  # fmt: skip


def _show_table(edition: Edition, chosen: Sequence[ClauseInfo], coverage: Mapping[str, ClauseCoverage]) -> None:
    def row(info: ClauseInfo) -> Sequence[str]:
        file = info.span.path.rsplit("/", 1)[-1]
        tested = coverage.get(info.id)
        shown = (tested.grade or "untested", next(iter(tested.tests), "")) if tested else ("", "")
        return info.id, info.title, _role(info), f"{file}:{info.span.line}", *shown

    title = f"{edition.title} ({edition.date}): {len(chosen)} clauses"
    print_table(("clause", "title", "decides", "at", "in tests", "such as"), map(row, chosen), title)
    if edition.model.courses:
        echo(f"course of play, no clauses: {', '.join(edition.model.courses)}")


def _role(info: ClauseInfo) -> str:
    parts = [", ".join(info.heads)] if info.heads else []
    if info.excepts:
        parts.append(f"exception to {', '.join(info.excepts)}")
    if info.sees:
        parts.append(f"see {', '.join(info.sees)}")
    if info.silent:
        parts.append(f"nothing: {info.silent}")
    return "; ".join(parts)


def _show_totals(edition: Edition, as_json: bool) -> None:
    book = whole_book(edition.date, edition.model, edition.game)
    chapters = chapters_of(book, edition.date, edition.game)
    if as_json:
        print_json({name: chapter.lists for name, chapter in chapters.items()})
        return
    title = f"{edition.title} ({edition.date}): clauses that are more than a heading or a component"
    total = Chapter()
    for chapter in chapters.values():
        total.join(chapter)
    rows = ((name, *chapter.counts()) for name, chapter in {**chapters, "all": total}.items())
    print_table(("chapter", "clauses", *COLUMNS), rows, title)
    if total.lists["lost"]:
        echo(f"lost: the source lacks what they say: {', '.join(total.lists['lost'])}")
    for name, chapter in chapters.items():
        if missing := chapter.lists["missing"]:
            echo(f"missing in {name}: {', '.join(missing)}")


def show_editions(options: SharedOptions, date: str, owned: str, sheets: str) -> None:
    if owned:
        _show_owned(owned, sheets, options.game, options.as_json)
        return
    tallied = clause_index.tally_editions(edition_on(date, options.game) if date else "", options.game)
    if options.as_json:
        print_json(tallied)
        return
    rows = (
        (one["edition"], one["title"], str(one["attested"]), str(one["unattested"] or ""), one["source"])
        for one in tallied
    )
    print_table(("edition", "title", "attested", "carried back", "preserved"), rows)


def _show_owned(owned: str, sheets: str, game: str, as_json: bool) -> None:
    """Say which sheets apply to a printed copy of the rules, named by any date, and how the result is named."""
    owned = edition_on(owned, game)
    given = [sheet.strip() for sheet in sheets.split(",") if sheet.strip()]
    asked = given or [info.name for info in list_editions(game) if info.name != owned]
    applies, others = applicable_sheets(owned, asked, game)
    name = "+".join([owned, *applies])
    clauses = len(consolidated(name, game).standing)
    if as_json:
        print_json({"owned": owned, "apply": applies, "do_not_apply": others, "edition": name, "clauses": clauses})
        return
    echo(f"{name}: {clauses} clauses")
    echo(f"  apply: {', '.join(applies) or 'none'}")
    if given:
        echo(f"  do not apply (not dated after {owned}, or to other rules): {', '.join(others) or 'none'}")


# ---------------------------------------------------------------------- rules
def lint_files(options: SharedOptions, files: Sequence[Path]) -> None:
    """Check rule files with all of their edition, or the newest. Raises `RulesetError` with every fault."""
    models = check_files(files, options.game)
    lost = [fault for model in models for fault in lost_by(files, model)]
    unchecked = {model.edition: unchecked_heads(model) for model in models}
    if options.as_json:
        checked = [
            {"edition": model.edition, "clauses": len(model.clauses), "unchecked": unchecked[model.edition]}
            for model in models
        ]
        print_json({"ok": True, "checked": checked, "notes": [fault.render() for fault in lost]})
        return
    for fault in lost:
        echo(f"note: {fault.render()}")
    for model in models:
        echo(f"{model.edition}: {len(model.clauses)} clauses, no fault")
        if unchecked[model.edition]:
            named = ", ".join(f"`{head}`" for head in unchecked[model.edition])
            echo(f"note: not checked, for they have too many cases: {named}")


def format_files(options: SharedOptions, files: Sequence[Path], check: bool) -> int:
    game = options.game
    paths = list(files) or list(dict.fromkeys([*files_of(game, "**/*.rules"), *scenario_files(game, "*/*.rules")]))
    texts = changed_layouts(paths)
    if not check:
        for path, text in texts.items():
            write_file(path, text, "rules", "let the file be written, or copy it")
    if options.as_json:
        print_json({"changed": [str(path) for path in texts], "files": len(paths)})
    else:
        for path in texts:
            echo(f"{'would change' if check else 'changed'}: {path}")
        echo(f"{len(paths) - len(texts)} of {len(paths)} files {'are' if check else 'were'} laid out already")
    return ILLEGAL if check and texts else LEGAL


def run_tests(options: SharedOptions, paths: Sequence[Path]) -> int:
    """Run the tests of rules and print those that fail.

    Raises:
        InputError: for a bad file, or if there is no test.
    """
    from titm_rules.oracle.testing import files_of_tests, load_tests, run_test

    wanted = edition_on(options.edition, options.game) if options.edition else ""
    files = files_of_tests(options.game, paths)
    tests = [test for path in files for test in load_tests(path, options.game) if wanted in ("", test.edition)]
    if not tests:
        raise bad("there is no test", "PATH", "name a file of tests, or write one in the folder `tests` of the game",
                  "no-case")  # fmt: skip
    results = [run_test(test, options.engine) for test in tests]
    failed = [result.to_dict() for result in results if not result.passed]
    if options.as_json:
        print_json({"ok": not failed, "tests": len(tests), "files": len(files), "failed": failed})
        return ILLEGAL if failed else LEGAL
    for one in failed:
        echo(styled(f"failed: {one['test']} ({one['edition']})", "red"))
        readings = ", ".join(f"{name}={choice}" for name, choice in one["readings"].items())
        rows = {"in": one["at"], "position": one["position"], "readings": readings, "asked": one["ask"]}
        expected = json.dumps(one["expected"], ensure_ascii=False) if one["expected"] else ""
        got = one["trouble"] or json.dumps(one["got"], ensure_ascii=False)
        for name, text in (rows | {"expected": expected, "got": got}).items():
            if text:
                echo(f"  {name}: {text}")
    numbers = ((len(tests), "test"), (len(files), "file"))
    counts = (f"{number} {what}{'s' * (number != 1)}" for number, what in numbers)
    echo(f"{' in '.join(counts)}: {len(failed) or 'none'} failed")
    return ILLEGAL if failed else LEGAL


# ---------------------------------------------------------------------- shelf
def show_games(options: SharedOptions) -> None:
    if options.as_json:
        print_json([game.record() for game in list_games()])
    else:
        print_table(("game", "title", "editions", "questions", "maps", "scenarios"), map(_game_row, list_games()))


def _game_row(game: GameInfo) -> Sequence[str]:
    counts = map(len, (game.editions, game.questions, game.maps, game.scenarios))
    return game.game, game.title or f"cannot be used: {game.fault}", *(str(count or "") for count in counts)


def make_game(options: SharedOptions, name: str, parent: Path) -> None:
    files = write_skeleton(name, parent)
    if options.as_json:
        print_json({"game": name, "folder": str(parent / name), "files": [str(path) for path in files]})
        return
    for path in files:
        echo(f"written: {path}")
    home = parent / name if parent.is_absolute() else f"./{parent / name}"
    echo(f"check its rules: titm lint --game {home}")
    echo(f"ask it something: titm check {parent / name}/scenarios/first/position.yaml")
