"""A request that takes too much is broken off, and what comes after it is served as ever."""

import _thread
import gc
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module

import pytest
from titm_rules.service import budget
from titm_rules.service.budget import Budget, Cancelled, OverBudget, Overrun, held_memory, overdue

LATE_S = 5.0  # processor time after the limit by which it must be over, however busy the machine is


def forever():
    while True:
        pass


def deaf():
    """Work that once takes the exception for one of its own."""
    try:
        forever()
    except BaseException:
        forever()


def greedy():
    held = []
    while True:
        held.append({1: 2})


def timed(budget, work):
    """Run work that goes over its budget; give the time on the clock, the processor time and the fault."""
    start, spent = time.monotonic(), time.process_time()
    with pytest.raises(OverBudget) as caught:
        budget.run(work)
    return time.monotonic() - start, time.process_time() - spent, caught.value.faults[0]


@pytest.mark.parametrize(
    "work", [forever, deaf, lambda: sum(n for n in range(10**11)), lambda: [forever() for _ in "x"]]
)
def test_time(work):
    took, spent, fault = timed(Budget(0.2, 0), work)
    assert took >= 0.2
    assert spent < 0.2 + LATE_S
    assert (fault.kind, fault.where) == ("too-large", "$")
    assert "0.2 s" in fault.what


class Clock:
    """A host that interrupts the only thread of Python, as that of WebAssembly does."""

    def __init__(self):
        self.timer = None

    def limit(self, seconds, mebibytes):
        self.mebibytes = mebibytes
        if self.timer is not None:
            self.timer.cancel()
        self.timer = threading.Timer(seconds, self.interrupt) if seconds else None
        if self.timer is not None:
            self.timer.start()

    def interrupt(self):
        _thread.interrupt_main()
        self.limit(0.1, 0)


def test_a_host_with_a_clock_watches_where_there_are_no_threads(monkeypatch):
    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(budget, "_watch", budget._NoWatch())
    assert Budget(0.1, 1).run(lambda: busy(0.2) or 7) == 7
    budget.watch_by_clock(Clock().limit)
    for work in (forever, deaf):
        assert "0.2 s" in timed(Budget(0.2, 0), work)[2].what
        assert Budget(5.0).run(lambda: 7) == 7
    for work in (lambda: bytearray(2**62), _thread.interrupt_main):
        assert "9 MiB of memory" in timed(Budget(5.0, 9), work)[2].what
    with pytest.raises(KeyError):
        Budget(5.0).run(lambda: {}["x"])
    assert (overdue(), signal.getsignal(signal.SIGINT)) == (0.0, handler)


class Slow:
    """Takes its time to go, and what is raised there is swallowed: Python tells it and goes on."""

    def __del__(self):
        busy(0.5)


def collected(*_):
    busy(0.3)


def busy(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def in_a_destructor():
    Slow()
    busy(3 * LATE_S)


def in_a_callback_of_the_collector():
    gc.callbacks.append(collected)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(collected)
    busy(3 * LATE_S)


@pytest.mark.parametrize("work", [in_a_destructor, in_a_callback_of_the_collector])
def test_where_python_swallows_it_it_is_raised_again(work, monkeypatch):
    swallowed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: swallowed.append(one.exc_type))
    _, spent, _ = timed(Budget(0.2, 0), work)
    assert spent < 0.2 + LATE_S
    assert Overrun in swallowed
    assert not issubclass(Overrun, Exception)  # no handler of errors takes it


def test_memory_is_given_back():
    before = held_memory()
    _, _, fault = timed(Budget(30, 100), greedy)
    assert "100 MiB" in fault.what
    assert held_memory() - before < 60 * 2**20


def test_what_comes_in_time_comes_back_and_no_limit_is_no_watch():
    names = {thread.name for thread in threading.enumerate()}
    assert Budget(0, 0).run(lambda: {thread.name for thread in threading.enumerate()}) == names
    budget = Budget(5, 100)
    assert budget.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        budget.run(lambda: 1 // 0)
    timed(Budget(0.1, 0), forever)
    assert budget.run(lambda: 8) == 8


def test_nothing_of_it_is_left_when_work_ends_at_the_limit():
    """Work that ends just when it is broken off: either comes out, and nothing is raised afterwards."""
    for number in range(30):
        until = time.monotonic() + 0.03
        budget = Budget(0.02 + number % 6 * 0.004, 0)

        def work(until=until):
            while time.monotonic() < until:
                pass

        with suppress(OverBudget):
            budget.run(work)
        for _ in range(1_000):
            pass


PROFILED = """
import sys
from contextlib import suppress
from titm_rules.service.budget import Budget, OverBudget

def forever():
    while True:
        pass

with suppress(OverBudget):
    Budget(0.05, 0).run(forever)
sys.setprofile(lambda *_: None)
(lambda: None)()
"""


def test_a_profiler_can_look_at_what_comes_after_it():
    """Python 3.11 hung, as it does after an exception that was to be raised in a thread and was cancelled."""
    subprocess.run([sys.executable, "-c", PROFILED], check=True, timeout=60)


def test_several_threads_are_watched_apart():
    found = []

    def one(budget, work):
        try:
            found.append(budget.run(work))
        except OverBudget:
            found.append("over")

    def short():
        time.sleep(0.3)
        return "done"

    threads = [threading.Thread(target=one, args=pair) for pair in ((Budget(0.1, 0), forever), (Budget(60, 0), short))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == ["done", "over"]


def test_an_import_is_not_interrupted(tmp_path, monkeypatch):
    """Half a module would stay, and those who import it would wait for it."""
    (tmp_path / "slow_to_import.py").write_text(
        "import time\nuntil = time.monotonic() + 0.5\nwhile time.monotonic() < until:\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def work():
        import_module("slow_to_import")
        forever()

    took, spent, _ = timed(Budget(0.1, 0), work)
    assert took >= 0.5
    assert spent < 0.5 + LATE_S
    assert sys.modules.pop("slow_to_import").until


def test_work_that_an_import_began_is_interrupted(tmp_path, monkeypatch):
    """A script may ask an oracle while it is itself imported."""
    (tmp_path / "asks_while_imported.py").write_text(
        f"from {__name__} import forever, timed, Budget\nfound = timed(Budget(0.1, 0), forever)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert import_module("asks_while_imported").found


def test_work_that_nobody_wants_is_not_begun():
    begun = []
    with pytest.raises(Cancelled) as caught:
        Budget(60, 0, lambda: False).run(lambda: begun.append(1))
    assert (caught.value.faults[0].kind, begun) == ("cancelled", [])


@pytest.mark.parametrize("limits", [(60, 0), (0, 0)])
def test_work_that_nobody_wants_any_longer_is_interrupted(limits):
    wanted = threading.Event()
    wanted.set()
    threading.Timer(0.2, wanted.clear).start()
    spent = time.process_time()
    with pytest.raises(Cancelled):
        Budget(*limits, wanted.is_set).run(forever)
    assert time.process_time() - spent < 0.2 + LATE_S
    assert overdue() == 0


def test_work_that_does_not_let_itself_be_interrupted_is_overdue():
    late = []
    ended = threading.Event()

    def look():
        while not ended.wait(0.05):
            late.append(overdue())

    looking = threading.Thread(target=look)
    looking.start()
    with pytest.raises(OverBudget):
        Budget(0.2, 0).run(lambda: time.sleep(1.5))  # a call into C
    ended.set()
    looking.join()
    assert 0.3 < max(late) < 30
    assert overdue() == 0
