"""Limits of one request: time and memory, watched from outside its thread.

A request that exceeds a limit is interrupted by an exception that is raised in its thread. So nothing that searches
needs to know of limits, and the process serves on. Only an import is not interrupted: half a module would stay, and
those who import it would wait for it. Who watches depends on the platform: a second thread; in WebAssembly, which has
none, the clock of the host that runs it; or nobody, where the host gives no clock and ends the interpreter instead.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TypeVar

from titm_rules.diagnostics import Fault, InputError

T = TypeVar("T")
MEBIBYTE = 1024 * 1024
_TICK_S = 0.02
_AGAIN_S = 0.1  # after so long a request that still runs is interrupted again
_IMPORTER = "<frozen importlib"  # how the files of Python's own import system are called
_REST_S = 2.0  # after so long without a request the watch lies down
_UNWANTED = "what is wanted"


@dataclass(frozen=True)
class Budget:
    """The limits of a request; 0 means unlimited."""

    seconds: float = 10.0  # of time on the clock
    mebibytes: int = 512  # by which the memory of the process may grow
    is_wanted: Callable[[], bool] | None = None  # asked from another thread, 50 times a second

    def run(self, work: Callable[[], T]) -> T:
        """Do work within the limits. Raises `OverBudget` (`too-large`), or `Cancelled` if it is not wanted."""
        if self.is_wanted is not None and not self.is_wanted():
            raise _cancelled()
        if not (self.seconds or self.mebibytes or self.is_wanted):
            return work()
        return _watch.run(_Job(self), work)


class OverBudget(InputError):
    """Raised for a request that exceeds its budget."""


class Cancelled(OverBudget):
    """Raised for a request whose answer nobody waits for."""


def overdue() -> float:
    """Give the seconds for which work in this process runs on after it was interrupted; 0 if none does."""
    return _watch.overdue(time.monotonic())


class Overrun(BaseException):
    """Raised in a thread whose work exceeds its budget; not an `Exception`, so that error handlers do not catch it."""


class _Job:
    def __init__(self, budget: Budget) -> None:
        self.thread = threading.get_ident()
        self.budget = budget
        self.deadline = time.monotonic() + budget.seconds if budget.seconds else float("inf")
        self.memory = -1  # what the process held when it was first looked at
        self.done = False
        self.over = ""  # what it has gone past
        self.over_since = 0.0
        self.interrupted = 0.0

    def exceeded_limit(self, now: float) -> str:
        if now >= self.deadline:
            return f"{self.budget.seconds:g} s"
        if self.budget.is_wanted is not None and not self.budget.is_wanted():
            return _UNWANTED
        if not self.budget.mebibytes:
            return ""
        held = held_memory()
        if self.memory < 0:
            self.memory = held
        grown = held - self.memory
        return _memory_of(self) if grown > self.budget.mebibytes * MEBIBYTE else ""


class _Watch:
    """Checks the running jobs from its own thread, which starts with the first job."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[int, _Job] = {}
        self._wake = threading.Event()
        self._process = 0

    def run(self, job: _Job, work: Callable[[], T]) -> T:
        outcome: list[T | _Failed] = []
        self._begin(job)
        try:
            try:
                outcome.append(_outcome(work))
            finally:
                self._end(job)
        except Overrun:
            self._end(job)
        return _result(job, outcome)

    def overdue(self, now: float) -> float:
        return max((now - job.over_since for job in list(self._jobs.values()) if job.over), default=0.0)

    def _begin(self, job: _Job) -> None:
        if self._process != os.getpid():  # a fork has no threads but its own
            self._lock, self._wake, self._jobs = threading.Lock(), threading.Event(), {}
            self._process = os.getpid()
            threading.Thread(target=self._look, name="titm-budget", daemon=True).start()
        self._jobs[job.thread] = job
        if not self._wake.is_set():
            self._wake.set()

    def _end(self, job: _Job) -> None:
        with self._lock:
            job.done = True
            if self._jobs.get(job.thread) is job:
                del self._jobs[job.thread]
            if job.over:
                _settle(job.thread)

    def _look(self) -> None:
        idle_since = time.monotonic()
        while True:
            time.sleep(_TICK_S)
            now = time.monotonic()
            for job in list(self._jobs.values()):
                idle_since = now
                over = job.exceeded_limit(now)
                if over and now - job.interrupted > _AGAIN_S:
                    self._interrupt(job, over, now)
            if now - idle_since > _REST_S:
                self._wake.clear()
                if not self._jobs:
                    self._wake.wait()
                idle_since = time.monotonic()

    def _interrupt(self, job: _Job, over: str, now: float) -> None:
        with self._lock:
            if not job.done and not _is_importing(sys._current_frames().get(job.thread)):
                job.over, job.over_since, job.interrupted = job.over or over, job.over_since or now, now
                _raise_in(job.thread, Overrun)


