"""For each clause the smallest row of the tests in which it decides, as a case that the page opens.

`python -m tests.house.deciding` writes `rulesets/titm/deciding.jsonl` anew; the report of the tests says which rows
those are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_folder
from titm_rules.editions.coverage import read_coverage

from tests.clauses.corpus import table_rows
from tests.clauses.rows import Row

FILE = Path(game_folder("titm")) / "deciding.jsonl"


def deciding() -> dict[str, Row]:
    """Choose a row for each clause that decides a question in one."""
    rows: dict[str, list[Row]] = {}
    for row in table_rows():
        if row.query:
            rows.setdefault(str(row), []).append(row)
    found: dict[str, Row] = {}
    for clauses in read_coverage(game_folder("titm")).values():
        for clause, entry in clauses.items():
            fitting = [row for test in entry.tests for row in rows.get(test, ())]
            chosen = min([*fitting, *([found[clause]] if clause in found else [])], key=_size, default=None)
            if chosen is not None:
                found[clause] = chosen
    return found


def _size(row: Row) -> tuple[int, str]:
    return len(json.dumps(row.input)), str(row)


def told(clause: str, row: Row) -> dict[str, Any]:
    """Write a row as a request with its answer."""
    return {
        "id": str(row).replace("/", "-"), "clause": clause, "edition": row.edition, "overlays": list(row.overlays),
        "readings": row.readings, "query": row.query, "input": row.input, "expected": row.expected,
    }  # fmt: skip


def text() -> str:
    """Write the file."""
    return "".join(f"{json.dumps(told(clause, row))}\n" for clause, row in sorted(deciding().items()))


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
