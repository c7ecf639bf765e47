"""How terms, heads, forms and answers of one edition stand to those of another, by lemmas on monotone meaning.

A lemma says what follows for a whole from how its parts stand to each other: bars that only grow and prices that never
fall leave fewer ways legal. Conditions and heads go to the solver, together with what is known of their facts. What
no lemma covers is open. Everything holds wherever neither edition has a gap or a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from titm_rules.compare.smt import VALUES, Encoding, Order, Quantity, SidedTerm, is_encoded, joined, put, renamed
from titm_rules.ir import model as ir
from titm_rules.ir.dependencies import CHOICES, RESULT, TRACE, dependencies_of, head_terms
from titm_rules.ir.terms import (
    CHOSEN,
    COST,
    ENDS,
    Apply,
    Arithmetic,
    Besides,
    Call,
    Compare,
    Const,
    Logic,
    Member,
    Quantified,
    Result,
    Standing,
    Term,
    Touching,
    Var,
    children,
    free_names,
    rebuild,
    subterms,
    terms_in,
)
from titm_rules.ir.types import FLAG, Type

Parts = Mapping[str, Order]
Law = Callable[[Parts], Order]


# ---------------------------------------------------------------------- lemmas
class Lemma(NamedTuple):
    """What follows for a whole from the orders of its parts: in words, and as a function of them."""

    says: str
    law: Law


def _both(*orders: Order) -> Order:
    found = Order.EQUAL
    for one in orders:
        found &= one
    return found


def _plain(order: Order) -> Order:
    """Complete the order of flags, lists and plain numbers, which are never nothing."""
    kept = order & (Order.LOWER | Order.HIGHER)
    return kept | Order.LACKS | Order.KEEPS if kept else Order.NONE


def _each(wanted: Mapping[str, Order], found: Order) -> Law:
    """The law that gives an order where each part has the one that is wanted of it, and the reverse likewise."""

    def law(parts: Parts) -> Order:
        one = all(order in parts[name] for name, order in wanted.items())
        other = all(order.reversed in parts[name] for name, order in wanted.items())
        return (found if one else Order.NONE) | (found.reversed if other else Order.NONE)

    return law


def _extreme(highest: bool) -> Law:
    """The law of the highest or lowest number of some members: nothing if there are none."""
    more, less = (Order.HIGHER, Order.LOWER) if highest else (Order.LOWER, Order.HIGHER)

    def law(parts: Parts) -> Order:
        members = _both(parts["base"], parts["where"])
        found = Order.NONE
        if Order.LOWER in members:
            found |= Order.LACKS | (less if less in parts["body"] else Order.NONE)
        if Order.HIGHER in members:
            found |= Order.KEEPS | (more if more in parts["body"] else Order.NONE)
        return found

    return law


_LOWER, _HIGHER = Order.LOWER, Order.HIGHER
_GOING = {"step": _HIGHER, "stop": _HIGHER, "end": _HIGHER, "cost": _HIGHER, "points": _LOWER, "counts": Order.LATER}
_SETTING_OUT = {"start": _HIGHER, **_GOING}
_CLOSING = {"closing try": _HIGHER, "closing cost": _HIGHER}
_WALKING = {"stay": _HIGHER, "interruption try": _HIGHER, "interruption cost": _HIGHER, **_SETTING_OUT, **_CLOSING}
LEMMAS: Mapping[str, Lemma] = {
    "some": Lemma(
        "some member of fewer, under a condition that holds less often, holds less often",
        lambda parts: _plain(_both(parts["base"], parts["member"])),
    ),
    "every": Lemma(
        "every member of more, under a condition that holds less often, holds less often",
        lambda parts: _plain(_both(parts["base"].reversed, parts["member"])),
    ),
    "count": Lemma("fewer members are a lower number", lambda parts: _plain(_both(parts["base"], parts["where"]))),
    "those": Lemma("fewer members are fewer", lambda parts: _plain(_both(parts["base"], parts["where"]))),
    "total": Lemma(
        "lower shares of the same members have a lower total",
        lambda parts: _plain(parts["share"]) if parts["base"] == Order.EQUAL else Order.NONE,
    ),
    "highest": Lemma("the highest of fewer, lower numbers is lower", _extreme(highest=True)),
    "lowest": Lemma("the lowest of fewer, higher numbers is higher", _extreme(highest=False)),
    "member": Lemma("fewer members: it is among them less often", lambda parts: _plain(parts["base"])),
    "filter": Lemma("what stands at a place, or touches it, is fewer of fewer", lambda parts: _plain(parts["base"])),
    "besides": Lemma(
        "fewer members without more others are fewer",
        lambda parts: _plain(_both(parts["base"], parts["other"].reversed)),
    ),
    "roll": Lemma(
        "the last face that succeeds, as far as the die has it, stands as the factor without the modifiers, where the "
        "attempt is not barred",
        lambda parts: parts["factor without modifiers"],
    ),
    "route": Lemma(
        "more bars on start, steps and ends, more stops, prices that never fall and points that never rise: each way "
        "that is left was legal before and never cost more, so fewer ends are reached, never for less",
        _each(_SETTING_OUT, Order.LATER),
    ),
    "trace": Lemma(
        "more bars on steps and ends, more stops, fewer goals, prices that never fall and points that never rise: "
        "each way to a goal was one before and never cost more",
        _each({**_GOING, "goal": _LOWER}, Order.LATER),
    ),
    "closing": Lemma(
        "as for a route, and the closing action is barred more often and never costs less: it closes in fewer places",
        _each({**_SETTING_OUT, **_CLOSING}, Order.LESS),
    ),
    "path": Lemma(
        "as for a route, and staying, closing and interruptions are barred more often and never cost less, while no "
        "clause on ends asks whether the mover is stranded: each path that is legal was legal and never cost more",
        _each(_WALKING, Order.LATER),
    ),
    "choices": Lemma(
        "choices of the same choosers, order and targets, of which none is ranked, are fewer if more picks are barred",
        _each({"choose": _HIGHER}, Order.LESS),
    ),
}  # fmt: skip


# ---------------------------------------------------------------------- what is known
@dataclass(frozen=True)
class Certificate:
    """A claim that is proved: its opposite as SMT-LIB, which no values satisfy."""

    head: str
    claim: str
    smt2: str


@dataclass
class Derivation:
    """How something of the second edition stands to the same of the first, and from what that follows.

    `name` is empty for a part of a head or form; `why` says what is missing to the order that is not known.
    """

    name: str
    order: Order = Order.NONE
    lemma: str = ""
    why: str = ""
    parts: list[Derivation] = field(default_factory=list)
    certificates: list[Certificate] = field(default_factory=list)
    possible: list[str] = field(default_factory=list)  # values of facts with which more may not hold
    serial: int = 0  # its number, in the order in which derivations begin

    def all_parts(self) -> Iterator[Derivation]:
        """Yield what it follows from, each once, before what follows from it, and itself last."""
        done: dict[int, Derivation] = {}

        def visit(one: Derivation) -> None:
            for part in one.parts:
                if part.serial not in done:
                    visit(part)
            done.setdefault(one.serial, one)

        visit(self)
        yield from done.values()


DEEPEST = 60  # definitions that ask for each other end somewhere; what they ask of may not
SAME = "nothing behind it differs"
CIRCULAR = "it depends on itself"


class Comparison:
    """Works out orders between two models on one vocabulary, each once.

    Args:
        models: the first and the second.
        unlike: the readings that they settle, or leave open, otherwise.
        deep: whether definitions are taken apart that both decide alike.
    """

    def __init__(self, first: ir.Model, second: ir.Model, unlike: Iterable[str] = (), deep: bool = False) -> None:
        self.models, self.unlike, self.deep = (first, second), frozenset(unlike), deep
        self._graphs = dependencies_of(first), dependencies_of(second)
        self._known: dict[Hashable, Derivation] = {}
        self._pending: list[Derivation] = []
        self._same: dict[Term, bool] = {}
        self.forms = {
            name for name in {*first.forms, *second.forms} if first.forms.get(name) != second.forms.get(name)
        }  # those that differ
        keys = {*first.heads, *second.heads}
        self.changed = {key for key in keys if self._differs(key)}
        self.vocabulary = _vocabulary_apart(first, second)

    def _differs(self, key: str) -> bool:
        one, other = (model.heads.get(key) for model in self.models)
        if one is None or other is None or _declared(one) != _declared(other) or _said(one) != _said(other):
            return True
        return bool(self.unlike and self._graphs[1].of_terms(head_terms(other), other.situation).readings & self.unlike)

    def apart(self, key: str) -> set[str]:
        """Name the clauses that say other things of a head in each, or ask for a reading that is not alike."""
        heads = [model.heads[key] for model in self.models if key in model.heads]
        said = [{one for part in _said(head) for one in part} for head in heads]
        asked = (one for head in heads for one in head.sentences)
        reading = {one.clause for one in asked if any(_names(terms_in(one), name) for name in self.unlike)}
        return reading | {clause for clause, *_ in (said[0] ^ said[1] if len(said) > 1 else said[0])}

    # ------------------------------------------------------------------ deriving
    def _derive(self, key: Hashable, name: str, work: Callable[[Derivation], None]) -> Derivation:
        """Work something out once; while that is under way it is not known."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Derivation(name, why=CIRCULAR, serial=len(self._known))
            self._pending.append(found)
            try:
                work(found)
            finally:
                self._pending.pop()
            if found.why == CIRCULAR:
                found.why = ""
        if self._pending and found.why not in (SAME, CIRCULAR):
            self._pending[-1].parts.append(found)
        return found

    def head(self, key: str) -> Derivation:
        """Derive how what a head decides in the second stands to what it decides in the first."""

        def work(found: Derivation) -> None:
            one, other = self._heads(key)
            if one is None or other is None:
                found.why = "only one edition has it"
            elif self.vocabulary:
                found.why = self.vocabulary
            elif self._is_untouched(key):
                found.order, found.why = Order.EQUAL, SAME
            elif _declared(one) != _declared(other):
                found.why = "they declare it otherwise"
            elif one.mode in ("route", "roll"):
                found.order = self.form(key, TRACE).order
            else:
                self._compare(found, one, other)

        return self._derive(("head", key), "" if key in self.models[1].forms else key, work)

    def _heads(self, key: str) -> tuple[ir.Head | None, ir.Head | None]:
        """Give a head of both; a parameter that may be nothing in one of them may be in both."""
        one, other = (model.heads.get(key) for model in self.models)
        if one is None or other is None or one.params == other.params or _declared(one) != _declared(other):
            return one, other
        pairs = zip(one.params, other.params, strict=True)
        params = tuple((name, kind if kind.optional else others) for (name, kind), (_, others) in pairs)
        names = {name: Var(name, kind) for name, kind in params}
        first, second = (replace(rebuild(head, lambda term: put(term, names)), params=params) for head in (one, other))
        return first, second

    def _is_untouched(self, key: str) -> bool:
        basis = self._graphs[1].of_head(key)
        return not (basis.heads & self.changed or basis.forms & self.forms or basis.readings & self.unlike)

    def _compare(self, found: Derivation, one: ir.Head, other: ir.Head) -> None:
        """Compare two heads of one mode by the solver."""
        encoding = Encoding(self.models, self, one.situation)
        match one.mode:
            case "any" | "bar":
                wrong = encoding.against(encoding.decided(0, one), encoding.decided(1, other))
                self._settle(found, encoding, wrong, _plain)
            case "sum":
                first, second = (encoding.total(side, head) for side, head in enumerate((one, other)))
                wrong = {Order.LOWER: second > first, Order.HIGHER: second < first}
                self._settle(found, encoding, wrong, _plain)
                labels = {each.label for head in (one, other) for each in head.statements}
                if found.order == Order.EQUAL and len(labels) > 1:  # the labels of modifiers are shown
                    apart = [encoding.total(0, one, (), text) != encoding.total(1, other, (), text) for text in labels]
                    if not self._never(found, encoding, "the same under each label", encoding.any(apart)):
                        found.why = LABELS
            case "value":
                self._compare_values(found, encoding, one, other)
            case _:
                found.why = "effects are not compared"

    def _compare_values(self, found: Derivation, encoding: Encoding, one: ir.Head, other: ir.Head) -> None:
        first, second = encoding.applies(0, one), encoding.applies(1, other)
        either = [encoding.any([applies for applies, _ in given]) for given in (first, second)]
        if not self._never(found, encoding, "decided in the same cases", either[0] != either[1]):
            found.why = "one may have a gap where the other has none"
            return
        wrong: dict[Order, list[object]] = {part: [] for part in Order.EQUAL}
        for here, given in first:
            for there, now in second:
                assert given.value is not None
                assert now.value is not None
                for part, formula in self._against(encoding, given.value, now.value).items():
                    wrong[part].append(encoding.all([here, there, formula]))
        self._settle(found, encoding, {part: encoding.any(formulas) for part, formulas in wrong.items()})

    def _against(self, encoding: Encoding, first: Term, second: Term) -> dict[Order, object]:
        kinds = first.type.kind, second.type.kind
        if is_encoded(first, second):
            return encoding.against(encoding.amount(0, first), encoding.amount(1, second))
        if kinds == ("flag", "flag") and not (first.type.optional or second.type.optional):
            return encoding.against(encoding.flag(0, first), encoding.flag(1, second))
        order = self.order(SidedTerm(0, first), SidedTerm(1, second))
        return {part: encoding.any([]) if part in order else encoding.all([]) for part in Order.EQUAL}

    def _settle(
        self, found: Derivation, encoding: Encoding, wrong: Mapping[Order, object],
        complete: Callable[[Order], Order] = lambda order: order,
    ) -> None:  # fmt: skip
        """Give a derivation the parts of an order that the solver cannot refute."""
        order = joined(part for part, formula in wrong.items() if self._never(found, encoding, CLAIMS[part], formula))
        found.order = complete(order)
        found.lemma = found.lemma or "solver"

    def _never(self, found: Derivation, encoding: Encoding, claim: str, opposite: object) -> bool:
        if encoding.is_never(opposite):
            return True
        encoding.link()
        text, possible = encoding.never(opposite)
        if text:
            named = next((one.name for one in reversed(self._pending) if one.name), "")
            found.certificates.append(Certificate(found.name or named, claim, text))
        elif not found.possible:
            found.possible = possible
        return bool(text)

    # ------------------------------------------------------------------ knowledge of facts, for encodings
    def is_same(self, term: Term) -> bool:
        known = self._same.get(term)
        if known is None:
            known = self._same[term] = all(map(self._is_part_same, subterms(term)))
        return known

    def _is_part_same(self, part: Term) -> bool:
        match part:
            case Call(head=key):
                return self.is_equal(key)
            case Result(what=what, form=form):
                return self.form(form, what).order == Order.EQUAL
            case Var(name=name, type=Type(kind="reading")):
                return name not in self.unlike
            case Apply(op=op, args=(Const(value=str(name)),)) if op == CHOSEN:
                return name not in self.unlike
        return True

    def is_equal(self, key: str) -> bool:
        found = self.head(key)
        return found.order == Order.EQUAL and found.why != LABELS

    def order(self, first: SidedTerm, second: SidedTerm) -> Order:
        """Give how a term stands to another; either side may understand either."""
        if first.term == second.term and (first.side == second.side or self.is_same(first.term)):
            return Order.EQUAL
        if first.term.type.kind != second.term.type.kind or len(self._pending) > DEEPEST:
            return Order.NONE
        return self._derive((first, second), "", lambda found: self._relate(found, first, second)).order

    def _relate(self, found: Derivation, first: SidedTerm, second: SidedTerm) -> None:
        """Compare two terms: those that are taken apart by the solver, facts by the lemma of their kind."""
        one, other = first.term, second.term
        if _is_solved(one) or _is_solved(other):
            kind = one.type.kind
            if kind in VALUES or (kind == "flag" and not (one.type.optional or other.type.optional)):
                self._solve(found, first, second)
            return
        orders = self._part_orders(first, second)
        if orders is not None:
            found.lemma, parts = orders
            found.order = LEMMAS[found.lemma].law(parts)
        elif type(one) is type(other):
            found.order = self._structural(first, second)

    def _solve(self, found: Derivation, first: SidedTerm, second: SidedTerm) -> None:
        encoding = Encoding(self.models, self, deep=self.deep)
        if first.term.type.kind in VALUES:
            wrong = encoding.against(encoding.amount(*first), encoding.amount(*second))
        else:
            wrong = encoding.against(encoding.flag(*first), encoding.flag(*second))
        self._settle(found, encoding, wrong, _plain if first.term.type.kind == "flag" else lambda order: order)

    def _part_orders(self, first: SidedTerm, second: SidedTerm) -> tuple[str, Parts] | None:
        """Name the lemma of two facts of one kind, with the orders of their parts; nothing if there is none."""
        sides = first.side, second.side

        def order(one: Term, other: Term) -> Order:
            return self.order(SidedTerm(sides[0], one), SidedTerm(sides[1], other))

        match first.term, second.term:
            case Quantified() as one, Quantified(op=op) as other if one.op == op and op in LEMMAS:
                return op, self._of_members(sides, one, other)
            case Member() as one, Member() as other if one.base is not None and other.base is not None:
                same = order(one.left, other.left) == Order.EQUAL
                return ("member", {"base": order(one.base, other.base)}) if same else None
            case (Standing() as one, Standing() as other) | (Touching() as one, Touching() as other) if (
                order(one.place, other.place) == Order.EQUAL
            ):
                return "filter", {"base": order(one.base, other.base)}
            case Besides() as one, Besides() as other:
                return "besides", {"base": order(one.base, other.base), "other": order(one.other, other.other)}
        return None

    def _of_members(self, sides: tuple[int, int], one: Quantified, other: Quantified) -> Parts:
        """Compare what two terms say of each member; a member is any value at all."""
        var, inside = one.var, [[part for part in (term.where, term.body) if part is not None] for term in (one, other)]
        while any(
            var != term.var and any(var in free_names(part) for part in parts)
            for term, parts in zip((one, other), inside, strict=True)
        ):
            var += "'"
        first = [_renamed_part(part, one.var, var) for part in (one.where, one.body)]
        second = [_renamed_part(part, other.var, var) for part in (other.where, other.body)]
        base = self.order(SidedTerm(sides[0], one.base), SidedTerm(sides[1], other.base))
        where = self.order(SidedTerm(sides[0], _or_true(first[0])), SidedTerm(sides[1], _or_true(second[0])))
        parts = {"base": base, "where": where}
        if one.op in ("some", "every"):
            members = [_member(one.op, *given) for given in (first, second)]
            parts["member"] = self.order(SidedTerm(sides[0], members[0]), SidedTerm(sides[1], members[1]))
        elif one.op not in ("count", "those"):
            parts |= self._of_numbers(sides, first, second)
        return parts

    def _of_numbers(self, sides: tuple[int, int], first: Sequence[Term | None], second: Sequence[Term | None]) -> Parts:
        """Compare the numbers of a member, where it counts in both, and its shares in a total."""

        def work(share: bool) -> Callable[[Derivation], None]:
            def compare(found: Derivation) -> None:
                encoding = Encoding(self.models, self)
                z3, given = encoding.z3, []
                for side, (where, body) in zip(sides, (first, second), strict=True):
                    assert body is not None
                    holds = encoding.flag(side, _or_true(where))
                    number = encoding.counted(side, body)
                    given.append((holds, z3.If(holds, number, 0) if share else number))
                (here, one), (there, other) = given
                both = [] if share else [here, there]
                wrong = {
                    Order.LOWER: encoding.all([*both, other > one]), Order.HIGHER: encoding.all([*both, other < one])
                }  # fmt: skip
                self._settle(found, encoding, wrong)

            return compare

        key = (sides, tuple(first), tuple(second))
        return {
            "body": self._derive(("body", key), "", work(share=False)).order,
            "share": self._derive(("share", key), "", work(share=True)).order,
        }

    def _structural(self, first: SidedTerm, second: SidedTerm) -> Order:
        """Terms of one kind are equal if their parts are; calls and results stand as what is asked."""
        one, other = first.term, second.term
        if _frame(one) != _frame(other) or len(children(one)) != len(children(other)):
            return Order.NONE
        for left, right in zip(children(one), children(other), strict=True):
            if self.order(SidedTerm(first.side, left), SidedTerm(second.side, right)) != Order.EQUAL:
                return Order.NONE
        if first.side == second.side:
            return Order.EQUAL
        match one:
            case Call(head=key):
                found = self.head(key).order
            case Result(what=what, form=form):
                found = self.form(form, what).order
                found = _turned(found) if what == ENDS else found
            case Var(type=Type(kind="reading")):
                found = Order.EQUAL if self._is_part_same(one) else Order.NONE
            case _:
                return Order.EQUAL if self._is_part_same(one) else Order.NONE
        return found if first.side == 0 else found.reversed

    # ------------------------------------------------------------------ forms
    def form(self, name: str, ask: str) -> Derivation:
        """Derive how what a form answers in the second stands to the first, asked in one way (see `of_form`)."""

        def work(found: Derivation) -> None:
            one, other = (model.forms.get(name) for model in self.models)
            if one is None or other is None or one != other:
                found.why = "only one edition has it" if None in (one, other) else "they declare it otherwise"
            elif not all(map(self.is_same, terms_in(_without_dice(one)))):
                found.why = f"what {name} is given is not the same"
            elif all(map(self.is_equal, self._graphs[1].heads_of_form(name, ask if ask in _ASKS else RESULT))):
                found.order = Order.EQUAL
            else:
                self._form(found, one, ask)

        is_route = isinstance(self.models[1].forms.get(name), ir.Route)
        return self._derive(("form", name, ask), f"{name}, asked for {ask}" if is_route else name, work)

    def _form(self, found: Derivation, form: ir.Form, ask: str) -> None:
        def part(word: str) -> Order:
            return self.head(ir.head_key(form.name, word)).order

        match form:
            case ir.Roll():
                self._roll(found, form)
            case ir.Allocation() | ir.Selection():
                if isinstance(form, ir.Selection) and form.rank is not None:
                    found.why = "only the best choices are legal, and fewer choices may leave others best"
                elif ask == "best":
                    found.why = "no lemma covers the rank of the best"
                else:
                    found.lemma, found.order = "choices", LEMMAS["choices"].law({"choose": part("choose")})
            case ir.Route():
                self._route(found, form, ask)

    def _roll(self, found: Derivation, roll: ir.Roll) -> None:
        encoding = Encoding(self.models, self, roll.situation, deep=True)

        def modified(side: int) -> Quantity:
            def call(word: str) -> Call:
                head = self._heads(ir.head_key(roll.name, word))[side]
                assert head is not None
                return Call(head.key, tuple(Var(name, kind) for name, kind in head.params), head.type)

            barred = encoding.flag(side, call("try"))
            return Quantity(encoding.counted(side, call("factor")) - encoding.counted(side, call("adds")), barred)

        self._settle(found, encoding, encoding.against(modified(0), modified(1)))
        found.lemma, found.order = "roll", LEMMAS["roll"].law({"factor without modifiers": found.order})
        found.why = LABELS if found.order == Order.EQUAL else ""

    def _route(self, found: Derivation, route: ir.Route, ask: str) -> None:
        heads = self.models[1].heads
        lemma = {"path": "path", "closings": "closing", TRACE: "trace"}.get(ask, "route")
        if ask not in {*_ASKS, *(name for name, _ in route.counters)}:
            found.why = f"no lemma covers what is asked: {ask}"
            return
        if route.ranks:
            found.why = "only the best ways are legal, and fewer ways may leave others best"
            return
        parts = {
            word: self.head(ir.head_key(route.name, word)).order
            for word in ("start", "stay", "step", "stop", "end", "cost", "points", "goal")
        }
        priced = (head_terms(heads[ir.head_key(route.name, name)]) for name, _ in route.counters)
        if parts["cost"] != Order.EQUAL and any(_names(terms, ir.PRICE) for terms in priced):
            found.why = f"what {route.name} counts depends on prices, and these differ"
            return
        parts["counts"] = _both(*(self._of_counter(route, name) for name, _ in route.counters))
        if ask in dict(route.counters) and parts["counts"] != Order.EQUAL:
            found.why = f"what {route.name} counts is not the same"
            return
        if route.halted and parts["stop"] != Order.EQUAL:
            found.why = f"{route.name} counts its stops, and these differ"
            return
        for word, action in (("closing", route.closing), ("interruption", route.interruption)):
            for name in ("try", "cost"):
                key = ir.head_key(action, name)
                parts[f"{word} {name}"] = self.head(key).order if action else Order.EQUAL
        if lemma == "path" and route.interruption and route.stranded:
            ends = [head_terms(model.heads[ir.head_key(route.name, "end")]) for model in self.models]
            if any(_names(terms, route.stranded) for terms in ends):
                found.why = (
                    f"a mover of {route.name} that was interrupted may end where it cannot go on, so with fewer steps "
                    "it may end in more places"
                )
                return
        found.lemma, found.order = lemma, LEMMAS[lemma].law(parts)

    def _of_counter(self, route: ir.Route, name: str) -> Order:
        """Give the order of ways as far as they depend on a counter.

        A counter may differ if no clause of the edition that allows more asks for it, and its prices are never below 0:
        then a way that comes back to a place with another count has a shorter one in that edition, without a loop.
        """
        keys = [ir.head_key(form, name) for form in (route.name, route.closing) if form]
        if all(self.head(key).order == Order.EQUAL for key in keys):
            return Order.EQUAL
        found = Order.NONE
        for side, order in enumerate((Order.LATER, Order.SOONER)):
            own = tuple(f"{form}." for form in (route.name, route.closing, route.interruption) if form)
            heads = (head for key, head in self.models[side].heads.items() if key.startswith(own))
            if not any(_names(head_terms(head), name) for head in heads) and self._is_priced(side, route):
                found |= order
        return found

    def _is_priced(self, side: int, route: ir.Route) -> bool:
        """Prove that a step of a route never costs less than 0."""

        def work(found: Derivation) -> None:
            encoding = Encoding(self.models, self, route.situation)
            total = encoding.total(side, self.models[side].heads[ir.head_key(route.name, COST)])
            if self._never(found, encoding, "a price of 0 or more", total < 0):
                found.order = Order.HIGHER

        return self._derive(("priced", side, route.name), "", work).order == Order.HIGHER

    # ------------------------------------------------------------------ questions
    def question(self, name: str) -> Derivation:
        """Derive how the answers of the second stand to those of the first: `LESS` allows less."""

        def work(found: Derivation) -> None:
            one, other = (model.questions.get(name) for model in self.models)
            if one is None or other is None:
                found.why = "only one edition asks it"
            elif one != other or self.vocabulary:
                found.why = self.vocabulary or "they declare the question otherwise"
            else:
                self._question(found, one)

        return self._derive(("question", name), f"question {name}", work)

    def _question(self, found: Derivation, question: ir.Question) -> None:
        said = [{(one.var, one.base, one.condition) for one in model.always.get(question.situation, ())}
                for model in self.models]  # fmt: skip
        if said[0] != said[1]:
            found.why = "they take other positions for possible"
            return
        given = (question.bindings, question.gaps, tuple(when for _, when, _ in question.refusals))
        fixed = [*terms_in(given), *(term for _, *terms in said[0] for term in terms if term is not None)]
        if not all(map(self.is_same, fixed)):
            found.why = "what it is asked about is not the same"
            return
        if question.ask == "answers":
            found.order = _both(*(self._answer(name, one) for name, one in question.answers))
            return
        form = self.models[1].forms[question.form]
        asked = self.form(question.form, {"choice": "choices"}.get(question.ask, question.ask))
        found.order, found.why = asked.order, asked.why if asked.why != SAME else ""
        if question.ask in ("ends", "cost", "path") or (isinstance(form, ir.Roll) and form.rises):
            found.order = _turned(asked.order)  # a lower price allows more

    def _answer(self, name: str, answer: ir.Answer) -> Order:
        """Give how an answer stands: it has less if it lacks more, is lower (a cost: higher), or holds less often."""
        when = self._order(answer.when, answer.when) if answer.when is not None else Order.EQUAL
        match answer.kind:
            case "record":
                found = _both(*(self._answer(of, part) for of, part in answer.parts))
            case "choices":
                same = all(map(self.is_same, terms_in(answer.bindings)))
                is_route = isinstance(self.models[1].forms[answer.form], ir.Route)
                found = self.form(answer.form, CHOICES).order if same and not is_route else Order.NONE
            case "each" | "list":
                found = self._of_each(answer)
            case _:
                assert answer.term is not None
                found = self._order(answer.term, answer.term)
                if answer.term.type.kind not in ("flag", "number", "set") and found != Order.EQUAL:
                    found = Order.NONE
                if name == COST and answer.term.type.kind == "number":
                    found = _turned(found)
        both = _both(found, when)
        return (Order.LESS if Order.LESS in both else Order.NONE) | (Order.MORE if Order.MORE in both else Order.NONE)

    def _of_each(self, answer: ir.Answer) -> Order:
        assert answer.base is not None
        members = _both(self._order(answer.base, answer.base), self._order(*[_or_true(answer.where)] * 2))
        parts = [self._answer(of, part) for of, part in answer.parts]
        if answer.kind == "list" and any(part != Order.EQUAL for part in parts):
            return Order.NONE  # of a list, other values are neither more nor less
        return _both(_plain(members), *parts)

    def _order(self, one: Term, other: Term) -> Order:
        return self.order(SidedTerm(0, one), SidedTerm(1, other))


