"""Answers with a note of the readings that they ask for: no other reading can change them."""

from __future__ import annotations

from collections import defaultdict
from typing import Self

from titm_rules.engines.compiled.engine import PROGRAM, CompiledEngine
from titm_rules.engines.compiled.incremental import MemoTable
from titm_rules.engines.compiled.partial_eval import PartialEvaluator
from titm_rules.engines.compiled.program import Program, program_of
from titm_rules.ir.dependencies import FieldOf
from titm_rules.ir.model import Model
from titm_rules.ir.terms import CHOSEN, Apply, Compare, Const, Term
from titm_rules.ir.types import FLAG, TEXT
from titm_rules.world.records import Situation
from titm_rules.world.world import World


class ReadingTrackingEngine(CompiledEngine):
    """Answers for one world, and notes the `readings` that it is asked for; it takes nothing over from before."""

    readings: set[str]

    def __init__(self, model: Model, world: World, readings: set[str] | None = None) -> None:
        self.readings = set[str]() if readings is None else readings
        super().__init__(model, world)

    def chosen(self, name: str) -> str:
        self.readings.add(name)
        return self.model.reading(name)

    def at(self, world: World) -> Self:
        return type(self)(self.model, world, self.readings)

    def _program(self) -> Program:
        return tracking_program(self.model)

    def _of(self, world: World) -> CompiledEngine:
        return self.at(world)

    def _take_over(self, _root: Situation, _changed: frozenset[FieldOf] | None) -> None:
        """Take nothing over: an earlier result would not ask for the readings that it depends on."""

    def _installed(self) -> CompiledEngine | None:
        self.root.memo_ = defaultdict(dict, {PROGRAM: self.program})
        self.root.engine_ = self
        return None


def tracking_program(model: Model) -> TrackingProgram:
    plain = program_of(model)
    while plain.base is not None:
        plain = plain.base
    found: TrackingProgram | None = plain.others.get(TrackingProgram)
    if found is None:
        found = plain.others[TrackingProgram] = TrackingProgram(plain)
    return found


class TrackingProgram(Program):
    """The program of some rules under whatever readings, which its functions ask the engine for.

    What depends on no reading is that of a plain program. All else takes the same way through the rules, whatever is
    chosen, up to the first reading that it asks for and that is chosen otherwise. Nothing that asks for a reading is
    worked out beforehand or kept with the board, for its users would then ask for none.
    """

    def __init__(self, plain: Program) -> None:
        super().__init__(plain.model, plain)
        self.folder = _OpenReading(plain.model)
        self.carried = MemoTable()
        self.unsettled = frozenset(name for name, one in plain.model.readings.items() if len(one.offered) > 1)
        self._differing = self.unsettled


class _OpenReading(PartialEvaluator):
    """Folds terms, and leaves the readings in them that can be chosen otherwise."""

    def reading_test(self, name: str, choice: str, wanted: bool) -> Term:
        """Ask for a reading while an answer is worked out."""
        if len(self.model.readings[name].offered) < 2:
            return super().reading_test(name, choice, wanted)
        return Compare("==" if wanted else "!=", Apply(CHOSEN, (Const(name, TEXT),), TEXT), Const(choice, TEXT), FLAG)
