"""Causes: the sentences of clauses that made a term true or false.

Blame passes through definitions, values, sums, rolls and routes. What is blamed is enough for the
value: of a definition that several sentences make true one is named, of one that is false all that
took its sentences away. Facts of the situation are nobody's fault and give no cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.engine import BeforeMove, Engine, RankedPath, common_place, first_place, hashable
from titm_rules.explain.relaxed_search import JudgedStep, StepJudge, barring, closest_route, how_closed
from titm_rules.ir.applicability import COUNTS, LIFTED, UNMET, Judged
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Head, Lift, Roll, Route, Selection, Statement, head_key
from titm_rules.ir.terms import START, Call, Compare, Const, Logic, Member, Quantified, Result, Term, Var, children
from titm_rules.world.evaluate import PICKS, Env, Evaluator
from titm_rules.world.records import Mover, Place

Watched = tuple[Head, Env, list[Statement]]
DECIDED = ("any", "bar", "sum", "value")
_CONDITIONS, _FACTS = (Logic, Quantified, Compare), (Var, Const)  # tuples: a union would be made for each term


class MemoizingEvaluator(Evaluator):
    """Evaluates each definition once for the same arguments (memoizes), and reports to watchers each time.

    The engine decides heads that show nothing to a watcher; if it `only_lifts`, all but those that have exceptions.
    Routes are not memoized, because traces may be collected on the way (`is_tracing`).
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.model, engine.world, engine.trace, reach=engine.reach, results=engine.result)
        self.engine = engine
        self._rests = dependencies_of(engine.model)
        self.only_lifts = self.is_tracing = False
        self._known: dict[Any, tuple[Any, list[Any], list[Watched]]] = {}
        self._traced = False

    def value(self, term: Term, env: Env) -> Any:
        """Evaluate a term, unseen by watchers if it is one that the engine has compiled."""
        if isinstance(term, _CONDITIONS) and self.watch is None and self.looked_at is None:
            known = None if self.is_tracing else self.engine.compiled(term)
            if known is not None:
                return known(env)
        return self.term(term, env)

    def holds(self, sentence: Statement | Lift, env: Env) -> bool:
        return sentence.when is None or bool(self.value(sentence.when, env))

    def silenced(self, head: Head, env: Env) -> Iterator[Judged]:
        """Judge the statements of a head of which none counts: where nothing takes one away, no condition holds."""
        if head.lifts or any(statement.instead for statement in head.statements):
            return self.judged(head, env)
        return (Judged(statement, UNMET) for statement in head.statements)

    def head(self, head: Head, env: Env) -> Any:
        return self._decided(head, env) if self._is_left_to_engine(head) else super().head(head, env)

    def _decided(self, head: Head, env: Env) -> Any:
        found = self.engine.decide(head.key, env)
        return list(found) if head.type.kind == "set" and found is not None else found

    def alive(self, head: Head, env: Env) -> Iterator[Statement]:
        return iter(self.engine.said(head.key, env)) if self._is_left_to_engine(head) else super().alive(head, env)

    def _is_left_to_engine(self, head: Head) -> bool:
        """Whether no watcher would see how a head is decided."""
        if head.mode not in DECIDED or self.model.heads.get(head.key) is not head:
            return False
        if self.watch is None and self.looked_at is None and not self.is_tracing:
            return True
        shows = self._rests.shown(head.key)
        is_seen = self.watch is not None and (shows.lifts or not self.only_lifts)
        is_found = self.looked_at is not None and shows.finds
        return not (is_seen or is_found or (self.is_tracing and shows.traces))

    def call(self, key: str, args: list[Any], env: Env) -> Any:
        head = self.model.heads[key]
        if self._is_left_to_engine(head):
            inner = {name: arg for (name, _), arg in zip(head.params, args, strict=True)}
            if PICKS in env:
                inner[PICKS] = env[PICKS]
            return self._decided(head, inner)
        if head.mode == "route":
            self._traced = True
            return super().call(key, args, env)
        seen = self.watch is not None, self.only_lifts, self.looked_at is not None
        named = (key, seen, *map(hashable, args), self.picked(head, env))
        found = self._known.get(named)
        if found is None:
            before, self._traced = self._traced, False
            found = self._observed(key, args, env)
            if not self._traced:
                self._known[named] = found
            self._traced = self._traced or before
        value, looked, watched = found
        if self.looked_at is not None:
            self.looked_at.extend(looked)
        if self.watch is not None:
            for one in watched:
                self.watch(*one)
        return list(value) if isinstance(value, list) else value

    def picked(self, head: Head, env: Env) -> frozenset[tuple[Any, int]] | None:
        """Return the key of the picks so far, if a head asks for them."""
        if PICKS not in env or not (head.stateful or self._rests.of_head(head.key).picks):
            return None
        return frozenset(env[PICKS].items())

    def _observed(self, key: str, args: list[Any], env: Env) -> tuple[Any, list[Any], list[Watched]]:
        """Evaluate a call; return its result, the records looked at and the heads decided."""
        looked: list[Any] = []
        watched: list[Watched] = []
        outer = self.looked_at, self.watch
        self.looked_at = None if self.looked_at is None else looked
        self.watch = None if self.watch is None else lambda head, env, alive: watched.append((head, env, alive))
        try:
            return super().call(key, args, env), looked, watched
        finally:
            self.looked_at, self.watch = outer


