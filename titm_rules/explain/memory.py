"""An evaluator that remembers what definitions come to: reasons ask the same of one situation again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from titm_rules.rules.model import Head, Statement
from titm_rules.world.evaluate import PICKS, Env, Evaluator

Watched = tuple[Head, Env, list[Statement]]


@dataclass
class Remembering(Evaluator):
    """Evaluates each definition once for the same arguments; who watches is told each time.

    What a route was asked for is not remembered, as traces may be collected on the way.
    """

    _known: dict[Any, tuple[Any, list[Any], list[Watched]]] = field(default_factory=dict)
    _traced: bool = False

    def call(self, key: str, args: list[Any], env: Env) -> Any:
        """Ask a definition, or a form for its result."""
        if self.model.heads[key].mode == "route":
            self._traced = True
            return super().call(key, args, env)
        named = (key, *map(name_of, args), frozenset(env[PICKS].items()) if PICKS in env else None)
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

    def _observed(self, work: Callable[[], Any]) -> tuple[Any, list[Any], list[Watched]]:
        """Do something; give its result, what was looked at, and the heads that were decided on the way."""
        looked: list[Any] = []
        watched: list[Watched] = []
        outer = self.looked_at, self.watch
        self.looked_at, self.watch = looked, lambda head, env, alive: watched.append((head, env, alive))
        try:
            return work(), looked, watched
        finally:
            self.looked_at, self.watch = outer


def name_of(value: Any) -> Any:
    """Give what stands for a value among arguments: lists by their members, all else by itself."""
    return tuple(value) if isinstance(value, list) else value
