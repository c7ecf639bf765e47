"""Check expressions: resolve names, infer types and build terms.

Checking is bidirectional: `term` infers the type of an expression, and the type that its place expects is handed down
to resolve values of enumerations, readings and fractions, which mean nothing without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.ir.model import Allocation, Bindings, Form, Head, RecordSpec, Roll, Route, Selection, head_key
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
from titm_rules.ir.types import ERROR, FLAG, NOTHING, NUMBER, PLACE, TEXT, Type, amount, attribute, hyphenated
from titm_rules.syntax.ast import Binding, Expr, Word, Wording

BROKEN = Const(None, ERROR)  # the term of an expression with a fault; it fits everywhere, so that one fault is reported
NUMBERS = Type("set", "number")
_COMPARISONS = {
    "at_least": (">=", "<"),
    "at_most": ("<=", ">"),
    "more_than": (">", "<="),
    "less_than": ("<", ">="),
}
# The functions of the language, and what they mean; a name of the game takes precedence.
FUNCTIONS = {
    "next": "`next of VALUE` is the value that follows in its type, or nothing",
    "previous": "`previous of VALUE` is the value before it in its type, or nothing",
    "member": "`member of LIST at NUMBER` is a member by its place, from 1, or nothing",
    "part": "`part of LIST from NUMBER to NUMBER` is a list of the members at these places",
    "numbers": "`numbers from NUMBER to NUMBER` is a list of whole numbers, with both ends",
    "neighbours": "`neighbours of PLACE` lists the places one connection away, of all connections or those behind `by`",
    "distance": "`distance from PLACE to PLACE` is the fewest connections, of all or those behind `by`, or nothing",
}
F = TypeVar("F", bound=Form)
TypedName = tuple[str, Type]
Arguments = list[tuple[str, Expr]]  # the arguments of a call, each with its preposition


@dataclass(frozen=True)
class Scope:
    """The situation that a sentence is about, and the types of the names that it may use.

    In a scope of an `allocation`, `picks of X` is a name too. `it` is the name of the innermost member of a list.
    """

    situation: str
    names: Mapping[str, Type]
    allocation: bool = False
    it: str = ""


@dataclass
class ExpressionChecker:
    """Check expressions against a vocabulary and the declared heads and forms; faults go to the schema.

    `notes` lists the term of every expression; an expression that was tried in two ways is in it twice.
    """

    schema: Schema
    heads: dict[str, Head] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)
    notes: list[tuple[Expr, Term]] = field(default_factory=list)

    def open(
        self, form: str, params: tuple[TypedName, ...], situation: str, modes: Mapping[str, str], rtype: Type = NUMBER
    ) -> None:
        """Open the heads of a form, an event or a situation, of a type unless their mode makes them flags."""
        for word, mode in modes.items():
            key = head_key(form, word)
            self.heads[key] = Head(key, params, FLAG if mode in ("any", "bar") else rtype, mode, situation)

    # Expressions with an expected type.

    def condition(self, expr: Expr, scope: Scope) -> Term:
        term = self.term(expr, scope, FLAG)
        if term.type.kind not in ("flag", "error"):
            self.schema.fault("a condition is needed here", expr.span, f"this is a {term.type}")
        return term

    def of_type(self, expr: Expr, scope: Scope, expected: Type) -> Term:
        """Check an expression of an expected type; a single record may be given for a list."""
        term = self.term(expr, scope, expected)
        is_member = expected.kind == "set" and term.type.kind in ("record", "enum", "place", "number")
        if is_member and expected.name in (term.type.name or term.type.kind, "place"):
            return Just(term, expected)
        term = in_measure(term, expected)
        if not self.fits(term.type, expected):
            self.schema.fault(f"a {expected} is needed here", expr.span, f"this is a {term.type}")
        return term if expected.optional else _as_list_term(term)

    def ordered(self, expr: Expr, scope: Scope) -> Term:
        """Check an expression of an ordered type: a number, or a value of an enumeration."""
        term = self.term(expr, scope)
        return term if term.type.kind == "enum" else self.number(expr, scope)

    def number(self, expr: Expr, scope: Scope, expected: Type | None = None, required: Type = NUMBER) -> Term:
        """Check a number of any measure; a fraction takes the measure that is `expected`."""
        term = self.term(expr, scope, expected)
        return term if term.type.kind == "number" else self.of_type(expr, scope, required)

    def fits(self, given: Type, expected: Type) -> bool:
        """Whether a value of one type may be used where another is expected."""
        if "error" in (given.kind, expected.kind):
            return True
        if given.kind == "nothing":
            return expected.optional
        if given.kind != expected.kind:
            if given.kind == "place":  # where there is one kind of place, a place is of that kind
                return expected == replace(self.schema.only_place or ERROR, optional=expected.optional)
            is_place = given.kind == "record" and self.schema.records[given.name].role == "place"
            return expected.kind == "place" and is_place
        has_one_type = given.kind in ("flag", "number", "text", "place")
        return (has_one_type or given.name == expected.name) and given.measure == expected.measure

    # Expressions of every kind.

    def template(self, written: Wording, scope: Scope, when: Expr | None = None) -> Template:
        """Check the words of a refusal and the expressions in their slots.

        A slot may name the members for which the condition `when` holds: the witnesses of its `some`, and of its `not
        every`.
        """
        witnesses = list(_witnesses(when))
        names = Counter(name for name, _ in witnesses)
        known = {name: those for name, those in witnesses if names[name] == 1 and name not in scope.names}
        return tuple(part if isinstance(part, str) else self.term(_replaced(part, known), scope) for part in written)

    def term(self, expr: Expr, scope: Scope, expected: Type | None = None) -> Term:
        """Check an expression; the expected type helps to resolve its names."""
        term = self._term(expr, scope, expected)
        self.notes.append((expr, term))
        return term

    def _term(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        match expr.op:
            case "number" | "negative" if isinstance(expr.args[0], int):
                return Const(-expr.args[0] if expr.op == "negative" else expr.args[0], NUMBER)
            case "fraction" | "negative":  # as many parts of the expected measure
                measure = expected.measure if expected is not None else None
                sign = "-" if expr.op == "negative" else ""
                parts = self.schema.parts(f"{sign}{expr.args[0]}", measure, expr.span)
                return Const(parts, Type("number", measure=measure))
            case "text":
                return Const(str(expr.args[0]), TEXT)
            case "yes" | "no":
                return Const(expr.op == "yes", FLAG)
            case "nothing":
                return Const(None, NOTHING)
            case "verb":
                return Apply("verb", (self.term(_operand(expr, 0), scope), Const(str(expr.args[1]), TEXT)), TEXT)
            case "it":
                if scope.it:
                    return Var(scope.it, scope.names[scope.it])
                why, fix = "it is the member of a list that `some`, `every` or `those` picks out", "name the member"
                self.schema.fault("nothing here is `it`", expr.span, why, fix)
                return BROKEN
            case "name" | "none":  # in a table, a value may be called `none`
                return self._name(str((*expr.args, "none")[0]), expr, scope, expected)
            case "of" | "call" | "call_bare":
                return self._call(expr, scope, None)
            case "result":
                return self._result(expr, scope)
            case "any_of" | "all_of" | "negation":
                op = {"any_of": "any", "all_of": "all", "negation": "not"}[expr.op]
                return Logic(op, tuple(self.condition(_expression(arg), scope) for arg in expr.args), FLAG)
            case "some" | "every" | "those":
                return self._quantified(expr, scope)
            case "nonempty":
                operand = _operand(expr, 0)
                if operand.op == "result" and operand.args[0] == CHOICES:
                    return self._some_choices(operand, scope)
                number = Quantified("count", "", self.list_of(operand, scope), None, None, NUMBER)
                return Compare(">", number, Const(0, NUMBER), FLAG)
            case "count" | "count_where" | "total" | "highest" | "lowest":
                return self._aggregate(expr, scope, expected)
            case "besides" | "including" | "standing" | "touching":
                return self.list_of(expr, scope)
            case "plus" | "minus":
                left, right = self._commensurable(expr, scope, expected)
                return Arithmetic("+" if expr.op == "plus" else "-", left, right, _without_unit(left.type))
            case "times":
                return self._product(expr, scope, expected)
            case "divided":
                left, right = self._commensurable(expr, scope)
                return Arithmetic("//", left, right, NUMBER)
            case "divided_up":
                return Apply("up", self._commensurable(expr, scope), NUMBER)
            case "least" | "most":
                terms = self._commensurable(expr, scope, expected, replace(NUMBER, optional=True))
                return Apply(expr.op, terms, _without_unit(terms[0].type))
            case "same":
                return self._same(expr, scope)
            case "member" | "one_of":
                return self._member(expr, scope)
            case "possible":
                term = self.term(_operand(expr, 0), scope)
                return Compare("==" if expr.args[1] else "!=", term, Const(None, NOTHING), FLAG)
        return self._compare(expr, scope)

    # Numbers.

    def _commensurable(
        self, expr: Expr, scope: Scope, expected: Type | None = None, required: Type = NUMBER
    ) -> tuple[Term, ...]:
        """Check the numbers of an expression, and convert all of them to the measure of any that has one.

        A bare fraction is of the measure of another number, or else of the one that is expected.
        """
        exprs = [arg for arg in expr.args if isinstance(arg, Expr)]
        known = {arg: self.number(arg, scope, expected, required) for arg in exprs if not _is_fraction(arg)}
        measured = next((term.type for term in known.values() if term.type.measure is not None), expected)
        terms = [known.get(arg) or self.number(arg, scope, measured, required) for arg in exprs]
        shared = next((term.type for term in terms if term.type.measure is not None), NUMBER)
        for arg, term in zip(exprs, terms, strict=True):
            if term.type.kind == "number" and term.type.measure not in (None, shared.measure):
                self.schema.fault(
                    f"cannot combine a {shared} with a {term.type}", arg.span, fix="count both in one measure"
                )
        return tuple(in_measure(term, shared) for term in terms)

    def _product(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        left, right = (self.number(_expression(arg), scope, expected) for arg in expr.args)
        if left.type.measure is not None and right.type.measure is not None:
            self.schema.fault(
                f"cannot multiply a {left.type} by a {right.type}", expr.span, fix="multiply by a plain number"
            )
        return Arithmetic("*", left, right, _without_unit(left.type if left.type.measure is not None else right.type))

    # Lists.

    def list_of(self, expr: Expr, scope: Scope) -> Term:
        match expr.op:
            case "besides" | "including":
                base = self.list_of(_operand(expr, 0), scope)
                other = self.of_type(_operand(expr, 1), scope, base.type)
                if expr.op == "besides":
                    return Besides(base, other, base.type)
                return Arithmetic("+", base, other, base.type)
            case "standing" | "touching":
                base = self.list_of(Expr("name", (expr.args[0],), expr.span), scope)
                self._require_role(base, "piece" if expr.op == "standing" else "connection", expr)
                place = self.of_type(_operand(expr, 1), scope, PLACE)
                return (Standing if expr.op == "standing" else Touching)(base, place, base.type)
            case "those":
                return self._quantified(expr, scope)
        enum = self.schema.enums.get(str(expr.args[0])) if expr.op == "name" else None
        if enum is not None and enum.name not in scope.names:
            return Values(len(enum.values), Type("set", enum.name))
        term = self.term(expr, scope)
        if term.type.kind not in ("set", "pair", "error"):
            self.schema.fault("a list is needed here", expr.span, f"this is a {term.type}")
            return BROKEN
        return _as_list_term(term)

    def _require_role(self, base: Term, role: str, expr: Expr) -> None:
        record = self.schema.records.get(base.type.name)
        required = "place" if role == "piece" else "ends"
        is_sound = record is not None and record.role == role and record.named(required)
        if not is_sound and base.type.kind != "error":
            self.schema.fault(
                f"a {base.type} cannot be `{expr.op}`", expr.span, f"only a {role} with a field `{required}` can",
                f"name a list of such a {role}",
            )  # fmt: skip

    def inner(self, var: str, base: Term, scope: Scope, span: Span) -> Scope:
        """Open a scope in which a name is bound to one member of a list at a time."""
        if var in scope.names:
            self.schema.refuse_rebinding(var, span)
        member = ERROR if base.type.kind == "error" else self.schema.member(base.type)
        return replace(scope, names={**scope.names, var: member}, it=var)

    def _quantified(self, expr: Expr, scope: Scope) -> Term:
        var = str(expr.args[0])
        base = self.list_of(_operand(expr, 1), scope)
        body = self.condition(_operand(expr, 2), self.inner(var, base, scope, expr.span))
        if expr.op == "those":
            return Quantified("those", var, base, body, None, base.type)
        return Quantified(expr.op, var, base, None, body, FLAG)

    def _aggregate(self, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        if expr.op == "count":
            return Quantified("count", "", self.list_of(_operand(expr, 0), scope), None, None, NUMBER)
        args = list(expr.args)
        value = None if expr.op == "count_where" else _expression(args.pop(0))
        var = str(args[0])
        base = self.list_of(_expression(args[1]), scope)
        inner = self.inner(var, base, scope, expr.span)
        where = self.condition(_expression(args[2]), inner) if len(args) > 2 and args[2] is not None else None
        if value is None:
            return Quantified("count", var, base, where, None, NUMBER)
        body = self.number(value, inner, expected)
        optional = expr.op in ("highest", "lowest")
        return Quantified(expr.op, var, base, where, body, replace(_without_unit(body.type), optional=optional))

    # Names.

    def _name(self, name: str, expr: Expr, scope: Scope, expected: Type | None) -> Term:
        """Resolve a name: a value of the expected type, a bound name, a reading, a field, a definition."""
        bound = scope.names.get(name)
        if expected is not None and expected.kind == "enum" and (bound is None or bound != expected):
            enum = self.schema.enums[expected.name]
            if name in enum.values:
                return Const(enum.values.index(name), Type("enum", enum.name))
        if bound is not None:
            return Var(name, bound)
        if name in self.schema.reading_names:
            reading = self.schema.reading_names[name]
            return Var(reading, Type("reading", reading))
        if expected is not None and expected.kind == "reading":
            choices = self.schema.readings[expected.name].choices
            if name in choices:
                return Const(name, expected)
            why = f"`{expected.name}` has no such reading"
            self.schema.fault(f"unknown reading `{name}`", expr.span, why, did_you_mean(name, choices))
            return BROKEN
        root = self._root(name, scope)
        if root is not None:
            return root
        head = self.heads.get(name)
        if head is not None:
            return self._head_call(head, [], expr, scope, None)
        if self._refuse_event(name, expr):
            return BROKEN
        if expected is not None and expected.kind == "enum":
            known: Iterable[str] = self.schema.enums[expected.name].values
            why = f"a value of `{expected.name}` is needed here"
        else:
            fields = self.schema.records[scope.situation].fields if scope.situation else ()
            known = [*scope.names, *self._callable, *self.schema.reading_names]
            known += [hyphenated(spec.name) for spec in fields]
            about = f" about a {scope.situation}" if scope.situation else ""
            why = f"no role, field or definition in a sentence{about} has this name"
        self.schema.fault(f"unknown name `{name}`", expr.span, why, did_you_mean(name, known))
        return BROKEN

    def _root(self, name: str, scope: Scope) -> Root | None:
        spec = self.schema.records[scope.situation].named(attribute(name)) if scope.situation else None
        return None if spec is None else Root(spec.name, spec.type)

    @property
    def _callable(self) -> list[str]:
        """The definitions and forms that an expression may call, and no questions within a form."""
        return [key for key in self.heads if "." not in key]

    def _refuse_event(self, name: str, expr: Expr) -> bool:
        if head_key(name, "effects") not in self.heads:
            return False
        self.schema.fault(f"`{name}` is an event", expr.span, "an event has no value", "use a field that it sets")
        return True

    # Calls: `NAME of X for Y` is a field, a definition, a form or a function.

    def _call(self, expr: Expr, scope: Scope, subject: Term | None) -> Term:
        """Check a call; in `X is NAME for Y`, the subject X is its first argument."""
        name = str(expr.args[0])
        rest = list(expr.args[1:])
        given: Arguments = [("of", _expression(rest.pop(0)))] if expr.op in ("of", "call") else []
        given += [(str(prep), _expression(arg)) for prep, arg in zip(rest[::2], rest[1::2], strict=True)]
        if name == "picks" and scope.allocation and len(given) == 1:
            return Picks(self.term(given[0][1], scope), NUMBER)
        head = self.heads.get(name)
        if head is not None and (subject is not None or not self._is_field(name, given, scope)):
            return self._head_call(head, given, expr, scope, subject)
        function = self._function(name, given, scope)
        if function is not None:
            return function
        if len(given) == 1 and given[0][0] == "of":
            return self._field(attribute(name), self.term(given[0][1], scope), expr)
        if not self._refuse_event(name, expr):
            fix = did_you_mean(name, [*self._callable, "picks"])
            self.schema.fault(f"unknown definition `{name}`", expr.span, "nothing with this name takes arguments", fix)
        return BROKEN

    def _is_field(self, name: str, given: Arguments, scope: Scope) -> bool:
        if len(given) != 1 or given[0][0] != "of":
            return False
        before = len(self.schema.faults.found)
        base = self.term(given[0][1], scope)
        del self.schema.faults.found[before:]  # the call is checked again, as a field or as a definition
        return self._field_type(attribute(name), base.type) is not None

    def _head_call(self, head: Head, arguments: Arguments, expr: Expr, scope: Scope, subject: Term | None) -> Term:
        args: list[Term] = []
        given = dict(arguments)
        usage = [head.key, *(f"{prep} {name}" for (name, _), prep in zip(head.params, head.preps, strict=True))]
        fix = f"write `{' '.join(usage)}`"
        if len(given) < len(arguments):
            self.schema.fault("a preposition appears twice", expr.span, fix=fix)
        for (name, ptype), prep in zip(head.params, head.preps, strict=True):
            if not args and subject is not None and "of" not in given:
                first = in_measure(subject, ptype)
                if not self.fits(first.type, ptype):
                    self.schema.fault(f"`{head.key}` is about a {ptype}", expr.span, f"this is a {subject.type}")
                args.append(first)
            elif prep in given:
                args.append(self.of_type(given.pop(prep), scope, ptype))
            elif prep == "from" and head.mode == "route":
                args.append(Const(None, NOTHING))
            elif (same := self._from_scope((name, ptype), scope)) is not None:
                args.append(same)
            else:
                self.schema.fault(f"`{head.key}` needs `{prep}` and its {name}", expr.span, fix=fix)
                args.append(BROKEN)
        if head.mode == "route" and "to" in given:
            args.append(self.of_type(given.pop("to"), scope, PLACE))
        for prep in given:
            self.schema.fault(f"`{head.key}` does not take `{prep}`", expr.span, fix=fix)
        if head.situation and head.situation != scope.situation:
            about = f"about a {scope.situation}" if scope.situation else "not about a situation"
            self.schema.fault(f"`{head.key}` belongs to a {head.situation}", expr.span, f"this text is {about}")
        return Call(head.key, tuple(args), head.type)

    def _from_scope(self, param: tuple[str, Type], scope: Scope) -> Term | None:
        """Find the role of the scope that a call leaves out: one of the same name and type."""
        name, ptype = param
        bound = scope.names.get(name)
        return Var(name, bound) if bound is not None and self.fits(bound, ptype) else None

    def _function(self, name: str, given: Arguments, scope: Scope) -> Term | None:
        """Check a call of a function of the language; `None` if the name and the prepositions are of no function."""
        exprs = [expr for _, expr in given]
        match name, *(prep for prep, _ in given):
            case "next" | "previous", "of":
                base = self.term(exprs[0], scope)
                if base.type.kind != "enum":
                    return None
                count = len(self.schema.enums[base.type.name].values)
                return Apply(name, (base, Const(count, NUMBER)), replace(base.type, optional=True))
            case "member", "of", "at":
                base = self.list_of(exprs[0], scope)
                index = self.of_type(exprs[1], scope, NUMBER)
                return Apply("member", (base, index), replace(self.schema.member(base.type), optional=True))
            case "part", "of", "from", "to":
                base = self.list_of(exprs[0], scope)
                low, high = (self.of_type(expr, scope, NUMBER) for expr in exprs[1:])
                return Apply("part", (base, low, high), base.type)
            case "numbers", "from", "to":
                return Apply("numbers", tuple(self.of_type(expr, scope, NUMBER) for expr in exprs), NUMBERS)
            case ("neighbours", "of", *by) | ("distance", "from", "to", *by) if by in ([], ["by"]):
                ways = self._ways(name, exprs.pop() if by else None, exprs[0].span, scope)
                near = Type("set", (self.schema.only_place or PLACE).name or PLACE.kind)
                places = [self.of_type(expr, scope, PLACE) for expr in exprs]
                return Apply(name, (*places, ways), near if name == "neighbours" else replace(NUMBER, optional=True))
            case _, "for":
                return self._look_up(name, exprs[0], scope)
            case _, "of":
                record = self.schema.records.get(name)
                if record is not None and record.written:
                    text = self.of_type(exprs[0], scope, TEXT)
                    return Apply("read", (Const(name, TEXT), text), Type("record", name, optional=True))
        return None

    def _ways(self, name: str, written: Expr | None, span: Span, scope: Scope) -> Term:
        """Check the list of connections along which a function counts; without one, the only list of the situation."""
        if written is not None:
            base = self.list_of(written, scope)
            record = self.schema.records.get(base.type.name)
            if base.type.kind == "error" or (record is not None and record.role == "connection"):
                return base
            what, why = f"`{name}` needs a list of connections", f"this is a {base.type}"
            self.schema.fault(what, written.span, why, "name a list of connections behind `by`")
            return BROKEN
        fields = self.schema.records[scope.situation].fields if scope.situation else ()
        lists = [spec for spec in fields if spec.owns and self.schema.records[spec.type.name].role == "connection"]
        if len(lists) == 1:
            return Root(lists[0].name, lists[0].type)
        owner = f"a {scope.situation}" if scope.situation else "a text about no situation"
        names = " and ".join(f"`{hyphenated(spec.name)}`" for spec in lists)
        why = f"{owner} has {names}" if lists else f"{owner} has no list of connections"
        fix = "declare a `connection` and a list of it"
        fix = f"write `by {hyphenated(lists[0].name)}` behind it" if lists else fix
        self.schema.fault(f"`{name}` needs one list of connections", span, why, fix)
        return BROKEN

    def _look_up(self, name: str, key: Expr, scope: Scope) -> Term | None:
        """Check `MAP for RECORD`."""
        bound = scope.names.get(name)
        source = Var(name, bound) if bound is not None else self._root(name, scope)
        if source is None or source.type.kind not in ("number_map", "flag_map"):
            return None
        record = self.of_type(key, scope, Type("record", source.type.name))
        value = FLAG if source.type.kind == "flag_map" else replace(NUMBER, measure=source.type.measure)
        return Apply("look-up", (source, record), replace(value, optional=True))

    # Fields.

    def _field(self, name: str, base: Term, expr: Expr) -> Term:
        if base.type.kind == "error":
            return BROKEN
        if base.type.kind == "pair" and name in ("first", "second"):
            return End(base, int(name == "second"), self.schema.member(base.type))
        ftype = self._field_type(name, base.type)
        if ftype is None:
            known = [hyphenated(spec.name) for record in self._records(base.type) for spec in record.fields]
            self.schema.fault(
                f"a {base.type} has no `{hyphenated(name)}`", expr.span, "no field or definition has this name",
                did_you_mean(name, known),
            )  # fmt: skip
            return BROKEN
        of_some_place = base.type.kind == "place" and self.schema.only_place is None
        if base.type.optional or base.type.kind == "set" or of_some_place:
            ftype = replace(ftype, optional=True)
        return Field(base, name, ftype)

    def _field_type(self, name: str, base: Type) -> Type | None:
        for record in self._records(base):
            spec = record.named(name)
            if spec is not None or name == "id":
                return TEXT if spec is None else spec.type
        return None

    def _records(self, base: Type) -> list[RecordSpec]:
        records = self.schema.records
        if base.kind == "place" or (base.kind == "set" and base.name == "place"):
            return [record for record in records.values() if record.role == "place"]
        return [records[base.name]] if base.kind in ("record", "set") and base.name in records else []

    # Comparisons.

    def _compare(self, expr: Expr, scope: Scope) -> Term:
        op, negated = _COMPARISONS[expr.op]
        left = self.term(_operand(expr, 0), scope)
        if left.type.kind == "enum":  # values of an enumeration are compared by rank
            right = self.of_type(_operand(expr, 2), scope, left.type)
        else:
            left, right = self._commensurable(expr, scope)
            self._check_range(left, right, expr.span)
        return Compare(negated if expr.args[1] else op, left, right, FLAG)

    def _same(self, expr: Expr, scope: Scope) -> Term:
        negated = expr.args[1] is not None
        left = self.term(_operand(expr, 0), scope)
        right_expr = _operand(expr, 2)
        predicate = self._predicate(left, right_expr, scope)
        if predicate is not None:
            self.notes.append((right_expr, predicate))
            return Logic("not", (predicate,), FLAG) if negated else predicate
        right = self.term(right_expr, scope, left.type)
        left, right = in_measure(left, right.type), in_measure(right, left.type)
        has_nothing = NOTHING.kind in (left.type.kind, right.type.kind)
        if not (has_nothing or self.fits(right.type, left.type) or self.fits(left.type, right.type)):
            what = f"cannot compare a {left.type} with a {right.type}"
            self.schema.fault(what, expr.span, "they are never the same", f"compare it with a {left.type}")
        self._check_range(left, right, expr.span)
        return Compare("!=" if negated else "==", left, right, FLAG)

    def _predicate(self, left: Term, right: Expr, scope: Scope) -> Term | None:
        """Check `X is PLACE-KIND` and `X is DEFINITION for Y`."""
        name = str(right.args[0]) if right.op in ("name", "call_bare") else ""
        record = self.schema.records.get(name)
        if right.op == "name" and record is not None and record.role == "place":
            return IsA(left, name, FLAG)
        if right.op == "name" and self._field_type(attribute(name), left.type) == FLAG and name not in scope.names:
            return self._field(attribute(name), left, right)
        head = self.heads.get(name)
        if head is not None and head.type == FLAG and head.params and name not in scope.names:
            return self._call(right if right.op == "call_bare" else replace(right, op="call_bare"), scope, left)
        return None

    def _member(self, expr: Expr, scope: Scope) -> Term:
        if expr.op == "one_of":
            left = self.term(_operand(expr, 0), scope)
            choices = (self.term(_expression(arg), scope, left.type) for arg in expr.args[2:])
            term: Term = Member(left, tuple(in_measure(choice, left.type) for choice in choices), None, FLAG)
        else:
            base = self.list_of(_operand(expr, 2), scope)
            left = self.term(_operand(expr, 0), scope, self.schema.member(base.type))
            term = Member(left, (), base, FLAG)
        return Logic("not", (term,), FLAG) if expr.args[1] is not None else term

    def _check_range(self, left: Term, right: Term, span: Span) -> None:
        """Refuse a comparison that has one result for every value of the declared range."""
        if not (isinstance(right, Const) and isinstance(right.value, int) and left.type.kind == "number"):
            return
        low, high, value = left.type.low, left.type.high, right.value
        if low is None or high is None or low - 1 <= value <= high + 1:
            return
        number, least, most = (amount(left.type.measure, bound) for bound in (value, low, high))
        why = f"the range is {least} to {most}, so the comparison always has the same result"
        self.schema.fault(f"{number} is out of range", span, why, f"compare with a number from {least} to {most}")

    # Results of forms.

    def form(self, word: Word, *kinds: type[F]) -> F | None:
        """Find a form of some kinds by its name; any other name is a fault."""
        form = self.forms.get(word.text)
        if isinstance(form, kinds):
            return form
        known = [name for name, other in self.forms.items() if isinstance(other, kinds)]
        self.schema.unknown(
            f"`{word.text}` cannot be asked this", word, known, "no form with this name has such an answer"
        )
        return None

    def bindings(
        self,
        form: Form,
        given: Iterable[Binding],
        scope: Scope,
        where: Span,
        more: Mapping[str, Type] | None = None,
        required: Mapping[str, Type] | None = None,
    ) -> Bindings:
        """Check the roles that a form is given, each with its type, and that none is missing.

        Args:
            form: the form that is asked.
            given: the roles with their values, as written.
            scope: the names that the values may use.
            where: the place of a fault about a missing role.
            more: further roles that may be given. Without it, the counter of an allocation may be left out.
            required: the roles that must be given; if not set, those of the form.
        """
        roles = _roles(form) if required is None else required
        terms: dict[str, Term] = {}
        for binding in given:
            name = binding.name.text
            expected = roles.get(name) or (more or {}).get(name)
            if expected is None:
                self.schema.unknown(f"`{form.name}` has no role `{name}`", binding.name, roles)
            else:
                terms[name] = self.of_type(binding.value, scope, expected)
        spare = form.counter if isinstance(form, Allocation) and more is None else ""
        missing = [name for name in roles if name not in terms and name != spare]
        if missing:
            self.schema.fault(f"`{form.name}` needs {', '.join(missing)}", where, fix="write `with NAME = ...`")
        return tuple(terms.items())

    def _result(self, expr: Expr, scope: Scope) -> Term:
        """Check `RESULT of FORM (with ...)`."""
        what, name = str(expr.args[0]), str(expr.args[1])
        given = _written_bindings(expr)
        form = self.forms.get(name)
        if isinstance(form, Route):
            crosses = any(binding.name.text == form.crossing[0] for binding in given)
            if what in (STEP, STOP) or (what == COST and crosses):
                return self._step_result(what, form, given, scope, expr.span)
        place = self.schema.only_place or PLACE
        rtype = None if form is None else _result_type(what, form, place)
        if form is None or rtype is None:
            known = [other.name for other in self.forms.values() if _result_type(what, other, place) is not None]
            results = f"{ENDS}, {COST}, {BEST}, {CHOICES}, {STEP}, {STOP} and the counters of a route"
            why = "" if known else f"the results of forms are {results}"
            self.schema.fault(f"`{name}` has no result `{what}`", expr.span, why, did_you_mean(name, known))
            return BROKEN
        more = {START: PLACE} if isinstance(form, Route) else {}
        to_end = isinstance(form, Route) and rtype.kind == "number" and what not in (CHOICES, BEST)
        more |= {END: PLACE} if to_end else {}
        roles = dict(self.bindings(form, given, scope, expr.span, more))
        if to_end and END not in roles:
            self.schema.fault(f"`{name}` needs {END}", expr.span, fix=f"write `{END} = ...`")
        return Result(what, form.name, tuple(roles), tuple(roles.values()), rtype)

    def _step_result(self, what: str, route: Route, given: Iterable[Binding], scope: Scope, where: Span) -> Term:
        """Check a question about one step of a route: whether it is legal, whether the mover must stop, its cost.

        A counter of the route is 0 unless it is given.
        """
        head = self.heads[head_key(route.name, what)]
        counters = dict(route.tallied)
        required = {name: ptype for name, ptype in head.params if name not in counters}
        roles = dict(self.bindings(route, given, scope, where, counters, required))
        call = Call(head.key, tuple(roles.get(name, Const(0, NUMBER)) for name, _ in head.params), head.type)
        return Logic("not", (call,), FLAG) if what == STEP else call

    def _some_choices(self, expr: Expr, scope: Scope) -> Term:
        """Check `some choices of FORM (with ...)`, which may also name a pick that they contain."""
        name = str(expr.args[1])
        form = self.forms.get(name)
        if not isinstance(form, Allocation | Selection):
            known = [other.name for other in self.forms.values() if isinstance(other, Allocation | Selection)]
            why = f"only an allocation or a selection can have some {CHOICES}"
            self.schema.fault(f"`{name}` has no picks", expr.span, why, did_you_mean(name, known))
            return BROKEN
        if isinstance(form, Allocation):
            chooser, target = dict([form.chooser] if form.chooser is not None else []), dict([form.target])
        else:
            chooser, target = {}, {form.picked[0]: Type("record", form.picked[1].name)}
        roles = dict(self.bindings(form, _written_bindings(expr), scope, expr.span, {**chooser, **target}))
        [pick] = target
        if chooser.keys() & roles.keys() and pick not in roles:
            self.schema.fault(f"`{form.name}` needs {pick}", expr.span, fix=f"write `{pick} = ...`")
        return Result(SOME, form.name, tuple(roles), tuple(roles.values()), FLAG)


def _witnesses(when: Expr | None, negated: bool = False) -> Iterator[tuple[str, Expr]]:
    """Yield each name of a condition whose members make it true, with the list of these members.

    An alternative gives none: another one may have made the condition true.
    """
    if when is None:
        return
    if when.op == "negation":
        yield from _witnesses(_operand(when, 0), not negated)
    elif when.op == ("any_of" if negated else "all_of"):
        for part in when.args:
            yield from _witnesses(_expression(part), negated)
    elif when.op == ("every" if negated else "some"):
        body = _operand(when, 2)
        yield str(when.args[0]), Expr("those", (*when.args[:2], _negation(body) if negated else body), when.span)
        for name, those in _witnesses(body, negated):
            other = Expr(when.op, (*when.args[:2], _operand(those, 2)), when.span)
            yield name, Expr("those", (*those.args[:2], _negation(other) if negated else other), those.span)


def _negation(expr: Expr) -> Expr:
    return Expr("negation", (expr,), expr.span)


def _replaced(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    """Replace names by expressions, where no list binds them again."""
    if expr.op == "name":
        return names.get(str(expr.args[0]), expr)
    bound = {arg for arg in expr.args if isinstance(arg, str)} if expr.op not in ("of", "call", "call_bare") else set()
    names = {name: those for name, those in names.items() if name not in bound}
    args = tuple(_replaced(arg, names) if isinstance(arg, Expr) else arg for arg in expr.args)
    return replace(expr, args=args) if names else expr


def in_measure(term: Term, expected: Type) -> Term:
    """Convert a plain number to parts of the expected measure, if there is one."""
    if expected.kind != "number" or expected.measure is None:
        return term
    if term.type.kind != "number" or term.type.measure is not None:
        return term
    ntype = replace(_without_unit(expected), optional=term.type.optional)
    if isinstance(term, Const) and isinstance(term.value, int):
        return Const(term.value * expected.measure.parts, ntype)
    return Apply("parts", (term, Const(expected.measure.parts, NUMBER)), ntype)


def _without_unit(ntype: Type) -> Type:
    """The type of a number computed from others: any number of the same measure."""
    return replace(NUMBER, measure=ntype.measure)


def _as_list_term(term: Term) -> Term:
    """Replace a list that may be nothing by an empty one there."""
    if term.type.kind != "set" or not term.type.optional:
        return term
    return Apply("listed", (term,), replace(term.type, optional=False))


def _is_fraction(expr: Expr) -> bool:
    return expr.op == "fraction" or (expr.op == "negative" and isinstance(expr.args[0], str))


def _expression(arg: object) -> Expr:
    assert isinstance(arg, Expr)  # the grammar has an expression here
    return arg


def _operand(expr: Expr, index: int) -> Expr:
    return _expression(expr.args[index])


def _written_bindings(expr: Expr) -> list[Binding]:
    written = expr.args[2].args if isinstance(expr.args[2], Expr) else ()
    exprs = map(_expression, written)
    return [Binding(Word(str(each.args[0]), each.span), _operand(each, 1)) for each in exprs]


def _roles(form: Form) -> dict[str, Type]:
    """Map the roles that a form must be given to their types."""
    match form:
        case Route():
            return dict((form.mover, *form.given))
        case Allocation() | Selection():
            return dict(form.given)
        case Roll():
            return dict(form.params)


def _result_type(what: str, form: Form, place: Type) -> Type | None:
    """Return the type of a result of a form; `None` if the form has no such result."""
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
