"""A worker process: `python -m titm_rules.web.worker` does the work of requests, one after another.

Its main thread works. A second one hears what comes meanwhile: that work is cancelled, the question whether there is
progress, and the end of the server, with which the process ends.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import BinaryIO

from titm_rules.diagnostics import SYSTEM_FAILURES, TitmError
from titm_rules.service.budget import overdue
from titm_rules.service.position_cache import PositionCache, PositionText
from titm_rules.service.protocol import Oracle
from titm_rules.web import library, messages
from titm_rules.web.routes import HttpAnswer, Routes

UNBOUNDED_S = 60.0  # work that no budget bounds, such as reading a body, is late after this time
SEEN_BYTES = 16 * 1024 * 1024  # of texts of positions; the server keeps more


class Worker:
    """Hears the server on one stream and answers it on another."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        settings = messages.read_message(requests)
        assert isinstance(settings, messages.Settings)
        self._requests, self._replies = requests, replies
        self._lock = threading.Lock()  # of the replies
        self._tasks: queue.SimpleQueue[messages.WorkItem] = queue.SimpleQueue()
        self._cancelled = 0  # the number of the task that nobody waits for
        self._number = 0
        self._begun = 0.0  # the task that is worked on; 0: none
        self._positions: list[PositionText] = []
        budget = replace(settings.budget, is_wanted=lambda: self._number != self._cancelled)
        oracle = Oracle(settings.engine, budget)
        oracle.seen = self._seen = PositionCache(SEEN_BYTES, on_keep=self._positions.append)
        self._routes = Routes(oracle)
        seconds = settings.budget.seconds
        self._most_s = UNBOUNDED_S + seconds if seconds else float("inf")

    def run(self) -> None:
        threading.Thread(target=self._hear, name="titm-server", daemon=True).start()
        warming = self._warming()
        while True:
            try:
                task = self._tasks.get_nowait()
            except queue.Empty:
                if next(warming, None) is not None:
                    continue
                task = self._tasks.get()
            self._do(task)

    def _warming(self) -> Iterator[bool]:
        """Load what a page asks for first, a piece at a time, so that requests which come meanwhile are answered.

        Those who ask for what cannot be loaded get the error.
        """
        works: list[Callable[[], object]] = []
        with suppress(TitmError, *SYSTEM_FAILURES):
            works = library.first_asked()
        for work in works:
            with suppress(TitmError, *SYSTEM_FAILURES):
                work()
            yield True

    def _do(self, task: messages.WorkItem) -> None:
        self._number, self._begun = task.number, time.monotonic()
        answer = self._answer(task)
        positions = tuple(self._positions)
        self._positions.clear()
        self._begun = 0.0
        self._send(messages.Reply(answer, task.number, positions))

    def _answer(self, task: messages.WorkItem) -> HttpAnswer:
        for position in task.positions:
            self._seen.learn(position)
        return self._routes.do(task.name, *task.arguments)

    def _hear(self) -> None:
        while True:
            try:
                message = messages.read_message(self._requests)
            except (EOFError, OSError):
                os._exit(0)  # the main thread may be anywhere, and holds nothing that has to be put away
            if isinstance(message, messages.WorkItem):
                self._tasks.put(message)
            elif isinstance(message, messages.Cancel):
                self._cancelled = message.number
            elif isinstance(message, messages.Ping):
                begun = self._begun
                self._send(messages.Pong(max(overdue(), time.monotonic() - begun - self._most_s if begun else 0.0)))

    def _send(self, message: object) -> None:
        with self._lock, suppress(OSError):  # the server is gone: the other thread ends the process
            self._replies.write(messages.pack(message))
            self._replies.flush()


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the group of the server, which gives its workers time
        signal.signal(number, signal.SIG_IGN)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what is printed goes to standard error
    with suppress(EOFError):
        Worker(requests, replies).run()


if __name__ == "__main__":
    main()