_ASKS = ("ends", COST, "path", "closings", TRACE)  # what is asked of routes, and covered by a lemma
CLAIMS = {
    Order.LACKS: "nothing where it was nothing", Order.KEEPS: "something where it was something",
    Order.LOWER: "never more", Order.HIGHER: "never less",
}  # fmt: skip
LABELS = "its sum is the same, but it may be made of other modifiers"


def _turned(order: Order) -> Order:
    """Turn the order of prices into that of what they allow."""
    less = Order.LESS if Order.LATER in order else Order.NONE
    return less | (Order.MORE if Order.SOONER in order else Order.NONE)


def _vocabulary_apart(first: ir.Model, second: ir.Model) -> str:
    """Name a record or an enumeration that both declare otherwise, as far as both have its fields."""
    for name, one in first.records.items():
        other = second.records.get(name)
        fields = [spec for spec in one.fields if other is not None and other.named(spec.name) not in (None, spec)]
        if fields or (other is not None and one.role != other.role):
            return f"they declare {name} otherwise"
    apart = (name for name, one in first.enums.items() if second.enums.get(name, one) != one)
    return next((f"they declare {name} otherwise" for name in apart), "")


def _declared(head: ir.Head) -> object:
    """What two heads must have in common; whether a parameter may be nothing follows from what is asked."""
    params = [(name, replace(kind, optional=False)) for name, kind in head.params]
    return params, head.type, head.mode, head.situation, head.stateful


