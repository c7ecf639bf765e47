"""Causes: the sentences of clauses that made a term true or false.

Blame passes through definitions, values, sums, rolls and routes. What is blamed is enough for the
value: of a definition that several sentences make true one is named, of one that is false all that
took its sentences away. Facts of the situation are nobody's fault and give no cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.engine import Engine, RankedPath, common_place
from titm_rules.explain.relaxed_search import StepJudge
from titm_rules.ir.applicability import COUNTS, LIFTED, UNMET, Judged
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Head, Lift, Roll, Route, Selection, Statement, head_key
from titm_rules.ir.terms import START, Call, Logic, Quantified, Result, Term, children
from titm_rules.world.evaluate import PICKS, Env, Evaluator
from titm_rules.world.records import Mover, Place

MAX_PLACES = 60


def result_causes(
    blame: CauseFinder, asking: Callable[[Route, Mover, Env], StepJudge], engine: Engine, name: str, roles: Env
) -> Causes:
    """Find the causes of the result of a form for some roles."""
    model = blame.evaluator.model
    form = model.forms[name]
    if isinstance(form, Selection):
        env = {**roles, form.picked[0]: blame.evaluator.term(form.members, roles)}
        return blame.of_head(model.heads[head_key(name, "choose")], env)
    if not isinstance(form, Route):
        return ()
    mover, given = roles[form.mover[0]], {role: roles[role] for role, _ in form.given}
    start = roles.get(START) or common_place(mover)
    if mover is None or start is None:
        return ()
    ask = asking(form, mover, given)
    if ask.decide(ask.key("start"), ask.env):
        return blame.of_head(model.heads[ask.key("start")], ask.env)
    ways = engine.ways(form, mover, given, start) if form.ranks else ()
    if ways:
        env = end_of(form, mover, given, ways[0])
        return tuple(cause for rank in form.ranks for cause in blame.because(rank, env))
    barring = (cause for key, env in _barring(ask, start) for cause in blame.of_head(model.heads[key], env))
    return tuple(replace(cause, aside=True) for cause in barring)


def end_of(route: Route, mover: Mover, given: Env, way: RankedPath) -> dict[str, Any]:
    """Name what the ranks of a way are about."""
    counted = zip((name for name, _ in route.counters), way.counts, strict=True)
    return {route.mover[0]: mover, **given, route.entered: way.place, **dict(counted)}


def _barring(ask: StepJudge, start: Place) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the heads that bar steps and ends as a mover goes on from its start, the nearest first."""
    waiting = [(ask, start)]
    seen = {start}
    for here, at in waiting:
        if here.ends_barred(at):
            yield here.key("end"), here.end(at)
        for link, entered in here.ways(at):
            crossed = here.cross(link, at, entered)
            if crossed.barred:
                yield here.key("step"), here.along(crossed)
            elif entered not in seen and not crossed.stops and len(seen) < MAX_PLACES:
                seen.add(entered)
                waiting.append((here.having(crossed.tallied), entered))


MAX_MEMBERS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Cause:
    """A sentence on which a value depends, and its arguments.

    `aside`: it closes other routes than the closest one.
    """

    head: Head
    sentence: Statement | Lift
    env: Env
    aside: bool = False

    @property
    def clause(self) -> str:
        """The clause that holds the sentence."""
        return self.sentence.clause

    @property
    def takes_away(self) -> bool:
        """Whether it is an exception, which takes away what another clause says."""
        return isinstance(self.sentence, Lift)


Causes = tuple[Cause, ...]
RouteBlame = Callable[[Route, Any, Any], Causes]
ResultBlame = Callable[[str, Env], Causes]


