"""The positions that a process has seen, by digest: as many as fit into a bounded memory."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict

from titm_rules.diagnostics import Fault, InputError, cut
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

MAX_KEPT_BYTES = 64 * 1024 * 1024
MAX_READY = 16
_Key = tuple[str, str]


class Seen:
    """Keeps positions as text, and the last few as they are; the ones not asked for longest go first."""

    def __init__(self, most_bytes: int = MAX_KEPT_BYTES, most_ready: int = MAX_READY) -> None:
        self._most_bytes, self._most_ready = most_bytes, most_ready
        self._texts: OrderedDict[_Key, tuple[str, str]] = OrderedDict()
        self._ready: OrderedDict[tuple[str, Edition], Position] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def keep(self, position: Position) -> str:
        """Keep a position; give its digest."""
        key = position.edition.game, position.digest
        with self._lock:
            if key not in self._texts:
                text = position.to_json()
                self._texts[key] = position.situation, text
                self._bytes += len(text)
            self._texts.move_to_end(key)
            while self._bytes > self._most_bytes and len(self._texts) > 1:
                _, (_, gone) = self._texts.popitem(last=False)
                self._bytes -= len(gone)
            self._put_ready(position)
        return position.digest

    def _put_ready(self, position: Position) -> None:
        self._ready[position.digest, position.edition] = position
        self._ready.move_to_end((position.digest, position.edition))
        while len(self._ready) > self._most_ready:
            self._ready.popitem(last=False)

    def find(self, digest: str, edition: Edition, path: str) -> Position:
        """Find a position by its digest, under some rules.

        Raises:
            InputError: of kind `unknown-position` if it was not seen, or is forgotten.
        """
        with self._lock:
            found = self._ready.get((digest, edition))
            situation, text = self._texts.get((edition.game, digest), ("", ""))
        if found is not None:
            return found
        if not text:
            what = f"no position `{cut(digest)}` is known"
            why = "this process has not seen it, or has forgotten it"
            raise InputError([Fault(what, path, why, "send the position itself", kind="unknown-position")])
        return Position.from_dict(json.loads(text), edition, situation)
