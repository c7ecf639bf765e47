"""Findings: what each clause says of a case, and which records it looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from titm_rules.engines.engine import Engine, RankedPath
from titm_rules.engines.route_walk import ranked
from titm_rules.explain.causes import Cause, CauseFinder, Causes, end_of
from titm_rules.explain.phrasing import Words, mover_noun
from titm_rules.explain.relaxed_search import StepJudge, ways_around
from titm_rules.explain.verdict import Effect, Finding
from titm_rules.ir.applicability import LIFTED, UNMET, Judged, judged
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import NOBODY, Form, Head, Lift, Roll, Route, Statement
from titm_rules.ir.terms import Call, Compare, Const, Logic, Member, Result, Term, Var
from titm_rules.ir.types import amount
from titm_rules.world.evaluate import Env
from titm_rules.world.records import Place
from titm_rules.world.world import World

MAX_SEEN = 2_000
ANOTHER = "another way"
NOT_MET = "but its condition is not met"
EFFECTS: Mapping[str, Effect] = {"bar": "forbids", "sum": "counts", "any": "gives", "value": "gives"}
RANK = {effect: number for number, effect in enumerate(get_args(Effect))}  # the order in which findings are given


class Reasons:
    """Asks heads clause by clause and collects findings, each once."""

    def __init__(self, engine: Engine, found: dict[tuple[Any, ...], Finding] | None = None) -> None:
        self.engine, self.model, self.world = engine, engine.model, engine.world
        self.found: dict[tuple[Any, ...], Finding] = {} if found is None else found  # by what `note` is given
        self._later: list[Reasons] = []  # kept alive, so that later situations share their memo
        self.blame = CauseFinder(engine)
        self.evaluator = self.blame.evaluator
        self.words = Words(self.evaluator)

    def after(self, world: World) -> Reasons:
        """Return the reasons in a situation that a move has changed; they share the findings."""
        reasons = Reasons(self.engine.at(world), self.found)
        reasons.words.unnamed = self.words.unnamed
        self._later.append(reasons)
        return reasons

    def head(self, key: str | Head, env: Env, where: str = "", also: Collection[str] = ()) -> list[Finding]:
        """Judge a head: note every clause considered, and return the findings of those that apply.

        The clauses in `also` would forbid it as well, but the others are enough.
        """
        head = self.model.heads[key] if isinstance(key, str) else key
        counting: list[Finding] = []
        for one, is_seen in self._judged(head, env):
            statement = one.statement
            looked = self._look(head, statement, env, where) if is_seen else []
            match one.how, one.by:
                case _, Lift(clause=clause) | Statement(clause=clause):
                    why = "is an exception" if one.how == LIFTED else "replaces it"
                    message = f"does not apply here: {clause} {why}"
                    self.note(statement.clause, "lifted", where, message, names_of(looked), holds=False)
                    if one.how == LIFTED:
                        self.note(clause, "lifts", where, f"this is an exception to {statement.clause}")
                case "counts", None:
                    effect = "also" if statement.clause in also else EFFECTS[head.mode]
                    counting += self._counts(Cause(head, statement, env), where, looked, effect)
                    self._considered(head, statement, where)
        return counting

    def _judged(self, head: Head, env: Env) -> Iterator[tuple[Judged, bool]]:
        """Judge the statements of a head, each with whether its condition shows something.

        A condition shows who made it true, which exceptions took parts of it away, and traces. A statement whose
        condition does not hold and shows no exception and no trace is left out.
        """
        if self.model.heads.get(head.key) is not head:
            yield from ((each, True) for each in self.evaluator.judged(head, env))
            return
        how = judged(head, lambda one: self.evaluator.holds(one, env), self.engine.held(head.key, env))
        for each, shown in zip(how, dependencies_of(self.model).shown_by(head.key), strict=True):
            is_taken = shown.lifts or (shown.traces and self.evaluator.is_tracing)
            if is_taken or each.how != UNMET:
                yield each, is_taken or shown.finds

    def _look(self, head: Head, statement: Statement, env: Env, where: str) -> list[Any]:
        """Note the exceptions that took parts of a condition away; return the records that made it true."""
        if statement.when is None:
            return []
        is_own = not self.evaluator.is_tracing and self.model.heads.get(head.key) is head
        traced = self.engine.traced_condition(head, statement, env) if is_own else None
        if traced is None:
            looked, taken = self._evaluated(statement.when, env)
        else:
            looked, taken = traced[1].found, traced[1].taken
        for clause in taken:
            self.note(clause, "lifts", where)
        return looked

    def _evaluated(self, when: Term, env: Env) -> tuple[list[Any], Iterable[str]]:
        seen: list[tuple[Head, Env]] = []
        looked: list[Any] = []
        self.evaluator.looked_at, self.evaluator.only_lifts = looked, True
        self.evaluator.watch = lambda head, inner, _: seen.append((head, inner)) if head.lifts else None
        try:
            self.evaluator.term(when, env)
        finally:
            self.evaluator.looked_at = self.evaluator.watch = None
            self.evaluator.only_lifts = False
        lifts = (one.by for head, inner in seen for one in self.evaluator.judged(head, inner) if one.how == LIFTED)
        return looked, dict.fromkeys(lift.clause for lift in lifts if lift is not None)

    def _counts(self, own: Cause, where: str, looked: list[Any], effect: Effect) -> list[Finding]:
        """Note a statement that applies, with the clauses on which it depends."""
        names = tuple(name for name in names_of(looked) if name not in self.words.unnamed)
        value = own.sentence.value if isinstance(own.sentence, Statement) else None
        causes = (*self.blame.because(own.sentence.when, own.env, held=True), *self.blame.because(value, own.env))
        if own.head.mode != "bar":
            self._support(causes, where)
            return [self.note(own.clause, effect, where, self._amount(own), names)]
        return self._refusals(own, causes, where, names, effect)

    def _refusals(
        self, own: Cause, causes: Causes, where: str, names: tuple[str, ...], effect: Effect
    ) -> list[Finding]:
        """Note a bar; clauses behind it that forbid in their own words come first."""
        if own.sentence.says:
            causes = tuple(cause for cause in causes if cause.clause != own.clause)
        asks_ends = _asks_ends(own.sentence.when)  # then only what bars the way there forbids
        deeper = [
            cause for cause in causes
            if not (asks_ends or cause.aside) and _forbids_itself(cause, bool(own.sentence.says))
        ]  # fmt: skip
        found = [self.note(one.clause, effect, where, self.words.refusal(one, names)) for one in deeper]
        found += self._attempts(causes)
        is_closed = asks_ends and any(map(self._bars_way, causes)) and not any(map(self._limits, causes))
        if is_closed or (found and not own.sentence.says):
            effect = "rests"
        message = self.title(own.clause) if effect == "rests" else self.words.refusal(own, names)
        found.append(self.note(own.clause, effect, where, message, names))
        found += self._in_the_way(causes)
        self._support((cause for cause in causes if cause not in deeper), where)
        return found

    def _in_the_way(self, causes: Causes) -> list[Finding]:
        """Note the bars of a step, or of the end of a trace, behind a bar."""
        found: list[Finding] = []
        for cause in causes:
            route = self._form_of(cause.head)
            if isinstance(route, Route) and self._bars_way(cause):
                left, entered = cause.env.get(route.left), cause.env[route.entered].id
                where = f"{left.id} > {entered}" if left is not None else f"ending in {entered}"
                also = self.blame.said(cause.head.key, cause.env) - {cause.clause}
                found += self.head(cause.head.key, cause.env, where, also)
        return found

    def _bars_way(self, cause: Cause) -> bool:
        """Whether a clause bars a step, or the end, of the way that comes closest."""
        return cause.head.mode == "bar" and not cause.aside and isinstance(self._form_of(cause.head), Route)

    def _attempts(self, causes: Causes) -> list[Finding]:
        """Note the bars of the attempts behind a bar, for the attempts that come closest to being possible."""
        attempts: list[tuple[Cause, list[Statement]]] = []
        for cause in causes:
            is_attempt = cause.head.mode == "bar" and isinstance(self._form_of(cause.head), Roll)
            if is_attempt and not any(cause.env is known.env for known, _ in attempts):
                attempts.append((cause, list(self.evaluator.alive(cause.head, cause.env))))
        fewest = min((len({one.clause for one in barred}) for _, barred in attempts), default=0)
        found = []
        for cause, barred in attempts:
            place = attempt_of(cause.env)
            if len({one.clause for one in barred}) == fewest:
                for one in barred:
                    effect: Effect = "forbids" if one.clause == cause.clause else "also"
                    message = self.words.refusal(Cause(cause.head, one, cause.env))
                    found.append(self.note(one.clause, effect, place, message))
                    self._support(self.blame.because(one.when, cause.env, held=True), place)
            else:
                self.note(cause.clause, "rests", place)
        return found

    def _form_of(self, head: Head) -> Form | None:
        return self.model.forms.get(head.key.partition(".")[0])

    def _support(self, causes: Iterable[Cause], where: str) -> None:
        for cause in (cause for cause in causes if cause.clause != NOBODY):
            effect = "lifts" if cause.takes_away else EFFECTS[cause.head.mode]
            if effect == "forbids" or self._limits(cause):
                effect = "rests"
            known = self.found.values() if effect == "rests" else ()
            if all((one.clause, one.effect) != (cause.clause, "forbids") for one in known):
                self.note(cause.clause, effect, where)

    def _limits(self, cause: Cause) -> bool:
        """Whether a clause gives the points of a route, which bar routes that cost more."""
        return cause.head.key.endswith(".points") and isinstance(self._form_of(cause.head), Route)

    def _amount(self, own: Cause) -> str:
        title, statement = self.title(own.clause), own.sentence
        if not isinstance(statement, Statement) or statement.value is None or statement.value.type.kind != "number":
            return title
        said = self.words.filled(own)
        found = self.words.amount(statement.value, own.env)
        if found is None:
            return f"{title}: {said or 'none'}"
        label = f" {statement.label}" if statement.label else ""
        made = self.words.number(statement.value, own.env)
        is_sum = any(f" {op} " in made for op in "+-*/")
        return f"{title}: {said or (f'{made} = {found}' if is_sum or not made.startswith(str(found)) else made)}{label}"

    def _considered(self, head: Head, statement: Statement, where: str) -> None:
        """Note the exceptions and replacements of a clause that do not apply."""
        others = [lift.clause for lift in head.lifts if lift.target == statement.clause]
        others += [other.clause for other in head.statements if statement.clause in other.instead]
        message = f"this is an exception to {statement.clause}, {NOT_MET}"
        for clause in others:
            self.note(clause, "exception", where, message, holds=False)

    def overspent(
        self, ask: StepJudge, key: str, env: Env, where: str, spent: int, also: Collection[str] = ()
    ) -> list[str]:
        """Note a price, and that the total spent with it exceeds the points; return the clauses of the points."""
        self.head(key, env, where)
        return self.unpaid(ask, where, self.words.price(self.model.heads[key], env), spent, also)

    def unpaid(self, ask: StepJudge, where: str, price: str, spent: int, also: Collection[str] = ()) -> list[str]:
        """Note that the total spent exceeds the points; return the clauses of the points."""
        head = self.model.heads[ask.key("points")]
        total, points = amount(ask.route.measure, spent), self.words.value(head, ask.env)
        message = f"{where} costs {price}, {total} in total; the {mover_noun(ask.route)} has only {points}"
        self.head(head.key, ask.env)
        found = []
        for statement in self.evaluator.alive(head, ask.env):
            said = self.words.filled(Cause(head, statement, ask.env))
            effect: Effect = "also" if statement.clause in also else "forbids"
            found.append(self.note(statement.clause, effect, where, said or message))
        return [finding.clause for finding in found]

    def behind(self, term: Term, env: Env, where: str = "") -> None:
        self._support(self.blame.because(term, env), where)

    def denied(self, term: Term, env: Env, where: str = "") -> None:
        """Note the clauses that forbid what a term asks for, or keep what would give it a value from doing so."""
        lacking = [self.blame.because(one.when, inner, held=False) for one, inner in self.blame.unmet(term, env)]
        for cause in (*self.blame.because(term, env), *(cause for causes in lacking for cause in causes)):
            if _forbids_itself(cause, has_words=True):
                self.note(cause.clause, "forbids", where, self.words.refusal(cause))

    def preferred(self, route: Route, env: Env, best: Sequence[RankedPath], where: str) -> list[Finding]:
        """Note the clauses by which the best ways are better than one with such an end; none if it is as good.

        They are those that rank the ways; what these rest on is noted apart.
        """
        for number, rank in enumerate(route.ranks):
            (reached,) = ranked([self.evaluator.term(rank, env)])
            if best and reached > best[0].rank[number]:
                given = {name: env[name] for name, _ in route.given}
                other = end_of(route, env[route.mover[0]], given, best[0])
                causes = (*self.blame.because(rank, other), *self.blame.because(rank, env))
                said = f"there is a better route: {','.join(best[0].names)}"
                ranking = [cause for cause in causes if isinstance(rank, Call) and cause.head.key == rank.head]
                own = dict.fromkeys(cause.clause for cause in ranking or causes)
                found = [self.note(clause, "forbids", where, said) for clause in own]
                self._support((cause for cause in causes if cause.clause not in own), where)
                return found
        return []

    def stops(self, key: str, env: Env, default: str) -> dict[str, str]:
        """Return the clauses by which a mover must stop, each with its own words, or the default with its reason."""
        found: dict[str, str] = {}
        for statement in self.engine.said(key, env):
            cause = Cause(self.model.heads[key], statement, env)
            because = self.words.own(cause)
            found.setdefault(
                statement.clause, self.words.filled(cause) or (f"{default}: {because}" if because else default)
            )
        return found

    def gap(self, ask: StepJudge, left: Place, entered: Place | None, where: str) -> list[Finding]:
        """Note the clauses that forbid a step along no connection: their bar asks whether it is nothing."""
        if entered is None:
            return []
        head = self.model.heads[ask.key("step")]
        needing = tuple(one for one in head.statements if _is_absence(one.when, ask.route.crossing[0]))
        return self.head(replace(head, statements=needing, lifts=()), ask.step(None, left, entered), where)

    def around(self, ask: StepJudge, start: Place, is_target: Callable[[Any], bool]) -> None:
        """Note the clauses that close other ways to a target than the one that was judged."""
        cited = {finding.clause for finding in self.found.values() if finding.effect == "forbids"}
        for key, env in ways_around(ask, start, is_target, cited):
            self.aside(key, env)

    def aside(self, key: str, env: Env) -> None:
        """Note the bars of another route or connection than the one that was judged."""
        own, *causes = self.blame.of_key(key, env)
        self.note(own.clause, "rests", ANOTHER)
        self._support(causes, ANOTHER)

    def valued(self, term: Term, env: Env, where: str = "") -> Any:
        """Evaluate a term, noting what was asked on the way; what it would need and lacks is noted apart."""
        return self.watching(lambda: self.evaluator.term(term, env), where, frozenset(self.blame.missing(term, env)))

    def watching(self, work: Callable[[], Any], where: str = "", missing: Collection[str] = ()) -> Any:
        """Run an evaluation and note every clause asked on the way, whether it applies or not."""
        seen: list[tuple[Head, Env, list[Statement]]] = []
        self.evaluator.watch = lambda head, env, alive: seen.append((head, env, alive))
        try:
            result = work()
        finally:
            self.evaluator.watch = None
        for head, env, alive in seen[:MAX_SEEN]:
            for statement in alive:
                if statement.clause in self.model.clauses:
                    cause = Cause(head, statement, env)
                    message = self.words.refusal(cause) if head.mode == "bar" else self._amount(cause)
                    self.note(statement.clause, EFFECTS[head.mode], where, message)
                    self._considered(head, statement, where)
            for one in self.evaluator.judged(head, env) if all(map(_is_nothing, alive)) else ():
                if not alive or one.statement.clause in missing:
                    self._asked_in_vain(one, where, missing)
        return result

    def _asked_in_vain(self, one: Judged, where: str, missing: Collection[str]) -> None:
        clause = one.statement.clause
        is_clause = clause in self.model.clauses
        if one.how == LIFTED and one.by is not None:
            title = self.title(one.by.clause)
            self.note(one.by.clause, "lifts", where, f"{title} (an exception to {clause})" if is_clause else title)
            if is_clause:
                message = f"does not apply here: {one.by.clause} is an exception"
                self.note(clause, "lifted", where, message, holds=False)
        elif is_clause:
            effect: Effect = "unmet" if clause in missing else "considered"
            self.note(clause, effect, where, f"considered, {NOT_MET}", holds=False)

    def note(
        self, clause: str, effect: Effect, where: str = "", message: str = "", looked: tuple[str, ...] = (),
        holds: bool = True,
    ) -> Finding:  # fmt: skip
        """Note a finding; its message is the title of the clause, if none is given."""
        key = clause, effect, where, message or self.title(clause), looked, holds
        found = self.found.get(key)
        if found is None:
            info, title = self.model.clauses.get(clause), self.title(clause)
            says, worded = (info.says, info.edition) if info is not None else ("", "")
            edition = worded or self.model.edition
            found = self.found[key] = Finding(clause, title, says, edition, holds, effect, where, key[3], looked)
        return found

    def title(self, clause: str) -> str:
        info = self.model.clauses.get(clause) or self.model.courses.get(clause)
        return info.title if info is not None else clause

    def ordered(self) -> tuple[Finding, ...]:
        """Give the findings, what forbids first, then what counts, then what does not hold."""
        return tuple(sorted(self.found.values(), key=lambda finding: (not finding.holds, RANK[finding.effect])))


def _is_nothing(statement: Statement) -> bool:
    """Whether a statement is the default that there is no value."""
    return statement.clause == NOBODY and isinstance(statement.value, Const) and statement.value.value is None


def _asks_ends(condition: Term | None) -> bool:
    """Whether a condition is that a place is not among the ends of a route."""
    match condition:
        case Logic(op="not", parts=(Member(base=Result(what="ends")),)):
            return True
    return False


def _is_absence(condition: Term | None, name: str) -> bool:
    """Whether a condition asks whether a name has no value."""
    match condition:
        case Compare(op="==", left=Var(name=asked), right=Const(value=None)):
            return asked == name
    return False


def names_of(records: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(getattr(one, "id", one)) for one in records if getattr(one, "id", one)))


def _forbids_itself(cause: Cause, has_words: bool) -> bool:
    """Whether a clause on which a bar rests forbids in its own words.

    It does if it takes away what another allows, or has words for a refusal. Where the bar has none of its own
    (`has_words`), it also does if it is one of several that can make a definition true: it then shows which.
    """
    several = not has_words and len({statement.clause for statement in cause.head.statements}) > 1
    return cause.takes_away or (cause.head.mode == "any" and (bool(cause.sentence.says) or several))


def attempt_of(env: Env) -> str:
    return " at ".join(str(value.id) for value in env.values() if hasattr(value, "id"))
