"""What a form comes to, as an expression: `ends of ROUTE (with ...)`, and the roles that whoever asks a form gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar

from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.rules.model import Allocation, Form, Head, Roll, Route, Selection, head_key
from titm_rules.rules.schema import Schema
from titm_rules.rules.terms import (
    BEST,
    CHOICES,
    COST,
    END,
    ENDS,
    SOME,
    START,
    STEP,
    STOP,
    Call,
    Const,
    Logic,
    Result,
    Term,
)
from titm_rules.rules.types import ERROR, FLAG, NUMBER, PLACE, Type
from titm_rules.syntax.nodes import Expr, Word

GivenPairs = Iterable[tuple[Word, Expr]]
GivenScopeT = TypeVar("GivenScopeT", contravariant=True)


class GivenChecker(Protocol[GivenScopeT]):
    """What checks the expressions that a form is given."""

    schema: Schema
    forms: dict[str, Form]
    heads: dict[str, Head]

    def of_type(self, expr: Expr, scope: GivenScopeT, wanted: Type) -> Term:
        """Check an expression that must have a type."""


def form_roles(form: Form) -> dict[str, Type]:
    """Name what must be given to ask a form, with types."""
    match form:
        case Route():
            return dict((form.mover, *form.given))
        case Allocation() | Selection():
            return dict(form.given)
        case Roll():
            return dict(form.params)


def bound(
    checker: GivenChecker[GivenScopeT],
    form: Form,
    given: GivenPairs,
    scope: GivenScopeT,
    where: Span,
    more: Mapping[str, Type] | None = None,
    needed: Mapping[str, Type] | None = None,
) -> tuple[tuple[str, Term], ...]:
    """Check that every role of a form that must be given is given, with its type; `more` may be given besides.

    What is `needed` is, if it is not said otherwise, what it takes to ask the form.
    """
    roles = needed if needed is not None else form_roles(form)
    found: dict[str, Term] = {}
    for name, value in given:
        wanted = roles.get(name.text) or (more or {}).get(name.text)
        if wanted is None:
            checker.schema.faults.add(
                f"`{form.name}` has no role `{name.text}`", name.span, fix=did_you_mean(name.text, roles)
            )
            continue
        found[name.text] = checker.of_type(value, scope, wanted)
    spare = form.counter if isinstance(form, Allocation) and more is None else ""
    missing = [name for name in roles if name not in found and name != spare]
    if missing:
        checker.schema.faults.add(
            f"`{form.name}` needs {', '.join(missing)}", where, "who asks a form says what it is about",
            "write `with NAME = ...`",
        )  # fmt: skip
    return tuple(found.items())


def result(checker: GivenChecker[GivenScopeT], expr: Expr, scope: GivenScopeT) -> Term:
    """Check `WHAT of FORM (with ...)`."""
    what, name, bindings = expr.args
    pairs = [*map(_pair, bindings.args)] if isinstance(bindings, Expr) else []
    form = checker.forms.get(str(name))
    if isinstance(form, Route) and _is_of_a_step(str(what), form, pairs):
        return _step_result(checker, str(what), form, pairs, scope, expr.span)
    place = checker.schema.only_place or PLACE
    rtype = None if form is None else _type_of(str(what), form, place)
    if form is None or rtype is None:
        asked = [one.name for one in checker.forms.values() if _type_of(str(what), one, place) is not None]
        results = f"{ENDS}, {COST}, {BEST}, {CHOICES}, {STEP}, {STOP} and what a route counts"
        why = f"no form of this name has a result `{what}`" if asked else f"the results of forms are {results}"
        checker.schema.faults.add(f"`{name}` cannot be asked this", expr.span, why, did_you_mean(str(name), asked))
        return Const(None, ERROR)
    more = {START: PLACE} if isinstance(form, Route) else {}
    to_end = isinstance(form, Route) and rtype.kind == "number" and what != CHOICES and what != BEST
    more |= {END: PLACE} if to_end else {}
    roles = bound(checker, form, pairs, scope, expr.span, more)
    if to_end and END not in dict(roles):
        checker.schema.faults.add(f"`{name}` needs {END}", expr.span, "it is that of coming to a place",
                                  f"write `{END} = ...`")  # fmt: skip
    return Result(str(what), form.name, tuple(dict(roles)), tuple(dict(roles).values()), rtype)


def _is_of_a_step(what: str, route: Route, given: GivenPairs) -> bool:
    """Whether a result is that of one step: it is so called, or the cost with what is crossed."""
    return what in (STEP, STOP) or (what == COST and any(name.text == route.crossing[0] for name, _ in given))


def _step_result(
    checker: GivenChecker[GivenScopeT], what: str, route: Route, given: GivenPairs, scope: GivenScopeT, where: Span
) -> Term:
    """Check what is asked of one step of a route: whether it may be taken, whether the mover must stop, its cost.

    What the route counts is 0 where it is not given.
    """
    head = checker.heads[head_key(route.name, what)]
    counters = dict(route.tallied)
    needed = {name: wanted for name, wanted in head.params if name not in counters}
    found = dict(bound(checker, route, given, scope, where, counters, needed))
    asked = Call(head.key, tuple(found.get(name, Const(0, NUMBER)) for name, _ in head.params), head.type)
    return Logic("not", (asked,), FLAG) if what == STEP else asked


def some_choices(checker: GivenChecker[GivenScopeT], expr: Expr, scope: GivenScopeT) -> Term:
    """Check `some choices of FORM (with ...)`, where a pick that they hold may be given with the other roles."""
    _, name, bindings = expr.args
    form = checker.forms.get(str(name))
    if not isinstance(form, Allocation | Selection):
        known = [one.name for one in checker.forms.values() if isinstance(one, Allocation | Selection)]
        checker.schema.faults.add(
            f"`{name}` has no choices with a pick in them", expr.span,
            f"there may be some {CHOICES} of an allocation or a selection", did_you_mean(str(name), known),
        )  # fmt: skip
        return Const(None, ERROR)
    chooser, target = pick_roles(form)
    pairs = map(_pair, bindings.args) if isinstance(bindings, Expr) else ()
    roles = dict(bound(checker, form, pairs, scope, expr.span, {**chooser, **target}))
    if chooser.keys() & roles.keys() and not target.keys() & roles.keys():
        [missing] = target
        checker.schema.faults.add(f"`{form.name}` needs {missing}", expr.span, "a pick is of something",
                                  f"write `{missing} = ...`")  # fmt: skip
    return Result(SOME, form.name, tuple(roles), tuple(roles.values()), FLAG)


def pick_roles(form: Allocation | Selection) -> tuple[dict[str, Type], dict[str, Type]]:
    """Name who picks, if that is told apart, and what is picked, each with its type."""
    if isinstance(form, Allocation):
        return dict([form.chooser] if form.chooser is not None else []), dict([form.target])
    name, members = form.picked
    return {}, {name: Type("record", members.name)}


def _pair(binding: Expr | str | int | None) -> tuple[Word, Expr]:
    assert isinstance(binding, Expr)
    name, value = binding.args
    assert isinstance(value, Expr)
    return Word(str(name), binding.span), value


def _type_of(what: str, form: Form, place: Type) -> Type | None:
    """Give the type of a result of a form; nothing if the form has none such."""
    ranks = form.ranks if isinstance(form, Route) else (form.rank,) if isinstance(form, Selection) and form.rank else ()
    match what, form:
        case ("ends", Route()):
            return Type("set", place.name or place.kind)
        case ("cost", Route(price=price)):
            return replace(price, optional=True)
        case ("best", Route() | Selection()) if ranks:
            return replace(ranks[0].type, optional=True)
        case ("choices", Allocation() | Selection()):
            return NUMBER
        case ("choices", Route()) if ranks:
            return NUMBER
        case (counter, Route(counters=counters)) if counter in dict(counters):
            return replace(NUMBER, optional=True)
    return None
