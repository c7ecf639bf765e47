"""Change rules and engines at random, run the tests that concern the place, and report the changes that live.

`python -m tests.mutate --engine 40 --rules 40 --seed 1` changes a copy of the project, one place at a time. A change
that no test notices is printed; exit code 1 if fewer are noticed than the floors ask for. `--at PATH:LINE` tries every
change of one line. What is equal by its nature stands in `mutants.toml`, with the reason.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EQUAL = Path(__file__).with_name("mutants.toml")
FLOORS = {"engine": 0.95, "rules": 0.98}
ASKED = 600  # questions that are asked before any test: a different answer says as much, and sooner
TIMEOUT_S = 600  # a change that makes a test run for ever is noticed too
PLACES = ("engines/compiled", "engines/library", "engines/reference", "world", "play", "explain")
COPIED = ("titm_rules", "rulesets", "tests")
LINKED = ("scenarios", "grammar", "docs", "pyproject.toml", "conformance", "README.md", "CONTRIBUTING.md", "editors")

# What concerns a place, the first that fits; the most telling tests come first, as the first failure ends a run.
CLAUSES = ("tests/clauses", "tests/rules")
AGREE = ("tests/cold_ford", "tests/reference", "tests/conformance", "tests/properties/test_engines_agree.py")
CHOICES = ("tests/engines/test_allocations.py", "tests/engines/test_preferences.py", "tests/engines/test_models.py")
MOVES = ("tests/engines", "tests/properties/test_hex_games.py", "tests/properties/test_paths_are_marched.py")
GAMES = (
    "tests/play", "tests/golden", "tests/properties/test_actions_agree.py", "tests/properties/test_kept_is_anew.py",
)  # fmt: skip
REASONS = (
    "tests/oracle/test_reasons.py", "tests/oracle/test_refusal.py", "tests/properties/test_blame.py",
    "tests/properties/test_reasons_agree.py", "tests/properties/test_headlines.py", "tests/oracle/test_always.py",
)  # fmt: skip
CONCERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("titm_rules/engines/compiled/allocation", (*CHOICES, *AGREE)),
    ("titm_rules/engines/compiled/equivalence", (*CHOICES, *MOVES)),
    ("titm_rules/engines/compiled/event", (*GAMES, "tests/rules/test_events.py")),
    ("titm_rules/engines/compiled/incremental", ("tests/engines/test_kept.py", *GAMES)),
    ("titm_rules/engines/", (*MOVES, *CLAUSES)),
    ("titm_rules/world", ("tests/world", *CLAUSES)),
    ("titm_rules/play", GAMES),
    ("titm_rules/explain", REASONS),
    ("rulesets/titm", ("tests/clauses", "tests/oracle/test_clause_tests.py", "tests/golden", "tests/maps")),
    ("rulesets/cold-ford", ("tests/cold_ford", "tests/conformance")),
    ("rulesets/bitterwoods", ("tests/bitterwoods", "tests/play")),
)
REST = (*CLAUSES, *AGREE, "tests/rulefuzz", "tests/service/test_whole_games.py", "tests/bitterwoods")


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

    def told(self, old: str) -> str:
        line = old.splitlines()[self.line - 1].strip()
        return f"{self.path}:{self.line}: `{old[self.start : self.stop]}` becomes `{self.new}` in `{line}`"

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
            case ast.Constant(value=int() as value):
                yield whole(node, str(value + 1))
            case ast.Call(func=ast.Name(id=name) as func) if name in CALLED:
                yield whole(func, CALLED[name])
            case ast.If(test=test) | ast.IfExp(test=test):
                yield whole(test, "True")
                yield whole(test, "False")


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk the nodes that run when a question is asked: no annotations, no imports for types, no messages."""
    for node in ast.iter_child_nodes(tree):
        skipped = isinstance(node, ast.Raise | ast.Assert | ast.arguments | ast.AnnAssign)
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
    """A copy of the project in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.seconds = folder, int(time.time()) - 10**6
        # random worlds are made of sets, whose order is that of hashes
        self.settings = {**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": "0"}
        self.settings.pop("PYTHONDONTWRITEBYTECODE", None)
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in LINKED:
            if (ROOT / name).exists():
                (folder / name).symlink_to(ROOT / name)
        first, second = (self.answers(ASKED).split() for _ in range(2))
        # what is not the same each time, as where a limit of time is met, says nothing about a change
        self.before = {at: one for at, (one, other) in enumerate(zip(first, second, strict=True)) if one == other}

    def is_noticed(self, mutant: Mutant, quick: bool) -> bool:
        """Whether an answer or a test is another one; `quick` leaves out the tests of other places."""
        concern = next(tests for place, tests in CONCERNS if mutant.path.startswith(place))
        stages = [concern] if quick else [concern, [one for one in REST if one not in concern]]
        with self._changed(mutant):
            return self._differs() or any(self._fails(stage) for stage in stages)

    def _differs(self) -> bool:
        after = dict(enumerate(self.answers(ASKED).split()))
        return any(after.get(at) != one for at, one in self.before.items())

    def answers(self, count: int) -> bytes:
        """Give the digests of many answers; nothing if the program fails."""
        command = [sys.executable, "-m", "tests.answers", str(count)]
        try:
            return subprocess.run(
                command, cwd=self.folder, env=self.settings, capture_output=True, timeout=TIMEOUT_S
            ).stdout
        except subprocess.TimeoutExpired:
            return b""

    def compiles(self, mutant: Mutant) -> bool:
        """Whether changed rules are rules at all; what is not is no mutant."""
        with self._changed(mutant):
            return self._run("-m", "titm_rules", "lint", "--game", mutant.path.split("/")[1]) == 0

    @contextmanager
    def _changed(self, mutant: Mutant) -> Iterator[None]:
        path = self.folder / mutant.path
        old = path.read_text(encoding="utf-8")
        try:
            self._write(path, mutant.text(old))
            yield
        finally:
            self._write(path, old)

    def _write(self, path: Path, text: str) -> None:
        """Write a file as of another second each time, as Python knows compiled modules by size and second."""
        self.seconds += 2
        path.write_text(text, encoding="utf-8")
        os.utime(path, (self.seconds, self.seconds))

    def _fails(self, tests: Sequence[str]) -> bool:
        return self._run("-m", "pytest", "-n", "0", "-q", "-x", "-p", "no:cacheprovider", *tests) != 0

    def _run(self, *words: str) -> int:
        command = [sys.executable, *words]
        with subprocess.Popen(
            command, cwd=self.folder, env=self.settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                return process.wait(TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                return 1


def equal_mutants() -> dict[tuple[str, str, str, str], str]:
    """Map the changes that no answer can show to the reason."""
    rows = tomllib.loads(EQUAL.read_text(encoding="utf-8")).get("equal", [])
    return {(one["path"], one["line"], one["old"], one["new"]): one["why"] for one in rows}


def files_of(kind: str) -> list[str]:
    if kind == "engine":
        found = [path for place in PLACES for path in sorted((ROOT / "titm_rules" / place).rglob("*.py"))]
    else:
        found = [path for path in sorted((ROOT / "rulesets").glob("*/*/*.rules")) if re.search(r"/\d", str(path))]
    return [str(path.relative_to(ROOT)) for path in found]


def mutants_of(path: str) -> list[Mutant]:
    text = (ROOT / path).read_text(encoding="utf-8")
    return list((python_mutants if path.endswith(".py") else rule_mutants)(path, text))


def sample(kind: str, count: int, seed: int) -> Iterator[Mutant]:
    """Yield changes of places chosen at random, more in larger files."""
    every = [mutant for path in files_of(kind) for mutant in mutants_of(path)]
    yield from random.Random(seed).sample(every, min(len(every), 4 * count))


def run(kind: str, count: int, seed: int, quick: bool = False) -> float:
    """Try so many changes; print those that live, and give the share that is noticed."""
    known, tried, lived = equal_mutants(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for mutant in sample(kind, count, seed):
            text = (ROOT / mutant.path).read_text(encoding="utf-8")
            if tried == count:
                break
            if mutant.key(text) in known or (kind == "rules" and not bench.compiles(mutant)):
                continue
            tried += 1
            begun = time.monotonic()
            noticed = bench.is_noticed(mutant, quick)
            word = "noticed" if noticed else "LIVES  "
            print(f"{word} {time.monotonic() - begun:4.0f} s {mutant.told(text)}", flush=True)
            lived += [] if noticed else [mutant]
    share = 1 - len(lived) / tried if tried else 1.0
    told = f"{tried - len(lived)} of {tried} noticed ({share:.0%}; the floor is {FLOORS[kind]:.0%})"
    print(f"{kind}: {told}, seed {seed}", flush=True)
    return share


def try_line(path: str, line: int, quick: bool) -> None:
    """Try every change of one line and print what becomes of it."""
    text = (ROOT / path).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for mutant in (one for one in mutants_of(path) if one.line == line):
            print("noticed" if bench.is_noticed(mutant, quick) else "LIVES  ", mutant.told(text), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate")
    parser.add_argument("--engine", type=int, default=0, metavar="N", help="so many changes of Python")
    parser.add_argument("--rules", type=int, default=0, metavar="N", help="so many changes of rules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="run only the tests that concern the place")
    parser.add_argument("--at", metavar="PATH:LINE", default="", help="try every change of one line")
    options = parser.parse_args()
    if options.at:
        path, _, line = options.at.rpartition(":")
        try_line(path, int(line), options.quick)
        return 0
    wanted = {"engine": options.engine, "rules": options.rules}
    shares = [run(kind, count, options.seed, options.quick) >= FLOORS[kind] for kind, count in wanted.items() if count]
    return int(not all(shares))


if __name__ == "__main__":
    sys.exit(main())
