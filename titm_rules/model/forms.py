"""Forms and definitions: which heads they open and in whose terms clauses speak of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from titm_rules.diagnostics import did_you_mean
from titm_rules.model.expressions import BROKEN, Checker, Scope
from titm_rules.model.model import Allocation, Form, Head, Roll, Route, Selection, head_key
from titm_rules.model.schema import Schema, attribute
from titm_rules.model.terms import Term
from titm_rules.model.types import ERROR, FLAG, NUMBER, PLACE, Type
from titm_rules.syntax.tree import Decl, Param, Part, Word

OPTIONAL_NUMBER = Type("number", optional=True)
Typed = tuple[str, Type]


@dataclass
class Forms:
    """Declares heads and forms in two passes: first names, then the sets they range over."""

    schema: Schema
    checker: Checker
    forms: dict[str, Form] = field(default_factory=dict)

    def declare(self, decl: Decl) -> None:
        """Open the heads of a definition or a form."""
        if not self.schema.declare(decl.name):
            return
        situation = self.schema.situation(decl.situation)
        match decl.kind:
            case "define":
                assert decl.type is not None
                rtype = replace(self.schema.resolve(decl.type), optional=decl.optional)
                mode = "any" if rtype == FLAG else "value"
                params, preps = self._params(decl.params)
                self._head(Head(decl.name.text, params, rtype, mode, situation, preps=preps))
            case "table":
                key = decl.words[0]
                enum = self.schema.enums.get(key.text)
                if enum is None:
                    self._unknown_enum(key)
                    return
                params = (("key", Type("enum", key.text)),)
                self._head(Head(decl.name.text, params, NUMBER, "value", "", preps=("of",)))
            case "roll":
                self._declare_roll(decl, situation)
            case "route":
                self._declare_route(decl, situation)
            case "allocation":
                self._declare_allocation(decl, situation)
            case "selection":
                self._declare_selection(decl, situation)

    def finish(self, decl: Decl) -> None:
        """Check the expressions of a form, now that every head is known."""
        form = self.forms.get(decl.name.text)
        parts = {part.kind: part for part in decl.parts}
        if isinstance(form, Allocation):
            scope = Scope(form.situation, dict(form.given))
            targets = self._base(parts["picks"], scope)
            choosers = self._base(parts["choosers"], scope) if "choosers" in parts else None
            order: Term | None = None
            if "order" in parts and form.chooser is not None:
                inner = Scope(form.situation, {**dict(form.given), form.chooser[0]: form.chooser[1]})
                order_expr = parts["order"].exprs[0]
                assert order_expr is not None
                order = self.checker.of_type(order_expr, inner, NUMBER)
            self.forms[form.name] = Allocation(
                form.name, form.situation, form.given, form.chooser, choosers, form.counter,
                form.target, targets, order,
            )  # fmt: skip
        elif isinstance(form, Selection):
            base = self._base(parts["picks"], Scope(form.situation, dict(form.given)))
            self.forms[form.name] = Selection(form.name, form.situation, form.given, form.picked, base)

    # ------------------------------------------------------------------ kinds of form
    def _declare_roll(self, decl: Decl, situation: str) -> None:
        params, preps = self._params(decl.params)
        die = self.schema.dice.get(decl.words[0].text)
        if die is None:
            self.schema.faults.add(
                f"unknown die `{decl.words[0].text}`",
                decl.words[0].span,
                fix=did_you_mean(decl.words[0].text, self.schema.dice),
            )
            return
        name = decl.name.text
        self.forms[name] = Roll(name, situation, params, *die)
        self._heads(name, params, situation, {"try": "bar", "factor": "value", "adds": "sum"})
        self._head(Head(name, params, OPTIONAL_NUMBER, "roll", situation, preps=preps))

    def _declare_route(self, decl: Decl, situation: str) -> None:
        name = decl.name.text
        found: dict[str, Any] = {"given": ()}
        for part in decl.parts:
            match part.kind:
                case "mover":
                    assert part.param is not None
                    found["mover"] = (part.param.name.text, self.schema.resolve(part.param.type))
                case "given":
                    assert part.param is not None
                    found["given"] += ((part.param.name.text, self.schema.resolve(part.param.type)),)
                case "crosses":
                    crossing, record, left, entered = (word.text for word in part.words)
                    found |= {"crossing": (crossing, Type("record", record)), "left": left, "entered": entered}
                    self._need_record(part.words[1])
                case "interruption":
                    self._interruption(part, found)
                case "closing":
                    found["closing"] = part.words[0].text
        if "mover" not in found or "crossing" not in found:
            self.schema.faults.add(
                f"route `{name}` needs a mover and what it crosses",
                decl.span,
                fix="write `mover ...` and `crosses ...`",
            )
            return
        route = Route(name, situation, **found)
        self.forms[name] = route
        step = (route.mover, route.crossing, (route.left, PLACE), (route.entered, PLACE), *route.given)
        end = (route.mover, (route.entered, PLACE), *route.given)
        start = (route.mover, *route.given)
        self._heads(name, start, situation, {"start": "bar", "points": "value"})
        self._heads(name, step, situation, {"step": "bar", "stop": "any", "cost": "sum"})
        self._heads(name, end, situation, {"end": "bar", "goal": "any"})
        if route.interruption:
            self._heads(route.interruption, step, situation, {"try": "bar", "cost": "sum"})
        if route.closing:
            self._heads(route.closing, end, situation, {"try": "bar", "cost": "sum"})
        params = (route.mover, ("from", Type("place", optional=True)))
        self._head(Head(name, params, OPTIONAL_NUMBER, "route", situation, preps=("of", "from")))

    def _interruption(self, part: Part, found: dict[str, Any]) -> None:
        """Read `interrupted by NAME setting FIELD of CROSSING from VALUE to VALUE noted in FIELD`."""
        chain = part.exprs[0]
        assert chain is not None
        name, *values = part.words
        noted = values.pop().text if len(values) > 2 else ""
        record = self.schema.records.get(found["crossing"][1].name) if "crossing" in found else None
        fname = attribute(str(chain.args[0]))
        spec = next((s for s in record.fields if s.name == fname), None) if record else None
        enum = self.schema.enums.get(spec.type.name) if spec is not None else None
        if enum is None or any(value.text not in enum.values for value in values):
            self.schema.faults.add(
                "an interruption sets a field of the crossing to a value of its type",
                part.span,
                "this names no such field or value",
            )
            return
        before, after = (enum.values.index(value.text) for value in values)
        found |= {
            "interruption": name.text,
            "interruption_field": fname,
            "interruption_before": before,
            "interruption_value": after,
            "interruption_noted": attribute(noted),
        }

    def _declare_allocation(self, decl: Decl, situation: str) -> None:
        name = decl.name.text
        given = self._given(decl)
        chooser: Typed | None = None
        target: Typed | None = None
        counter = ""
        for part in decl.parts:
            if part.kind == "choosers":
                chooser = (part.words[0].text, self._need_record(part.words[1]))
            elif part.kind == "counters":
                counter = part.words[0].text
            elif part.kind == "picks":
                target = (part.words[0].text, self._need_record(part.words[1]))
        if target is None or (chooser is None) == (not counter):
            self.schema.faults.add(
                f"allocation `{name}` needs one `each` and one `picks`", decl.span, "it says who picks, and among what"
            )
            return
        self.forms[name] = Allocation(name, situation, given, chooser, BROKEN, counter, target, BROKEN, None)
        params = (*((chooser,) if chooser else ()), target, *given)
        self._head(Head(head_key(name, "choose"), params, FLAG, "bar", situation, stateful=True))

    def _declare_selection(self, decl: Decl, situation: str) -> None:
        name = decl.name.text
        given = self._given(decl)
        part = next((p for p in decl.parts if p.kind == "picks"), None)
        if part is None:
            self.schema.faults.add(
                f"selection `{name}` needs `picks`", decl.span, "it says what is picked, and among what"
            )
            return
        self._need_record(part.words[1])
        picked = (part.words[0].text, Type("set", part.words[1].text))
        self.forms[name] = Selection(name, situation, given, picked, BROKEN)
        self._head(Head(head_key(name, "choose"), (picked, *given), FLAG, "bar", situation))

    # ------------------------------------------------------------------ small things
    def _given(self, decl: Decl) -> tuple[Typed, ...]:
        return tuple(
            (part.param.name.text, self.schema.resolve(part.param.type))
            for part in decl.parts
            if part.kind == "given" and part.param is not None
        )

    def _base(self, part: Part, scope: Scope) -> Term:
        expr = part.exprs[0]
        assert expr is not None
        return self.checker.list_of(expr, scope)

    def _params(self, params: tuple[Param, ...]) -> tuple[tuple[Typed, ...], tuple[str, ...]]:
        preps = tuple(param.prep for param in params)
        for param, prep in zip(params, preps, strict=True):
            if preps.count(prep) > 1:
                self.schema.faults.add(
                    f"`{prep}` stands twice", param.name.span, "a preposition tells the parameters apart"
                )
        return tuple((p.name.text, self.schema.resolve(p.type)) for p in params), preps

    def _heads(self, form: str, params: tuple[Typed, ...], situation: str, modes: dict[str, str]) -> None:
        for word, mode in modes.items():
            rtype = FLAG if mode in ("any", "bar") else NUMBER
            self._head(Head(head_key(form, word), params, rtype, mode, situation))

    def _head(self, head: Head) -> None:
        self.checker.heads[head.key] = head

    def _need_record(self, word: Word) -> Type:
        if word.text in self.schema.records:
            return Type("record", word.text)
        self.schema.faults.add(
            f"unknown record `{word.text}`", word.span, fix=did_you_mean(word.text, self.schema.records)
        )
        return ERROR

    def _unknown_enum(self, word: Word) -> None:
        self.schema.faults.add(
            f"unknown enumeration `{word.text}`", word.span, fix=did_you_mean(word.text, self.schema.enums)
        )
