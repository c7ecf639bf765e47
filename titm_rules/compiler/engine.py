"""The compiled engine: generated functions and shared searches behind the common interface."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from titm_rules.compiler.allocations import AllocationKernel, Picked
from titm_rules.compiler.plans import Plan, PlanKernel
from titm_rules.compiler.program import Program, program_of
from titm_rules.compiler.progress import Progress, Step, common_place
from titm_rules.compiler.reads import Reads
from titm_rules.compiler.routes import Flood, RouteKernel, identity
from titm_rules.compiler.selections import SelectionKernel
from titm_rules.model.model import Allocation, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.model.terms import Root, Term, Var
from titm_rules.world.world import World

Given = Mapping[str, Any]


class CompiledEngine:
    """Answers for one world; what it works out is remembered in the world's root record."""

    def __init__(self, model: Model, world: World) -> None:
        self.model = model
        self.world = world
        self.program: Program = program_of(model)
        self.root = world.root
        self.root.memo = defaultdict(dict)
        self.root.engine = self
        self._moving: dict[Any, Progress] = {}
        before, world.before = world.before, None
        if before is not None and before.origin is before and world.origin is world:
            self._take_over(before.root)

    def _take_over(self, root: Any) -> None:
        """Take over what the situation before remembers, as far as nothing has changed that it rests on."""
        if root.engine is None or root.engine.program is not self.program:
            return
        known: dict[Reads, bool] = {}
        for key, reads in self.program.lasting.items():
            if key in root.memo:
                if reads not in known:
                    known[reads] = reads.are_same(self.model, root, self.root)
                if known[reads]:
                    self.root.memo[key] = root.memo[key]

    def term(self, term: Term, env: Given) -> Any:
        """Evaluate a term."""
        if isinstance(term, Var):
            return env[term.name]
        if isinstance(term, Root):
            return getattr(self.root, term.field)
        return self.program.term(term, tuple(env))(self.root, *env.values())

    def decide(self, key: str, env: Given) -> Any:
        """Decide a head."""
        args = [env[name] for name, _ in self.model.heads[key].params]
        return self.program.head(key)(self.root, *args)

    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""
        args = [env[name] for name, _ in self.model.heads[key].params]
        return [statement for statement, counts in self.program.said(key) if counts(self.root, *args)]

    # ------------------------------------------------------------------ routes
    def kernel(self, route: Route, mover: Any) -> tuple[RouteKernel, Any]:
        """Give the kernel for a mover, and the mover as that kernel takes it."""
        single = isinstance(mover, list) and len(mover) == 1
        key = (route.name, single)
        kernel = self.program.kernels.get(key)
        if kernel is None:
            kernel = self.program.kernels[key] = RouteKernel(self.program, route, single)
        return kernel, mover[0] if single else mover

    def trace(self, route: Route, mover: Any, start: Any | None) -> int | None:
        """Cheapest cost from a place to a goal; nothing if there is no route."""
        return self.trace_named(route.name, mover, start)

    def trace_named(self, name: str, mover: Any, start: Any | None) -> int | None:
        """As `trace`; it is judged in the situation before the move, if a move has changed it."""
        if start is None:
            start = (mover[0] if isinstance(mover, list) else mover).place
        world = self.world.origin
        if world is not self.world:
            mover, start = world.twin(mover), world.twin(start) if start is not None else None
            return world.root.engine.trace_named(name, mover, start)  # type: ignore[no-any-return]
        found: int | None = self.flood(name, mover).get(start)
        return found

    def flood(self, name: str, mover: Any) -> Flood | Moved:
        """Give the costs to a goal from every place, for one mover."""
        world = self.world.origin
        if world is not self.world:
            return Moved(world.root.engine.flood(name, world.twin(mover)), world)
        known: dict[Any, Flood] = self.root.memo[name]
        found = known.get(identity(mover))
        if found is None:
            route = self.model.forms[name]
            assert isinstance(route, Route)
            kernel, kept = self.kernel(route, mover)
            found = known[identity(mover)] = kernel.flood(self.root, kept, (False,) * len(route.given))
        return found

    def ends(self, route: Route, mover: Any, given: Given) -> Mapping[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""
        start = common_place(mover)
        kernel, mover = self.kernel(route, mover)
        values = tuple(given[name] for name, _ in route.given)
        if start is None or kernel.start_barred(self.root, mover, *values):
            return {}
        return kernel.ends(self.root, mover, values, start)

    def closings(self, route: Route, mover: Any, given: Given) -> list[Any]:
        """List the places, the start among them, where the closing action may be taken."""
        start = common_place(mover)
        values = tuple(given[name] for name, _ in route.given)
        kernel, kept = self.kernel(route, mover)
        if start is None or kernel.start_barred(self.root, kept, *values):
            return []
        points = self.program.head(head_key(route.name, "points"))(self.root, mover, *values)
        barred = self.program.head(head_key(route.closing, "try"))
        cost = self.program.head(head_key(route.closing, "cost"))
        may_end = kernel.end_test(self.root, kept, values)
        return [
            place
            for place, spent in kernel.search(self.root, kept, values, start).items()
            if spent + cost(self.root, mover, place, *values) <= points
            and (place is start or may_end(place))
            and not barred(self.root, mover, place, *values)
        ]

    def path(self, route: Route, mover: Any, given: Given, steps: list[str]) -> int | None:
        """Cost of a path as written, or nothing if it is illegal."""
        from titm_rules.compiler.paths import Walker

        return Walker(self, route, mover, given).cost(steps)

    def onward(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> Iterator[Step]:
        """Yield the steps after which the route can still end."""
        return self._progress(route, mover, given).steps(at, spent)

    def may_halt(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> bool:
        """Whether a mover that has come to a place may end there: it may, or it cannot go on."""
        progress = self._progress(route, mover, given)
        return progress.may_end(at) or next(progress.steps(at, spent), None) is None

    def closing_price(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""
        return self._progress(route, mover, given).closing(at, spent)

    def _progress(self, route: Route, mover: Any, given: Given) -> Progress:
        values = tuple(given[name] for name, _ in route.given)
        key = (route.name, identity(mover), values)
        found = self._moving.get(key)
        if found is None:
            found = self._moving[key] = Progress(self.program, self.root, route, mover, values)
        return found

    # ------------------------------------------------------------------ choices and rolls
    def _allocation(self, form: Allocation, given: Given) -> Any:
        kernel = self.program.kernels.get(form.name)
        if kernel is None:
            kernel = self.program.kernels[form.name] = AllocationKernel(self.program, form)
        return kernel.ask(self.root, given)

    def _selection(self, form: Selection) -> Any:
        kernel = self.program.kernels.get(form.name)
        if kernel is None:
            kernel = self.program.kernels[form.name] = SelectionKernel(self.program, form)
        return kernel

    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices without listing them."""
        if isinstance(form, Selection):
            number: int = self._selection(form).count(self.root, given)
        else:
            number = self._allocation(form, given).count()
        return number

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices."""
        if isinstance(form, Selection):
            yield from self._selection(form).choices(self.root, given)
        else:
            yield from self._allocation(form, given).choices()

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice is legal."""
        if isinstance(form, Selection):
            return bool(self._selection(form).is_legal(self.root, given, picked))
        return bool(self._allocation(form, given).is_legal(picked))

    def is_barred(self, form: Allocation, given: Given, chooser: Any, target: Any, picks: Mapping[Any, int]) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""
        state = Picked(defaultdict(int, {one.index: count for one, count in picks.items()}))
        named = () if form.chooser is None else (chooser,)
        values = [given[name] for name, _ in form.given]
        return bool(self.program.head(head_key(form.name, "choose"))(self.root, state, *named, target, *values))

    def nearest(self, form: Allocation, given: Given, picked: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Find the legal allocation of choosers that changes the fewest picks."""
        found: tuple[Any, ...] | None = self._allocation(form, given).nearest(picked)
        return found

    def plans(self, form: Allocation, given: Given, limit: int) -> list[Plan] | None:
        """List the legal allocations by kind; nothing if there are more than `limit` kinds.

        Allocations whose dice are the same but for records that the rules cannot tell apart are
        of one kind: one of them stands for it, with their number.
        """
        key = (form.name, "plans")
        kernel = self.program.kernels.get(key)
        if kernel is None:
            kernel = self.program.kernels[key] = PlanKernel(self.program, form)
        found: list[Plan] | None = kernel.plans(self.root, self._allocation(form, given), limit)
        return found

    def roll(self, roll: Roll, env: Given) -> tuple[int, dict[str, int], int] | None:
        """Factor, what is added by name, highest die that succeeds; nothing if barred."""
        args = [env[name] for name, _ in roll.params]
        highest = self.program.roll(roll)(self.root, *args)
        if highest is None:
            return None
        factor = self.program.head(head_key(roll.name, "factor"))(self.root, *args)
        added: dict[str, int] = {}
        for label, value in self.program.labelled(head_key(roll.name, "adds")):
            amount = value(self.root, *args)
            if amount:
                added[label] = added.get(label, 0) + amount
        return factor, added, highest


class Moved:
    """A flood of the situation before a move, asked with places of the one after it."""

    def __init__(self, flood: Flood, origin: World) -> None:
        self._flood = flood
        self._origin = origin

    def get(self, place: Any) -> int | None:
        """Look up the cost from a place."""
        found: int | None = None if place is None else self._flood.get(self._origin.twin(place))
        return found