class CauseFinder:
    """Finds the causes of values.

    Args:
        evaluator: evaluates terms; the causes are those of its values.
        of_route: finds the causes of the cost of a route, or of its absence.
        of_result: finds the causes of the result of a form for some roles.
    """

    def __init__(self, evaluator: Evaluator, of_route: RouteBlame, of_result: ResultBlame) -> None:
        self.evaluator = evaluator
        self.of_route = of_route
        self.of_result = of_result
        self._rests = dependencies_of(evaluator.model)

    def because(self, term: Term | None, env: Env) -> Causes:
        """Find the causes of the value of a term; no term has none, and facts have none."""
        if term is None or not self._rests.asks(term):
            return ()
        match term:
            case Logic(op="all" | "any", parts=parts):
                return _fewest(self._each_enough(parts, env, term.op == "any"))
            case Quantified():
                return self._quantified(term, env)
            case Call(head=key, args=args):
                given = [self.evaluator.term(arg, env) for arg in args]
                return self._all(args, env) + self._call(key, given, env)
            case Result(form=form, roles=roles):
                named = {name: self.evaluator.term(value, env) for name, value in roles}
                return self._all((value for _, value in roles), env) + self.of_result(form, named)
        return self._all(children(term), env)

    def _all(self, terms: Iterable[Term], env: Env) -> Causes:
        return tuple(cause for term in terms for cause in self.because(term, env))

    def _each_enough(self, parts: tuple[Term, ...], env: Env, decides: bool) -> list[Causes]:
        """List the causes each of which is enough: those of any part that decides, or if none does of all parts."""
        found = [self.because(part, env) for part in parts if self._is(part, env, decides)]
        return found or [self._all(parts, env)]

    def _ways(self, term: Term | None, env: Env) -> list[Causes]:
        if isinstance(term, Logic) and term.op in ("all", "any"):
            return self._each_enough(term.parts, env, term.op == "any")
        return [self.because(term, env)]

    def _is(self, part: Term, env: Env, wanted: bool) -> bool:
        try:
            return bool(self.evaluator.term(part, env)) is wanted
        except (Undecided, TypeError):  # a part behind the one that decides need not have a value
            return False

    def _quantified(self, term: Quantified, env: Env) -> Causes:
        base = self.because(term.base, env)
        inners = [{**env, term.var: one} for one in self.evaluator.term(term.base, env)[:MAX_MEMBERS]]
        if term.op in ("some", "every"):
            return base + self._truth(term, inners, term.op == "some")
        chosen = [inner for inner in inners if term.where is None or self.evaluator.term(term.where, inner)]
        if term.op in ("highest", "lowest") and chosen and term.body is not None:
            body, pick = term.body, max if term.op == "highest" else min
            chosen = [pick(chosen, key=lambda inner: self.evaluator.term(body, inner) or 0)]
        parts = (part for inner in chosen for part in (self.because(term.where, inner), self.because(term.body, inner)))
        return base + tuple(cause for part in parts for cause in part)

    def _truth(self, term: Quantified, inners: list[dict[str, Any]], decides: bool) -> Causes:
        """One member decides that some are, or that not every one is; else all members do."""
        for inner in inners:
            if self._counted(term, inner) and bool(self.evaluator.term(term.body, inner)) is decides:  # type: ignore[arg-type]
                return self.because(term.where, inner) + self.because(term.body, inner)
        ways = [self._ways(term.body if self._counted(term, inner) else term.where, inner) for inner in inners]
        return tuple(cause for causes in _sharing(ways) for cause in causes)

    def _counted(self, term: Quantified, inner: Env) -> bool:
        return term.where is None or bool(self.evaluator.term(term.where, inner))

    def _call(self, key: str, args: list[Any], env: Env) -> Causes:
        model = self.evaluator.model
        form = model.forms.get(key)
        if isinstance(form, Route):
            return self.of_route(form, args[0], args[1])
        inner = {name: arg for (name, _), arg in zip(model.heads[key].params, args, strict=True)}
        if PICKS in env:
            inner[PICKS] = env[PICKS]
        if isinstance(form, Roll):
            return self._roll(form, inner)
        return self.of_head(model.heads[key], inner)

    def _roll(self, roll: Roll, env: Env) -> Causes:
        heads = self.evaluator.model.heads
        barred = self.evaluator.head(heads[head_key(roll.name, "try")], env)
        words = ("try",) if barred else ("factor", "adds")
        return tuple(cause for word in words for cause in self.of_head(heads[head_key(roll.name, word)], env))

    def of_head(self, head: Head, env: Env) -> Causes:
        """Find the causes of the value of a head."""
        alive = list(self.evaluator.alive(head, env))
        if not alive:
            return tuple(cause for one in self.evaluator.judged(head, env) for cause in self._silence(head, one, env))
        if head.mode == "sum":
            adding = (one for one in alive if adds(self.evaluator, one, env))
            return tuple(cause for one in adding for cause in self._spoken(head, one, env))
        return _fewest(self._spoken(head, one, env) for one in alive)

    def _spoken(self, head: Head, statement: Statement, env: Env) -> Causes:
        by_clause = statement.clause in self.evaluator.model.clauses  # not a default or course of play
        own = (Cause(head, statement, env),) if by_clause else ()
        return (*own, *self.because(statement.when, env), *self.because(statement.value, env))

    def _silence(self, head: Head, one: Judged, env: Env) -> Causes:
        """Find why a statement does not apply: its condition, or an exception."""
        if one.how == LIFTED and one.by is not None:
            return Cause(head, one.by, env), *self.because(one.by.when, env)
        return self.because(one.statement.when, env) if one.how == UNMET else ()

    def missing(self, term: Term | None, env: Env) -> Iterator[str]:
        """Name the clauses that would make a term true, or give it a value, and whose conditions do not hold."""
        match term:
            case Logic(op="all" | "any", parts=parts):
                for part in parts:
                    if self._is(part, env, wanted=False):
                        yield from self.missing(part, env)
            case Quantified(op="some"):
                for one in self.evaluator.term(term.base, env)[:MAX_MEMBERS]:
                    inner = {**env, term.var: one}
                    yield from self.missing(term.body if self._counted(term, inner) else term.where, inner)
            case Call(head=key, args=args) if self.evaluator.model.heads[key].mode in ("any", "value"):
                head = self.evaluator.model.heads[key]
                given = (self.evaluator.term(arg, env) for arg in args)
                yield from self._unmet(head, dict(zip((name for name, _ in head.params), given, strict=True)))

    def _unmet(self, head: Head, env: Env) -> Iterator[str]:
        judged = list(self.evaluator.judged(head, env))
        if any(one.how == COUNTS and one.statement.clause in self.evaluator.model.clauses for one in judged):
            return
        for one in judged:
            if one.how == UNMET:
                yield from (one.statement.clause, *self.missing(one.statement.when, env))


def adds(evaluator: Evaluator, statement: Statement, env: Env) -> bool:
    """Whether a statement adds something to a sum."""
    return statement.value is not None and bool(evaluator.term(statement.value, env))


def _fewest(found: Iterable[Causes]) -> Causes:
    return min(found, key=lambda causes: len({cause.clause for cause in causes}), default=())


def _sharing(ways: list[list[Causes]]) -> list[Causes]:
    """Take of each list one, so that few clauses are named in all: who has no choice first, the others after them."""
    named: set[str] = set()
    taken = {}
    for at in sorted(range(len(ways)), key=lambda at: len(ways[at])):
        taken[at] = min(ways[at], key=lambda causes: len({cause.clause for cause in causes} - named))
        named |= {cause.clause for cause in taken[at]}
    return [taken[at] for at in range(len(ways))]
