"""Change rules and engines at random, run the tests that concern the place, and report the changes that live.

`python -m tests.mutate --engine 40 --rules 40 --seed 1` makes changes in memory, one place at a time. A change that no
test notices is printed; exit code 1 if fewer are noticed than the floors ask for. First a changed engine answers some
hundred questions of all games, and the referees ask some, which takes seconds and ends most changes; then come the
tests, and the first that fails ends them. `--from N` passes over the first changes, so that a long run can be made in
parts; `--at PATH:LINE` tries every change of one line. What is equal by its nature stands in `mutants.toml`, with the
reason; `--equal` makes all these changes and asks thousands of questions, whose answers must stay.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from operator import itemgetter
from pathlib import Path
from types import CodeType

import pytest

ROOT = Path(__file__).resolve().parents[1]
EQUAL = Path(__file__).with_name("mutants.toml")
FLOORS = {"engine": 0.95, "rules": 0.98}
ASKED = 400  # questions that come before any test; `tests/properties` asks such too
JUDGED = 1_000  # questions of each game that its referee answers too; `tests/reference` asks such
SAME = 20_000  # answers that a change must leave as they are to count as equal
TIMEOUT_S = 120  # a change that makes questions or a test run for ever is noticed too
PLACES = ("engines/compiled", "engines/library", "engines/reference", "world", "play", "explain")
ENGINES = ("compiled", "library", "reference")
EXPLAIN = "titm_rules/explain/"  # which changes no answer, only what is said of it
RULES_OF = ("titm", "cold-ford", "bitterwoods")
QUESTIONS, REFEREES, TESTS, SAME_BY_NATURE, ALIVE = "questions", "referees", "tests", "equal", "ALIVE"
LIBRARIES = ("lark", "pydantic", "yaml", "networkx", "constraint", "hypothesis.strategies", "typer")

# What concerns a place, the first that fits; the most telling tests come first, as the first failure ends a run.
CLAUSES = ("tests/clauses", "tests/rules")
AGREE = ("tests/cold_ford", "tests/reference", "tests/conformance", "tests/properties/test_engines_agree.py")
CHOICES = (
    "tests/oracle/test_one_unit.py", "tests/engines/test_allocations.py", "tests/engines/test_preferences.py",
    "tests/engines/test_models.py",
)  # fmt: skip
MOVES = ("tests/engines", "tests/properties/test_hex_games.py", "tests/properties/test_paths_are_marched.py")
GAMES = (
    "tests/play", "tests/golden", "tests/properties/test_actions_agree.py", "tests/properties/test_kept_is_anew.py",
)  # fmt: skip
REASONS = (
    "tests/oracle", "tests/play/test_options.py", "tests/frozen", "tests/properties/test_blame.py",
    "tests/properties/test_reasons_agree.py", "tests/properties/test_headlines.py",
)  # fmt: skip
CONCERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("titm_rules/engines/compiled/allocation", (*CHOICES, *AGREE)),
    ("titm_rules/engines/compiled/equivalence", (*CHOICES, *MOVES)),
    ("titm_rules/engines/compiled/event", (*GAMES, "tests/rules/test_events.py")),
    ("titm_rules/engines/compiled/incremental", ("tests/engines/test_kept.py", *GAMES)),
    ("titm_rules/engines/", (*MOVES, *CLAUSES)),
    ("titm_rules/world", ("tests/world", "tests/oracle", *CLAUSES)),
    ("titm_rules/play", GAMES),
    (EXPLAIN, REASONS),
    ("rulesets/titm", ("tests/clauses", "tests/golden", "tests/maps")),
    ("rulesets/cold-ford", ("tests/cold_ford", "tests/conformance")),
    ("rulesets/bitterwoods", ("tests/bitterwoods", "tests/play")),
)
REST = (
    *CLAUSES, *AGREE, "tests/engines", "tests/play", "tests/oracle", "tests/rulefuzz",
    "tests/service/test_whole_games.py", "tests/bitterwoods",
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change of one place in a file."""

    path: str
    line: int
    start: int  # offsets into the text of the file
    stop: int
    new: str

    def text(self, old: str) -> str:
        return old[: self.start] + self.new + old[self.stop :]

    def overlaps(self, other: Mutant) -> bool:
        return self.path == other.path and self.start < other.stop and other.start < self.stop

    def told(self, old: str) -> str:
        begun = old.rfind("\n", 0, self.start) + 1
        end = old.find("\n", self.stop) % (len(old) + 1)
        mark = f"{{{old[self.start : self.stop]} => {self.new}}}"
        return f"{self.path}:{self.line}: {(old[begun : self.start] + mark + old[self.stop : end]).strip()}"

    def key(self, old: str) -> tuple[str, str, str, str]:
        """What it changes, wherever it has moved to."""
        line = old.splitlines()[self.line - 1].strip()
        return self.path, line, old[self.start : self.stop], self.new


