"""Editions that are watched: which clauses a question looks at, and what it says without one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from titm_rules.engines.reference.brute_force import ReferenceEngine
from titm_rules.engines.reference.evaluate import ReferenceEvaluator
from titm_rules.ir.model import Lift, Model, Statement
from titm_rules.oracle.edition import Edition
from titm_rules.world.world import World


@dataclass
class Seen:
    """The clauses of which a sentence was looked at, and those of which one held; `looks` counts the sentences."""

    evaluated: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    looks: int = 0

    def note(self, clause: str, held: bool) -> None:
        self.looks += 1
        self.evaluated.add(clause)
        if held:
            self.held.add(clause)


class RecordingEvaluator(ReferenceEvaluator):
    """Notes every sentence that is looked at."""

    def __init__(self, engine: RecordingEngine, seen: Seen) -> None:
        super().__init__(engine.model, engine.world, engine.trace, engine.reach, engine.result)
        self.seen = seen

    def holds(self, sentence: Statement | Lift, env: Mapping[str, Any]) -> bool:
        found = super().holds(sentence, env)
        self.seen.note(sentence.clause, found)
        return found


class RecordingEngine(ReferenceEngine):
    """The reference interpreter with a recording evaluator."""

    def __init__(self, model: Model, world: World, seen: Seen) -> None:
        super().__init__(model, world)
        self.seen = seen
        self.evaluator = RecordingEvaluator(self, seen)

    def at(self, world: World) -> RecordingEngine:
        return RecordingEngine(self.model, world, self.seen)


@dataclass(frozen=True, eq=False)
class RecordingEdition(Edition):
    """An edition whose every engine records."""

    seen: Seen = field(default_factory=Seen)

    def engine_for(self, model: Model, world: World) -> RecordingEngine:
        return RecordingEngine(model, world, self.seen)


@dataclass(frozen=True, eq=False)
class EditionWithout(Edition):
    """An edition in which one clause says nothing."""

    clause: str = ""

    @cached_property
    def model(self) -> Model:
        return self._base.with_readings(self.readings).without_clause(self.clause)
