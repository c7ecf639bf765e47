"""Run a command many times, each time with one of its calls failing, and say what came of each.

`python -m tests.damage.failing` reads trials as JSON and prints a line for each, with the ends of its runs, the first
without a failure. The modules are imported once, and each run is a fork of this process in a folder of its own, so
that a run costs as much as the command and nothing besides.
"""

from __future__ import annotations

import _pyio
import builtins
import errno
import importlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

try:
    from _testcapi import remove_mem_hooks, set_nomemory
except ImportError:  # an interpreter without the module for its own tests

    def set_nomemory(start: int, stop: int) -> None:
        del start, stop

    def remove_mem_hooks() -> None:
        return

# Every call to the file system, and how it may fail. `_pyio` is Python's own input and output in Python, on these.
FILES = {
    "open": (errno.EMFILE, errno.EACCES), "read": (errno.EIO,), "write": (errno.ENOSPC, errno.EIO),
    "replace": (errno.EACCES,), "rename": (errno.EACCES,), "unlink": (errno.EACCES,), "mkdir": (errno.ENOSPC,),
    "stat": (errno.EIO,), "scandir": (errno.EACCES,), "listdir": (errno.EACCES,), "chmod": (errno.EPERM,),
    "fstat": (errno.EIO,), "ftruncate": (errno.EIO,), "utime": (errno.EPERM,), "close": (),
}  # fmt: skip
CLOCKS = {"time": 0.0, "monotonic": 0.0, "perf_counter": 0.0}
IMPORTED = ("titm_rules.cli.play", "titm_rules.cli.map_commands", "titm_rules.cli.rule_commands", "titm_rules.cli.app",
            "titm_rules.web.worker", "titm_rules.cli.diff")  # fmt: skip
LONG_S = 60
LEAP_S = 10.0**7  # a clock that is set, or a machine that has slept


@dataclass(frozen=True)
class Trial:
    """A command, the files that it begins with, what fails of it, and at which calls."""

    words: Sequence[str]
    kind: str  # `files`, `clocks` or `memory`
    files: dict[str, str] = field(default_factory=dict)  # text by name
    count: int = 50  # of the runs in which a call fails; fewer if there are fewer calls
    seed: int = 0
    every: bool = False  # all the calls after the one that fails, fail too


@dataclass(frozen=True)
class End:
    """How a run ended: its exit code, what it printed, and the files that it left, with the call that failed."""

    failed: str
    code: int
    out: str
    err: str
    files: dict[str, str]
    calls: int = 0


class Calls:
    """Counts the calls of a kind, and lets one of them fail."""

    def __init__(self) -> None:
        self.count, self.fails_at, self.seed, self.every, self.failed = 0, 0, 0, False, ""
        self.is_armed = False

    def arm(self, fails_at: int, trial: Trial) -> None:
        self.count, self.fails_at, self.seed, self.every = 0, fails_at, trial.seed, trial.every
        self.is_armed, self.failed = True, ""

    def fails(self, name: str) -> bool:
        """Count a call; say whether it is to fail."""
        if not self.is_armed:
            return False
        self.count += 1
        hit = self.count == self.fails_at or (self.every and 0 < self.fails_at < self.count)
        if hit and not self.failed:
            self.failed = f"{name}, call {self.count}"
        return hit


