"""Answers with a note of the readings that they ask for: no other reading can change them."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field

from titm_rules.engines.compiled.code import FUNCTION
from titm_rules.engines.compiled.engine import PROGRAM, CompiledEngine
from titm_rules.engines.compiled.fold import Folder
from titm_rules.engines.compiled.program import Program, program_of
from titm_rules.rules.model import Model
from titm_rules.rules.terms import Apply, Compare, Const, Term
from titm_rules.rules.types import FLAG, TEXT
from titm_rules.world.world import World

CHOSEN = "chosen"  # the function that generated code asks for a reading


@dataclass
class Notes:
    """The readings that are chosen, and those of them that were asked for."""

    model: Model
    asked: set[str] = field(default_factory=set)


class NotedEngine(CompiledEngine):
    """Answers for one world, and notes the readings that it is asked for; it takes nothing over from before.

    Of several in one thread only the one that was made last may be asked.
    """

    def __init__(self, model: Model, world: World, notes: Notes | None = None) -> None:
        self.notes = Notes(model) if notes is None else notes
        super().__init__(model, world)

    @property
    def readings(self) -> frozenset[str]:
        """The readings that it was asked for so far."""
        return frozenset(self.notes.asked)

    def alike(self, world: World) -> NotedEngine:
        """Make an engine of another world that notes together with this one."""
        return NotedEngine(self.model, world, self.notes)

    def _program(self) -> Program:
        found = noted_program(self.model)
        found.now.notes = self.notes
        return found

    def _installed(self) -> CompiledEngine | None:
        found = super()._installed()
        self.root.memo_ = defaultdict(dict, {PROGRAM: self.program})
        return found


def noted_program(model: Model) -> NotedProgram:
    """Give the program that notes readings; models that differ in readings alone share it."""
    plain = program_of(model)
    while plain.base is not None:
        plain = plain.base
    found: NotedProgram | None = plain.others.get(NotedProgram)
    if found is None:
        found = plain.others[NotedProgram] = NotedProgram(plain)
    return found


class NotedProgram(Program):
    """The program of some rules under whatever readings, with a note of every reading that it is asked for.

    What rests on no reading is that of a plain program. All else takes the same way through the rules, whatever is
    chosen, up to the first reading that it asks for and that is chosen otherwise. Nothing is worked out beforehand, for
    whoever looks it up would ask for no reading.
    """

    tabulates = False

    def __init__(self, plain: Program) -> None:
        super().__init__(plain.model, plain)
        self.folder = _Unsettled(plain.model)
        self.lasting, self.near = {}, {}
        self.now = _Now()
        self._differing = frozenset(name for name, one in plain.model.readings.items() if len(one.offered) > 1)
        self._globals[FUNCTION + CHOSEN] = self._chosen

    def _chosen(self, name: str) -> str:
        notes = self.now.notes
        notes.asked.add(name)
        return notes.model.reading(name)


class _Now(threading.local):
    """Where the thread at work notes what it asks for."""

    notes: Notes


class _Unsettled(Folder):
    """Folds terms, and leaves the readings in them that can be chosen otherwise."""

    def settled(self, name: str, choice: str, wanted: bool) -> Term:
        """Ask for a reading while an answer is worked out."""
        if len(self.model.readings[name].offered) < 2:
            return super().settled(name, choice, wanted)
        return Compare("==" if wanted else "!=", Apply(CHOSEN, (Const(name, TEXT),), TEXT), Const(choice, TEXT), FLAG)
