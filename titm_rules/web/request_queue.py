"""The thread that answers: one request after another, and so many waiting at most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from titm_rules.diagnostics import Fault, InputError

T = TypeVar("T")
MOST_WAITING = 64


class Worker:
    """Does the work of requests in one thread, in the order in which they came.

    More threads would answer no sooner, as only one of them runs at a time, and what a request takes could not be told
    apart. Who wants more starts more processes.
    """

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._most_waiting = most_waiting
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, "titm-answers")

    async def do(self, work: Callable[[], T]) -> T:
        """Do some work when its turn has come.

        Raises:
            InputError: of kind `busy` if too many wait already.
        """
        if self._waiting >= self._most_waiting:
            why, fix = f"{self._waiting} requests wait already", "ask again in a few seconds"
            raise InputError([Fault("the server is busy", "$", why, fix, kind="busy")])
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1
