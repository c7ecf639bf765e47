"""The positions that a process has seen, by digest and by what made them: as many as fit into a bounded memory."""

from __future__ import annotations

import json
import marshal
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

from titm_rules.diagnostics import Fault, InputError, cut
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

MAX_KEPT_BYTES = 64 * 1024 * 1024
MAX_READY = 16
MAX_READY_BYTES = 8 * 1024 * 1024  # of text; what is worked out of a position takes many times that
_Given = tuple[bytes, Edition]


@dataclass(frozen=True)
class PositionText:
    """A position as text, from which any process can make it again."""

    game: str
    digest: str
    situation: str
    packed: bytes  # by zlib: a third of the text or less
    length: int

    @classmethod
    def of(cls, game: str, digest: str, situation: str, text: str) -> Self:
        raw = text.encode()
        return cls(game, digest, situation, zlib.compress(raw, 1), len(raw))

    @property
    def text(self) -> str:
        return zlib.decompress(self.packed).decode()


class Texts:
    """Keeps the texts of positions by game and digest, within a number of bytes; the oldest use goes first."""

    def __init__(self, most_bytes: int = MAX_KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._texts: OrderedDict[tuple[str, str], PositionText] = OrderedDict()
        self._games: set[str] = set()
        self._bytes = 0

    def find(self, game: str, digest: str) -> PositionText | None:
        return self._texts.get((game, digest))

    def of_digest(self, digest: str) -> list[PositionText]:
        return [found for game in self._games if (found := self.find(game, digest)) is not None]

    def put(self, given: PositionText) -> None:
        key = given.game, given.digest
        if key not in self._texts:
            self._texts[key] = given
            self._games.add(given.game)
            self._bytes += len(given.packed)
        self._texts.move_to_end(key)
        while self._bytes > self._most_bytes and len(self._texts) > 1:
            _, gone = self._texts.popitem(last=False)
            self._bytes -= len(gone.packed)


class PositionCache:
    """Keeps positions as text, and the last few as they are; the ones not asked for longest go first.

    Args:
        most_bytes: of the texts, packed.
        most_ready: so many positions are kept as they are, with all that was worked out of them.
        most_ready_bytes: of the texts of those; the last one stays, however long.
        on_keep: receives each text that is new here.
    """

    def __init__(
        self, most_bytes: int = MAX_KEPT_BYTES, most_ready: int = MAX_READY, most_ready_bytes: int = MAX_READY_BYTES,
        on_keep: Callable[[PositionText], None] | None = None,
    ) -> None:  # fmt: skip
        self._most_ready, self._most_ready_bytes = most_ready, most_ready_bytes
        self._on_keep = on_keep
        self._texts = Texts(most_bytes)
        self._ready: OrderedDict[tuple[str, Edition], Position] = OrderedDict()
        self._given: OrderedDict[_Given, tuple[Position, int]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, position: Position) -> str:
        game, digest = position.edition.game, position.digest
        with self._lock:
            known = self._texts.find(game, digest)
            text = known or PositionText.of(game, digest, position.situation, position.to_json())
            self._texts.put(text)
            self._ready[position.digest, position.edition] = position
            self._ready.move_to_end((position.digest, position.edition))
            while len(self._ready) > 1 and self._are_too_many(map(self._length, self._ready)):
                self._ready.popitem(last=False)
        if known is None and self._on_keep is not None:
            self._on_keep(text)
        return digest

    def learn(self, text: PositionText) -> None:
        with self._lock:
            self._texts.put(text)

    def _length(self, key: tuple[str, Edition]) -> int:
        found = self._texts.find(key[1].game, key[0])
        return found.length if found is not None else 0

    def _are_too_many(self, lengths: Iterable[int]) -> bool:
        found = list(lengths)
        return len(found) > self._most_ready or sum(found) > self._most_ready_bytes

    def find(self, digest: str, edition: Edition, path: str) -> Position:
        """Find a position by its digest; an error of kind `unknown-position` if it was not seen, or is forgotten."""
        with self._lock:
            found = self._ready.get((digest, edition))
            known = self._texts.find(edition.game, digest)
        if found is not None:
            return found
        if known is None:
            what = f"no position `{cut(digest)}` is known"
            why = "this process has not seen it, or has forgotten it"
            raise InputError([Fault(what, path, why, "send the position itself", kind="unknown-position")])
        return Position.from_dict(json.loads(known.text), edition, known.situation)

    def made_of(self, given: str | Mapping[str, object], edition: Edition, make: Callable[[], Position]) -> Position:
        """Give the position that is made of a text or of JSON values: the one made of the same before, or a new one."""
        told = _told(given)
        if told is None:
            return make()
        key = told, edition
        with self._lock:
            found, _ = self._given.get(key, (None, 0))
        if found is None or not found.is_current:
            found = make()
        with self._lock:
            self._given[key] = found, len(told)
            self._given.move_to_end(key)
            while len(self._given) > 1 and self._are_too_many(length for _, length in self._given.values()):
                self._given.popitem(last=False)
        return found


def _told(given: object) -> bytes | None:
    """Write values so that only the same of the same types are written alike; nothing if they are none of JSON."""
    try:
        return marshal.dumps(cast(Any, given), 2)  # this version writes the same however the values came to be
    except ValueError:
        return None
