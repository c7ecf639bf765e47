"""Names in expressions: values, fields of records and of the situation, definitions and forms."""

from __future__ import annotations

from dataclasses import replace

from titm_rules.diagnostics import did_you_mean
from titm_rules.rules.functions import function_of
from titm_rules.rules.lists import ListChecker
from titm_rules.rules.model import Head, RecordSpec, head_key
from titm_rules.rules.spelling import attribute
from titm_rules.rules.terms import Call, Const, End, Field, Picks, Root, Term, Var
from titm_rules.rules.types import NOTHING, NUMBER, PLACE, TEXT, Type
from titm_rules.rules.wanted import BROKEN, Scope, expression, in_measure
from titm_rules.syntax.nodes import Expr


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
