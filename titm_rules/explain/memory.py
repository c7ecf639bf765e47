"""An evaluator for reasons: it lets an engine decide where nobody watches, and remembers what it works out itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from titm_rules.rules.model import Head, Statement
from titm_rules.rules.rests import rests_of
from titm_rules.world.evaluate import PICKS, Env, Evaluator

Watched = tuple[Head, Env, list[Statement]]
DECIDED = ("any", "bar", "sum", "value")


class Deciding(Protocol):
    """What is needed of an engine."""

    def decide(self, key: str, env: Env) -> Any:
        """Decide a head."""

    def said(self, key: str, env: Env) -> list[Statement]:
        """List the statements of a head that count."""


@dataclass
class Remembering(Evaluator):
    """Evaluates each definition once for the same arguments; who watches is told each time.

    What a route was asked for is not remembered, as traces may be collected on the way.

    Attributes:
        engine: decides what shows nothing to anybody who watches; nothing: all is evaluated.
        only_lifts: whoever watches looks for heads alone from which exceptions may take something away.
        is_tracing: traces are collected.
    """

    engine: Deciding | None = None
    only_lifts: bool = False
    is_tracing: bool = False
    _known: dict[Any, tuple[Any, list[Any], list[Watched]]] = field(default_factory=dict)
    _traced: bool = False

    def head(self, head: Head, env: Env) -> Any:
        """Decide a head: truth, a sum, or the one value that clauses give."""
        return self._decided(head, env) if self._is_left_to_engine(head) else super().head(head, env)

    def _decided(self, head: Head, env: Env) -> Any:
        """Let the engine decide."""
        assert self.engine is not None
        found = self.engine.decide(head.key, env)
        return list(found) if head.type.kind == "set" and found is not None else found

    def alive(self, head: Head, env: Env) -> Iterator[Statement]:
        """Yield the statements that count."""
        if not self._is_left_to_engine(head):
            return super().alive(head, env)
        assert self.engine is not None
        return iter(self.engine.said(head.key, env))

    def _is_left_to_engine(self, head: Head) -> bool:
        """Whether nobody would see anything of how a head is decided."""
        if self.engine is None or head.mode not in DECIDED or self.model.heads.get(head.key) is not head:
            return False
        if self.watch is None and self.looked_at is None and not self.is_tracing:
            return True
        shows = rests_of(self.model).shown(head.key)
        is_seen = self.watch is not None and (shows.lifts or not self.only_lifts)
        is_found = self.looked_at is not None and shows.finds
        return not (is_seen or is_found or (self.is_tracing and shows.traces))

    def call(self, key: str, args: list[Any], env: Env) -> Any:
        """Ask a definition, or a form for its result."""
        head = self.model.heads[key]
        if self._is_left_to_engine(head):
            inner = {name: arg for (name, _), arg in zip(head.params, args, strict=True)}
            return self._decided(head, {**inner, PICKS: env[PICKS]} if PICKS in env else inner)
        if head.mode == "route":
            self._traced = True
            return super().call(key, args, env)
        seen = self.watch is not None, self.only_lifts, self.looked_at is not None
        named = (key, seen, *map(name_of, args), self._picked(head, env))
        found = self._known.get(named)
        if found is None:
            before, self._traced = self._traced, False
            found = self._observed(lambda: super(Remembering, self).call(key, args, env))
            if not self._traced:
                self._known[named] = found
            self._traced = self._traced or before
        value, looked, watched = found
        if self.looked_at is not None:
            self.looked_at.extend(looked)
        if self.watch is not None:
            for one in watched:
                self.watch(*one)
        return list(value) if isinstance(value, list) else value

    def _picked(self, head: Head, env: Env) -> frozenset[tuple[Any, int]] | None:
        """Give what stands for the picks so far, if a head asks for them."""
        if PICKS not in env or not (head.stateful or rests_of(self.model).of_head(head.key).picks):
            return None
        return frozenset(env[PICKS].items())

    def _observed(self, work: Callable[[], Any]) -> tuple[Any, list[Any], list[Watched]]:
        """Do something; give its result, and to those who watch what was looked at and which heads were decided."""
        looked: list[Any] = []
        watched: list[Watched] = []
        outer = self.looked_at, self.watch
        if self.looked_at is not None:
            self.looked_at = looked
        if self.watch is not None:
            self.watch = lambda head, env, alive: watched.append((head, env, alive))
        try:
            return work(), looked, watched
        finally:
            self.looked_at, self.watch = outer


def name_of(value: Any) -> Any:
    """Give what stands for a value among arguments: lists by their members, all else by itself."""
    return tuple(value) if isinstance(value, list) else value
