"""What an engine can do: the one interface behind every answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from titm_rules.model.model import Allocation, Roll, Route, Selection, Statement
from titm_rules.model.terms import Term
from titm_rules.world.world import World

Given = Mapping[str, Any]
Rolled = tuple[int, dict[str, int], int]
Step = tuple[Any, Any, int, bool]


class Engine(Protocol):
    """Answers for one world under one model.

    Records stand for pieces and places; a mover is a record or a list of records, as the
    route declares it; costs are in movement points.
    """

    world: World

    def term(self, term: Term, env: Given) -> Any:
        """Evaluate a term."""

    def decide(self, key: str, env: Given) -> Any:
        """Decide a head: truth, a sum, or a value."""

    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""

    def trace(self, route: Route, mover: Any, start: Any | None) -> int | None:
        """Cheapest cost from a place (the mover's own if none is given) to a goal, or nothing."""

    def ends(self, route: Route, mover: Any, given: Given) -> Mapping[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost."""

    def closings(self, route: Route, mover: Any, given: Given) -> list[Any]:
        """List the places where the closing action may be taken."""

    def path(self, route: Route, mover: Any, given: Given, steps: list[str]) -> int | None:
        """Cost of a path as written; nothing if it is illegal."""

    def onward(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> Iterable[Step]:
        """Yield the steps of a mover that has come to a place and has spent so much.

        A step is a connection, the place entered, its price, and whether the mover must stop
        there; only steps after which the route can still end are listed.
        """

    def may_halt(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> bool:
        """Whether a mover that has come to a place may end there: it may, or it cannot go on."""

    def closing_price(self, route: Route, mover: Any, given: Given, at: Any, spent: int) -> int | None:
        """Price of the closing action at a place; nothing if it may not be taken there."""

    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices without listing them."""

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices.

        An allocation of choosers: pairs (chooser, target); of counters: targets in order; a
        selection: its members.
        """

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice, in the shape that `choices` yields, is legal."""

    def is_barred(self, form: Allocation, given: Given, chooser: Any, target: Any, picks: Mapping[Any, int]) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""

    def roll(self, roll: Roll, env: Given) -> Rolled | None:
        """Factor, what is added by name, highest die that succeeds; nothing if barred."""
