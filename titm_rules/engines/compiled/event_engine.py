"""The event side of the compiled engine: runs the functions that `events.py` compiles, for one situation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.codegen import ROOT, assign, method, name, negated
from titm_rules.engines.compiled.events import EventKernel
from titm_rules.engines.compiled.incremental import MemoFootprint
from titm_rules.engines.compiled.label_search import ProgramEngine, RouteWalk
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.engines.compiled.step_kernel import MoverCapabilities, StepKernel
from titm_rules.engines.engine import Counts, EffectSink, EventInstance, first_place
from titm_rules.engines.query import AnswerEvaluator, seen_as, twin_of
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Event, Route, Selection, View
from titm_rules.ir.types import Type
from titm_rules.world.records import Mover, Piece, Place, Record

_MISSING = object()


class EventKernels:
    """The events of one kind of situation, compiled."""

    def __init__(self, program: Program, situation: str) -> None:
        self.program = program
        self.kernels = {
            event.name: EventKernel(program, event)
            for event in program.model.events.values()
            if event.situation == situation
        }
        self._begun: dict[str, Function] = {}

    def begun(self, group: str) -> Function:
        """Return the function that lists the events of a group that nothing bars at all, for a root."""
        if group not in self._begun:
            body, coder = [assign("o", ast.List([], ast.Load()))], self.program.coder()
            for kernel in self.kernels.values():
                if kernel.event.group == group:
                    append = method(name("o"), "append", name(self.program.constant(kernel)))
                    body.append(ast.If(negated(coder.expr(kernel.barred)), [ast.Expr(append)], []))
            self._begun[group] = self.program.define([ROOT], [*body, ast.Return(name("o"))])
        return self._begun[group]


class CompiledEvents:
    """The events of an engine's situation; their generated functions call it where a search is needed."""

    def __init__(self, engine: ProgramEngine) -> None:
        self.engine, self.world, self.root = engine, engine.world, engine.root
        program, situation = engine.program, engine.world.situation
        if situation not in program.events:
            program.events[situation] = EventKernels(program, situation)
        self._events: EventKernels = program.events[situation]

    def chances(self, group: str) -> Iterator[EventInstance]:
        begun = self._events.begun(group)(self.root)
        return self._listed(begun) if begun else iter(())

    def _listed(self, kernels: Sequence[EventKernel]) -> Iterator[EventInstance]:
        for kernel in kernels:
            for values, dice in kernel.listed(self.root, self):
                yield EventInstance(kernel.event, values, dice)

    def wanted(self, event: Event, choices: Mapping[str, object]) -> Iterator[EventInstance]:
        kernel = self._events.kernels[event.name]
        values = [self._resolved(kernel.types[name], choices.get(name, _MISSING)) for name in event.open]
        if any(value is _MISSING for value in values) or kernel.bars(self.root):
            return
        for bound, dice in kernel.tested(self.root, self, values):
            yield EventInstance(event, bound, dice)

    def env(self, chance: EventInstance) -> dict[str, Any]:
        return dict(zip(self._events.kernels[chance.event.name].names, chance.values, strict=True))

    def describe(self, chance: EventInstance) -> tuple[str, tuple[tuple[str, Any], ...]]:
        description: tuple[str, tuple[tuple[str, Any], ...]]
        description = self._events.kernels[chance.event.name].description(self.root, *chance.values)
        return description

    def apply_effects(self, event: Event, env: Mapping[str, Any], change: EffectSink) -> None:
        kernel = self._events.kernels[event.name]
        kernel.effects(self.root, change, *[env[name] for name in kernel.about])

    def _resolved(self, wanted: Type, value: object) -> Any:
        """Return the value that a choice names; `_MISSING` if this situation has none."""
        enum = self.world.model.enums.get(wanted.name)
        if value is None or value is _MISSING:
            return value if wanted.optional else _MISSING
        if enum is not None and wanted.kind == "enum":
            return enum.texts.index(value) if isinstance(value, str) and value in enum.texts else _MISSING
        if wanted.kind in ("record", "place"):
            record = self.world.looked_up(wanted, value) if isinstance(value, str) else None
            return _MISSING if record is None else record
        return value

    # Generated functions call the methods below
    def is_able(self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts) -> bool:
        """Whether a mover can move from its place, or close its route there; a mover without a place cannot."""
        only = mover[0] if isinstance(mover, list) and len(mover) == 1 else None
        at = first_place(mover) if only is None else only.place
        if at is None:
            return False
        known: dict[Any, MoverCapabilities] = self.root.memo_["able", route.name]
        key = (only, given, counts)
        before = known.get(key)
        if before is not None and self._traced(before.kernel, only) == before.traced:
            return before.is_able
        march = self.engine.march(route, mover, given)
        walk = RouteWalk(march, self.root)
        able = bool(route.closing) and walk.closing_price(at, counts, 0) is not None
        able = able or next(walk.onward(at, counts, 0), None) is not None
        if only is not None and march.kernel.keeps:
            looked = frozenset(march.looked_at), frozenset(march.looked_from)
            known[key] = MoverCapabilities(able, march.kernel, self._traced(march.kernel, only), *looked)
        return able

    def _traced(self, kernel: StepKernel, mover: Piece | None) -> tuple[object, ...]:
        """Return the distance maps of all routes that clauses may ask for a mover; only the same maps are equal."""
        return tuple([self.engine.flood(name, mover) for name in kernel.traced])

    def halts(
        self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts, at: Place | None, spent: int
    ) -> bool:
        if at is None or mover == []:
            return False
        return self.engine.walk(route, mover, given).may_halt(at, counts, spent)

    def closes(
        self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts, at: Place | None, spent: int
    ) -> tuple[int, ...]:
        """Return the price of the closing action where a mover is, if it may be taken there."""
        if at is None or mover == []:
            return ()
        price = self.engine.walk(route, mover, given).closing_price(at, counts, spent)
        return () if price is None else (price,)

    def stepping(
        self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts,
        at: Place | None, spent: int, to: Place | None,
    ) -> Iterator[tuple[Any, ...]]:  # fmt: skip
        """Yield the steps of a mover on its way, or only those to one place, as an event binds them."""
        if at is None or mover == []:
            return
        for link, place, price, stops, after in self.engine.walk(route, mover, given).onward(at, counts, spent, to):
            yield place, link, price, stops, *after

    def selecting(self, form: Selection, given: Mapping[str, Any]) -> Iterator[list[Any]]:
        return (list(picked) for picked in self.engine.choices(form, given))

    def seeing(self, view: View, of: Record | int | None, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Return the root of a view, and the corresponding values in it; nothing if it does not show one of them."""
        if of is None:
            return None
        seen = self._seen(view, of)
        known = [twin_of(view, seen.world, value) for value in values]
        if any(twin is None and value is not None for twin, value in zip(known, values, strict=True)):
            return None
        return seen.root, *known

    def _seen(self, view: View, of: Record | int) -> ProgramEngine:
        """Return the engine of a view; a later situation takes it over, if nothing has changed that the view shows."""
        engine, key = self.engine, ("view", view.name)
        carried = engine.program.carried.footprints
        if key not in carried:
            rests = dependencies_of(engine.model)
            for answer in view.answers:
                carried[*key, answer[0]] = MemoFootprint(rests.of_answers([answer], engine.world.situation).fields)
            carried[key] = MemoFootprint(rests.of_view(view.name).fields)  # last: where it is, the others are
        known: dict[Any, ProgramEngine] = self.root.memo_[key]
        which = of if isinstance(of, int) else of.id
        if which not in known:
            known[which] = engine.at(seen_as(view, engine.model, self._shown(view, of, which)))
        return known[which]

    def _shown(self, view: View, of: Record | int, which: object) -> dict[str, object]:
        """Return the answers of a view by title; each is memoized separately."""
        engine, shown = self.engine, dict[str, object]()
        evaluator, given = AnswerEvaluator(engine.model, engine), {view.params[0][0]: of}
        for title, answer in view.answers:
            known: dict[Any, object] = self.root.memo_["view", view.name, title]
            if which not in known:
                known[which] = evaluator.answer(answer, given)
            shown[title] = known[which]
        return shown