HostLimit = Callable[[float, int], object]


class _ClockWatch:
    """Leaves the watch to the host, in whose only thread Python runs.

    `limit` asks the host to interrupt Python, as Control-C does, after so many seconds or so many mebibytes more, and
    then every tenth of a second, or not any more (0 and 0). Memory that the host refuses at once counts as too much.
    """

    def __init__(self, limit: HostLimit) -> None:
        self._limit = limit
        self._job: _Job | None = None

    def run(self, job: _Job, work: Callable[[], T]) -> T:
        outcome: list[T | _Failed] = []
        before = signal.signal(signal.SIGINT, self._interrupt)
        try:
            try:
                self._job = job
                self._limit(job.budget.seconds, job.budget.mebibytes)
                outcome.append(_outcome(work))
            finally:
                self._job = None
        except Overrun:
            self._job = None
        finally:
            self._limit(0, 0)
            signal.signal(signal.SIGINT, before)
        match outcome:
            case [_Failed(MemoryError())]:
                job.over = _memory_of(job)
        return _result(job, outcome)

    def overdue(self, now: float) -> float:
        del now
        return 0.0

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number
        if self._job is not None and not _is_importing(frame):
            is_late = time.monotonic() >= self._job.deadline
            self._job.over = f"{self._job.budget.seconds:g} s" if is_late else _memory_of(self._job)
            raise Overrun


def _memory_of(job: _Job) -> str:
    return f"{job.budget.mebibytes} MiB of memory"


class _NoWatch:
    """Watches nothing."""

    def run(self, job: _Job, work: Callable[[], T]) -> T:
        del job
        return work()

    def overdue(self, now: float) -> float:
        del now
        return 0.0


_watch: _Watch | _ClockWatch | _NoWatch = _NoWatch() if sys.platform == "emscripten" else _Watch()


def watch_by_clock(limit: HostLimit) -> None:
    """Let a host that runs Python in its only thread interrupt work that takes too long or too much."""
    global _watch
    _watch = _ClockWatch(limit)


@dataclass
class _Failed:
    error: Exception


def _outcome(work: Callable[[], T]) -> T | _Failed:
    try:
        return work()
    except Exception as error:
        return _Failed(error)


def _result(job: _Job, outcome: list[T | _Failed]) -> T:
    """Give the outcome of work, which is empty if it was interrupted. Raises what the work raised."""
    if job.over or not outcome:
        outcome.clear()
        gc.collect()  # what the work held in circles goes before the next
        if job.over == _UNWANTED:
            raise _cancelled()
        what = f"the request exceeded the limit of {job.over}"
        fix = "ask a smaller question, or raise the limit"
        raise OverBudget([Fault(what, "$", "loading its rules counts", fix, kind="too-large")])
    found = outcome.pop()
    if not isinstance(found, _Failed):
        return found
    try:
        raise found.error
    finally:
        del found  # a frame that holds the error that holds the frame would stay


def _is_importing(frame: FrameType | None) -> bool:
    """Whether the work that is in a frame is in the middle of an import; frames below the work itself do not count."""
    while frame is not None and frame.f_code is not _outcome.__code__:
        if frame.f_code.co_filename.startswith(_IMPORTER):
            return True
        frame = frame.f_back
    return False


def _cancelled() -> Cancelled:
    return Cancelled([Fault("the question is cancelled", "$", "nobody waits for its answer", "", kind="cancelled")])


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in a thread at its next step, in place of one that was not raised yet."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class _Settled(BaseException):
    """Raised in place of an exception that comes too late, and caught at once."""


def _settle(thread: int) -> None:
    """Take back what was not yet raised in this thread."""
    with suppress(_Settled):  # raised and caught: after one only cancelled, older Pythons hang under a profiler
        while True:
            _raise_in(thread, _Settled)  # again, should it be raised where Python swallows it


# ---------------------------------------------------------------------- memory
_STATM = Path("/proc/self/statm")


def held_memory() -> int:
    """Give the bytes of memory that the process holds or, if the system hides that, the most that it ever held."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def _windows_memory() -> int:
    """Ask Windows for the working set; its record is a count of bytes, one of faults, and eight sizes."""
    import ctypes

    sizes = (ctypes.c_size_t * 9)()
    here = ctypes.c_void_p(-1)  # this process
    ctypes.windll.psapi.GetProcessMemoryInfo(here, ctypes.byref(sizes), ctypes.sizeof(sizes))  # type: ignore[attr-defined,unused-ignore]
    return int(sizes[2])
