"""The words of a refusal that its sentence does not give: they are made from its own condition, so that they are true.

Only what reads as a sentence is worded: comparisons, flags and memberships, joined by `and`, about roles and about the
members that make a `some` true. A sentence with any other condition is refused in the words of its clause.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace

from titm_rules.checker.expressions import ExpressionChecker, Scope
from titm_rules.ir.terms import Template
from titm_rules.ir.types import hyphenated
from titm_rules.syntax.ast import Expr, Wording

IS_SO = " is "  # between what a definition is about and what it says of it
MOST_PARTS = 2  # joined by `and`; more are harder to read than the words of the clause
_WORDS = {"at_least": "at least", "at_most": "at most", "more_than": "more than", "less_than": "less than"}


Phrase = tuple[tuple[str, ...], Wording]  # the parameters of a definition, and the words that say that it holds


class _Unwordable(Exception):
    """A condition that does not read as a sentence."""


class DefaultTexts:
    """Makes the texts of conditions in their scopes, with the words of definitions."""

    def __init__(self, checker: ExpressionChecker, phrases: Mapping[str, Phrase]) -> None:
        self.checker, self.phrases = checker, phrases

    def text(self, when: Expr | None, scope: Scope) -> Template:
        """Word a condition that holds; empty if it does not read as a sentence."""
        schema = self.checker.schema
        shown = (name for name, ptype in scope.names.items() if ptype.kind in ("record", "place", "set"))
        kinds = (name for name, record in schema.records.items() if record.role == "place")
        situation = schema.records.get(scope.situation)
        specs = situation.fields if situation else ()
        named = {name for name, record in schema.records.items() if record.has_id}
        nameless = (hyphenated(spec.name) for spec in specs if spec.owns and spec.type.name not in named)
        silent = frozenset((*schema.reading_names, *kinds, *nameless))
        plain = {spec.name for spec in specs if spec.type.kind in ("enum", "number")}
        values = frozenset(name for enum in schema.enums.values() for name in enum.values)
        fields = frozenset(map(hyphenated, plain))
        phrasing = Phrasing(frozenset(shown), fields, values, silent, self.checker.heads, self.phrases)
        return self.checker.template(phrasing.wording(when), scope, when)


class Phrasing:
    """Words conditions.

    Attributes:
        names: the roles that a slot may show.
        fields: the fields of the situation that hold one number or one value of a type.
        values: the values of types.
        silent: names that say nothing of the case: readings, kinds of places, and lists of records without ids.
        definitions: names of definitions, which only their own words say.
        phrases: the words of definitions, each with its parameters.
    """

    def __init__(
        self, names: frozenset[str], fields: frozenset[str], values: frozenset[str], silent: frozenset[str],
        definitions: Container[str], phrases: Mapping[str, Phrase],
    ) -> None:  # fmt: skip
        self.names, self.fields, self.values, self.silent = names, fields, values, silent
        self.definitions, self.phrases = definitions, phrases

    def wording(self, when: Expr | None) -> Wording:
        """Word a condition that holds; empty if it does not read as a sentence."""
        if when is None:
            return ()
        try:
            return tuple(_joined(self._condition(when, True)))
        except _Unwordable:
            return ()

    def _condition(self, expr: Expr, holds: bool) -> list[str | Expr]:
        if self._is_plain(expr):  # whatever it is compared with
            return [f"the {_words(str(_part(expr, 0).args[0]))} is ", _part(expr, 0)]
        match expr.op:
            case "negation":
                return self._condition(_part(expr, 0), not holds)
            case "all_of" if holds:
                return self._joined_facts(expr)
            case "some" if holds:
                return self._of_members(expr)
            case "of" if _starts_with(expr, _part(expr, 1)):  # written with `has`; `steep of road` would read badly
                return self._flag(str(expr.args[0]), _part(expr, 1), holds)
            case "same":
                return self._same(expr, holds)
            case "member":
                return [*self._subject(expr, holds), " in ", *self._thing(_part(expr, 2))]
            case op if op in _WORDS:
                return [*self._subject(expr, holds), f" {_WORDS[op]} ", *self._thing(_part(expr, 2))]
        raise _Unwordable

    def _joined_facts(self, expr: Expr) -> list[str | Expr]:
        """Join the facts that read as sentences; alternatives and counters are left out if the rest is of a role."""
        parts, is_whole = [], True
        for fact in _facts(expr, self.silent):
            try:
                parts.append((self._is_plain(fact), self._condition(fact, True)))
            except _Unwordable:
                if fact.op != "any_of" and not self._is_counter(fact):
                    raise
                is_whole = False
        lists = [part for part in expr.args if isinstance(part, Expr) and part.op == "some"]
        if not 0 < len(parts) <= MOST_PARTS or len(lists) > 1 or (not is_whole and all(plain for plain, _ in parts)):
            raise _Unwordable
        return [word for number, (_, part) in enumerate(parts) for word in ([" and "] * (number > 0) + part)]

    def _is_plain(self, expr: Expr) -> bool:
        """Whether a condition compares a field of the situation."""
        first = expr.args[0] if expr.args else None
        return isinstance(first, Expr) and first.op == "name" and first.args[0] in self.fields

    def _is_counter(self, expr: Expr) -> bool:
        """Whether a condition compares a counter of a form with a number."""
        match expr.args:
            case (Expr(op="name", args=(name,)), _, Expr(op="number")):
                return name not in self.names and name not in self.fields
        return False

    def _of_members(self, expr: Expr) -> list[str | Expr]:
        """Word what the members of a `some` have in common, all by their names."""
        body = _part(expr, 2)
        if _part(expr, 1).op == "name" and _part(expr, 1).args[0] in self.silent:  # they have no names
            raise _Unwordable
        names = self.names | {str(expr.args[0])}
        inner = Phrasing(names, self.fields, self.values, self.silent, self.definitions, self.phrases)
        return inner._condition(with_member(body, str(expr.args[0])), True)

    def _subject(self, expr: Expr, holds: bool) -> list[str | Expr]:
        negated = (expr.args[1] is not None) is holds
        return [*self._verb(_part(expr, 0), "is"), " not" if negated else ""]

    def _same(self, expr: Expr, holds: bool) -> list[str | Expr]:
        left, right = _part(expr, 0), _part(expr, 2)
        negated = (expr.args[1] is not None) is holds
        name = str(right.args[0]) if right.op in ("name", "call_bare") else ""
        if right.op == "nothing" and left.op == "of":
            return [*self._verb(_part(left, 1), "has"), " " if negated else " no ", _words(str(left.args[0]))]
        if name in self.phrases and (not negated or IS_SO in str(self.phrases[name][1][1])):
            params, words = self.phrases[name]
            if negated and left.op == "of" and left.args[0] not in self.definitions and len(words) == 2:
                return self._valued(left, str(words[1]).removeprefix(IS_SO), negated)
            if negated:
                words = (words[0], str(words[1]).replace(IS_SO, " is not ", 1), *words[2:])
            given = dict(zip(params, (left, *(arg for arg in right.args[1:] if isinstance(arg, Expr))), strict=False))
            return [part if isinstance(part, str) else self._shown(_filled(part, given)) for part in words]
        if name in self.definitions:
            raise _Unwordable
        if name in self.silent:  # a kind of place
            return [*self._subject(expr, holds), " a ", _words(name)]
        if left.op == "of" and name in self.values:
            return self._valued(left, name, negated)
        if right.op == "call_bare":
            parts = (self._thing(part) if isinstance(part, Expr) else [f" {part} "] for part in right.args[1:])
            thing = [word for part in parts for word in part]
            return [*self._subject(expr, holds), " ", _words(name), *thing]
        return [*self._subject(expr, holds), " ", *self._thing(right)]

    def _shown(self, expr: Expr) -> str | Expr:
        """Word a value of a type, which no slot can hold."""
        return str(expr.args[0]) if expr.op == "name" and expr.args[0] in self.values else expr

    def _valued(self, field: Expr, value: str, negated: bool) -> list[str | Expr]:
        """Word what value of a type a field of a role has: `m1 is foot, not engineer`."""
        role = _part(field, 1)
        if role.op != "name" or role.args[0] not in self.names or field.args[0] in self.definitions:
            raise _Unwordable
        return [Expr("verb", (role, "is"), role.span), " ", field, f", not {_words(value)}" if negated else ""]

    def _flag(self, name: str, base: Expr, holds: bool) -> list[str | Expr]:
        if name in self.definitions:
            raise _Unwordable
        return [*self._verb(base, "has"), " " if holds else " not ", _words(name)]

    def _verb(self, expr: Expr, verb: str) -> list[str | Expr]:
        """Word a subject with its verb, which agrees with the number of what a slot names."""
        if expr.op == "name" and expr.args[0] in self.names:
            return [Expr("verb", (expr, verb), expr.span)]
        if expr.op == "name":  # a counter, say: `zones is 2` does not read as a sentence
            raise _Unwordable
        return [*self._thing(expr), f" {verb}"]

    def _thing(self, expr: Expr) -> list[str | Expr]:
        """Word a value: a role by what it is, a field by its name."""
        match expr.op:
            case "name":
                name = str(expr.args[0])
                if name in self.definitions:
                    raise _Unwordable
                return [expr] if name in self.names or name in self.fields else [_words(name)]
            case "number":
                return [str(expr.args[0])]
            case "of" if expr.args[1] is not None and expr.args[0] not in self.definitions:
                return [f"the {_words(str(expr.args[0]))} of ", *self._thing(_part(expr, 1))]
        raise _Unwordable


def _facts(expr: Expr, silent: frozenset[str]) -> Iterator[Expr]:
    """Yield the parts of a condition that say something of the case, not how a rule is read or what kind a place is."""
    for part in expr.args:
        assert isinstance(part, Expr)
        sides = [_part(part, 0), _part(part, 2)] if part.op == "same" else [part]
        if not any(side.op == "name" and side.args[0] in silent for side in sides):
            yield part


def _part(expr: Expr, number: int) -> Expr:
    part = expr.args[number]
    if not isinstance(part, Expr):
        raise _Unwordable
    return part


def _starts_with(expr: Expr, part: Expr) -> bool:
    return (expr.span.line, expr.span.column) == (part.span.line, part.span.column)


def with_member(expr: Expr, name: str) -> Expr:
    """Name the member of a list where it is `it`."""
    if expr.op == "it":
        return Expr("name", (name,), expr.span)
    return replace(expr, args=tuple(with_member(arg, name) if isinstance(arg, Expr) else arg for arg in expr.args))


def _filled(expr: Expr, given: Mapping[str, Expr]) -> Expr:
    if expr.op == "name":
        return given.get(str(expr.args[0]), expr)
    return replace(expr, args=tuple(_filled(arg, given) if isinstance(arg, Expr) else arg for arg in expr.args))


def _words(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")


def _joined(parts: list[str | Expr]) -> Iterator[str | Expr]:
    """Join neighbouring texts."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text:
        yield text
