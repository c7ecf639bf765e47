"""Reasons for answers that are terms: definitions, options, traces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from titm_rules.engines.engine import first_place
from titm_rules.engines.query import AnswerEvaluator, BoundQuestion
from titm_rules.explain.choice_reasons import PickReasons
from titm_rules.explain.findings import Reasons, attempt_of, names_of
from titm_rules.explain.relaxed_search import JudgedStep, StepJudge, legal_route, places
from titm_rules.explain.verdict import WitnessAndNearest
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Allocation, Answer, Roll, Route, Selection, head_key
from titm_rules.ir.terms import CHOICES, SOME, Call, Logic, Result, Term, free_names, subterms
from titm_rules.ir.types import NUMBER
from titm_rules.world.evaluate import Env
from titm_rules.world.records import Mover, Place

MAX_CANDIDATES = 200
MAX_WATCHED = 40
MAX_JUDGED = 100


def explain_answers(asked: BoundQuestion, _answer: Env, reasons: Reasons) -> WitnessAndNearest:
    """Evaluate the answers again and note which clauses counted; show the first trace."""
    picks: list[WitnessAndNearest] = []
    with traced(reasons) as traces:
        for _, part in asked.question.answers:
            _explain(asked, part, asked.env, reasons)
            picks += _picks(asked, part.term, asked.env, reasons)
    is_simple = all(part.kind == "term" for _, part in asked.question.answers)
    if picks and is_simple:
        return picks[0]
    if traces and is_simple:
        return explain_trace(reasons, *traces[0][:3])
    return {}, {}


class Trace(NamedTuple):
    """A trace that a condition asked for: of whom, from where, and its cost or nothing."""

    route: Route
    mover: Mover
    start: Place
    cost: int | None


@contextmanager
def traced(reasons: Reasons) -> Iterator[list[Trace]]:
    """Collect the traces that conditions ask for."""
    found: list[Trace] = []
    asked = reasons.engine.trace

    def trace(route: Route, mover: Mover, start: Place) -> int | None:
        found.append(Trace(route, mover, start, asked(route, mover, start)))
        return found[-1].cost

    reasons.evaluator.routes, reasons.evaluator.is_tracing = trace, True
    try:
        yield found
    finally:
        reasons.evaluator.routes, reasons.evaluator.is_tracing = asked, False


def _explain(asked: BoundQuestion, part: Answer, env: Env, reasons: Reasons) -> None:
    if part.when is not None and not asked.engine.term(part.when, env):
        return
    match part.kind:
        case "record":
            for _, inner in part.parts:
                _explain(asked, inner, env, reasons)
        case "each" | "list":
            for attempt in _likeliest(list(_explain_each(asked, part, env, reasons)), reasons):
                form, about, where = attempt
                if not reasons.head(head_key(form.name, "try"), about, where):
                    for word in ("factor", "adds"):
                        reasons.head(head_key(form.name, word), about, where)
        case "term":
            term = part.term
            assert term is not None
            if reasons.valued(term, env) is False:
                reasons.denied(term, env)
            for one in _asked_forms(term, env):
                if one.what != SOME:
                    reasons.behind(one, env)
        case "choices" if isinstance(asked.model.forms[part.form], Route):
            names, values = zip(*part.bindings, strict=True)
            reasons.behind(Result(CHOICES, part.form, names, values, NUMBER), env)


def _picks(asked: BoundQuestion, term: Term | None, env: Env, reasons: Reasons) -> list[WitnessAndNearest]:
    """Explain the picks that a term asks for: whether some choices hold them."""
    engine, found = asked.engine, []
    for one in (one for one in _asked_forms(term, env) if one.what == SOME):
        form = asked.model.forms[one.form]
        assert isinstance(form, Allocation | Selection)
        roles = {name: engine.term(arg, env) for name, arg in one.roles}
        found.append(PickReasons(reasons, engine, form, roles).explain())
    return found


def _asked_forms(term: Term | None, env: Env) -> Iterator[Result]:
    """Yield the results of forms in a term that ask for nothing but the names in `env`."""
    for one in subterms(term) if term is not None else ():
        if isinstance(one, Result) and free_names(one) <= set(env):
            yield one


class Attempt(NamedTuple):
    """A roll that a candidate may make: its arguments, and its place in the findings."""

    form: Roll
    env: Env
    where: str


def _explain_each(asked: BoundQuestion, part: Answer, env: Env, reasons: Reasons) -> Iterator[Attempt]:
    """Yield the rolls that the condition of a candidate asks for; where it asks for none, note what is behind it."""
    assert part.base is not None
    rolls = _rolls(asked, part)
    shower = AnswerEvaluator(asked.model, asked.engine)
    offered = asked.engine.term(part.base, env)
    parts = part.where.parts if isinstance(part.where, Logic) and part.where.op == "all" else ()
    facts = [one for one in parts if not dependencies_of(asked.model).asks(one)]  # no clause says anything of them
    possible = [one for one in offered if all(asked.engine.term(fact, {**env, part.var: one}) for fact in facts)]
    candidates = possible or offered
    for one in candidates[:MAX_WATCHED] if not rolls else ():
        inner, where = {**env, part.var: one}, str(shower.named(one, part.base.type))
        for term in _terms(part):
            if reasons.valued(term, inner, where) is None:
                reasons.denied(term, inner, where)
        _picks(asked, part.where, inner, reasons)
    for one in candidates[:MAX_CANDIDATES]:
        inner = {**env, part.var: one}
        for roll in rolls:
            form = asked.model.forms[roll.head]
            args = [asked.engine.term(arg, inner) for arg in roll.args if free_names(arg) <= set(inner)]
            if isinstance(form, Roll) and len(args) == len(roll.args):
                known = {name: arg for (name, _), arg in zip(form.params, args, strict=True)}
                yield Attempt(form, known, attempt_of(known) or one.id)
        for _, nested in part.parts:
            if nested.kind == "each":
                yield from _explain_each(asked, nested, inner, reasons)


def _terms(part: Answer) -> list[Term]:
    return [term for term in (part.where, *(inner.term for _, inner in part.parts)) if term is not None]


def _likeliest(attempts: list[Attempt], reasons: Reasons) -> list[Attempt]:
    """Give what nothing bars, and of the rest what the fewest sentences bar; of too many the first."""
    failing = [len(reasons.engine.said(head_key(one.form.name, "try"), one.env)) for one in attempts]
    least = min((count for count in failing if count), default=0)
    return [one for wanted in dict.fromkeys((0, least)) for one, count in zip(attempts, failing, strict=True)
            if count == wanted][:MAX_JUDGED]  # fmt: skip


def _rolls(asked: BoundQuestion, part: Answer) -> list[Call]:
    found: dict[str, Call] = {}
    for inner in (inner for term in _terms(part) for inner in subterms(term)):
        if isinstance(inner, Call) and isinstance(asked.model.forms.get(inner.head), Roll):
            found.setdefault(inner.head, inner)
    return list(found.values())


def explain_trace(reasons: Reasons, route: Route, mover: Mover, start: Place | None) -> WitnessAndNearest:
    """Show a route to a goal; or the fewest things that would have to be otherwise for one."""
    if start is None:
        start = first_place(mover)
    ask = reasons.blame.ask(route, mover, {})
    if start is None or not ask.has_goal:
        return {}, {}
    leads_there = reasons.engine.trace(route, mover, start) is not None
    found = legal_route(ask, start, ask.is_goal) if leads_there else None
    if found is not None:
        for step in found:
            reasons.head(ask.key("cost"), ask.along(step), step.where)
        goal = found[-1].entered if found else start
        reasons.head(ask.key("goal"), ask.end(goal), goal.id)
        return {"route": places(start, found), "crossings": [step.link.id for step in found if step.cost]}, {}
    closed = reasons.blame.closest_to_goal(ask, start)
    if closed is None:
        goals = (statement.clause for statement in reasons.model.heads[ask.key("goal")].statements)
        for clause in (one for one in dict.fromkeys(goals) if one in reasons.model.clauses):
            reasons.note(clause, "unmet", start.id, f"no connection leads from {start.id} to such a place", holds=False)
        return {"unconnected": start.id}, {}
    closest, spare, around = closed
    changes = _changes(reasons, ask, start, closest, spare)
    for key, env in around:
        reasons.aside(key, env)
    return {"closest": places(start, closest)}, {"changes": changes}


def _changes(
    reasons: Reasons, ask: StepJudge, start: Place, steps: list[JudgedStep], spare: frozenset[str]
) -> list[dict[str, Any]]:
    """List the obstacles on a route: each barred step, each step that the points do not pay for."""
    points = ask.points
    changes: list[dict[str, Any]] = []
    spent = 0
    for step in steps:
        for finding in reasons.head(ask.key("step"), ask.along(step), step.where, spare):
            changes.append(_change(finding.clause, step, finding.looked_at))
        if spent + step.cost > points:
            price = ask.key("cost"), ask.along(step), step.where
            for clause in reasons.overspent(ask, *price, spent + step.cost, spare):
                changes.append(_change(clause, step, (step.link.id,)))
        else:
            spent += step.cost
    goal = steps[-1].entered if steps else start
    where = f"ending in {goal.id}"
    end = ask.key("end"), ask.end(goal)
    barring_entry = {change["clause"] for change in changes if change["place"] == goal.id}
    for finding in () if ask.said(*end) <= barring_entry else reasons.head(*end, where, spare):
        because = list(finding.looked_at or names_of(reasons.world.standing(goal)))
        changes.append({"clause": finding.clause, "step": where, "place": goal.id, "because": because})
    return changes


def _change(clause: str, step: JudgedStep, because: tuple[str, ...]) -> dict[str, Any]:
    names = because or (step.link.id,)
    return {"clause": clause, "step": step.where, "place": step.entered.id, "because": list(names)}
