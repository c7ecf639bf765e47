"""Findings: what each clause says of a case, and what it looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from titm_rules.model.model import Head, Model, Statement
from titm_rules.model.terms import Term
from titm_rules.naive.evaluate import Evaluator
from titm_rules.oracle.verdict import Finding
from titm_rules.world.engine import Engine
from titm_rules.world.world import World

MAX_SEEN = 2_000
EFFECTS = {"bar": "forbids", "sum": "counts", "any": "gives", "value": "gives"}


class Reasons:
    """Asks heads clause by clause and collects findings, each once.

    Args:
        engine: answers for routes inside conditions.

    Attributes:
        unnamed: ids that messages leave out, as whoever asks knows whom he asks about.
    """

    def __init__(self, model: Model, world: World, engine: Engine, found: dict[Finding, None] | None = None) -> None:
        self.model = model
        self.world = world
        self.engine = engine
        self.found: dict[Finding, None] = {} if found is None else found
        self.evaluator = Evaluator(model, world, engine.trace)
        self.unnamed: frozenset[str] = frozenset()

    # ------------------------------------------------------------------ asking
    def head(self, key: str, env: Mapping[str, Any], where: str = "") -> list[Finding]:
        """Judge a head; return what counts, and note all that was considered."""
        head = self.model.heads[key]
        counting = []
        for statement in head.statements:
            holds, looked, support, lifts = self._observed(statement.when, env)
            for clause in lifts:
                self._note(clause, True, "lifts", where, self.model.clauses[clause].title, ())
            if not holds:
                continue
            lift = self.evaluator.lifted_by(head, statement.clause, env)
            if lift is not None:
                self._note(
                    statement.clause,
                    False,
                    "lifted",
                    where,
                    f"does not hold here: {lift.clause} is an exception to it",
                    looked,
                )
                self._note(lift.clause, True, "lifts", where, f"is an exception to {statement.clause}", ())
                continue
            if self._replaced(head, statement, env):
                self._note(
                    statement.clause,
                    False,
                    "lifted",
                    where,
                    "does not hold here: another clause stands instead of it",
                    looked,
                )
                continue
            finding = self._note(
                statement.clause,
                True,
                EFFECTS[head.mode],
                where,
                self._message(head, statement, env, where, looked),
                looked,
            )
            counting.append(finding)
            for clause in support:
                self._note(clause, True, "gives", where, self.model.clauses[clause].title, ())
            self._considered(head, statement, where)
        return counting

    def value(self, key: str, env: Mapping[str, Any]) -> Any:
        """Decide a head without noting anything."""
        return self.engine.decide(key, env)

    def watching(self, work: Callable[[], Any], where: str = "") -> Any:
        """Run an evaluation, noting every clause that was asked on the way, whether it counts or not."""
        seen: list[tuple[Head, Mapping[str, Any], list[Statement]]] = []
        self.evaluator.watch = lambda head, env, alive: seen.append((head, env, alive))
        try:
            result = work()
        finally:
            self.evaluator.watch = None
        for head, env, alive in seen[:MAX_SEEN]:
            for statement in head.statements:
                if statement in alive:
                    self._note(
                        statement.clause,
                        True,
                        EFFECTS[head.mode],
                        where,
                        self.model.clauses[statement.clause].title,
                        (),
                    )
                elif not alive:
                    self._asked_in_vain(head, statement, env, where)
        return result

    def _asked_in_vain(self, head: Head, statement: Statement, env: Mapping[str, Any], where: str) -> None:
        """Note why a statement of a question that came out as no does not count."""
        lift = self.evaluator.lifted_by(head, statement.clause, env)
        if lift is not None and (statement.when is None or self.evaluator.term(statement.when, env)):
            self._note(
                lift.clause,
                True,
                "lifts",
                where,
                f"{self.model.clauses[lift.clause].title} (takes away {statement.clause})",
                (),
            )
            self._note(
                statement.clause, False, "lifted", where, f"does not hold here: {lift.clause} is an exception to it", ()
            )
        else:
            self._note(statement.clause, False, "considered", where, "considered: its condition does not hold", ())

    # ------------------------------------------------------------------ details
    def _observed(
        self, when: Term | None, env: Mapping[str, Any]
    ) -> tuple[bool, tuple[str, ...], list[str], list[str]]:
        """Evaluate a condition.

        Returns:
            Whether it holds, what made it true, the clauses that gave its parts, and the
            exceptions that took parts away.
        """
        if when is None:
            return True, (), [], []
        looked: list[Any] = []
        seen: list[tuple[Head, Mapping[str, Any], list[Statement]]] = []
        self.evaluator.looked_at = looked
        self.evaluator.watch = lambda head, inner, alive: seen.append((head, inner, alive))
        try:
            holds = bool(self.evaluator.term(when, env))
        finally:
            self.evaluator.looked_at = self.evaluator.watch = None
        parts = [(head, inner, alive) for head, inner, alive in seen if head.mode in ("any", "value")]
        support = dict.fromkeys(statement.clause for _, _, alive in parts for statement in alive)
        lifts = dict.fromkeys(clause for part in parts for clause in self._taken_away(*part))
        names = tuple(name for name in names_of(looked) if name not in self.unnamed)
        return holds, names, list(support), list(lifts)

    def _taken_away(self, head: Head, env: Mapping[str, Any], alive: list[Statement]) -> list[str]:
        """Name the exceptions that took away what a definition would have said."""
        found = []
        for statement in head.statements if head.lifts else ():
            if statement not in alive and (statement.when is None or self.evaluator.term(statement.when, env)):
                lift = self.evaluator.lifted_by(head, statement.clause, env)
                if lift is not None:
                    found.append(lift.clause)
        return found

    def _replaced(self, head: Head, statement: Statement, env: Mapping[str, Any]) -> bool:
        return any(
            statement.clause in other.instead
            and (other.when is None or self.evaluator.term(other.when, env))
            and self.evaluator.lifted_by(head, other.clause, env) is None
            for other in head.statements
        )

    def _considered(self, head: Head, statement: Statement, where: str) -> None:
        """Note the exceptions to a clause that do not apply."""
        for lift in head.lifts:
            if lift.target == statement.clause:
                self._note(
                    lift.clause,
                    False,
                    "exception",
                    where,
                    f"an exception to {statement.clause}, considered: its condition does not hold",
                    (),
                )

    def _message(
        self, head: Head, statement: Statement, env: Mapping[str, Any], where: str, looked: tuple[str, ...]
    ) -> str:
        title = self.model.clauses[statement.clause].title
        text = title[:1].lower() + title[1:] if title[1:2].islower() else title
        if head.mode in ("sum", "value") and statement.value is not None:
            amount = self.evaluator.term(statement.value, env)
            if isinstance(amount, int) and not isinstance(amount, bool) and statement.value.type.kind == "number":
                label = f" {statement.label}" if statement.label else ""
                text += f": {amount}{label}"
        if where:
            text += f", {where}"
        if looked:
            text += f" (because of {', '.join(looked)})"
        return text

    def note(
        self, clause: str, effect: str, where: str, message: str, looked: tuple[str, ...] = (), holds: bool = True
    ) -> Finding:
        """Note a finding of one's own."""
        return self._note(clause, holds, effect, where, message, looked)

    def _note(
        self, clause: str, holds: bool, effect: str, where: str, message: str, looked: tuple[str, ...]
    ) -> Finding:
        info = self.model.clauses[clause]
        worded = info.edition or self.model.edition
        finding = Finding(clause, info.title, info.says, worded, holds, effect, where, message, looked)
        self.found[finding] = None
        return finding

    def ordered(self) -> tuple[Finding, ...]:
        """Give the findings, what forbids first, then what counts, then what does not hold."""
        rank = {"forbids": 0, "lifts": 1, "counts": 2, "gives": 3, "lifted": 4, "exception": 5, "considered": 6}
        return tuple(sorted(self.found, key=lambda finding: (not finding.holds, rank[finding.effect])))


def names_of(records: Iterable[Any]) -> tuple[str, ...]:
    """Name records, each once, in order."""
    return tuple(dict.fromkeys(str(getattr(one, "id", one)) for one in records if getattr(one, "id", one)))
