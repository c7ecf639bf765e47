"""Reasons for answers that are terms: definitions, options, traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from titm_rules.model.model import Answer, Roll, Route, head_key
from titm_rules.model.terms import Call, Term, children
from titm_rules.oracle.answer import Asked
from titm_rules.oracle.closest import Crossed, closest_route, end_env, legal_route, places, route_has_goal, step_env
from titm_rules.oracle.findings import Reasons, names_of
from titm_rules.world.show import Shower

Told = tuple[Mapping[str, Any], Mapping[str, Any]]
MAX_CANDIDATES = 200
MAX_WATCHED = 40
MAX_FAILING = 2


def explain_answers(asked: Asked, reasons: Reasons) -> Told:
    """Evaluate the answers again and note which clauses counted; show the first trace."""
    with traced(reasons) as traces:
        for _, part in asked.question.answers:
            _explain(asked, part, asked.env, reasons)
    is_simple = all(part.kind == "term" for _, part in asked.question.answers)
    if traces and is_simple:
        return explain_trace(reasons, traces[0].route, traces[0].mover, traces[0].start)
    return {}, {}


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace that a condition asked for: of whom, from where, and its cost or nothing."""

    route: Route
    mover: Any
    start: Any
    cost: int | None


@contextmanager
def traced(reasons: Reasons) -> Iterator[list[Trace]]:
    """Collect the traces that conditions ask for."""
    found: list[Trace] = []
    asked = reasons.engine.trace

    def trace(route: Route, mover: Any, start: Any) -> int | None:
        cost = asked(route, mover, start)
        found.append(Trace(route, mover, start, cost))
        return cost

    reasons.evaluator.routes = trace
    try:
        yield found
    finally:
        reasons.evaluator.routes = asked


def _explain(asked: Asked, part: Answer, env: Mapping[str, Any], reasons: Reasons) -> None:
    match part.kind:
        case "record":
            for _, inner in part.parts:
                _explain(asked, inner, env, reasons)
        case "each":
            _explain_each(asked, part, env, reasons)
        case _:
            term = part.term
            assert term is not None
            reasons.watching(lambda: reasons.evaluator.term(term, env))


def _explain_each(asked: Asked, part: Answer, env: Mapping[str, Any], reasons: Reasons) -> None:
    """Judge every candidate: the rolls that its condition asks for, clause by clause, or the condition itself."""
    assert part.base is not None
    rolls = _rolls(asked, part)
    shower = Shower(asked.model, asked.engine)
    candidates = asked.engine.term(part.base, env)[:MAX_CANDIDATES]
    if not rolls:
        for one in candidates[:MAX_WATCHED]:
            _watch(part, {**env, part.var: one}, reasons, str(shower.named(one, part.base.type)))
    for one in candidates:
        inner = {**env, part.var: one}
        for roll in rolls:
            args = [asked.engine.term(arg, inner) for arg in roll.args if _names(arg) <= set(inner)]
            if len(args) == len(roll.args):
                _judge_roll(asked, roll, args, reasons, one)
        for _, nested in part.parts:
            if nested.kind == "each":
                _explain_each(asked, nested, inner, reasons)


def _watch(part: Answer, env: Mapping[str, Any], reasons: Reasons, where: str) -> None:
    """Note the clauses behind the condition and the value of a candidate."""
    for term in (part.where, *(inner.term for _, inner in part.parts)):
        if term is not None:
            reasons.watching(partial(reasons.evaluator.term, term, env), where)


def _judge_roll(asked: Asked, call: Call, args: list[Any], reasons: Reasons, one: Any) -> None:
    form = asked.model.forms[call.head]
    assert isinstance(form, Roll)
    env = {name: arg for (name, _), arg in zip(form.params, args, strict=True)}
    where = " at ".join(arg.id for arg in args if hasattr(arg, "id")) or one.id
    tried = Reasons(reasons.model, reasons.world, reasons.engine, {})
    barred = tried.head(head_key(form.name, "try"), env, where)
    if len({finding.clause for finding in barred}) > MAX_FAILING:
        return  # so far from possible that nobody will ask
    reasons.found.update(tried.found)
    if not barred:
        reasons.head(head_key(form.name, "factor"), env, where)
        reasons.head(head_key(form.name, "adds"), env, where)


