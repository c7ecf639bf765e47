"""Benchmarks run only when they are asked for: `make bench`, or `pytest benchmarks --benchmark-only`."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    asked = config.getoption("benchmark_only", default=False)
    return None if asked or collection_path.name == "conftest.py" else True