# ---------------------------------------------------------------------- of Python
COMPARED = {
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}  # fmt: skip
COUNTED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.FloorDiv: ("//", "*")}
LIMIT = 1000  # a number so high says how much is kept or tried, and one more is as good
CALLED = {"any": "all", "all": "any", "min": "max", "max": "min", "sorted": "list"}


def python_mutants(path: str, text: str) -> Iterator[Mutant]:
    """Yield the changes of a module: comparisons, logic, sums, numbers, truth values, conditions, calls of `any`."""
    offsets = [0]
    for line in text.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line.encode()))
    raw = text.encode()

    def at(line: int, column: int) -> int:
        return len(raw[: offsets[line - 1] + column].decode())

    def start(node: ast.expr) -> int:
        return at(node.lineno, node.col_offset)

    def stop(node: ast.expr) -> int:
        return at(node.end_lineno or 0, node.end_col_offset or 0)

    def whole(node: ast.expr, new: str) -> Mutant:
        return Mutant(path, node.lineno, start(node), stop(node), new)

    def between(left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Mutant]:
        match = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text[stop(left) : start(right)])
        if match:
            begin = stop(left) + match.start()
            yield Mutant(path, text.count("\n", 0, begin) + 1, begin, begin + len(old), new)

    for node in _code(ast.parse(text)):
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
                yield from between(left, right, *COMPARED[type(op)])
            case ast.BoolOp(op=op, values=[left, right, *_]):
                old, new = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from between(left, right, old, new)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in COUNTED:
                yield from between(left, right, *COUNTED[type(op)])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield whole(node, f"({ast.get_source_segment(text, operand)})")
            case ast.Constant(value=bool() as value):
                yield whole(node, str(not value))
            case ast.Constant(value=int() as value) if value < LIMIT:
                yield whole(node, str(value + 1))
            case ast.Call(func=ast.Name(id=name) as func) if name in CALLED:
                yield whole(func, CALLED[name])
            case ast.If(test=test) | ast.IfExp(test=test):
                yield whole(test, "True")
                yield whole(test, "False")


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk the nodes that run when a question is asked: no annotations, imports for types, messages and assertions."""
    for node in ast.iter_child_nodes(tree):
        skipped = isinstance(node, ast.Raise | ast.Assert | ast.arguments | ast.AnnAssign)
        skipped |= isinstance(node, ast.keyword) and node.arg == "strict"  # asserts that lists are equally long
        is_typing = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        if not (skipped or is_typing):
            yield node
            yield from _code(node)


# ---------------------------------------------------------------------- of rules
SWAPS = [
    ("is not", "is"), ("and", "or"), ("or", "and"), ("not some", "some"), ("every", "some"), ("unless", "when"),
    ("more than", "at least"), ("less than", "at most"), ("at least", "more than"), ("at most", "less than"),
    ("must stop", "may not step"), ("lowest", "highest"), ("highest", "lowest"), ("yes", "no"),
]  # fmt: skip


def rule_mutants(path: str, text: str) -> Iterator[Mutant]:
    """Yield the changes of clauses: other comparisons, other logic, numbers one higher; no words in quotes."""
    words = re.finditer(r'"[^"]*"|#[^\n]*|^(?:clause|replace|add|restate|attest)[^\n]*', text, re.M)
    quoted = [match.span() for match in words]
    first = re.search(r"^(?:add |replace )?clause ", text, re.M)
    for pattern, new in (*((rf"\b{old}\b", new) for old, new in SWAPS), (r"(?<![\w.\-])\d+(?![\w.\-/])", "")):
        for match in re.finditer(pattern, text):
            inside = any(low <= match.start() < high for low, high in quoted)
            if not inside and first and match.start() > first.start():
                line = text.count("\n", 0, match.start()) + 1
                yield Mutant(path, line, match.start(), match.end(), new or str(int(match[0]) + 1))


# ---------------------------------------------------------------------- running
class Bench:
    """Tries changes in forks of this process, each of which has its own copy of what is changed, in memory.

    This process never imports the package. So a fork loads the changed module itself, and what takes long to import,
    the libraries, is there already. Changed rules are read from a folder that links to all other data, and what they
    are compiled to is kept there, by content.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in LIBRARIES:
            importlib.import_module(name)
        shutil.copytree(ROOT / "rulesets", folder / "rulesets")
        for name in ("scenarios", "grammar", "pyproject.toml"):
            (folder / name).symlink_to(ROOT / name)
        self._passes: dict[str, bool] = {}  # by test: whether it does without any change
        self._answers = cache(self._answered_alike)
        self._sound = cache(lambda work: in_fork(partial(work, RULES_OF)) == "")

    def _answered_alike(self, engine: str) -> tuple[str, ...]:
        """Give what another engine than this one answers, which without a change this one answers too."""
        other = next(name for name in ENGINES if name != engine)
        answers = tuple(in_fork(partial(_answers, other)).splitlines())
        if len(answers) < ASKED or in_fork(partial(_answers_otherwise, engine, answers)):
            raise SystemExit(f"without any change already {engine} and {other} differ")
        return answers

    def noticed_by(self, mutant: Mutant, quick: bool) -> tuple[str, str]:
        """Say what notices a change, and by what; `quick` leaves out the tests of other places."""
        concern = next(tests for place, tests in CONCERNS if mutant.path.startswith(place))
        games = [game for game in RULES_OF if mutant.path.startswith(f"rulesets/{game}/")] or RULES_OF
        if engine := engine_of(mutant.path):
            work = partial(_answers_otherwise, engine, self._answers(engine))
            if found := self.within(mutant, work, TIMEOUT_S):
                return QUESTIONS, found
        chapter = Path(mutant.path).name.split("_")[0].lstrip("0")
        for by, work, more in ((REFEREES, _asked_by_referees, ()), (TESTS, _rows_that_fail, (chapter,))):
            if by == REFEREES and EXPLAIN in mutant.path:
                continue
            if found := self.within(mutant, partial(work, games, *more), TIMEOUT_S):
                if not self._sound(work):
                    raise SystemExit(f"without any change already: {found}")
                return by, found
        rest = () if quick else tuple(one for one in REST if one not in concern)
        found = next((found for tests in (concern, rest) if tests and (found := self.fails(mutant, tests))), "")
        return (TESTS, found) if found else ("", "")

    def fails(self, mutant: Mutant, tests: Sequence[str]) -> str:
        """Name the first of some tests that fails under a change and does not fail without it."""
        while found := self.within(mutant, partial(_fails, tests, self._unsound())):
            if found not in self._passes:
                self._passes[found] = not self.unchanged(mutant, partial(_fails, [found], ()))
            if self._passes[found]:
                return found
            print(f"{'':9}        {found} fails without any change too", flush=True)
        return ""

    def _unsound(self) -> tuple[str, ...]:
        return tuple(name for name, passes in self._passes.items() if not passes)

    def compiles(self, mutant: Mutant) -> bool:
        """Whether changed rules are rules at all; what is not is no mutant."""
        _, game, edition, *_ = mutant.path.split("/")
        return self.within(mutant, partial(_load, game, edition)) == ""

    def within(self, mutant: Mutant, work: Callable[[], str], limit_s: int = 0) -> str:
        """Do work in a fork in which the change is made."""
        if mutant.path.endswith(".py"):
            return in_fork(lambda: (_change_module(mutant), work())[1], limit_s)
        path = self.folder / mutant.path
        old = path.read_text(encoding="utf-8")
        path.write_text(mutant.text(old), encoding="utf-8")
        try:
            return self.unchanged(mutant, work, limit_s)
        finally:
            path.write_text(old, encoding="utf-8")

    def unchanged(self, mutant: Mutant, work: Callable[[], str], limit_s: int = 0) -> str:
        """Do work in a fork as for a change, without it."""
        if mutant.path.endswith(".py"):
            return in_fork(work, limit_s)
        return in_fork(lambda: (_take_rules(self.folder), work())[1], limit_s)


