"""What may happen in one situation, listed and tested by the compiled functions of events."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from titm_rules.engines.compiled.codegen import ROOT, assign, name
from titm_rules.engines.compiled.events import EventKernel
from titm_rules.engines.compiled.incremental import ReadSet
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.engines.compiled.step_kernel import MoverCapabilities, RouteSession, StepKernel
from titm_rules.engines.engine import Counts, EffectSink, Engine, EventInstance
from titm_rules.engines.query import AnswerEvaluator, seen_as, twin_of
from titm_rules.engines.route_walk import Progress
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Event, Route, Selection, View
from titm_rules.ir.types import Type
from titm_rules.world.records import Mover, Piece, Place, Record, Situation

_MISSING = object()


class ProgramEngine(Engine):
    """An engine that asks the functions of a program; the part of the compiled engine that events need."""

    program: Program
    root: Situation

    @abstractmethod
    def progress(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> Progress:
        """Return the progress of a mover; `values` are what its route is given."""

    @abstractmethod
    def march(self, route: Route, mover: Mover, values: tuple[Any, ...]) -> RouteSession:
        """Return the steps of a mover; `values` are what its route is given."""

    @abstractmethod
    def flood(self, name: str, mover: Mover | None) -> object:
        """Return the costs to a goal from every place, for one mover."""


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
        """Give the function that lists the events of a group that nothing bars at all, for a root."""
        if group not in self._begun:
            kernels = [kernel for kernel in self.kernels.values() if kernel.event.group == group]
            self._begun[group] = self.program.define([ROOT], list(self._listing(kernels)))
        return self._begun[group]

    def _listing(self, kernels: Sequence[EventKernel]) -> Iterator[ast.stmt]:
        coder = self.program.coder()
        yield assign("o", ast.List([], ast.Load()))
        for kernel in kernels:
            one = name(self.program.constant(kernel))
            noted = ast.Expr(ast.Call(ast.Attribute(name("o"), "append", ast.Load()), [one], []))
            yield ast.If(ast.UnaryOp(ast.Not(), coder.expr(kernel.barred)), [noted], [])
        yield ast.Return(name("o"))


class CompiledEvents:
    """What may happen in the situation of an engine; the functions of events ask it what needs a search."""

    def __init__(self, engine: ProgramEngine) -> None:
        self.engine, self.world, self.root = engine, engine.world, engine.root
        program, situation = engine.program, engine.world.situation
        if situation not in program.events:
            program.events[situation] = EventKernels(program, situation)
        self._events: EventKernels = program.events[situation]

    # ------------------------------------------------------------------ asking
    def chances(self, group: str) -> Iterator[EventInstance]:
        """Yield the ways in which the events of a group may happen."""
        begun = self._events.begun(group)(self.root)
        return self._listed(begun) if begun else iter(())

    def _listed(self, kernels: Sequence[EventKernel]) -> Iterator[EventInstance]:
        for kernel in kernels:
            event = kernel.event
            for values, dice in kernel.listed(self.root, self):
                yield EventInstance(event, values, dice)

    def wanted(self, event: Event, choices: Mapping[str, object]) -> Iterator[EventInstance]:
        """Yield the ways in which an event may happen with some choices, as they are told outside."""
        kernel = self._events.kernels[event.name]
        values = [self._resolved(kernel.types[one], choices.get(one, _MISSING)) for one in event.open]
        if any(value is _MISSING for value in values) or kernel.bars(self.root):
            return
        for found, dice in kernel.tested(self.root, self, values):
            yield EventInstance(event, found, dice)

    def env(self, chance: EventInstance) -> dict[str, Any]:
        """Give what the names of an event stand for."""
        return dict(zip(self._events.kernels[chance.event.name].names, chance.values, strict=True))

    def told(self, chance: EventInstance) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """Give who acts, empty if it happens by itself, and what is chosen, by name; both as actions tell it."""
        found: tuple[str, tuple[tuple[str, Any], ...]]
        found = self._events.kernels[chance.event.name].told(self.root, *chance.values)
        return found

    def bring_about(self, event: Event, env: Mapping[str, Any], change: EffectSink) -> None:
        """Tell a change all that an event brings about."""
        kernel = self._events.kernels[event.name]
        kernel.effects(self.root, change, *[env[one] for one in kernel.about])

    def _resolved(self, wanted: Type, value: object) -> Any:
        """Find what a choice stands for; `_MISSING` if it can be nothing of this situation."""
        enum = self.world.model.enums.get(wanted.name)
        if value is None or value is _MISSING:
            return value if wanted.optional else _MISSING
        if enum is not None and wanted.kind == "enum":
            return enum.texts.index(value) if isinstance(value, str) and value in enum.texts else _MISSING
        if wanted.kind in ("record", "place"):
            found = self.world.looked_up(wanted, value) if isinstance(value, str) else None
            return _MISSING if found is None else found
        return value

    # ------------------------------------------------------------------ what generated functions ask
    def _progress(self, route: Route, mover: Mover, given: tuple[Any, ...]) -> Progress:
        return self.engine.progress(route, mover, given)

    def is_able(self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts) -> bool:
        """Whether a mover can go somewhere from where it stands, or close its route there; from nowhere it cannot."""
        if (mover[0] if isinstance(mover, list) else mover).place is None:
            return False
        only = mover[0] if isinstance(mover, list) and len(mover) == 1 else None
        known: dict[Any, MoverCapabilities] = self.root.memo_["able", route.name]
        key = (only, given, counts)
        found = known.get(key)
        if found is not None and self._traced(found.kernel, only) == found.traced:
            return found.is_able
        march = self.engine.march(route, mover, given)
        able = _is_able(Progress(march, self.world), route, mover, counts)
        if only is not None and march.kernel.keeps:
            looked = frozenset(march.looked_at), frozenset(march.looked_from)
            known[key] = MoverCapabilities(able, march.kernel, self._traced(march.kernel, only), *looked)
        return able

    def _traced(self, kernel: StepKernel, mover: Piece | None) -> tuple[object, ...]:
        """Give the costs of all routes that clauses may ask for a mover; they are equal only if the very same."""
        return tuple([self.engine.flood(name, mover) for name in kernel.traced])

    def halts(
        self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts, at: Place | None, spent: int
    ) -> bool:
        """Whether a mover on its way may end where it has come to."""
        if at is None or mover == []:
            return False
        return self._progress(route, mover, given).may_halt(at, counts, spent)

    def closes(
        self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts, at: Place | None, spent: int
    ) -> tuple[int, ...]:
        """Give the price of the closing action where a mover has come to, if it may be taken there."""
        if at is None or mover == []:
            return ()
        price = self._progress(route, mover, given).closing(at, counts, spent)
        return () if price is None else (price,)

    def stepping(
        self, route: Route, mover: Mover, given: tuple[Any, ...], counts: Counts,
        at: Place | None, spent: int, to: Place | None,
    ) -> Iterator[tuple[Any, ...]]:  # fmt: skip
        """Yield the steps of a mover on its way, or only those to one place, as an event binds them."""
        if at is None or mover == []:
            return
        for link, place, price, stops, after in self._progress(route, mover, given).steps(at, counts, spent, to):
            yield place, link, price, stops, *after

    def selecting(self, form: Selection, given: Mapping[str, Any]) -> Iterator[list[Any]]:
        """Yield the legal sets of a selection."""
        return (list(picked) for picked in self.engine.choices(form, given))

    def seeing(self, view: View, of: Record | int | None, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Give the root of a view, and what stands in it for some values; nothing if one of them is not shown."""
        if of is None:
            return None
        seen = self._seen(view, of)
        known = [twin_of(view, seen.world, value) for value in values]
        if any(one is None and value is not None for one, value in zip(known, values, strict=True)):
            return None
        return seen.root, *known

    def _seen(self, view: View, of: Record | int) -> ProgramEngine:
        """Give the engine of a view; a later situation takes it over, if nothing has changed that the view shows."""
        engine, key = self.engine, ("view", view.name)
        lasting = engine.program.lasting
        if key not in lasting:
            rests = dependencies_of(engine.model)
            lasting[key] = ReadSet(rests.of_view(view.name).fields)
            for answer in view.answers:
                lasting[*key, answer[0]] = ReadSet(rests.of_answers([answer], engine.world.situation).fields)
        known: dict[Any, ProgramEngine] = self.root.memo_[key]
        which = of if isinstance(of, int) else of.id
        if which not in known:
            known[which] = engine.at(seen_as(view, engine.model, self._shown(view, of, which)))
        return known[which]

    def _shown(self, view: View, of: Record | int, which: object) -> dict[str, object]:
        """Give what a view shows; each answer is kept by itself."""
        engine, found = self.engine, dict[str, object]()
        shower, given = AnswerEvaluator(engine.model, engine), {view.params[0][0]: of}
        for title, answer in view.answers:
            known: dict[Any, object] = self.root.memo_["view", view.name, title]
            if which not in known:
                known[which] = shower.answer(answer, given)
            found[title] = known[which]
        return found


def _is_able(progress: Progress, route: Route, mover: Mover, counts: Counts) -> bool:
    at: Any = mover[0].place if isinstance(mover, list) else mover.place
    if route.closing and progress.closing(at, counts, 0) is not None:
        return True
    return next(progress.steps(at, counts, 0), None) is not None
