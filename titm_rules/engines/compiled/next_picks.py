"""The next pick of an allocation that is made step by step, one pick an event."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from titm_rules.engines.compiled.allocations import Picked
from titm_rules.engines.compiled.program import Program
from titm_rules.rules.event_parts import PickPart
from titm_rules.rules.model import Allocation, head_key
from titm_rules.world.records import Record, Situation
from titm_rules.world.world import World


class PickKernel:
    """The picks of one event, compiled.

    Args:
        program: compiles the terms.
        part: the part of the event.
        bound: the names that the parts before it bind.
    """

    def __init__(self, program: Program, part: PickPart, bound: Sequence[str]) -> None:
        form = program.model.forms[part.form]
        assert isinstance(form, Allocation)
        self._part, self._named = part, form.chooser is not None
        terms, names = dict(part.bindings), [one for one, _ in form.given]
        self._given = [program.term(terms[one], tuple(bound)) for one in names]
        self._targets = program.term(form.targets, names)
        self._choosers = program.term(form.choosers, names) if form.choosers is not None else None
        ranked = form.order is not None and form.chooser is not None
        self._order = program.term(form.order, [*names, form.chooser[0]]) if ranked else None  # type: ignore[arg-type,index]
        self._barred = program.head(head_key(form.name, "choose"))

    def picks(self, world: World, seen: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the next picks, as records of the situation that is played.

        `seen` is the root in which the allocation is asked, and what the names stand for there. A pick is a target,
        or a chooser and a target.
        """
        root, part, named = seen[0], self._part, world.named
        given = [function(*seen) for function in self._given]
        targets = self._targets(root, *given)
        taken, choosers = self._taken(world, root, given, targets)
        state = Picked(defaultdict(int, {one.index_: taken[one.id] for one in targets}))
        for chooser in choosers:
            who = (chooser,) if self._named else ()
            for target in targets:
                if not self._barred(root, state, *who, target, *given):
                    found = named(part.target.name, target.id)
                    yield (named(part.keeper.name, chooser.id), found) if self._named else found

    def _taken(
        self, world: World, root: Situation, given: list[Any], targets: list[Any]
    ) -> tuple[Counter[str], list[Any]]:
        """Count what was picked so far, as the situation keeps it, and list who is to pick next."""
        keeper, kept, named = self._part.keeper.name, self._part.kept, world.named
        if self._choosers is None:
            return Counter({one.id: getattr(named(keeper, one.id), kept) for one in targets}), [None]
        left: list[Record] = []
        taken: Counter[str] = Counter()
        for one in self._choosers(root, *given):
            target = getattr(named(keeper, one.id), kept)
            if target is None:
                left.append(one)
            else:
                taken[target.id] += 1
        if self._order is not None and left:
            ranks = [self._order(root, *given, one) for one in left]
            highest = max(ranks)
            left = [one for one, rank in zip(left, ranks, strict=True) if rank == highest]
        return taken, left
