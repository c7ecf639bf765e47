"""Check expressions: resolve names, infer types and build terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.ir.model import Allocation, Form, Head, RecordSpec, Roll, Route, Selection, head_key
from titm_rules.ir.terms import (
    BEST,
    CHOICES,
    COST,
    END,
    ENDS,
    SOME,
    START,
    STEP,
    STOP,
    Apply,
    Arithmetic,
    Besides,
    Call,
    Compare,
    Const,
    End,
    Field,
    IsA,
    Just,
    Logic,
    Member,
    Picks,
    Quantified,
    Result,
    Root,
    Standing,
    Template,
    Term,
    Touching,
    Values,
    Var,
)
from titm_rules.ir.types import ERROR, FLAG, NOTHING, NUMBER, PLACE, TEXT, Type, amount, attribute
from titm_rules.syntax.ast import Expr, Word, Wording

# ---------------------------------------------------------------------- wanted
BROKEN = Const(None, ERROR)


@dataclass(frozen=True)
class Scope:
    """What names mean at a place in the text."""

    situation: str
    names: Mapping[str, Type]
    allocation: bool = False


@dataclass
class ExpressionChecker(ABC):
    """Checks that expressions are what is wanted; those who follow it know what each kind of expression comes to.

    `notes` tell what every expression came to; one that was tried in two ways is there twice.
    """

    schema: Schema
    heads: dict[str, Head] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)
    notes: list[tuple[Expr, Term]] = field(default_factory=list)

    @abstractmethod
    def term(self, expr: Expr, scope: Scope, expected: Type | None = None) -> Term:
        """Check an expression; `expected` helps to resolve values of enumerations."""

    def condition(self, expr: Expr, scope: Scope) -> Term:
        """Check an expression that must be true or false."""
        term = self.term(expr, scope, FLAG)
        if term.type.kind not in ("flag", "error"):
            self._fault("a condition is needed here", expr.span, f"this is a {term.type}")
        return term

    def of_type(self, expr: Expr, scope: Scope, wanted: Type) -> Term:
        """Check an expression that must have a type; one record will do for a list."""
        term = self.term(expr, scope, wanted)
        is_one = wanted.kind == "set" and term.type.kind in ("record", "enum", "place", "number")
        if is_one and wanted.name in (term.type.name or term.type.kind, "place"):
            return Just(term, wanted)
        term = in_measure(term, wanted)
        if not self.fits(term.type, wanted):
            self._fault(f"a {wanted} is needed here", expr.span, f"this is a {term.type}")
        return term if wanted.optional else as_list_term(term)

    def ordered(self, expr: Expr, scope: Scope) -> Term:
        """Check an expression that must be a number, or a value of a type, which stand in an order."""
        term = self.term(expr, scope)
        return term if term.type.kind == "enum" else self.number(expr, scope)

    def number(self, expr: Expr, scope: Scope, wanted: Type | None = None, needed: Type = NUMBER) -> Term:
        """Check an expression that must be a number, whatever it is counted in; `wanted` is what a fraction is of."""
        term = self.term(expr, scope, wanted)
        return term if term.type.kind == "number" else self.of_type(expr, scope, needed)

    def empty(self, wanted: Type) -> Term:
        """Give what `nothing` means where a type is wanted: no value, or a list of no members."""
        return Const((), wanted) if wanted.kind == "set" else Const(None, NOTHING)

    def fits(self, found: Type, wanted: Type) -> bool:
        """Whether a value of one type may stand where another is wanted."""
        if "error" in (found.kind, wanted.kind):
            return True
        if found.kind == "nothing":
            return wanted.optional
        if found.kind != wanted.kind:
            if found.kind == "place":  # where there is one kind of place, a place is of that kind
                return wanted == replace(self.schema.only_place or ERROR, optional=wanted.optional)
            return wanted.kind == "place" and self._is_place(found)
        named = found.kind in ("flag", "number", "text", "place") or found.name == wanted.name
        return named and found.measure == wanted.measure

    def _is_place(self, found: Type) -> bool:
        return found.kind == "record" and self.schema.records[found.name].role == "place"

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "") -> None:
        self.schema.faults.add(what, span, why, fix)


def without_unit(counted: Type) -> Type:
    """Give the type of what is worked out of a number: any number, counted as it is."""
    return replace(NUMBER, measure=counted.measure)


def in_measure(term: Term, wanted: Type) -> Term:
    """Count a plain number in the parts of the measure that is wanted, if one is."""
    if wanted.kind != "number" or wanted.measure is None or term.type.kind != "number" or term.type.measure is not None:
        return term
    counted = replace(without_unit(wanted), optional=term.type.optional)
    if isinstance(term, Const) and isinstance(term.value, int):
        return Const(term.value * wanted.measure.parts, counted)
    return Apply("parts", (term, Const(wanted.measure.parts, NUMBER)), counted)


def as_list_term(term: Term) -> Term:
    """Take a list that may be nothing for an empty one."""
    if term.type.kind != "set" or not term.type.optional:
        return term
    return Apply("listed", (term,), replace(term.type, optional=False))


def expression(arg: object) -> Expr:
    """Take what an expression has at a place for an expression, as the grammar says that it is."""
    assert isinstance(arg, Expr)
    return arg


# ---------------------------------------------------------------------- functions
class Named(Protocol):
    """A place in the text, where names mean something."""

    @property
    def names(self) -> Mapping[str, Type]:
        """What names mean there."""


ScopeT = TypeVar("ScopeT", bound=Named, contravariant=True)


class ArgumentChecker(Protocol[ScopeT]):
    """What checks the expressions that functions are applied to."""

    schema: Schema

    def term(self, expr: Expr, scope: ScopeT) -> Term:
        """Check an expression."""

    def of_type(self, expr: Expr, scope: ScopeT, wanted: Type) -> Term:
        """Check an expression that must have a type."""

    def list_of(self, expr: Expr, scope: ScopeT) -> Term:
        """Check an expression that must be a list."""

    def root(self, name: str, scope: ScopeT) -> Root | None:
        """Read a name as a field of the situation."""


Pairs = Sequence[tuple[str, Expr]]
NUMBERS = Type("set", "number")


def function_of(checker: ArgumentChecker[ScopeT], name: str, pairs: Pairs, scope: ScopeT) -> Term | None:
    """Read a call of a function by its name and prepositions; nothing if it is none."""
    preps = tuple(prep for prep, _ in pairs)
    given = [expr for _, expr in pairs]
    match name, preps:
        case ("next" | "previous", ("of",)):
            return _beside(checker, name, given[0], scope)
        case ("member", ("of", "at")):
            return _member(checker, given, scope)
        case ("part", ("of", "from", "to")):
            return _part(checker, given, scope)
        case ("numbers", ("from", "to")):
            return Apply("numbers", tuple(checker.of_type(expr, scope, NUMBER) for expr in given), NUMBERS)
    if preps == ("for",):
        return _looked_up(checker, name, given[0], scope)
    record = checker.schema.records.get(name)
    if preps == ("of",) and record is not None and record.written:
        text = checker.of_type(given[0], scope, TEXT)
        return Apply("read", (Const(name, TEXT), text), Type("record", name, optional=True))
    return None


def _beside(checker: ArgumentChecker[ScopeT], name: str, value: Expr, scope: ScopeT) -> Term | None:
    """Read `next of VALUE` and `previous of VALUE`."""
    base = checker.term(value, scope)
    if base.type.kind != "enum":
        return None
    count = len(checker.schema.enums[base.type.name].values)
    return Apply(name, (base, Const(count, NUMBER)), replace(base.type, optional=True))


def _member(checker: ArgumentChecker[ScopeT], given: Sequence[Expr], scope: ScopeT) -> Term:
    """Read `member of LIST at NUMBER`."""
    base = checker.list_of(given[0], scope)
    place = checker.of_type(given[1], scope, NUMBER)
    return Apply("member", (base, place), replace(checker.schema.member(base.type), optional=True))


def _part(checker: ArgumentChecker[ScopeT], given: Sequence[Expr], scope: ScopeT) -> Term:
    """Read `part of LIST from NUMBER to NUMBER`."""
    base = checker.list_of(given[0], scope)
    low, high = (checker.of_type(expr, scope, NUMBER) for expr in given[1:])
    return Apply("part", (base, low, high), base.type)


def _looked_up(checker: ArgumentChecker[ScopeT], name: str, key: Expr, scope: ScopeT) -> Term | None:
    """Read `MAP for RECORD`."""
    base = scope.names.get(name)
    source: Term | None = Var(name, base) if base is not None else checker.root(name, scope)
    if source is None or source.type.kind not in ("number_map", "flag_map"):
        return None
    assert isinstance(source, Var | Root)
    found = checker.of_type(key, scope, Type("record", source.type.name))
    value = FLAG if source.type.kind == "flag_map" else replace(NUMBER, measure=source.type.measure)
    return Apply("look-up", (source, found), replace(value, optional=True))


# ---------------------------------------------------------------------- measured
class NumberChecker(ExpressionChecker):
    """Checks fractions, and numbers that are worked out of others."""

    def _fraction(self, expr: Expr, expected: Type | None) -> Term:
        """Read a fraction: so many parts of the measure that is expected."""
        measure = expected.measure if expected is not None else None
        sign = "-" if expr.op == "negative" else ""
        return Const(self.schema.parts(f"{sign}{expr.args[0]}", measure, expr.span), Type("number", measure=measure))

    def _alike(
        self, expr: Expr, scope: Scope, wanted: Type | None = None, needed: Type = NUMBER
    ) -> tuple[Term, ...]:
        """Check the numbers of an expression, which are counted alike: if any has a measure, all are in its parts.

        What is only a fraction is one of the measure that another has, or else of the one `wanted`.
        """
        exprs = [arg for arg in expr.args if isinstance(arg, Expr)]
        known = {arg: self.number(arg, scope, wanted, needed) for arg in exprs if not _is_fraction(arg)}
        measured = next((one.type for one in known.values() if one.type.measure is not None), wanted)
        terms = [known.get(arg) or self.number(arg, scope, measured, needed) for arg in exprs]
        shared = next((one.type for one in terms if one.type.measure is not None), NUMBER)
        for arg, term in zip(exprs, terms, strict=True):
            if term.type.kind == "number" and term.type.measure not in (None, shared.measure):
                self._fault(f"a {term.type} and a {shared} are not counted alike", arg.span,
                            "numbers of two measures have nothing in common", "count both in one of them")  # fmt: skip
        return tuple(in_measure(term, shared) for term in terms)

    def _product(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        """Check a product, of which at most one factor has a measure; the product has it then."""
        left, right = (self.number(expression(arg), scope, expected) for arg in expr.args)
        if left.type.measure is not None and right.type.measure is not None:
            self._fault(f"a {left.type} times a {right.type} is no number", expr.span,
                        "only one factor of a product is counted in parts", "multiply by a plain number")  # fmt: skip
        return Arithmetic("*", left, right, without_unit(left.type if left.type.measure is not None else right.type))


def _is_fraction(expr: Expr) -> bool:
    return expr.op == "fraction" or (expr.op == "negative" and isinstance(expr.args[0], str))


# ---------------------------------------------------------------------- lists
class ListChecker(ExpressionChecker):
    """Checks lists, and what is said of their members."""

    def list_of(self, expr: Expr, scope: Scope) -> Term:
        """Check an expression that must be a list."""
        match expr.op:
            case "besides":
                base = self.list_of(expression(expr.args[0]), scope)
                other = self.of_type(expression(expr.args[1]), scope, base.type)
                return Besides(base, other, base.type)
            case "including":
                base = self.list_of(expression(expr.args[0]), scope)
                other = self.of_type(expression(expr.args[1]), scope, base.type)
                return Arithmetic("+", base, other, base.type)
            case "standing" | "touching":
                name = Expr("name", (expr.args[0],), expr.span)
                base = self.list_of(name, scope)
                self._need_role(base, "piece" if expr.op == "standing" else "connection", expr)
                place = self.of_type(expression(expr.args[1]), scope, PLACE)
                return (Standing if expr.op == "standing" else Touching)(base, place, base.type)
            case "those":
                return self._quantified(expr, scope)
        enum = self.schema.enums.get(str(expr.args[0])) if expr.op == "name" else None
        if enum is not None and enum.name not in scope.names:
            return Values(len(enum.values), Type("set", enum.name))
        term = self.term(expr, scope)
        if term.type.kind not in ("set", "pair", "error"):
            self._fault("a list is needed here", expr.span, f"this is a {term.type}")
            return BROKEN
        return as_list_term(term)

    def _need_role(self, base: Term, role: str, expr: Expr) -> None:
        """Refuse a list of what neither stands at a place nor joins two."""
        record = self.schema.records.get(base.type.name)
        needed = "place" if role == "piece" else "ends"
        if record is not None and record.role == role and any(spec.name == needed for spec in record.fields):
            return
        if base.type.kind != "error":
            self._fault(f"a {base.type} cannot be `{expr.op}`", expr.span, f"only a {role} with a field `{needed}` can",
                        f"name a list of such a {role}")  # fmt: skip

    def _quantified(self, expr: Expr, scope: Scope) -> Term:
        var = str(expr.args[0])
        base = self.list_of(expression(expr.args[1]), scope)
        inner = self.inner(var, base, scope, expr.span)
        body = self.condition(expression(expr.args[2]), inner)
        if expr.op == "those":
            return Quantified("those", var, base, body, None, base.type)
        return Quantified(expr.op, var, base, None, body, FLAG)

    def _aggregate(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        if expr.op == "count":
            return Quantified("count", "", self.list_of(expression(expr.args[0]), scope), None, None, NUMBER)
        args = list(expr.args)
        value = None if expr.op == "count_where" else expression(args.pop(0))
        var = str(args[0])
        base = self.list_of(expression(args[1]), scope)
        inner = self.inner(var, base, scope, expr.span)
        where = self.condition(expression(args[2]), inner) if len(args) > 2 and args[2] is not None else None
        if value is None:
            return Quantified("count", var, base, where, None, NUMBER)
        body = self.number(value, inner, expected)
        optional = expr.op in ("highest", "lowest")
        return Quantified(expr.op, var, base, where, body, replace(without_unit(body.type), optional=optional))

    def inner(self, var: str, base: Term, scope: Scope, span: Span) -> Scope:
        """Open a scope in which a name stands for the members of a list, one at a time."""
        if var in scope.names:
            self._fault(
                f"`{var}` already stands for something else",
                span,
                "a name has one meaning at a time",
                "take another name",
            )
        member = ERROR if base.type.kind == "error" else self.schema.member(base.type)
        return replace(scope, names={**scope.names, var: member})


# ---------------------------------------------------------------------- names
class NameChecker(ListChecker):
    """Checks names, and what is asked of something by name."""

    def _name(self, name: str, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        found = scope.names.get(name)
        if expected is not None and expected.kind == "enum" and (found is None or found != expected):
            enum = self.schema.enums[expected.name]
            if name in enum.values:
                return Const(enum.values.index(name), Type("enum", enum.name))
        if found is not None:
            return Var(name, found)
        if name in self.schema.readings:
            return Var(name, Type("reading", name))
        if expected is not None and expected.kind == "reading":
            choices = self.schema.readings[expected.name].choices
            if name in choices:
                return Const(name, expected)
            self._fault(
                f"unknown reading `{name}`",
                expr.span,
                f"{expected.name} has no such reading",
                did_you_mean(name, choices),
            )
            return BROKEN
        root = self.root(name, scope)
        if root is not None:
            return root
        head = self.heads.get(name)
        if head is not None and not head.params:
            return self._head_call(head, [], expr, scope, None)
        if self._is_event(name, expr):
            return BROKEN
        known = [*scope.names, *self._asked, *self.schema.readings]
        if scope.situation:
            known += [s.name.replace("_", "-") for s in self.schema.records[scope.situation].fields]
        if expected is not None and expected.kind == "enum":
            known = list(self.schema.enums[expected.name].values)
        self._fault(f"unknown name `{name}`", expr.span, _scope_text(scope, expected), did_you_mean(name, known))
        return BROKEN

    def root(self, name: str, scope: Scope) -> Root | None:
        """Read a name as a field of the situation, if it is one."""
        fields = self.schema.records[scope.situation].fields if scope.situation else ()
        return next((Root(spec.name, spec.type) for spec in fields if spec.name == attribute(name)), None)

    def _call(self, expr: Expr, scope: Scope, first: Term | None) -> Term:
        """Check `NAME of X for Y`: a field, a definition or a form; `first` is a subject before `is`."""
        name = str(expr.args[0])
        rest = list(expr.args[1:])
        pairs: list[tuple[str, Expr]] = []
        if expr.op in ("of", "call"):
            pairs.append(("of", expression(rest.pop(0))))
        pairs += [(str(p), expression(e)) for p, e in zip(rest[::2], rest[1::2], strict=True)]
        if name == "picks" and scope.allocation and len(pairs) == 1:
            return Picks(self.term(pairs[0][1], scope), NUMBER)
        head = self.heads.get(name)
        if head is not None and (first is not None or not self._is_field(name, pairs, scope)):
            return self._head_call(head, pairs, expr, scope, first)
        function = function_of(self, name, pairs, scope)
        if function is not None:
            return function
        if len(pairs) == 1 and pairs[0][0] == "of":
            return self._field(attribute(name), self.term(pairs[0][1], scope), expr)
        if self._is_event(name, expr):
            return BROKEN
        known = [*self._asked, "picks"]
        self._fault(
            f"unknown definition `{name}`", expr.span, "nothing of this name takes arguments", did_you_mean(name, known)
        )
        return BROKEN

    @property
    def _asked(self) -> list[str]:
        """Name what expressions may ask: definitions, and forms for their result."""
        return [key for key in self.heads if "." not in key]

    def _is_event(self, name: str, expr: Expr) -> bool:
        """Whether a name is an event's, which is then a fault: events happen and have no value."""
        if head_key(name, "effects") not in self.heads:
            return False
        self._fault(f"`{name}` is an event", expr.span, "it happens, and has no value to ask for",
                    "ask for a field that it sets")  # fmt: skip
        return True

    def _is_field(self, name: str, pairs: list[tuple[str, Expr]], scope: Scope) -> bool:
        if len(pairs) != 1 or pairs[0][0] != "of":
            return False
        before = len(self.schema.faults.found)
        base = self.term(pairs[0][1], scope)
        del self.schema.faults.found[before:]
        return self._field_type(attribute(name), base.type) is not None

    def _head_call(
        self, head: Head, pairs: list[tuple[str, Expr]], expr: Expr, scope: Scope, first: Term | None
    ) -> Term:
        args: list[Term] = []
        given = dict(pairs)
        if len(given) < len(pairs):
            self._fault(
                "a preposition appears twice", expr.span, f"each tells one thing that `{head.key}` is asked with"
            )
        for (name, ptype), prep in zip(head.params, head.preps, strict=True):
            if not args and first is not None and "of" not in given:
                subject = in_measure(first, ptype)
                if not self.fits(subject.type, ptype):
                    self._fault(f"`{head.key}` is about a {ptype}", expr.span, f"this is a {first.type}")
                args.append(subject)
            elif prep in given:
                args.append(self.of_type(given.pop(prep), scope, ptype))
            elif prep == "from" and head.mode == "route":
                args.append(Const(None, NOTHING))
            else:
                self._fault(f"`{head.key}` needs `{prep}` with its {name}", expr.span, _asked_with(head))
                args.append(BROKEN)
        if head.mode == "route" and "to" in given:
            args.append(self.of_type(given.pop("to"), scope, PLACE))
        for prep in given:
            self._fault(f"`{head.key}` has nothing to do with `{prep}`", expr.span, _asked_with(head))
        if head.situation and head.situation != scope.situation:
            self._fault(
                f"`{head.key}` belongs to a {head.situation}",
                expr.span,
                f"this text is about a {scope.situation or 'no situation'}",
            )
        return Call(head.key, tuple(args), head.type)

    def _field(self, name: str, base: Term, expr: Expr) -> Term:
        if base.type.kind == "error":
            return BROKEN
        if base.type.kind == "pair" and name in ("first", "second"):
            return End(base, int(name == "second"), self.schema.member(base.type))
        found = self._field_type(name, base.type)
        if found is None:
            self._fault(
                f"a {base.type} has no `{name.replace('_', '-')}`", expr.span,
                "it is neither a field nor a definition", did_you_mean(name, self._field_names(base.type)),
            )  # fmt: skip
            return BROKEN
        of_some = base.type.kind == "place" and self.schema.only_place is None
        if base.type.optional or base.type.kind == "set" or of_some:
            found = replace(found, optional=True)
        return Field(base, name, found)

    def _field_type(self, name: str, base: Type) -> Type | None:
        for record in self._records(base):
            for spec in record.fields:
                if spec.name == name:
                    return spec.type
            if name == "id":
                return TEXT
        return None

    def _field_names(self, base: Type) -> list[str]:
        return [spec.name.replace("_", "-") for record in self._records(base) for spec in record.fields]

    def _records(self, base: Type) -> list[RecordSpec]:
        records = self.schema.records
        if base.kind == "place" or (base.kind == "set" and base.name == "place"):
            return [record for record in records.values() if record.role == "place"]
        return [records[base.name]] if base.kind in ("record", "set") and base.name in records else []


