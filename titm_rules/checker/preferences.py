"""Preferences of allocations, translated to bars: a lexicographic order of the picks that are open to a chooser.

A preference is a line of a chain: a class of targets and an order within it. The lines of a chain are compared one
after the other. A pick is barred when another target ranks before it that is open, because no bar of the allocation
concerns it, and that has to be taken, because no clause exempts it. It is judged by the picks so far, and never as an
optimum of the whole. The clause of the first line by which another target ranks before it forbids the pick. A line that
is lifted, or whose condition does not hold, distinguishes nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from titm_rules.checker.expressions import ExpressionChecker, Scope
from titm_rules.ir.model import NOBODY, Allocation, Head, Lift, Statement, head_key
from titm_rules.ir.terms import Call, Compare, Logic, Quantified, Template, Term, Var, rebuild
from titm_rules.ir.types import FLAG, Type
from titm_rules.syntax.ast import Exemption, Preference, Word

BETTER = "better"  # in the text of a refusal: the targets that rank before the one that was picked
FIRST = "first-picks"  # in the exceptions to a preference: the targets of the first rank, exempt or not
OTHER, ANY = "_other", "_any"  # variables; no rule can write such a name
CLOSED, CLAIMED, LINE, BEHIND = "closed", "claimed", "line", "behind"  # the heads that the bars call


@dataclass(frozen=True)
class Line:
    """A line of a chain, as terms about the target of the allocation.

    Attributes:
        statement: its statement in the head of the allocation.
        after: the clauses whose lines come before it, as they are written.
        when: when it counts; `None`: always.
        inside: whether a target is of its class; `None`: each is.
        order: the number that orders the class, if one does, and whether the highest comes first.
    """

    statement: Statement
    after: tuple[Word, ...]
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
        said = replace(scope, names={BETTER: Type("set", form.target[1].name), **scope.names})
        says = self.checker.template(sentence.says, said) or _says(form)
        statement = Statement(clause, None, None, "", (), sentence.span, says=says)
        lines = self.lines.setdefault(form.name, [])
        if any(line.clause == clause for line in lines):
            what = f"clause {clause} has two preferences of `{form.name}`"
            why = "exceptions and other preferences name a preference by its clause"
            self.schema.fault(what, sentence.span, why, "give each a clause of its own")
        lines.append(Line(statement, sentence.refs, when, inside, order, sentence.highest))
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

    def ranks(self, form: Allocation, clause: str) -> bool:
        """Whether a clause has a preference of an allocation."""
        return any(line.clause == clause for line in self.lines.get(form.name, ()))

    def finish(self, form: Allocation, head: Head) -> list[Head]:
        """Make bars of the preferences of an allocation: its head, and the heads that these bars call."""
        lines = self._in_order(form)
        if not lines:
            return []
        line_of = {line.statement: line for line in lines}
        plain = tuple(statement for statement in head.statements if statement not in line_of)
        lifts = _lifts_of(head.lifts, {statement.clause for statement in plain})
        ranks = _Ranks(form, head, lines)
        closed = ranks.head(CLOSED, tuple(replace(each, says=(), phrase=()) for each in plain), lifts)
        default = Statement(NOBODY, None, None, "", (), lines[0].statement.span)
        claimed = ranks.head(CLAIMED, (default,), tuple(self.exempt.get(form.name, ())))
        lifts = tuple(replace(lift, when=lift.when and ranks.with_first_picks(lift.when)) for lift in head.lifts)
        made = [each for line in lines for each in ranks.heads(line, lifts)]
        bars = (ranks.bar(line_of[each]) if each in line_of else each for each in head.statements)
        return [replace(head, statements=tuple(bars), lifts=lifts), closed, claimed, *made]

    def _in_order(self, form: Allocation) -> list[Line]:
        """Sort the lines so that each comes behind those that come before it; refuse a circle."""
        left, done = list(self.lines.get(form.name, ())), []
        for word in (word for line in left for word in line.after):
            if not self.ranks(form, word.text):
                what = f"clause {word.text} has no preference of `{form.name}`"
                self.schema.fault(what, word.span, fix="name a clause that has one")
        while left:
            waiting = {line.clause for line in left}
            ready = [line for line in left if not waiting & {word.text for word in line.after}]
            if not ready:
                what = f"the preferences of `{form.name}` come after each other in a circle"
                self.schema.fault(what, left[0].after[0].span, fix="leave `after` out of the first one")
                return []
            done += ready
            left = [line for line in left if line not in ready]
        return done


def _says(form: Allocation) -> Template:
    """Word a preference that says nothing of its own."""
    better, target = Var(BETTER, Type("set", form.target[1].name)), Var(*form.target)
    if form.chooser is None:
        return (better, " must come before ", target)
    return (Var(*form.chooser), " must prefer ", better, " to ", target)


def _lifts_of(lifts: Sequence[Lift], clauses: Collection[str]) -> tuple[Lift, ...]:
    """Keep the exceptions to some clauses, and the exceptions to these exceptions."""
    concerned = set(clauses)
    while more := {lift.clause for lift in lifts if lift.target in concerned} - concerned:
        concerned |= more
    return tuple(lift for lift in lifts if lift.target in concerned)


class _Ranks:
    """The comparison of the target of an allocation with another, by the lines of a chain."""

    def __init__(self, form: Allocation, head: Head, lines: Sequence[Line]) -> None:
        self.form, self.made_of, self.lines = form, head, lines
        self.target, self.other = Var(*form.target), Var(OTHER, form.target[1])
        self.targets = Type("set", form.target[1].name)
        self.before: dict[str, list[Line]] = {}  # by clause, the lines of the chain that come before it
        for line in lines:
            named = {word.text for word in line.after}
            near = ((*self.before[each.clause], each) for each in lines if each.clause in named)
            self.before[line.clause] = list(dict.fromkeys(itertools.chain.from_iterable(near)))

    def heads(self, line: Line, lifts: Sequence[Lift]) -> tuple[Head, Head]:
        """Make the heads of a line: whether it counts, and whether another target ranks before the target by it."""
        counts = replace(line.statement, when=line.when, says=())
        own = self.head(f"{LINE}-{line.clause}", (counts,), _lifts_of(lifts, {line.clause}))
        some = Quantified("some", OTHER, self.form.targets, None, self._outranks(line), FLAG)
        behind = replace(counts, when=_all(some, self._call(f"{LINE}-{line.clause}")))
        return own, self.head(f"{BEHIND}-{line.clause}", (behind,), ())

    def head(self, word: str, statements: tuple[Statement, ...], lifts: tuple[Lift, ...]) -> Head:
        """Make a flag with the parameters of the allocation, since clauses of other editions may join it."""
        key = head_key(self.form.name, word)
        return replace(self.made_of, key=key, mode="any", statements=statements, lifts=lifts, stateful=False)

    def bar(self, line: Line) -> Statement:
        """Forbid the target if another outranks it by this line, and none by a line before it."""
        others = (_not(self._call(f"{BEHIND}-{other.clause}")) for other in self.before[line.clause])
        when = _all(self._call(f"{BEHIND}-{line.clause}"), *others)
        those = Quantified("those", OTHER, self.form.targets, self._outranks(line), None, self.targets)
        says = tuple(part if isinstance(part, str) else _put(part, BETTER, those) for part in line.statement.says)
        return replace(line.statement, when=when, says=says)

    def with_first_picks(self, when: Term) -> Term:
        """Put the first picks into the condition of an exception: by all lines, those that it lifts too."""
        leads = tuple(_all(*map(self._ties, self.before[line.clause]), self._leads(line)) for line in self.lines)
        body = _all(Logic("any", leads, FLAG), _not(self._call(CLOSED, self.other)))
        outranked = Quantified("some", OTHER, self.form.targets, None, body, FLAG)
        first = _put(_all(_not(self._call(CLOSED)), _not(outranked)), self.target.name, Var(ANY, self.form.target[1]))
        return _put(when, FIRST, Quantified("those", ANY, self.form.targets, first, None, self.targets))

    def _call(self, word: str, target: Term | None = None) -> Term:
        params = self.made_of.params
        args = tuple(target if name == self.target.name and target else Var(name, ptype) for name, ptype in params)
        return Call(head_key(self.form.name, word), args, FLAG)

    def _of_other(self, term: Term) -> Term:
        return _put(term, self.target.name, self.other)

    def _outranks(self, line: Line) -> Term:
        """Whether another target is open, has to be taken, and ranks before the target by this line first."""
        ties = (
            Logic("any", (_not(self._call(f"{LINE}-{other.clause}")), self._ties(other)), FLAG)
            for other in self.before[line.clause]
        )
        has_to = (_not(self._call(CLOSED, self.other)), self._call(CLAIMED, self.other))
        return _all(self._leads(line), *ties, *has_to)  # what costs least is asked first

    def _leads(self, line: Line) -> Term:
        """Whether another target ranks before the target by a line."""
        leads: list[Term] = [] if line.inside is None else [_not(line.inside)]
        if line.order is not None:
            leads.append(Compare(">" if line.highest else "<", self._of_other(line.order), line.order, FLAG))
        inside = [] if line.inside is None else [self._of_other(line.inside)]
        return _all(leads[0] if len(leads) == 1 else Logic("any", tuple(leads), FLAG), *inside)

    def _ties(self, line: Line) -> Term:
        """Whether a line does not distinguish another target from the target."""
        same = None if line.order is None else Compare("==", self._of_other(line.order), line.order, FLAG)
        if line.inside is None:
            assert same is not None  # a line has a class or an order
            return same
        alike = Compare("==", self._of_other(line.inside), line.inside, FLAG)
        return alike if same is None else _all(alike, Logic("any", (_not(line.inside), same), FLAG))


def _all(*terms: Term) -> Term:
    return terms[0] if len(terms) == 1 else Logic("all", terms, FLAG)


def _not(term: Term) -> Term:
    return Logic("not", (term,), FLAG)


def _put(term: Term, name: str, value: Term) -> Term:
    """Put a term in the place of a variable."""
    return value if isinstance(term, Var) and term.name == name else rebuild(term, lambda part: _put(part, name, value))
