"""A journey: one mover on one route in one situation, and what clauses say of it, whichever engine decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from titm_rules.engines.engine import Counts
from titm_rules.rules.model import Route, head_key
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import Mover, Place, Record, Value
from titm_rules.world.world import World

AskForm = Callable[[str, str, Mapping[str, Any]], Any]


class RouteAsker(Protocol):
    """Asks the heads of a route about one mover."""

    @property
    def route(self) -> Route:
        """The form."""

    @property
    def mover(self) -> Mover:
        """Who moves."""

    def ask(self, form: str, word: str, *about: Any, told: Counts = ()) -> Any:
        """Decide a head of the route, or of what interrupts or closes it.

        `about` is what the head is about besides the mover, in its order: connection, place left and
        place entered for a step, a place for an end, nothing for the start and the points. `told` is
        what comes last: what was counted on the way, the price of a step, whether the mover is stranded.
        """


class Journey(RouteAsker, Protocol):
    """One mover on one route, in one situation.

    Attributes:
        world: the situation.
    """

    world: World

    def after(self, world: World) -> Journey:
        """Go on in a situation that the move has changed."""


class EvaluatedJourney:
    """A journey whose heads are evaluated, clause by clause."""

    def __init__(self, evaluator: Evaluator, route: Route, mover: Mover, given: Mapping[str, Any]) -> None:
        self.route, self.mover, self.world = route, mover, evaluator.world
        self._evaluator, self._given = evaluator, given

    def ask(self, form: str, word: str, *about: Any, told: Counts = ()) -> Any:
        """Decide a head."""
        head = self._evaluator.model.heads[head_key(form, word)]
        names = [name for name, _ in head.params]
        named = dict(zip(names, (self.mover, *about), strict=False))
        last = dict(zip(names[len(names) - len(told) :], told, strict=True))
        return self._evaluator.head(head, {**named, **self._given, **last})

    def after(self, world: World) -> EvaluatedJourney:
        """Go on in a situation that the move has changed; traces are those of the one before."""
        asked, before = self._evaluator.routes, self.world

        def trace(route: Route, mover: Mover, start: Place | None) -> int | None:
            assert asked is not None
            return asked(route, before.twin(mover), None if start is None else before.twin(start))

        reached = self._evaluator.reach

        def reach(route: Route, mover: Mover, start: Place | None, to: Place | None) -> int | None:
            assert reached is not None
            twin = before.twin
            return reached(route, twin(mover), twin(start) if start else None, twin(to) if to else None)

        results = self._evaluator.results
        results = None if results is None else asked_before(results, before, world)
        evaluator = Evaluator(self._evaluator.model, world, trace, reach=reach, results=results)
        return EvaluatedJourney(evaluator, self.route, world.twin(self.mover), self._given)


def common_place(mover: Mover | None) -> Place | None:
    """Name the place where a mover stands; nothing if several stand apart."""
    if not isinstance(mover, list):
        return None if mover is None else mover.place
    place = mover[0].place if mover else None
    return place if all(one.place is place for one in mover) else None


def first_place(mover: Mover | None) -> Place | None:
    """Name the place where a mover stands; of several, where the first does."""
    if isinstance(mover, list):
        return mover[0].place if mover else None
    return None if mover is None else mover.place


def interrupted_at(route: Route, world: World, place: Place) -> bool:
    """Whether a situation notes that a route was interrupted on a connection of a place."""
    noted = getattr(world.root, route.interruption_noted) if route.interruption_noted else ()
    return any(place in link.ends for link in noted)


def asked_before(ask: AskForm, before: World, after: World) -> AskForm:
    """Let results be those of the situation before a move, asked with records of the one after it."""

    def asked(what: str, name: str, roles: Mapping[str, Any]) -> Any:
        found = ask(what, name, {role: twins(before, value) for role, value in roles.items()})
        return twins(after, found)

    return asked


def twins(world: World, value: Value) -> Any:
    """Give what stands in a world for a record of another, or for a list of such; all else is the same."""
    if isinstance(value, list):
        return [twins(world, one) for one in value]
    return world.twin(value) if isinstance(value, Record) else value
