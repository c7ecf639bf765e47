"""The worker processes of the server, and the queue of the work for them.

A process does one piece of work at a time, so the cost of each request can be measured, and a process that does not let
itself be interrupted can be killed: the server goes on, and starts another.

Queuing is fair: every address has a line of its own, and the lines are served in turn (Nagle, RFC 970). A full queue
drops the last of the longest line, so that no address holds places that others need.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import sys
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from titm_rules.diagnostics import Fault, InputError
from titm_rules.service.position_cache import PositionText, Texts
from titm_rules.web import messages
from titm_rules.web.routes import HttpAnswer, error_of, refused

# ---------------------------------------------------------------------- queue
T = TypeVar("T")


class Full(Exception):
    """The queue is full; `is_own` says that the address has its share, and others wait too."""

    def __init__(self, is_own: bool) -> None:
        self.is_own = is_own


class FairQueue(Generic[T]):
    """Keeps what waits, by address, in a number of places; not for several threads.

    An address that is alone may take every place. As others come, it gives places up to them, the last first, until it
    has no more than they have.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()  # the next to be served first; none is empty
        self._length = 0
        self._served = ""  # the address whose turn it was: those who come during its turn come before its next one

    def __len__(self) -> int:
        return self._length

    def put(self, address: str, item: T) -> T | None:
        """Let an item wait; give the one that loses its place. Raises `Full` if no other address has more places."""
        dropped = None
        if self._length >= self._places:
            held = len(self._lines.get(address, ()))
            longest = max(self._lines, key=lambda name: len(self._lines[name]), default=address)
            if len(self._lines.get(longest, ())) <= held + 1:
                raise Full(is_own=held > 0 and len(self._lines) > 1)
            dropped = self._lines[longest][-1]
            self.remove(longest, dropped)
        self._lines.setdefault(address, deque()).append(item)
        self._length += 1
        return dropped

    def take(self) -> tuple[str, T]:
        """Take the first item of the line whose turn it is; a `LookupError` if nothing waits."""
        if self._served in self._lines:
            self._lines.move_to_end(self._served)
        address, line = next(iter(self._lines.items()), ("", None))
        if line is None:
            raise LookupError("nothing waits")
        self._served = address
        item = line[0]
        self.remove(address, item)
        return address, item

    def remove(self, address: str, item: T) -> None:
        """Take an item out, wherever in its line it stands; one that does not wait is left alone."""
        line = self._lines.get(address)
        if line is None or item not in line:
            return
        line.remove(item)
        self._length -= 1
        if not line:
            del self._lines[address]


# ---------------------------------------------------------------------- processes
MOST_WAITING = 64
TICK_S = 1.0  # so often every process is asked whether it makes progress
START_S = 60.0  # so long a process may take to answer for the first time
SILENT_S = 60.0  # and so long later, where a request has no limit of time
LATE_S = 5.0  # a process that runs on for so long after its work should have ended is killed
HEALTH_S = 5.0  # the question for health waits so long for processes that are about to start
AGAIN_S = 1.0  # between two starts of a process that does not live
END_S = 2.0  # a process that was killed has gone by then
CLIENT_GONE = 499
COMMAND = (sys.executable, "-P", "-m", "titm_rules.web.worker")
MOST_REFS, MOST_ADDRESSES = 4, 1_000
_REF = re.compile(rb'"ref"\s*:\s*"([0-9A-Za-z]{1,64})"')


@dataclass(eq=False)
class Job:
    """Work that an address waits for; `reply` is set once, whatever happens."""

    task: messages.WorkItem
    address: str
    reply: asyncio.Future[messages.Reply]
    worker: _Worker | None = None

    def settle(self, reply: messages.Reply) -> None:
        if not self.reply.done():
            self.reply.set_result(reply)


