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
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, BinaryIO

from pydantic import Discriminator, Field, Tag
from starlette.responses import Response

from titm_rules.catalog import default_game
from titm_rules.diagnostics import TitmError
from titm_rules.formats.record_schemas import TAG, validate_as
from titm_rules.oracle.position import Position
from titm_rules.render.pictures import render_board
from titm_rules.service.budget import overdue
from titm_rules.service.capabilities import reply_schemas
from titm_rules.service.position_cache import PositionCache, PositionText
from titm_rules.service.protocol import Oracle, error_record, parse_line
from titm_rules.service.records import Json, Name, StrictRecord
from titm_rules.web import library, messages

# ---------------------------------------------------------------------- bodies of the routes that are not questions
_Form = Discriminator(lambda value: f"{TAG}text" if isinstance(value, str) else f"{TAG}object")


class Shown(StrictRecord):
    """A position that is to be drawn, and its rules; `placed` says whether its places are laid out."""

    game: Name
    edition: Name
    overlays: Annotated[tuple[Name, ...], Field(max_length=8, strict=False)] = ()
    situation: Name = "position"
    placed: bool = True
    position: Annotated[Annotated[str, Tag(f"{TAG}text")] | Annotated[Json, Tag(f"{TAG}object")], _Form]

    def made(self) -> Position:
        rules = library.shipped_rules(self.game, self.edition, self.overlays)
        if isinstance(self.position, str):
            return Position.from_notation(self.position, rules, "$.position", self.situation)
        return Position.from_dict(self.position, rules, self.situation)


def board(body: bytes) -> library.PositionShown:
    """Check a position that was sent; give it back as it is kept, and where its places are drawn."""
    asked = validate_as(Shown, parse_line(body), "$")
    position = asked.made()
    told: library.PositionShown = {
        "position": position.to_dict(), "situation": position.situation, "summary": dict(position.summary),
    }  # fmt: skip
    return {**told, "board": library.board(position)} if asked.placed else told


def picture(body: bytes) -> Response:
    return Response(render_board(validate_as(Shown, parse_line(body), "$").made()), media_type=messages.SVG)


@lru_cache(maxsize=library.KEPT)
def schemas(game: str) -> Json:
    return reply_schemas(library.checked_game(game or default_game()))


# ---------------------------------------------------------------------- work
UNBOUNDED_S = 60.0  # work that no budget bounds, such as reading a body, is late after this time
SEEN_BYTES = 16 * 1024 * 1024  # of texts of positions; the server keeps more
WORKS: Mapping[str, Callable[..., object]] = {
    "board": board, "picture": picture, "schemas": schemas, **{work.__name__: work for _, _, work, _ in library.SHELVES}
}  # fmt: skip


def _response(found: object) -> Response:
    return found if isinstance(found, Response) else messages.Told(found)


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
        self._oracle = Oracle(settings.engine, budget)
        self._oracle.seen = PositionCache(SEEN_BYTES, on_keep=self._positions.append)
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
        """Load what a page asks for first, a piece at a time, so that requests which come meanwhile are answered."""
        for work in library.first_asked():
            with suppress(TitmError):
                work()
            yield True

    def _do(self, task: messages.WorkItem) -> None:
        self._number, self._begun = task.number, time.monotonic()
        response = self._answer(task)
        positions = tuple(self._positions)
        self._positions.clear()
        self._begun = 0.0
        self._send(messages.Reply.of(response, task.number, positions))

    def _answer(self, task: messages.WorkItem) -> Response:
        for position in task.positions:
            self._oracle.seen.learn(position)
        try:
            if task.name == "ask":
                told = self._oracle.answer(*task.arguments)  # it keeps the budget itself
                return messages.Told(told) if told["ok"] else messages.refused(told["error"], told["id"])
            return self._oracle.within_budget(lambda: _response(WORKS[task.name](*task.arguments)))
        except TitmError as error:
            return messages.refused(error_record(error))
        except Exception:
            traceback.print_exc()  # what went wrong is shown on standard error, and not to strangers
            return messages.refused(messages.BUG)

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
