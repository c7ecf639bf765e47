"""The report of what the tests say of the clauses is made by the run of the tests.

Every process grades the clauses by its own cases when its tests are over. The process that
started the others puts the parts together. After a run of all tests the report must be what
ships with the rule set; `make coverage` writes it anew.
"""

from __future__ import annotations

from typing import Any

import pytest
from titm_rules.editions.coverage import COVERAGE_FILE, Coverage, parse_coverage, write_coverage
from titm_rules.editions.load import game_folder

from tests.coverage import collect

PARTS: list[Coverage] = []
MESSAGES: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-coverage", action="store_true", help=f"write {COVERAGE_FILE} of the rule set anew")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a process has found (pytest-xdist calls this)."""
    PARTS.append(parse_coverage(node.workeroutput.get("clauses", "{}")))


def pytest_sessionfinish(session: pytest.Session) -> None:
    found = collect.judge(collect.CASES)
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["clauses"] = write_coverage(found)
        return
    if not is_whole(session):
        return
    text = write_coverage(collect.merge([found, *PARTS]))
    path = game_folder() / COVERAGE_FILE
    if session.config.option.write_coverage:
        path.write_text(text, encoding="utf-8")
        MESSAGES.append(f"wrote {path}")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        MESSAGES.append(f"{path} is not what the tests say of the clauses now: run `make coverage`, read what changes")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def is_whole(session: pytest.Session) -> bool:
    """Whether every test was asked to run, and none has failed."""
    config = session.config
    chosen = config.option.keyword or config.option.deselect or config.option.ignore or config.option.lf
    all_of_them = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen
    return all_of_them and config.option.markexpr == "not slow" and not session.testsfailed


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for message in MESSAGES:
        terminalreporter.section("clauses")
        terminalreporter.line(message)
