"""The yardstick with an onlooker: it notes which of some sentences hold while it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.engines.naive.evaluate import NaiveEvaluator
from titm_rules.engines.naive.interpreter import NaiveEngine
from titm_rules.rules.model import Lift, Model, Statement
from titm_rules.world.world import World


class WatchedEngine(NaiveEngine):
    """The naive engine, which looks at every sentence.

    Attributes:
        watched: clauses by the identity of their sentences.
        seen: the clauses of which a watched sentence has held; it is added to.
    """

    def __init__(self, model: Model, world: World, watched: Mapping[int, str], seen: set[str]) -> None:
        super().__init__(model, world)
        self.watched, self.seen = watched, seen
        self.evaluator = _WatchedEvaluator(self)

    def elsewhere(self, world: World) -> WatchedEngine:
        """Give an engine of the same rules for another world."""
        return WatchedEngine(self.model, world, self.watched, self.seen)


class _WatchedEvaluator(NaiveEvaluator):
    """Notes the sentences that hold."""

    def __init__(self, engine: WatchedEngine) -> None:
        super().__init__(engine.model, engine.world, engine.trace, engine.reach, engine.result)
        self.watched, self.seen = engine.watched, engine.seen

    def holds(self, sentence: Statement | Lift, env: Mapping[str, Any]) -> bool:
        """Whether the condition of a sentence is true."""
        found = super().holds(sentence, env)
        if found and id(sentence) in self.watched:
            self.seen.add(self.watched[id(sentence)])
        return found
