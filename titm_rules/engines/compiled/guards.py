"""What bars an event, and how early it can be asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from titm_rules.engines.compiled.program import Program
from titm_rules.engines.compiled.slots import Thawed
from titm_rules.rules.counting import negation
from titm_rules.rules.event_parts import AblePart, ConditionPart
from titm_rules.rules.model import Event, Route, head_key
from titm_rules.rules.terms import Call, Just, Logic, Quantified, Result, Term, free_names, subterms

_COSTS: Mapping[type, int] = {Quantified: 8, Call: 20, Result: 200}
_TRACE = 100


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that bars an event, and about what it costs to ask."""

    barred: Term
    cost: int


def guards_of(program: Program, event: Event, stages: Sequence[Sequence[str]]) -> dict[int, list[Guard]]:
    """Give what bars an event by the number of parts that must be worked out before, the cheapest first.

    What bars the start stands at 0, with the conditions that the event begins with. Everything else waits for the
    names that it speaks of, and for the conditions that follow them at once; what gives nothing to a definition
    that does not expect it waits for all parts.

    Args:
        program: compiles the event.
        event: the event.
        stages: the names that each part binds.
    """
    placed: defaultdict[int, list[Guard]] = defaultdict(list)
    placed[0] = sorted((_guard(program, one) for one in _bars(program, event, "start")), key=lambda guard: guard.cost)
    for part in event.parts[: behind_conditions(event, 0)]:
        assert isinstance(part, ConditionPart)
        placed[0].append(_guard(program, negation(program.folder.fold(part.condition))))
    late = [*_bars(program, event, "happen"), *_bars_of_movers(program, event)]
    for guard in sorted((_guard(program, one) for one in late), key=lambda guard: guard.cost):
        number = _earliest(event, stages, guard.barred) if _is_safe(program, guard.barred) else len(event.parts)
        placed[number].append(guard)
    return dict(placed)


def _bars(program: Program, event: Event, word: str) -> Iterator[Term]:
    """Yield the conditions each of which bars an event."""
    yield from _parted(program.folder.decision(program.model.heads[head_key(event.name, word)]))


def _parted(decision: Term) -> Iterator[Term]:
    if isinstance(decision, Logic) and decision.op == "any":
        yield from decision.parts
    else:
        yield decision


def _bars_of_movers(program: Program, event: Event) -> Iterator[Term]:
    """Yield what bars the mover of a route from moving at all, where it is one piece that a name stands for."""
    for part in event.parts:
        if isinstance(part, AblePart):
            route, terms = program.model.forms[part.form], dict(part.bindings)
            assert isinstance(route, Route)
            mover = terms[route.mover[0]]
            if isinstance(mover, Just) and not mover.base.type.optional:
                thawed = Thawed(program.folder, route.mover, single=True)
                decision = program.folder.decision(program.model.heads[head_key(route.name, "start")])
                given = {one: program.folder.fold(terms[one]) for one, _ in route.given}
                known = {thawed.mover: program.folder.fold(mover.base), **given}
                for one in _parted(thawed.rewritten(decision)):
                    yield program.folder.fold(program.folder.substitute(one, known))


def _earliest(event: Event, stages: Sequence[Sequence[str]], term: Term) -> int:
    """Give the number of parts after which all names of a condition are bound."""
    names = free_names(term)
    number = next(n for n in range(len(stages) + 1) if names <= {one for stage in stages[:n] for one in stage})
    return max(1, behind_conditions(event, number)) if event.parts else 0


def behind_conditions(event: Event, number: int) -> int:
    """Give the number of the first part, from one on, that is more than a condition."""
    while number < len(event.parts) and isinstance(event.parts[number], ConditionPart):
        number += 1
    return number


def _is_safe(program: Program, term: Term) -> bool:
    """Whether no definition in a condition is given what may be nothing and does not expect it."""
    heads = program.model.heads
    return not any(
        given.type.optional and not expected.optional
        for part in subterms(term)
        if isinstance(part, Call)
        for given, (_, expected) in zip(part.args, heads[part.head].params, strict=False)
    )


def _guard(program: Program, term: Term) -> Guard:
    traces = (isinstance(part, Call) and program.model.heads[part.head].mode == "route" for part in subterms(term))
    cost = sum(_COSTS.get(type(part), 1) for part in subterms(term)) + _TRACE * sum(traces)
    return Guard(term, cost)
