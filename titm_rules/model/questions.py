"""Questions: what a program may ask, and how the answer is built."""

from __future__ import annotations

from dataclasses import dataclass

from titm_rules.diagnostics import did_you_mean
from titm_rules.model.expressions import Checker, Scope
from titm_rules.model.model import Allocation, Answer, Form, Question, Roll, Route, Selection
from titm_rules.model.schema import Schema
from titm_rules.model.terms import Term
from titm_rules.model.types import Type
from titm_rules.syntax.tree import Binding, Decl, Expr, Part, Word

_ASKS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "ask_ends": ("ends", Route),
    "ask_cost": ("cost", Route),
    "ask_path": ("path", Route),
    "ask_closings": ("closings", Route),
    "ask_choices": ("choices", (Allocation, Selection)),
    "ask_choice": ("choice", (Allocation, Selection)),
    "ask_roll": ("roll", Roll),
}


@dataclass
class Questions:
    """Checks questions against the declared forms."""

    schema: Schema
    checker: Checker
    forms: dict[str, Form]

    def question(self, decl: Decl) -> Question | None:
        """Check a question; nothing if it is broken beyond use."""
        situation = self.schema.situation(decl.situation)
        inputs = self.schema.fields(decl.fields)
        names = {f.name.text: spec.type for f, spec in zip(decl.fields, inputs, strict=False)}
        scope = Scope(situation, names)
        part = decl.parts[0]
        if part.kind == "answers":
            answers = tuple((p.words[0].text, self.answer(p, scope)) for p in part.parts)
            return Question(decl.name.text, situation, inputs, "answers", "", (), (), answers)
        ask, wanted = _ASKS[part.kind]
        form = self._form(part.words[0], wanted)
        if form is None:
            return None
        bindings = self.bindings(part.bindings, form, scope, part.words[0])
        shown = tuple(word.text for word in part.words[1:])
        return Question(decl.name.text, situation, inputs, ask, form.name, bindings, shown, ())

    def bindings(
        self, bindings: tuple[Binding, ...], form: Form, scope: Scope, where: Word
    ) -> tuple[tuple[str, Term], ...]:
        """Check that every role of a form that must be given is given, with its type."""
        roles = form_roles(form)
        found: dict[str, Term] = {}
        for binding in bindings:
            wanted = roles.get(binding.name.text)
            if wanted is None:
                self.schema.faults.add(
                    f"`{form.name}` has no role `{binding.name.text}`", binding.name.span,
                    fix=did_you_mean(binding.name.text, roles),
                )  # fmt: skip
                continue
            found[binding.name.text] = self.checker.of_type(binding.value, scope, wanted)
        spare = form.counter if isinstance(form, Allocation) else ""
        missing = [name for name in roles if name not in found and name != spare]
        if missing:
            self.schema.faults.add(
                f"`{form.name}` needs {', '.join(missing)}",
                where.span,
                "who asks a form says what it is about",
                "write `with NAME = ...`",
            )
        return tuple(found.items())

    def _form(self, word: Word, wanted: type | tuple[type, ...]) -> Form | None:
        form = self.forms.get(word.text)
        if form is None or not isinstance(form, wanted):
            known = [name for name, f in self.forms.items() if isinstance(f, wanted)]
            self.schema.faults.add(
                f"`{word.text}` cannot be asked this",
                word.span,
                "no form of this name has such an answer",
                did_you_mean(word.text, known),
            )
            return None
        return form

    def answer(self, part: Part, scope: Scope) -> Answer:
        """Check what stands behind the colon of an answer."""
        if part.parts:
            return self._nested(part.parts[0], scope)
        assert part.exprs[0] is not None
        return self._leaf(part.exprs[0], scope)

    def _leaf(self, expr: Expr, scope: Scope) -> Answer:
        return Answer("term", self.checker.term(expr, scope))

    def _nested(self, part: Part, scope: Scope) -> Answer:
        if part.kind == "answer_record":
            return Answer("record", parts=tuple((p.words[0].text, self.answer(p, scope)) for p in part.parts))
        base_expr, where_expr, *rest = part.exprs
        assert base_expr is not None
        base = self.checker.list_of(base_expr, scope)
        var = part.words[0].text
        inner = Scope(scope.situation, {**scope.names, var: self.schema.member(base.type)})
        where = self.checker.condition(where_expr, inner) if where_expr is not None else None
        value: Answer | None = None
        if part.parts:
            value = self._nested(part.parts[0], inner)
        elif rest and rest[0] is not None:
            value = self._leaf(rest[0], inner)
        parts = (("", value),) if value is not None else ()
        return Answer("each", None, var, base, where, parts)


def form_roles(form: Form) -> dict[str, Type]:
    """Name what must be given to ask a form, with types."""
    match form:
        case Route():
            return dict((form.mover, *form.given))
        case Allocation():
            return dict(form.given)
        case Selection():
            return dict(form.given)
        case Roll():
            return dict(form.params)
