"""Every row of the tests beside the rules, and the conformance cases of the edition, as rows."""

import json
from functools import cache

from titm_rules.catalog import files_of, game_folder
from titm_rules.oracle.testing import load_tests

from tests.clauses.rows import EDITION, FileRow, Row

READINGS = "readings"  # its tests are named for a reading, not for a clause


@cache
def rows_by_file() -> dict[str, tuple[FileRow, ...]]:
    """Read the tests of the clauses by the name of their file; those of the whole game were worked out by hand."""
    paths = files_of("titm", f"{EDITION}/tests/*.yaml")
    return {path.stem: tuple(map(FileRow.of, load_tests(path))) for path in paths}


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
