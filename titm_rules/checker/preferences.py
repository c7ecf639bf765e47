"""Preferences of allocations, translated to bars: a lexicographic order of the picks that are open to a chooser.

A preference is a line of a chain: a class of targets and an order within it. The lines of a chain are compared one
after the other. A pick is barred when another target ranks before it that is open, because no bar of the allocation
concerns it, and that has to be taken, because no clause exempts it. It is judged by the picks so far, and never as an
optimum of the whole. The clause of the first line by which the best open target ranks first forbids the pick.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from titm_rules.checker.expressions import ExpressionChecker, Scope
from titm_rules.ir.model import NOBODY, Allocation, Head, Lift, Statement, head_key
from titm_rules.ir.terms import Call, Compare, Logic, Quantified, Template, Term, Var, rebuild
from titm_rules.ir.types import FLAG, Type
from titm_rules.syntax.ast import Exemption, Preference, Word

BETTER = "better"  # the target that ranks before another
FIRST = "first-picks"  # the targets of the first rank, exempt or not, for the exceptions to a preference
CLOSED, CLAIMED, BEHIND = "closed", "claimed", "behind"


@dataclass(frozen=True)
class Line:
    """A line of a chain, as terms about the target of the allocation.

    Attributes:
        statement: its statement in the head of the allocation.
        after: the clauses whose lines come before it.
        when: when it counts; `None`: always.
        inside: whether a target is of its class; `None`: each is.
        order: the number that orders the class, if one does, and whether the highest comes first.
    """

    statement: Statement
    after: tuple[str, ...]
    when: Term | None
    inside: Term | None
    order: Term | None
    highest: bool

    @property
    def clause(self) -> str:
        """Its clause."""
        return self.statement.clause


class PreferenceChecker:
    """Collects the preferences and exemptions of allocations, and makes bars of them."""

    def __init__(self, checker: ExpressionChecker) -> None:
        self.checker, self.schema = checker, checker.schema
        self.lines: dict[str, list[Line]] = {}
        self.exempt: dict[str, list[Lift]] = {}

    def preference(self, sentence: Preference, clause: str, form: Allocation, head: Head) -> Statement:
        """Check a preference; return its statement, which `finish` completes."""
        scope = Scope(head.situation, dict(head.params), allocation=True)
        inside = order = None
        if sentence.member is not None and sentence.where is not None:
            self._check_member(sentence.member, form)
            inside = self.checker.condition(sentence.where, scope)
        if sentence.order is not None:
            order = self.checker.ordered(sentence.order, scope)
        when = self.checker.condition(sentence.when, scope) if sentence.when is not None else None
        after = tuple(ref.text for ref in sentence.refs)
        members = Type("set", form.target[1].name)
        said = replace(scope, names={**scope.names, BETTER: members})
        says = self.checker.template(sentence.says, said) or self._says(form)
        statement = Statement(clause, None, None, "", (), sentence.span, says=says)
        self.lines.setdefault(form.name, []).append(Line(statement, after, when, inside, order, sentence.highest))
        return statement

    def exemption(self, sentence: Exemption, clause: str, form: Allocation, head: Head) -> None:
        """Check a sentence that spares a chooser some targets."""
        self._check_member(sentence.member, form)
        scope = Scope(head.situation, dict(head.params), allocation=True)
        when = self.checker.condition(sentence.when, scope) if sentence.when is not None else None
        self.exempt.setdefault(form.name, []).append(Lift(clause, NOBODY, when, sentence.span))

    def _check_member(self, word: Word, form: Allocation) -> None:
        target = form.target[0]
        if word.text != target:
            what = f"`{form.name}` picks no `{word.text}`"
            self.schema.fault(what, word.span, "the allocation names what it picks", f"write `{target}`")

    @staticmethod
    def _says(form: Allocation) -> Template:
        """The words of a preference that says nothing of its own."""
        better, target = Var(BETTER, Type("set", form.target[1].name)), Var(*form.target)
        return (Var(*form.chooser), " must prefer ", better, " to ", target) if form.chooser else (
            better, " must come before ", target,
        )  # fmt: skip

    def finish(self, form: Allocation, head: Head) -> list[Head]:
        """Make bars of the preferences of an allocation: its head, and the heads that these bars call."""
        lines = _in_order(self.lines.get(form.name, ()))
        if not lines:
            return []
        line_of = {line.statement: line for line in lines}
        plain = tuple(statement for statement in head.statements if statement not in line_of)
        barring = {statement.clause for statement in plain}
        closed = replace(
            head, key=head_key(form.name, CLOSED), statements=plain,
            lifts=_lifts_of(head.lifts, barring),
        )  # fmt: skip
        exempt = tuple(self.exempt.get(form.name, ()))
        default = Statement(NOBODY, None, None, "", (), lines[0].statement.span)
        claimed = replace(head, key=head_key(form.name, CLAIMED), mode="any", statements=(default,), lifts=exempt)
        ranks = _Ranks(form, head, lines)
        statements = [
            ranks.bar(line_of[statement]) if statement in line_of else statement for statement in head.statements
        ]
        lifts = tuple(
            replace(lift, when=ranks.first_picks(lift.when, lift.target)) if lift.when is not None else lift
            for lift in head.lifts
        )
        behind = [
            replace(ranks.head(line), lifts=_lifts_of(lifts, {line.clause}))
            for line in lines
        ]
        return [replace(head, statements=tuple(statements), lifts=lifts), closed, claimed, *behind]


def _lifts_of(lifts: Sequence[Lift], clauses: Collection[str]) -> tuple[Lift, ...]:
    """Keep the exceptions to some clauses, and the exceptions to these exceptions."""
    concerned = set(clauses)
    while more := {lift.clause for lift in lifts if lift.target in concerned} - concerned:
        concerned |= more
    return tuple(lift for lift in lifts if lift.target in concerned)


def _in_order(lines: Sequence[Line]) -> list[Line]:
    """Sort the lines so that each comes behind those that come before it."""
    left, done = list(lines), []
    while left:
        known = {line.clause for line in left}
        ready = [line for line in left if not known & (set(line.after) - {line.clause})] or left[:1]
        done += ready
        left = [line for line in left if line not in ready]
    return done


class _Ranks:
    """The comparison of two targets, `better` and the target of the allocation, by the lines of a chain."""

    def __init__(self, form: Allocation, head: Head, lines: Sequence[Line]) -> None:
        self.form, self.params, self.situation, self.lines = form, head.params, head.situation, lines
        self.head_of_form = head
        self.target = Var(*form.target)
        self.better = Var(BETTER, form.target[1])

    def before(self, line: Line) -> list[Line]:
        """List the lines of the chain that come before a line."""
        found: list[Line] = []
        for other in self.lines:
            if other.clause in line.after:
                found += [each for each in (*self.before(other), other) if each not in found]
        return found

    def head(self, line: Line) -> Head:
        """Whether a target that is open, and has to be taken, ranks before the target by this line."""
        body = _all(self._open(), self._call(CLAIMED, self.better), self._wins(line))
        some = Quantified("some", BETTER, self.form.targets, None, body, FLAG)
        when = _all(*((line.when,) if line.when is not None else ()), some)
        own = replace(line.statement, when=when, says=())
        return replace(
            self.head_of_form,
            key=head_key(self.form.name, f"{BEHIND}-{line.clause}"),
            mode="any",
            statements=(own,),
            lifts=(),
        )

    def bar(self, line: Line) -> Statement:
        """Forbid the target if a better one wins by this line, and none by a line before it."""
        when = _all(self._call(f"{BEHIND}-{line.clause}"), *(
            Logic("not", (self._call(f"{BEHIND}-{other.clause}"),), FLAG) for other in self.before(line)
        ))  # fmt: skip
        body = _all(self._open(), self._call(CLAIMED, self.better), self._wins(line))
        those = Quantified("those", BETTER, self.form.targets, body, None, Type("set", self.form.target[1].name))
        says = tuple(part if isinstance(part, str) else _put(part, BETTER, those) for part in line.statement.says)
        return replace(line.statement, when=when, says=says)

    def first_picks(self, when: Term, clause: str) -> Term:
        """Replace the name of the first picks in the condition of an exception to a line of a chain."""
        chain = [line for line in self.lines if line.clause == clause]
        if not chain:
            return when
        for line in self.lines:
            if any(other in chain for other in self.before(line)) or any(line in self.before(each) for each in chain):
                chain.append(line)
        wins = Logic("any", tuple(self._wins(line) for line in chain), FLAG)
        other = Quantified("some", BETTER, self.form.targets, None, _all(self._open(), wins), FLAG)
        first = Var(FIRST + "-member", self.form.target[1])
        body = _put(
            _all(Logic("not", (self._call(CLOSED),), FLAG), Logic("not", (other,), FLAG)), self.target.name, first
        )
        those = Quantified("those", first.name, self.form.targets, body, None, Type("set", self.form.target[1].name))
        return _put(when, FIRST, those)

    def _call(self, word: str, target: Term | None = None) -> Term:
        args = tuple(target if name == self.target.name and target else Var(name, t) for name, t in self.params)
        return Call(head_key(self.form.name, word), args, FLAG)

    def _not(self, word: str) -> Term:
        return Logic("not", (self._call(word, self.better),), FLAG)

    def _open(self) -> Term:
        return self._not(CLOSED)

    def _of_better(self, term: Term) -> Term:
        return _put(term, self.target.name, self.better)

    def _wins(self, line: Line) -> Term:
        """Whether `better` ranks before the target by this line, and no line before it distinguishes them."""
        return _all(*(self._ties(other) for other in self.before(line)), self._leads(line))

    def _leads(self, line: Line) -> Term:
        parts = [] if line.inside is None else [self._of_better(line.inside)]
        leads: list[Term] = [] if line.inside is None else [Logic("not", (line.inside,), FLAG)]
        if line.order is not None:
            leads.append(Compare(">" if line.highest else "<", self._of_better(line.order), line.order, FLAG))
        return _all(*parts, leads[0] if len(leads) == 1 else Logic("any", tuple(leads), FLAG))

    def _ties(self, line: Line) -> Term:
        same = [] if line.order is None else [Compare("==", self._of_better(line.order), line.order, FLAG)]
        if line.inside is None:
            return same[0]
        other = self._of_better(line.inside)
        neither = _all(Logic("not", (line.inside,), FLAG), Logic("not", (other,), FLAG))
        return Logic("any", (_all(line.inside, other, *same), neither), FLAG)


def _all(*terms: Term) -> Term:
    return terms[0] if len(terms) == 1 else Logic("all", terms, FLAG)


def _put(term: Term, name: str, value: Term) -> Term:
    """Put a term in the place of a variable."""
    return value if isinstance(term, Var) and term.name == name else rebuild(term, lambda part: _put(part, name, value))