def _asked_with(head: Head) -> str:
    parameters = [f"{prep} {name}" for (name, _), prep in zip(head.params, head.preps, strict=True)]
    return f"it is asked as `{' '.join([head.key, *parameters])}`"


def _scope_text(scope: Scope, expected: Type | None) -> str:
    if expected is not None and expected.kind == "enum":
        return f"a value of `{expected.name}` is needed here"
    about = f" about a {scope.situation}" if scope.situation else ""
    return f"no role, field or definition of this name is known in a sentence{about}"


# ---------------------------------------------------------------------- comparisons
_COMPARISONS = {
    "at_least": (">=", "<"),
    "at_most": ("<=", ">"),
    "more_than": (">", "<="),
    "less_than": ("<", ">="),
}


class ComparisonChecker(NumberChecker, NameChecker):
    """Checks comparisons."""

    def _compare(self, expr: Expr, scope: Scope) -> Term:
        op, negated = _COMPARISONS[expr.op]
        left = self.term(expression(expr.args[0]), scope)
        if left.type.kind == "enum":  # values of a type stand in the order of their ranks
            right = self.of_type(expression(expr.args[2]), scope, left.type)
        else:
            left, right = self._alike(expr, scope)
            self._range(left, right, expr.span)
        return Compare(negated if expr.args[1] else op, left, right, FLAG)

    def _same(self, expr: Expr, scope: Scope) -> Term:
        negated = expr.args[1] is not None
        left = self.term(expression(expr.args[0]), scope)
        right_expr = expression(expr.args[2])
        predicate = self._predicate(left, right_expr, scope)
        if predicate is not None:
            return Logic("not", (predicate,), FLAG) if negated else predicate
        right = self.term(right_expr, scope, left.type)
        left, right = in_measure(left, right.type), in_measure(right, left.type)
        comparable = (
            self.fits(right.type, left.type) or self.fits(left.type, right.type)
            or NOTHING.kind in (left.type.kind, right.type.kind)
        )  # fmt: skip
        if not comparable:
            self._fault(f"a {left.type} is never a {right.type}", expr.span, "only like things can be the same")
        self._range(left, right, expr.span)
        return Compare("!=" if negated else "==", left, right, FLAG)

    def _predicate(self, left: Term, right: Expr, scope: Scope) -> Term | None:
        """Read `X is PLACE-KIND` and `X is DEFINITION for Y`."""
        name = str(right.args[0]) if right.op in ("name", "call_bare") else ""
        record = self.schema.records.get(name)
        if right.op == "name" and record is not None and record.role == "place":
            return IsA(left, name, FLAG)
        head = self.heads.get(name)
        if head is not None and head.type == FLAG and head.params and name not in scope.names:
            return self._call(right if right.op == "call_bare" else replace(right, op="call_bare"), scope, left)
        return None

    def _member(self, expr: Expr, scope: Scope) -> Term:
        if expr.op == "one_of":
            left = self.term(expression(expr.args[0]), scope)
            choices = (self.term(expression(arg), scope, left.type) for arg in expr.args[2:])
            found: Term = Member(left, tuple(in_measure(one, left.type) for one in choices), None, FLAG)
        else:
            base = self.list_of(expression(expr.args[2]), scope)
            left = self.term(expression(expr.args[0]), scope, self.schema.member(base.type))
            found = Member(left, (), base, FLAG)
        return Logic("not", (found,), FLAG) if expr.args[1] is not None else found

    def _range(self, left: Term, right: Term, span: Span) -> None:
        """Fault a comparison that no value of the declared range satisfies or fails."""
        ftype = left.type
        if (
            isinstance(right, Const)
            and isinstance(right.value, int)
            and ftype.kind == "number"
            and ftype.high is not None
        ):
            assert ftype.low is not None
            if not ftype.low <= right.value <= ftype.high and right.value not in (ftype.low - 1, ftype.high + 1):
                number, low, high = (amount(ftype.measure, one) for one in (right.value, ftype.low, ftype.high))
                self._fault(
                    f"{number} is out of range", span,
                    f"the number runs from {low} to {high}, so the comparison never changes",
                )  # fmt: skip