def in_fork(work: Callable[[], str], limit_s: int = 0) -> str:
    """Do work in a fork, and give what it gives; a word if it fails, or takes longer than its limit."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        with open(reading, encoding="utf-8") as found:
            told = found.read()
        _, status = os.waitpid(child, 0)
        return told if status == 0 else "it ended"
    signal.setitimer(signal.ITIMER_PROF, limit_s)  # of its own time, as the machine may be busy
    code = 0
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        told = work()
    except BaseException as error:
        told = f"it failed: {type(error).__name__}"
    with open(writing, "w", encoding="utf-8") as out:
        out.write(told)
    os._exit(code)


def _change_module(*mutants: Mutant) -> None:
    """Let the next import of a module read its text with some changes, the last ones first."""
    path = ROOT / mutants[0].path
    name = mutants[0].path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    text = path.read_text(encoding="utf-8")
    for mutant in sorted(mutants, key=lambda one: one.start, reverse=True):
        text = mutant.text(text)

    class Changed(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            return compile(text, str(path), "exec", dont_inherit=True)

    class Finder(MetaPathFinder):
        def find_spec(self, fullname: str, path_: object = None, target: object = None) -> ModuleSpec | None:
            return spec_from_file_location(name, path, loader=Changed(name, str(path))) if fullname == name else None

    sys.meta_path.insert(0, Finder())


def _take_rules(folder: Path) -> None:
    """Let the package read its rules from another folder, and keep there what it compiles."""
    os.environ["TITM_RULES_CACHE"] = str(folder / "kept")
    files = importlib.import_module("titm_rules.files")
    vars(files)["_PACKAGE"] = folder / "titm_rules"


def engine_of(path: str) -> str:
    return next((name for name in ENGINES if f"engines/{name}" in path), "")


def _answers(engine: str) -> str:
    return "\n".join(_each_answer(engine))


def _answers_otherwise(engine: str, wanted: Sequence[str]) -> str:
    """Name the first question that an engine does not answer so."""
    differ = (number for number, found in enumerate(_each_answer(engine)) if found != wanted[number])
    return next((f"question {number}" for number in differ), "")


def _each_answer(engine: str) -> Iterator[str]:
    from tests.answers import UNBOUNDED, Oracle, outcome, question

    oracle = Oracle(engine, UNBOUNDED)
    yield from (outcome(oracle.ask(question(number))) for number in range(ASKED))


def _digests(engine: str, count: int) -> str:
    from tests.answers import digests

    return "\n".join(digests(count, 1, engine))


def _load(game: str, edition: str) -> str:
    from titm_rules.editions.load import load_model
    from titm_rules.editions.registry import default_edition

    for name in {default_edition(game), edition}:
        load_model(name, game)
    return ""


def _asked_by_referees(games: Sequence[str]) -> str:
    """Ask what is written by hand from the printed text, of some games; give the first difference."""
    from tests.bitterwoods import test_conformance as woods
    from tests.bitterwoods.worlds import INPUTS, HexMaker, Maker
    from tests.reference import test_against_reference, test_cold_ford

    found: object = ""
    if "cold-ford" in games:
        found = next(test_cold_ford.differences(range(JUDGED)), None) or test_cold_ford.action_fault(range(3))
    if "titm" in games and not found:
        found = next(test_against_reference.differences(range(JUDGED)), "")
    for seed in range(JUDGED) if "bitterwoods" in games and not found else ():
        queries, maker = (woods.ON_HEX_MAPS, HexMaker(seed)) if seed % 4 == 0 else (sorted(INPUTS), Maker(seed))
        woods.agree(maker, queries[seed // 4 % len(queries)], ["compiled"])
    return str(found)


def _rows_that_fail(games: Sequence[str], chapter: str = "") -> str:
    """Ask the tests beside the rules, those of a chapter first, and the public cases; name the first that fails."""
    from titm_rules.conformance import PASSED, judge_case
    from titm_rules.formats.case_files import conformance_cases
    from titm_rules.oracle.testing import files_of_tests, load_tests, run_test

    from tests.answers import UNBOUNDED, Oracle

    oracle = Oracle("compiled", UNBOUNDED)
    for game in games:
        for path in sorted(files_of_tests(game), key=lambda path: path.stem.split("_")[0] != chapter):
            for test in load_tests(path, game):
                if not run_test(test).passed:
                    return f"{path.stem}: {test}"
        for case in conformance_cases(game):
            if judge_case(case, oracle.ask).outcome != PASSED:
                return f"case {case['id']}"
    if "bitterwoods" in games:
        from tests.bitterwoods.test_conformance import ROWS, answered, row

        for clause, seed in ROWS.items():
            request, expected = row(seed)
            if answered(request) != expected:
                return f"row in which {clause} decides"
    return ""


class _FirstFailure:
    """Keeps the name of the first test that fails (a plugin of pytest)."""

    name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.name = self.name or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.name = self.name or report.nodeid


def _fails(tests: Sequence[str], without: Sequence[str]) -> str:
    """Run tests until one fails, and name it."""
    os.chdir(ROOT)
    first = _FirstFailure()
    left_out = [f"--deselect={name}" for name in without]
    options = ["-n", "0", "-q", "-x", "-p", "no:cacheprovider", "-o", f"timeout={TIMEOUT_S}"]
    code = pytest.main([*options, *left_out, *tests], plugins=[first])
    return "" if code == 0 else first.name or f"pytest: {code}"


def equal_mutants() -> dict[tuple[str, str, str, str], str]:
    """Map the changes that no answer can show to the reason."""
    rows = tomllib.loads(EQUAL.read_text(encoding="utf-8")).get("equal", [])
    return {(one["path"], one["line"], one["old"], one["new"]): one["why"] for one in rows}


def files_of(kind: str) -> list[str]:
    if kind == "engine":
        found = [path for place in PLACES for path in sorted((ROOT / "titm_rules" / place).rglob("*.py"))]
    else:
        found = [path for path in sorted((ROOT / "rulesets").glob("*/*/*.rules")) if path.parent.name[0].isdigit()]
    return [str(path.relative_to(ROOT)) for path in found]


def mutants_of(path: str) -> list[Mutant]:
    text = (ROOT / path).read_text(encoding="utf-8")
    return list((python_mutants if path.endswith(".py") else rule_mutants)(path, text))


def sample(kind: str, seed: int, first: int = 0) -> Iterator[Mutant]:
    """Yield changes of places in an order drawn by lot, more in larger files, from the first of them on.

    Each draws its lot by what it changes: where code is mended, all other changes keep their order.
    """
    drawn: list[tuple[bytes, Mutant]] = []
    for path in files_of(kind):
        text = (ROOT / path).read_text(encoding="utf-8")
        seen: Counter[tuple[str, ...]] = Counter()
        for mutant in mutants_of(path):
            key = mutant.key(text)
            seen[key] += 1
            drawn.append((blake2b(repr((seed, key, seen[key])).encode()).digest(), mutant))
    drawn.sort(key=itemgetter(0))
    yield from (mutant for _, mutant in drawn[first:])


def run(kind: str, count: int, first: int, seed: int, quick: bool) -> float:
    """Try so many changes; print what becomes of each, a table by place, and give the share that is noticed."""
    known, tried, lived = equal_mutants(), 0, 0
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for mutant in sample(kind, seed, first):
            text = (ROOT / mutant.path).read_text(encoding="utf-8")
            if tried == count:
                break
            if kind == "rules" and not bench.compiles(mutant):
                continue
            row = table[place_of(mutant.path)]
            row["tried"] += 1
            if mutant.key(text) in known:
                row[SAME_BY_NATURE] += 1
                print(f"{SAME_BY_NATURE:9}        {mutant.told(text)}", flush=True)
                continue
            tried += 1
            begun = time.monotonic()
            noticed, by = bench.noticed_by(mutant, quick)
            row[noticed or ALIVE] += 1
            print(f"{noticed or ALIVE:9} {time.monotonic() - begun:4.0f} s {mutant.told(text)} -- {by}", flush=True)
            lived += not noticed
    columns = ("tried", QUESTIONS, REFEREES, TESTS, SAME_BY_NATURE, ALIVE)
    for place, row in sorted(table.items()):
        print(f"| {place} | {' | '.join(str(row[one]) for one in columns)} |", flush=True)
    share = 1 - lived / tried if tried else 1.0
    told = f"{tried - lived} of {tried} noticed ({share:.0%}; the floor is {FLOORS[kind]:.0%})"
    print(f"{kind}: {told}, seed {seed}", flush=True)
    return share


def place_of(path: str) -> str:
    """Name the row of the table: a package, an engine, or a game."""
    return next((one for one in PLACES if path.startswith(f"titm_rules/{one}/")), "/".join(path.split("/")[:2]))


def try_line(path: str, line: int, quick: bool) -> None:
    """Try every change of one line and print what becomes of it."""
    text = (ROOT / path).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for mutant in (one for one in mutants_of(path) if one.line == line):
            noticed, by = bench.noticed_by(mutant, quick)
            print(f"{noticed or ALIVE:9} {mutant.told(text)} -- {by}", flush=True)


def try_equal(count: int) -> bool:
    """Ask an engine with all its changes that count as equal so many questions, with reasons, and play some games.

    Print and say whether all answers stay. All at once, as each change alone would take as long; but changes of the
    same words one after the other.
    """
    by_engine: defaultdict[str, list[Mutant]] = defaultdict(list)
    known = equal_mutants()
    for path in sorted({key[0] for key in known}):
        text = (ROOT / path).read_text(encoding="utf-8")
        by_engine[engine_of(path) or ENGINES[0]] += [one for one in mutants_of(path) if one.key(text) in known]
    are_equal = True
    for engine, every in by_engine.items():
        work = partial(_digests, engine, count)
        wanted = in_fork(work)
        for mutants in apart(every):
            found = in_fork(partial(_with_all, mutants, work))
            is_equal = found == wanted and len(wanted.splitlines()) >= count
            are_equal &= is_equal
            told = f"{len(mutants)} changes: {count} answers by {engine}"
            print(f"{'equal' if is_equal else 'DIFFERS':9} {told}", flush=True)
    return are_equal


def apart(mutants: Sequence[Mutant]) -> list[list[Mutant]]:
    """Part changes into lists whose changes can all be made at once, as no two are of the same words."""
    lists: list[list[Mutant]] = []
    for mutant in mutants:
        free = (made for made in lists if not any(mutant.overlaps(one) for one in made))
        made = next(free, None)
        lists.append([mutant]) if made is None else made.append(mutant)
    return lists


def _with_all(mutants: Sequence[Mutant], work: Callable[[], str]) -> str:
    for path in {one.path for one in mutants}:
        _change_module(*(one for one in mutants if one.path == path))
    return work()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate")
    parser.add_argument("--engine", type=int, default=0, metavar="N", help="so many changes of Python")
    parser.add_argument("--rules", type=int, default=0, metavar="N", help="so many changes of rules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="N", help="pass over so many")
    parser.add_argument("--quick", action="store_true", help="run only the tests that concern the place")
    parser.add_argument("--at", metavar="PATH:LINE", default="", help="try every change of one line")
    parser.add_argument("--equal", type=int, nargs="?", const=SAME, default=0, metavar="N", help="questions for each")
    options = parser.parse_args()
    if options.equal:
        return int(not try_equal(options.equal))
    if options.at:
        path, _, line = options.at.rpartition(":")
        try_line(path, int(line), options.quick)
        return 0
    wanted = {"engine": options.engine, "rules": options.rules}
    args = options.first, options.seed, options.quick
    shares = [run(kind, count, *args) >= FLOORS[kind] for kind, count in wanted.items() if count]
    return int(not all(shares))


if __name__ == "__main__":
    sys.exit(main())