def _said(head: ir.Head) -> tuple[Sequence[tuple[Any, ...]], ...]:
    statements = [(one.clause, one.when, one.value, one.effect, one.label, one.instead) for one in head.statements]
    return statements, [(one.clause, one.target, one.when) for one in head.lifts]


def _without_dice(form: ir.Form) -> ir.Form:
    """Leave out the dice of an allocation, which bear on no choice."""
    return replace(form, shot=None) if isinstance(form, ir.Allocation) else form


def _names(terms: Iterable[Term], name: str) -> bool:
    return any(isinstance(part, Var) and part.name == name for term in terms for part in subterms(term))


def _is_solved(term: Term) -> bool:
    """Whether the solver takes a term apart."""
    match term:
        case Logic() | Const() | Compare(left=Var(type=Type(kind="reading"))):
            return True
        case Compare(left=left, right=right):
            return is_encoded(left, right)
        case Member(left=left, base=None):
            return left.type.kind in VALUES
        case Arithmetic(op=op, type=kind):
            return kind.kind == "number" and op != "//"
    return False


def _frame(term: Term) -> object:
    """What a term says besides its parts."""
    plain = (getattr(term, name) for name in ("name", "field", "head", "op", "what", "form", "names", "record", "index",
                                              "count", "value", "var") if hasattr(term, name))  # fmt: skip
    return type(term), term.type, tuple(plain)


def _renamed_part(part: Term | None, old: str, new: str) -> Term | None:
    return None if part is None else renamed(part, old, new)


def _or_true(term: Term | None) -> Term:
    return Const(True, FLAG) if term is None else term


def _member(op: str, where: Term | None, body: Term | None) -> Term:
    """What `some` asks of one member, or `every` of each."""
    body = _or_true(body)
    if where is None:
        return body
    parts = (where, body) if op == "some" else (Logic("not", (where,), FLAG), body)
    return Logic("all" if op == "some" else "any", parts, FLAG)