def _rolls(asked: Asked, part: Answer) -> list[Call]:
    """List the calls of rolls in an answer, each form once."""
    found: dict[str, Call] = {}

    def visit(term: Term) -> None:
        if isinstance(term, Call) and asked.model.heads[term.head].mode == "roll":
            found.setdefault(term.head, term)
        for inner in children(term):
            visit(inner)

    for term in (part.where, *(inner.term for _, inner in part.parts)):
        if term is not None:
            visit(term)
    return list(found.values())


def _names(term: Term) -> frozenset[str]:
    from titm_rules.model.terms import free_names

    return free_names(term)


# ---------------------------------------------------------------------- traces
def explain_trace(reasons: Reasons, route: Route, mover: Any, start: Any | None) -> Told:
    """Show a route to a goal; or the fewest things that would have to be otherwise for one."""
    if start is None:
        start = (mover[0] if isinstance(mover, list) else mover).place
    if start is None or not route_has_goal(reasons, route):
        return {}, {}

    def is_goal(place: Any) -> bool:
        return bool(reasons.value(head_key(route.name, "goal"), end_env(route, mover, {}, place)))

    found = legal_route(reasons, route, mover, {}, start, is_goal)
    if found is not None:
        for step in found:
            reasons.head(
                head_key(route.name, "cost"),
                step_env(route, mover, {}, step.link, step.left, step.entered),
                _where(step),
            )
        goal = found[-1].entered if found else start
        reasons.head(head_key(route.name, "goal"), end_env(route, mover, {}, goal), goal.id)
        return {"route": places(start, found), "crossings": [step.link.id for step in found if step.cost]}, {}
    closest = closest_route(reasons, route, mover, {}, start, is_goal)
    if closest is None:
        return {"unconnected": start.id}, {}
    changes = _changes(reasons, route, mover, start, closest)
    return {"closest": places(start, closest)}, {"changes": changes}


def _changes(reasons: Reasons, route: Route, mover: Any, start: Any, steps: list[Crossed]) -> list[dict[str, Any]]:
    """List what stands in the way on a route: each step barred, each that the points do not pay."""
    points = reasons.value(head_key(route.name, "points"), {route.mover[0]: mover})
    changes: list[dict[str, Any]] = []
    spent = 0
    for step in steps:
        env = step_env(route, mover, {}, step.link, step.left, step.entered)
        for finding in reasons.head(head_key(route.name, "step"), env, _where(step)):
            changes.append(_change(finding.clause, step, finding.looked_at))
        if spent + step.cost > points:
            for finding in reasons.head(head_key(route.name, "cost"), env, _where(step)):
                reasons.note(
                    finding.clause,
                    "forbids",
                    _where(step),
                    f"{finding.title}: {spent + step.cost} where {points} are allowed",
                    (step.link.id,),
                )
                changes.append(_change(finding.clause, step, (step.link.id,)))
        else:
            spent += step.cost
    goal = steps[-1].entered if steps else start
    for finding in reasons.head(head_key(route.name, "end"), end_env(route, mover, {}, goal), f"ending in {goal.id}"):
        changes.append(
            {
                "clause": finding.clause,
                "step": f"ending in {goal.id}",
                "place": goal.id,
                "because": list(finding.looked_at or names_of(reasons.world.standing(goal))),
            }
        )
    return changes


def _change(clause: str, step: Crossed, because: tuple[str, ...]) -> dict[str, Any]:
    names = because or (step.link.id,)
    return {"clause": clause, "step": _where(step), "place": step.entered.id, "because": list(names)}


def _where(step: Crossed) -> str:
    return f"{step.left.id} > {step.entered.id}"