class Pool:
    """Does work in processes, for the loop that started it; `most_waiting` pieces of work wait at most."""

    def __init__(
        self, settings: messages.Settings | None = None, workers: int = 1, most_waiting: int = MOST_WAITING
    ) -> None:
        self.settings = settings or messages.Settings()
        self._workers = [_Worker(self) for _ in range(workers)]
        self._queue: FairQueue[Job] = FairQueue(most_waiting)
        self._texts = Texts()
        self._last: dict[str, _Worker] = {}
        self._numbers = itertools.count(1)
        self._lives: list[asyncio.Task[None]] = []
        self._ticks: asyncio.Task[None] | None = None
        self.has_ended = False

    @property
    def processes(self) -> list[int]:
        return [worker.process.pid for worker in self._workers if worker.process is not None]

    # ---------------------------------------------------------------------- life
    def start(self) -> None:
        self._lives = [asyncio.create_task(worker.run()) for worker in self._workers]
        self._ticks = asyncio.create_task(self._tick())

    async def end(self, grace_s: float = 0) -> None:
        """Refuse what waits, give what is worked on some seconds, and end the processes; a second call ends them."""
        self.has_ended = True
        while len(self._queue):
            self._queue.take()[1].settle(_ending())
        if replies := [worker.job.reply for worker in self._workers if worker.job is not None]:
            await asyncio.wait(replies, timeout=grace_s)
        for worker in self._workers:
            worker.kill(_ending())
        if self._ticks is not None:
            self._ticks.cancel()
        if self._lives:
            await asyncio.wait(self._lives, timeout=END_S)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            for worker in self._workers:
                worker.look()

    # ---------------------------------------------------------------------- work
    def put(self, address: str, name: str, *arguments: str | bytes) -> Job:
        """Let work wait for its turn; an `InputError` of kind `busy` or `too-many` if too much waits already."""
        job = Job(
            messages.WorkItem(next(self._numbers), name, arguments), address, asyncio.get_running_loop().create_future()
        )
        if self.has_ended:
            raise _busy("busy", "it ends")
        try:
            dropped = self._queue.put(address, job)
        except Full as full:
            if full.is_own:
                raise _busy("too-many", "too many requests of this address wait already") from None
            raise _busy("busy", f"{len(self._queue)} requests wait already") from None
        if dropped is not None:
            dropped.settle(_refusal("too-many", "too many requests of this address wait", "ask again in a few seconds"))
        self.dispatch()
        return job

    def cancel(self, job: Job) -> None:
        """Drop work that nobody waits for, or interrupt it."""
        job.settle(messages.Reply(HttpAnswer(CLIENT_GONE, "", b"", {})))
        if job.worker is None:
            self._queue.remove(job.address, job)
        else:
            job.worker.cancel(job)

    def dispatch(self) -> None:
        while len(self._queue) and (idle := [worker for worker in self._workers if worker.is_idle]):
            address, job = self._queue.take()
            last = self._last.get(address)  # it has worked out this address's position
            worker = last if last is not None and last in idle else idle[0]
            if len(self._last) >= MOST_ADDRESSES:
                self._last.clear()
            self._last[address] = worker
            worker.give(job, tuple(self._positions_for(job.task)))

    def keep(self, texts: tuple[PositionText, ...]) -> None:
        """Keep the positions that a process has seen, for the others and for the one that comes after it."""
        for text in texts:
            self._texts.put(text)

    def _positions_for(self, task: messages.WorkItem) -> Iterator[PositionText]:
        for argument in task.arguments:
            if isinstance(argument, bytes):
                for found in itertools.islice(_REF.finditer(argument), MOST_REFS):
                    for text in self._texts.of_digest(found[1].decode("ascii")):
                        self._texts.put(text)
                        yield text

    # ---------------------------------------------------------------------- health
    async def health(self) -> dict[str, int]:
        """Count the processes, those that make progress, and what waits; wait for a process that is about to start."""
        until = asyncio.get_running_loop().time() + HEALTH_S
        while any(worker.is_starting for worker in self._workers) and asyncio.get_running_loop().time() < until:
            if any(worker.is_well for worker in self._workers):
                break
            await asyncio.sleep(0.05)
        well = sum(worker.is_well for worker in self._workers)
        return {"workers": len(self._workers), "well": well, "waiting": len(self._queue)}


