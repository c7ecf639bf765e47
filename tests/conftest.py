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
    """Take what a process has found (pytest-xdist calls this); one that has crashed leaves nothing."""
    PARTS.append(parse_coverage(getattr(node, "workeroutput", {}).get("clauses", "{}")))


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["clauses"] = write_coverage(collect.judge(collect.CASES))
        return
    write = config.option.write_coverage
    if is_whole(config) and (write or not session.testsfailed):
        report = collect.merge([collect.judge(collect.CASES), *PARTS])
        fault = collect.settle(report, game_folder() / COVERAGE_FILE, write)
    else:
        fault = "the report is written after a run of all tests only" if write else ""
    if fault:
        MESSAGES.append(fault)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def is_whole(config: pytest.Config) -> bool:
    """Whether all tests were asked to run: no path, no word, no marks but the usual ones."""
    option = config.option
    chosen = option.keyword or option.deselect or option.ignore or getattr(option, "lf", False)
    usual = option.markexpr in config.getini("addopts")
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and usual and not chosen


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for message in MESSAGES:
        terminalreporter.section("clauses")
        terminalreporter.line(message)