# ---------------------------------------------------------------------- results
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


# ---------------------------------------------------------------------- expressions
class Checker(ComparisonChecker):
    """Checks expressions of every kind against a vocabulary and the declared heads."""

    def template(self, written: Wording, scope: Scope) -> Template:
        """Check the words of a refusal: what stands in their slots."""
        return tuple(part if isinstance(part, str) else self._slot(part, scope) for part in written)

    def _slot(self, expr: Expr, scope: Scope) -> Term:
        if expr.op in ("besides", "including", "those", "standing", "touching"):
            return self.list_of(expr, scope)
        return self.term(expr, scope)

    def term(self, expr: Expr, scope: Scope, expected: Type | None = None) -> Term:
        """Check an expression; `expected` helps to resolve values of enumerations."""
        found = self._term(expr, scope, expected)
        self.notes.append((expr, found))
        return found

    def _term(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        match expr.op:
            case "number":
                return Const(_int(expr.args[0]), NUMBER)
            case "negative" if isinstance(expr.args[0], int):
                return Const(-expr.args[0], NUMBER)
            case "fraction" | "negative":
                return self._fraction(expr, expected)
            case "text":
                return Const(str(expr.args[0]), TEXT)
            case "yes" | "no":
                return Const(expr.op == "yes", FLAG)
            case "nothing":
                return Const(None, NOTHING)
            case "name":
                return self._name(str(expr.args[0]), expr, scope, expected)
            case "of" | "call" | "call_bare":
                return self._call(expr, scope, None)
            case "result":
                return result(self, expr, scope)
            case "any_of" | "all_of" | "negation":
                op = {"any_of": "any", "all_of": "all", "negation": "not"}[expr.op]
                return Logic(op, tuple(self.condition(expression(a), scope) for a in expr.args), FLAG)
            case "some" | "every" | "those":
                return self._quantified(expr, scope)
            case "nonempty" if expression(expr.args[0]).op == "result" and expression(expr.args[0]).args[0] == CHOICES:
                return some_choices(self, expression(expr.args[0]), scope)
            case "nonempty":
                base = self.list_of(expression(expr.args[0]), scope)
                return Compare(">", Quantified("count", "", base, None, None, NUMBER), Const(0, NUMBER), FLAG)
            case "count" | "count_where" | "total" | "highest" | "lowest":
                return self._aggregate(expr, scope, expected)
            case "besides" | "including" | "standing" | "touching":
                return self.list_of(expr, scope)
            case "plus" | "minus":
                left, right = self._alike(expr, scope, expected)
                return Arithmetic("+" if expr.op == "plus" else "-", left, right, without_unit(left.type))
            case "times":
                return self._product(expr, scope, expected)
            case "divided":
                left, right = self._alike(expr, scope)
                return Arithmetic("//", left, right, NUMBER)
            case "divided_up":
                return Apply("up", self._alike(expr, scope), NUMBER)
            case "least" | "most":
                parts = self._alike(expr, scope, expected, replace(NUMBER, optional=True))
                return Apply(expr.op, parts, without_unit(parts[0].type))
            case "same":
                return self._same(expr, scope)
            case "member" | "one_of":
                return self._member(expr, scope)
            case "possible":
                term = self.term(expression(expr.args[0]), scope)
                return Compare("==" if expr.args[1] else "!=", term, Const(None, NOTHING), FLAG)
        return self._compare(expr, scope)


def _int(arg: object) -> int:
    assert isinstance(arg, int)
    return arg
