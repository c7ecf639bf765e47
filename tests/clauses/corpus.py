"""Every row of the tests beside the rules, and the conformance cases of the edition, as rows."""

from __future__ import annotations

import json
from functools import cache

from titm_rules.catalog import game_folder
from titm_rules.oracle.testing import files_of_tests, load_tests

from tests.clauses.rows import FileRow, Row

READINGS = "readings"  # its tests are named for a reading, not for a clause


@cache
def rows_by_file() -> dict[str, tuple[FileRow, ...]]:
    """Read the tests of the rules by the name of their file."""
    return {path.stem: tuple(map(FileRow.of, load_tests(path, "titm"))) for path in files_of_tests("titm")}


@cache
def table_rows() -> tuple[FileRow, ...]:
    """Collect the rows of all clauses, those that ask every edition once."""
    tables = (rows for name, rows in rows_by_file().items() if name != READINGS)
    return tuple(row for rows in tables for row in rows if not row.is_repeated)


@cache
def conformance_rows(edition: str = "1999") -> tuple[Row, ...]:
    """Read the conformance cases of an edition."""
    text = (game_folder() / "conformance" / "cases.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in text.splitlines()]
    return tuple(
        Row("conformance:", case["query"], case["input"], case["expected"], case["id"], case["readings"], edition)
        for case in cases
        if case["edition"] == edition
    )