class _Worker:
    """One process at a time, and the job that it works on."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.process: asyncio.subprocess.Process | None = None
        self.job: Job | None = None
        self._forget()

    def _forget(self) -> None:
        self._has_answered = False
        self._asked_at = 0.0  # the first ping that is not answered; 0: none
        self._late_s = 0.0
        self._is_killed = False
        self._parting: messages.Reply | None = None  # to the job of a process that is about to end

    # ---------------------------------------------------------------------- state
    @property
    def is_idle(self) -> bool:
        return self.process is not None and self.job is None and self._parting is None

    @property
    def is_starting(self) -> bool:
        """Whether it has not answered yet, and may still do so."""
        return not self._has_answered and self._silent_s < START_S

    @property
    def is_well(self) -> bool:
        return self._has_answered and self._late_s <= TICK_S and self._silent_s <= self._patience_s

    @property
    def _patience_s(self) -> float:
        """Seconds for which the process may be silent: the longest call into C that a request may make."""
        return (self.pool.settings.budget.seconds or SILENT_S) if self._has_answered else START_S

    @property
    def _silent_s(self) -> float:
        return asyncio.get_running_loop().time() - self._asked_at if self._asked_at else 0.0

    # ---------------------------------------------------------------------- life
    async def run(self) -> None:
        while not self.pool.has_ended:
            begun = asyncio.get_running_loop().time()
            self._forget()
            with suppress(OSError, EOFError):
                await self._live()
            if asyncio.get_running_loop().time() - begun < AGAIN_S and not self.pool.has_ended:
                await asyncio.sleep(AGAIN_S)

    async def _live(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(*COMMAND, stdin=pipe, stdout=pipe, env=environment)
        assert self.process.stdout is not None
        try:
            self._send(self.pool.settings)
            self.look()
            self.pool.dispatch()
            while not self.pool.has_ended or self.job is not None:
                self._hear(await messages.receive_message(self.process.stdout))
        except EOFError:
            self._part(_refusal("lost", "the process that worked on it has ended", "ask again"))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), END_S)
        finally:
            self.kill(_ending())
            process, self.process = self.process, None
            await process.wait()

    def kill(self, parting: messages.Reply) -> None:
        self._part(parting)
        if self.process is not None and self.process.returncode is None and not self._is_killed:
            self._is_killed = True  # once: a second call could take the exit code that asyncio waits for
            with suppress(ProcessLookupError):
                self.process.kill()

    def _part(self, parting: messages.Reply) -> None:
        self._parting = self._parting or parting
        if self.job is not None:
            self.job.settle(self._parting)
            self.job = None

    def look(self) -> None:
        """Ask the process whether it makes progress; kill it if it has not made any for too long."""
        if self.process is None:
            return
        if self._late_s > LATE_S or self._silent_s > self._patience_s + LATE_S:
            self.kill(_refusal("too-large", "the question takes too long", "ask about less"))
            return
        self._asked_at = self._asked_at or asyncio.get_running_loop().time()
        self._send(messages.Ping())

    # ---------------------------------------------------------------------- messages
    def give(self, job: Job, positions: tuple[PositionText, ...]) -> None:
        self.job, job.worker = job, self
        self._send(messages.WorkItem(job.task.number, job.task.name, job.task.arguments, positions))

    def cancel(self, job: Job) -> None:
        if self.job is job:
            self._send(messages.Cancel(job.task.number))

    def _send(self, message: object) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(messages.pack(message))  # what a process that is gone does not take is lost with it

    def _hear(self, message: object) -> None:
        if isinstance(message, messages.Pong):
            self._has_answered, self._asked_at, self._late_s = True, 0.0, message.late_s
        elif isinstance(message, messages.Reply) and self.job is not None and self.job.task.number == message.number:
            job, self.job = self.job, None
            self.pool.keep(message.positions)
            job.settle(message)
            self.pool.dispatch()


# ---------------------------------------------------------------------- refusals
def _busy(kind: str, why: str) -> InputError:
    return InputError([Fault("the server is busy", "$", why, "ask again in a few seconds", kind=kind)])


def _ending() -> messages.Reply:
    return _refusal("busy", "the server ends", "ask again later")


def _refusal(kind: str, message: str, fix: str) -> messages.Reply:
    return messages.Reply(refused(error_of(kind, message, fix)))
