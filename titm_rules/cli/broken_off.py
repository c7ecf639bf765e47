"""Work that is broken off from outside: what is told then, and what stays of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from titm_rules.cli.terminal import echo


class Terminated(KeyboardInterrupt):
    """The process was asked to end; it does so as after Ctrl+C, with an exit code of its own."""


@contextmanager
def telling(what_stays: Callable[[], str]) -> Iterator[None]:
    """Let work that is broken off be wound up, and say on standard error what stays of it.

    Whoever is asked to end (SIGTERM) ends at once by default, and leaves workers and temporary folders behind.
    """
    if threading.current_thread() is not threading.main_thread():  # no other one can catch signals
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except KeyboardInterrupt:
        echo(f"titm: broken off; {what_stays()}", to_error=True)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise Terminated
