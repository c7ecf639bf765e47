"""Every row of every clause table, and the conformance cases of the edition, as rows."""

from __future__ import annotations

import importlib
import json
from functools import cache
from pathlib import Path

from titm_rules.catalog import game_folder

from tests.clauses.rows import Row

HERE = Path(__file__).parent


@cache
def table_rows() -> tuple[Row, ...]:
    """Collect the rows of the tables beside this file."""
    names = sorted(path.stem for path in HERE.glob("test_*.py"))
    modules = [importlib.import_module(f"tests.clauses.{name}") for name in names]
    return tuple(row for module in modules for row in getattr(module, "ROWS", ()))


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
