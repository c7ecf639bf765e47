"""The tutorial does what it says."""

from __future__ import annotations

import doctest

import pytest

from tests.syntax.programs import ROOT


def test_tutorial_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "docs" / "tutorial" / "first-clause.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0