def failing_file(calls: Calls, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        is_told = name == "write" and given[0] in ((1, 2) if calls.every else (2,))  # somebody has to read what failed
        if FILES[name] and not is_told and calls.fails(name):
            code = FILES[name][(calls.seed + calls.count) % len(FILES[name])]
            raise OSError(code, os.strerror(code), *(one for one in given[:1] if isinstance(one, str | Path)))
        return real(*given, **named)

    return call


def leaping_clock(calls: Calls, name: str, real: Callable[[], float]) -> Callable[[], float]:
    def call() -> float:
        if calls.fails(name):  # forward and back in turn
            CLOCKS[name] += LEAP_S if (calls.seed + calls.count) % 2 else -LEAP_S
        return real() + CLOCKS[name]

    return call


def install(files: Calls, clocks: Calls) -> None:
    """Put the wrappers in place, before the package is imported."""
    for name in FILES:
        setattr(os, name, failing_file(files, name, getattr(os, name)))
    for name in CLOCKS:
        setattr(time, name, leaping_clock(clocks, name, getattr(time, name)))
    os.supports_follow_symlinks.add(os.stat)
    _pyio.io = io  # type: ignore[attr-defined]
    builtins.open = io.open = _pyio.open
    io.FileIO = _pyio.FileIO  # type: ignore[misc, assignment]


# ---------------------------------------------------------------------- runs
class Bench:
    """Runs a trial; each run is a fork of this process."""

    def __init__(self, trial: Trial, files: Calls, clocks: Calls) -> None:
        self.trial, self.files, self.clocks = trial, files, clocks

    def ends(self) -> Iterator[End]:
        whole = self.run(0)
        yield whole
        rng = random.Random(self.trial.seed)
        if self.trial.kind == "memory":  # how many there are is not told
            numbers = [int(10 ** rng.uniform(1, 6.3)) for _ in range(self.trial.count)]
        else:
            numbers = rng.sample(range(1, whole.calls + 1), min(self.trial.count, whole.calls))
        for number in sorted(numbers):
            yield self.run(number)

    def run(self, fails_at: int) -> End:
        folder = Path(tempfile.mkdtemp())
        home = folder / "home"
        home.mkdir()
        for name, text in self.trial.files.items():
            (home / name).write_text(text, encoding="utf-8")
        child = os.fork()
        if not child:
            try:
                self._child(folder, fails_at)
            finally:
                os._exit(99)
        _, status = os.waitpid(child, 0)
        told = json.loads((folder / "told").read_text()) if (folder / "told").exists() else ["", 0]
        left = {one.name: one.read_text("utf-8", "replace") for one in sorted(home.iterdir()) if one.is_file()}
        out, err = ((folder / name).read_text("utf-8", "replace") for name in ("out", "err"))
        shutil.rmtree(folder, ignore_errors=True)
        return End(told[0], os.waitstatus_to_exitcode(status), out, err, left, told[1])

    def _child(self, folder: Path, fails_at: int) -> None:
        out, err = (os.open(folder / name, os.O_WRONLY | os.O_CREAT) for name in ("out", "err"))
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout, sys.stderr = (_pyio.open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
        os.chdir(folder / "home")
        signal.alarm(LONG_S)
        sys.argv = ["titm", *self.trial.words]
        calls = self.clocks if self.trial.kind == "clocks" else self.files
        code = self._main(calls, fails_at)
        calls.is_armed = False
        with open(folder / "told", "w") as file:
            json.dump([calls.failed, calls.count], file)
        os._exit(code)

    def _main(self, calls: Calls, fails_at: int) -> int:
        from titm_rules.cli import main

        if self.trial.words[0] == "serve":
            main = Served(self.trial.words[1:]).run
        try:
            if self.trial.kind == "memory" and fails_at:
                calls.failed = f"allocation {fails_at}"
                set_nomemory(fails_at, 0 if self.trial.every else fails_at + 1)
            else:
                calls.arm(fails_at, self.trial)
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            calls.is_armed = False
            sys.excepthook(*sys.exc_info())
            code = 1
        else:
            code = 0
        remove_mem_hooks()
        try:
            sys.stdout.flush()
        except OSError:
            code = code or 120
        sys.stderr.flush()
        return code


class Served:
    """A worker process of the server that gets some requests; prints a line for each reply, and ends after the last.

    A request is the name of some work and its arguments, as JSON.
    """

    def __init__(self, requests: Sequence[str]) -> None:
        from titm_rules.web import messages, worker

        self.read, self.left = messages.read_message, len(requests)
        reading, writing = os.pipe()  # stays open: the process ends with it
        os.write(writing, messages.pack(messages.Settings()))
        for number, request in enumerate(requests, 1):
            name, *given = json.loads(request)
            arguments = tuple(one.encode() if name == "ask" else one for one in given)
            os.write(writing, messages.pack(messages.WorkItem(number, name, arguments)))
        self.worker = worker.Worker(os.fdopen(reading, "rb"), self)

    def run(self) -> None:
        self.worker.run()

    def write(self, data: bytes) -> None:
        reply = self.read(io.BytesIO(data))
        print(reply.answer.status, reply.answer.body.decode())
        self.left -= 1
        if not self.left:
            sys.exit(0)

    def flush(self) -> None:
        pass


def run_trials(trials: Sequence[Trial], **environment: str) -> list[list[End]]:
    """Run trials in a process of its own; give the ends of each, the first without a failure."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "tests.damage.failing"], input=json.dumps([asdict(trial) for trial in trials]),
        stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    return [[End(*end) for end in json.loads(line)] for line in done.stdout.splitlines()]


def main() -> None:
    files, clocks = Calls(), Calls()
    install(files, clocks)
    for name in IMPORTED:
        importlib.import_module(name)
    for trial in json.load(sys.stdin):
        found = list(Bench(Trial(**trial), files, clocks).ends())
        os.write(1, (json.dumps([list(vars(end).values()) for end in found]) + "\n").encode())


if __name__ == "__main__":
    main()