Closed = tuple[list[JudgedStep], frozenset[str], list[tuple[str, dict[str, Any]]]]
MAX_PLACES = 60
MAX_MEMBERS = 60


@dataclass(slots=True, eq=False)
class Cause:
    """A sentence on which a value depends, and its arguments; `aside`: it closes other routes than the closest."""

    head: Head
    sentence: Statement | Lift
    env: Env
    aside: bool = False

    @property
    def clause(self) -> str:
        return self.sentence.clause

    @property
    def takes_away(self) -> bool:
        return isinstance(self.sentence, Lift)


Causes = tuple[Cause, ...]


class CauseFinder:
    """Finds the causes of values in the situation of an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.model = engine, engine.model
        self.evaluator = MemoizingEvaluator(engine)
        self._rests = dependencies_of(engine.model)
        self._asks: dict[tuple[Any, ...], StepJudge] = {}
        self._closed: dict[tuple[StepJudge, Place, Place | None], Closed | None] = {}
        self._of_heads: dict[tuple[Any, ...], Causes] = {}
        self._of_terms: dict[tuple[Any, ...], Causes] = {}

    @cached_property
    def _before(self) -> tuple[CauseFinder, BeforeMove] | None:
        """The same for the situation before the move, in which routes and results are judged, with what leads there."""
        before = self.engine.before
        return None if before is None else (CauseFinder(before.engine), before)

    # ------------------------------------------------------------------ terms
    def because(self, term: Term | None, env: Env, held: bool | None = None) -> Causes:
        """Find the causes of the value of a term, `held` if that is known; no term has none, and facts have none.

        They are found once for the values that decide which clauses they are, unless the picks so far do.
        """
        if term is None:
            return ()
        asks, names, picks = self._rests.behind(term)
        if not asks or picks:
            return self._found(term, env, held) if asks else ()
        key = term, *[hashable(env[name]) for name in names]
        found = self._of_terms.get(key)
        if found is None:
            found = self._of_terms[key] = self._found(term, env, held)
        return found

    def _found(self, term: Term, env: Env, held: bool | None) -> Causes:
        match term:
            case Logic(op="not", parts=(part,)):
                return self.because(part, env, None if held is None else not held)
            case Logic(op=op, parts=parts):
                if held is (op == "all"):
                    return self._all(parts, env, held)
                # a fact that decides has no causes, and none are fewer
                return _fewest(self._each_enough(sorted(parts, key=self._rests.asks), env, op == "any", held))
            case Quantified():
                return self._quantified(term, env, held)
            case Call(head=key, args=args):
                given = [self.evaluator.term(arg, env) for arg in args]
                return self._all(args, env) + self._call(key, given, env)
            case Member(left=left, base=Result(what="ends", form=form, roles=roles) as ends) if not (
                self.evaluator.value(term, env) if held is None else held
            ):
                named = {name: self.evaluator.term(value, env) for name, value in roles}
                return self._all((left, *ends.args), env) + self._of_result(form, named, self.evaluator.term(left, env))
            case Result(form=form, roles=roles):
                named = {name: self.evaluator.term(value, env) for name, value in roles}
                return self._all((value for _, value in roles), env) + self._of_result(form, named)
        return self._all(children(term), env)

    def _all(self, terms: Iterable[Term], env: Env, held: bool | None = None) -> Causes:
        found: dict[Cause, None] = {}
        for term in terms:
            if not isinstance(term, _FACTS):
                found.update(dict.fromkeys(self.because(term, env, held)))
        return tuple(found)

    def _each_enough(self, parts: Iterable[Term], env: Env, decides: bool, held: bool | None) -> Iterator[Causes]:
        """Yield the causes each of which is enough: those of any part that decides, or if none does of all parts."""
        deciding = False
        for part in parts if held is not (not decides) else ():
            if self._is(part, env, decides):
                deciding = True
                yield self.because(part, env, decides)
        if not deciding:
            yield self._all(parts, env, held)

    def _ways(self, term: Term | None, env: Env, held: bool) -> list[Causes]:
        if isinstance(term, Logic) and term.op in ("all", "any"):
            return list(self._each_enough(term.parts, env, term.op == "any", held))
        return [self.because(term, env, held)]

    def _is(self, part: Term, env: Env, wanted: bool) -> bool:
        try:
            return bool(self.evaluator.value(part, env)) is wanted
        except (Undecided, TypeError):  # a part behind the one that decides need not have a value
            return False

    def _quantified(self, term: Quantified, env: Env, held: bool | None) -> Causes:
        base = self.because(term.base, env)
        inners = [{**env, term.var: one} for one in self.evaluator.term(term.base, env)[:MAX_MEMBERS]]
        if term.op in ("some", "every"):
            return base + self._truth(term, inners, term.op == "some", held)
        chosen = [inner for inner in inners if term.where is None or self.evaluator.value(term.where, inner)]
        if term.op in ("highest", "lowest") and chosen and term.body is not None:
            body, pick = term.body, max if term.op == "highest" else min
            chosen = [pick(chosen, key=lambda inner: self.evaluator.term(body, inner) or 0)]
        parts = (part for inner in chosen for part in (self.because(term.where, inner), self.because(term.body, inner)))
        return base + tuple(cause for part in parts for cause in part)

    def _truth(self, term: Quantified, inners: list[dict[str, Any]], decides: bool, held: bool | None) -> Causes:
        """One member decides that some are, or that not every one is; else all members do."""
        for inner in inners if held is not (not decides) else ():
            if self._counted(term, inner) and bool(self.evaluator.value(term.body, inner)) is decides:  # type: ignore[arg-type]
                return self.because(term.where, inner, True) + self.because(term.body, inner, decides)
        counted = ((inner, self._counted(term, inner)) for inner in inners)
        ways = [
            self._ways(term.body, inner, not decides) if is_counted else self._ways(term.where, inner, False)
            for inner, is_counted in counted
        ]
        return tuple(cause for causes in _sharing(ways) for cause in causes)

    def _counted(self, term: Quantified, inner: Env) -> bool:
        return term.where is None or bool(self.evaluator.value(term.where, inner))

    def _call(self, key: str, args: list[Any], env: Env) -> Causes:
        form = self.model.forms.get(key)
        if isinstance(form, Route):
            return self._of_route(form, args[0], args[1])
        inner = {name: arg for (name, _), arg in zip(self.model.heads[key].params, args, strict=True)}
        if PICKS in env:
            inner[PICKS] = env[PICKS]
        if not isinstance(form, Roll):
            return self.of_key(key, inner)
        barred = self.evaluator.head(self.model.heads[head_key(key, "try")], inner)
        words = ("try",) if barred else ("factor", "adds")
        return tuple(cause for word in words for cause in self.of_key(head_key(key, word), inner))

    # ------------------------------------------------------------------ heads
    def of_head(self, head: Head, env: Env) -> Causes:
        alive = list(self.evaluator.alive(head, env))
        if not alive:
            judged = self.evaluator.silenced(head, env)
            return tuple(cause for one in judged for cause in self._silence(head, one, env))
        if head.mode == "sum":
            adding = (one for one in alive if adds(self.evaluator, one, env))
            found = tuple(cause for one in adding for cause in self._spoken(head, one, env))
        else:
            found = _fewest(self._spoken(head, one, env) for one in alive)
        if head.type.kind == "number":  # what bars a trace behind a number does not bar what the number is asked for
            return tuple(replace(one, aside=True) if one.head.mode == "bar" else one for one in found)
        return found

    def _spoken(self, head: Head, statement: Statement, env: Env) -> Causes:
        by_clause = statement.clause in self.model.clauses  # not a default or course of play
        own = (Cause(head, statement, env),) if by_clause else ()
        why = () if statement.when is None else self.because(statement.when, env, held=True)
        return own + why + (() if statement.value is None else self.because(statement.value, env))

    def _silence(self, head: Head, one: Judged, env: Env) -> Causes:
        """Find why a statement does not apply: its condition, or an exception."""
        if one.how == LIFTED and one.by is not None:
            return Cause(head, one.by, env), *self.because(one.by.when, env, held=True)
        return self.because(one.statement.when, env, held=False) if one.how == UNMET else ()

    def missing(self, term: Term | None, env: Env) -> Iterator[str]:
        """Name the clauses that would make a term true, or give it a value, and whose conditions do not hold."""
        return (statement.clause for statement, _ in self.unmet(term, env))

    def unmet(self, term: Term | None, env: Env) -> Iterator[tuple[Statement, Env]]:
        """Yield the statements that would make a term true, or give it a value, and whose conditions do not hold."""
        match term:
            case Logic(op="all" | "any", parts=parts):
                for part in parts:
                    if self._is(part, env, wanted=False):
                        yield from self.unmet(part, env)
            case Quantified(op="some"):
                for one in self.evaluator.term(term.base, env)[:MAX_MEMBERS]:
                    inner = {**env, term.var: one}
                    yield from self.unmet(term.body if self._counted(term, inner) else term.where, inner)
            case Call(head=key, args=args) if self.model.heads[key].mode in ("any", "value"):
                head = self.model.heads[key]
                given = (self.evaluator.term(arg, env) for arg in args)
                yield from self._unmet(head, dict(zip((name for name, _ in head.params), given, strict=True)))

    def _unmet(self, head: Head, env: Env) -> Iterator[tuple[Statement, Env]]:
        judged = list(self.evaluator.judged(head, env))
        saying = [one.statement for one in judged if one.how == COUNTS and one.statement.clause in self.model.clauses]
        if saying:  # nothing is missing, but where what they say has no value itself
            for statement in saying if head.mode == "value" and self.evaluator.head(head, env) is None else ():
                yield from self.unmet(statement.value, env)
            return
        for one in judged:
            if one.how == UNMET:
                yield from ((one.statement, env), *self.unmet(one.statement.when, env))

    # ------------------------------------------------------------------ routes and other forms
    def ask(self, route: Route, mover: Mover, given: Env) -> StepJudge:
        """Return the step judge of a mover on a route; memoized."""
        key = route.name, *map(hashable, (mover, *given.values())), *given
        if key not in self._asks:
            self._asks[key] = StepJudge(self.model, self.engine, route, mover, given)
        return self._asks[key]

    def closest_to_goal(self, ask: StepJudge, start: Place, goal: Place | None = None) -> Closed | None:
        """Find the route that comes closest to a goal, and the clauses that close all routes; nothing if unconnected.

        The goal is the one given, or any of the route. The second and third part are those of `how_closed`. Memoized.
        """
        key = ask, start, goal
        if key not in self._closed:
            is_goal = ask.is_goal if goal is None else lambda place: place is goal
            steps = closest_route(ask, start, is_goal)
            self._closed[key] = None if steps is None else (steps, *how_closed(ask, start, is_goal, steps))
        return self._closed[key]

    def said(self, key: str, env: Env) -> frozenset[str]:
        return frozenset(statement.clause for statement in self.engine.said(key, env))

    def of_key(self, key: str, env: Env, spare: frozenset[str] = frozenset()) -> Causes:
        """Find the causes of a head's value, except in clauses that can be spared."""
        head = self.model.heads[key]
        if not spare:
            names = self._rests.parameters_behind(key)
            named = (key, *[hashable(env[name]) for name in names], self.evaluator.picked(head, env))
            found = self._of_heads.get(named)
            if found is None:
                found = self._of_heads[named] = self.of_head(head, env)
            return found
        if self.said(key, env) <= spare:
            return ()
        needed = tuple(statement for statement in head.statements if statement.clause not in spare)
        return self.of_head(replace(head, statements=needed), env)

    def _of_route(self, route: Route, mover: Mover, start: Place | None) -> Causes:
        """Find the causes of a trace's result: the obstacles on the closest route, or its costs."""
        if mover is None:
            return ()
        if self._before is not None:
            finder, before = self._before
            return finder._of_route(route, before.twin(mover), before.twin(start))
        start = start if start is not None else first_place(mover)
        return () if start is None else self._of_closed(self.ask(route, mover, {}), start)

    def _of_closed(self, ask: StepJudge, start: Place, goal: Place | None = None) -> Causes:
        closed = self.closest_to_goal(ask, start, goal)
        if closed is None:
            return ()
        steps, spare, around = closed
        found = [cause for key, env in barring(ask, start, steps) for cause in self.of_key(key, env, spare)]
        found += [cause for step in steps if step.cost for cause in self.of_key(ask.key("cost"), ask.along(step))]
        found += [replace(cause, aside=True) for key, env in around for cause in self.of_key(key, env)]
        return tuple(found)

    def _of_result(self, name: str, roles: Env, goal: Place | None = None) -> Causes:
        """Find the causes of a result of a form; of the ends of a route, why a goal is not among them."""
        if self._before is not None:
            finder, before = self._before
            return finder._of_result(
                name, {role: before.twin(value) for role, value in roles.items()}, before.twin(goal)
            )
        form = self.model.forms[name]
        if isinstance(form, Selection):
            members = self.evaluator.term(form.members, roles)
            return self.of_key(head_key(name, "choose"), {**roles, form.picked[0]: members})
        if not isinstance(form, Route):
            return ()
        mover, given = roles[form.mover[0]], {role: roles[role] for role, _ in form.given}
        start = roles.get(START) or common_place(mover)
        if mover is None or start is None:
            return ()
        ask = self.ask(form, mover, given)
        if ask.decide(ask.key("start"), ask.env):
            return self.of_key(ask.key("start"), ask.env)
        if goal is not None and not form.ranks:
            return self._of_closed(ask, start, goal)
        ways = self.engine.ways(form, mover, given, start) if form.ranks else ()
        if ways:
            env = end_of(form, mover, given, ways[0])
            return tuple(cause for rank in form.ranks for cause in self.because(rank, env))
        return tuple(replace(cause, aside=True) for found in _barring(ask, start) for cause in self.of_key(*found))


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
            if crossed.barring:
                yield here.key("step"), here.along(crossed)
            elif entered not in seen and not crossed.stopping and len(seen) < MAX_PLACES:
                seen.add(entered)
                waiting.append((here.having(crossed.tallied), entered))


def adds(evaluator: Evaluator, statement: Statement, env: Env) -> bool:
    return statement.value is not None and bool(evaluator.term(statement.value, env))


def _fewest(found: Iterable[Causes]) -> Causes:
    """Take the first causes that name the fewest clauses; if they name none, no others are looked at."""
    several: list[Causes] = []
    for causes in found:
        if not causes:
            return ()
        several.append(causes)
    if len(several) < 2:
        return several[0] if several else ()
    return min(several, key=lambda causes: len({cause.clause for cause in causes}))


def _sharing(ways: list[list[Causes]]) -> list[Causes]:
    """Take of each list one, so that few clauses are named in all: who has no choice first, the others after them."""
    named: set[str] = set()
    taken = {}
    for at in sorted(range(len(ways)), key=lambda at: len(ways[at])):
        taken[at] = min(ways[at], key=lambda causes: len({cause.clause for cause in causes} - named))
        named |= {cause.clause for cause in taken[at]}
    return [taken[at] for at in range(len(ways))]
