"""The report of what the tests say of the clauses: the run of all tests checks it, those that record write it anew.

Every process grades the clauses by its own cases each time that tests which record are over, while others run on; the
process that started them puts the parts together. A run of all tests checks the report that ships with the rule set.
`pytest --write-coverage` (`make coverage`) writes it anew, by those tests alone that have a say in it.
"""

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from lark import Lark
from titm_rules.catalog import game_folder
from titm_rules.editions.coverage import COVERAGE_FILE, Coverage, parse_coverage, read_coverage, write_coverage
from titm_rules.syntax import parser
from typer import testing

from tests.coverage import collect

# The same examples in every run, however busy the machine: what is found is found again. Slow tests look further.
settings.register_profile("same", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")
# Rules stay for a whole run: to look through them for circles again and again takes a fifth of its time.
gc.set_threshold(50_000, 20, 100)

PARTS: list[Coverage] = []
LOST: list[str] = []  # processes that have left no part
READ_ITEMS = 4_000  # of rule files; tests read the same ones over and over, and only lark takes long
MESSAGES: list[str] = []
CHECK, WRITE, IDLE = "check", "write", ""
RECORDING = ("tests/clauses", "tests/conformance", "tests/golden/test_worked_examples.py")  # where cases are recorded
SILENT = ("compiled", "library")  # engines whose answers are not recorded


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-coverage", action="store_true", help=f"write what the tests say to {COVERAGE_FILE}")


def pytest_configure(config: pytest.Config) -> None:
    """Ask the tests that record, and no others, if the report is to be written."""
    keep_what_is_compiled(config)
    if task(config) != WRITE:
        return
    if not is_whole(config):
        raise pytest.UsageError("the report is written anew by all tests that record: choose none of them")
    config.args = [str(config.rootpath / path) for path in RECORDING]


def keep_what_is_compiled(config: pytest.Config) -> None:
    """Keep rules and byte code that are compiled in the folder of pytest, for all processes and later runs.

    Tests compile so many rules that they would push those of other checkouts out of the user's cache, and lose their
    own to them. Where Python may leave no byte code beside its sources, each process would compile all that it imports.
    """
    if not hasattr(config, "cache"):
        return
    kept = config.cache.mkdir("compiled")
    os.environ.setdefault("TITM_RULES_CACHE", str(kept / "rules"))
    if sys.dont_write_bytecode:
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(kept / "python")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if task(config) == WRITE:
        items[:] = [item for item in items if engine_of(item) not in SILENT]


def engine_of(item: pytest.Item) -> object:
    """Give the engine that a test is for."""
    call = getattr(item, "callspec", None)
    return call.params.get("engine") if call else None


@cache
def remembering_parser() -> Lark:
    """Build the parser of the rule language, one that remembers the trees of what it has read."""
    found = build_parser()
    found.parse = lru_cache(READ_ITEMS)(found.parse)  # type: ignore[method-assign]
    return found


build_parser, parser.load_parser = parser.load_parser, remembering_parser
# The command line is put together once, not for every command that a test runs.
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process what to do with its cases (pytest-xdist calls this)."""
    node.workerinput["clauses"] = task(node.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a process has found (pytest-xdist calls this); one that has crashed leaves nothing, and is noted."""
    part = getattr(node, "workeroutput", {}).get("clauses")
    if part is None:
        LOST.append(node.gateway.id)
    else:
        PARTS.append(parse_coverage(part))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Grade by what was recorded when tests of another kind are next: at the end all other processes would wait."""
    found = yield
    if records(item) and nextitem is not None and not records(nextitem):
        PARTS.append(graded(task(item.config)))
    return found


def records(item: pytest.Item) -> bool:
    return item.nodeid.startswith(RECORDING)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["clauses"] = write_coverage(collect.merge([*PARTS, graded(task(config))]))
        return
    todo = task(config)
    if todo == IDLE or exitstatus != pytest.ExitCode.OK:
        return
    if LOST:
        MESSAGES.append(f"{', '.join(LOST)} ended without grading the clauses; run it with -n 0 to see why")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return
    report, path = collect.merge([graded(todo), *PARTS]), game_folder() / COVERAGE_FILE
    if todo == WRITE:
        path.write_text(write_coverage(report), encoding="utf-8")
    elif fault := collect.settle(report, path):
        MESSAGES.append(fault)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def task(config: pytest.Config) -> str:
    """Say what a run does with the report: some tests alone leave it as it is."""
    if hasattr(config, "workerinput"):
        return str(config.workerinput["clauses"])
    if config.option.collectonly:
        return IDLE
    if config.option.write_coverage:
        return WRITE
    return CHECK if is_whole(config) else IDLE


def graded(todo: str) -> Coverage:
    """Grade the clauses by the cases of this process that were not graded yet."""
    cases = collect.CASES.copy()
    collect.CASES.clear()
    if todo == IDLE:
        return {}
    return collect.judge(cases, None if todo == WRITE else read_coverage(game_folder()))


def is_whole(config: pytest.Config) -> bool:
    """Whether all tests were asked to run: no path, no word, no marks but the usual ones."""
    option = config.option
    chosen = option.keyword or option.deselect or option.ignore or getattr(option, "lf", False)
    usual = option.markexpr in config.getini("addopts")
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and usual and not chosen


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Let the process end at once: looking for circles in all that it holds takes seconds, and all of it goes."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for message in MESSAGES:
        terminalreporter.section("clauses")
        terminalreporter.line(message)
