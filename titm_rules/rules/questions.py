"""Questions: what a program may ask, and how the answer is built."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from titm_rules.diagnostics import did_you_mean
from titm_rules.rules.expressions import Checker
from titm_rules.rules.model import Allocation, Answer, FieldSpec, Form, Question, Roll, Route, Selection
from titm_rules.rules.results import bound
from titm_rules.rules.schema import Schema
from titm_rules.rules.terms import Template, Term
from titm_rules.rules.types import NUMBER
from titm_rules.rules.wanted import Scope
from titm_rules.syntax.declarations import (
    AnswerValue,
    Asks,
    ChoicesAnswer,
    EachAnswer,
    GapDecl,
    NamedAnswer,
    QuestionDecl,
    RecordAnswer,
    RefusalDecl,
)
from titm_rules.syntax.nodes import Binding, Word

# What form each thing is asked of.
_ASKED_OF: dict[str, tuple[type[Form], ...]] = {
    "ends": (Route,),
    "cost": (Route,),
    "path": (Route,),
    "closings": (Route,),
    "choices": (Allocation, Selection),
    "choice": (Allocation, Selection),
    "roll": (Roll,),
}


@dataclass
class Questions:
    """Checks questions against the declared forms."""

    schema: Schema
    checker: Checker
    forms: dict[str, Form]

    def question(self, decl: QuestionDecl) -> Question | None:
        """Check a question; nothing if it is broken beyond use."""
        situation = self.schema.situation(decl.situation)
        inputs = self.schema.fields(decl.fields)
        names = {f.name.text: spec.type for f, spec in zip(decl.fields, inputs, strict=False)}
        scope = Scope(situation, names)
        gaps, refusals = self._gaps(decl, scope), self._refusals(decl, inputs, scope)
        if isinstance(decl.asks, Asks):
            asking = self._asking(decl.name.text, decl.asks, inputs, scope)
            return None if asking is None else replace(asking, gaps=gaps, refusals=refusals, says=decl.says)
        answers = self.answers(decl.asks, scope)
        return Question(
            decl.name.text, situation, inputs, "answers", "", (), (), answers, gaps, refusals, says=decl.says
        )

    def _gaps(self, decl: QuestionDecl, scope: Scope) -> tuple[tuple[str, Term], ...]:
        gaps = (one for one in decl.lacking if isinstance(one, GapDecl))
        return tuple((gap.what, self.checker.condition(gap.when, scope)) for gap in gaps)

    def _refusals(
        self, decl: QuestionDecl, inputs: tuple[FieldSpec, ...], scope: Scope
    ) -> tuple[tuple[str, Term, Template], ...]:
        """Check with which inputs a question makes no sense; how many are picked is known if it is not asked for."""
        found, written = [], {one.name.text: spec.json for one, spec in zip(decl.fields, inputs, strict=False)}
        form = self.forms.get(decl.asks.form.text) if isinstance(decl.asks, Asks) else None
        if isinstance(form, Allocation) and form.counter:
            scope = replace(scope, names={form.counter: NUMBER, **scope.names})
        for one in (one for one in decl.lacking if isinstance(one, RefusalDecl)):
            given = one.given.text
            if given not in written:
                what, why = f"`{decl.name.text}` takes no `{given}`", "what is refused is an input"
                self.schema.faults.add(what, one.given.span, why, did_you_mean(given, written))
            condition, says = self.checker.condition(one.when, scope), self.checker.template(one.says, scope)
            found.append((written.get(given, ""), condition, says))
        return tuple(found)

    def _asking(self, name: str, asks: Asks, inputs: tuple[FieldSpec, ...], scope: Scope) -> Question | None:
        """Check a question that asks a form."""
        form = self._form(asks.form, _ASKED_OF[asks.kind])
        if form is None:
            return None
        if asks.kind == "closings" and isinstance(form, Route) and form.ranks:
            self.schema.faults.add(
                f"`{form.name}` prefers some ways to others", asks.form.span, "where they close is told by the ways",
                f"write `answers ...: choices of {form.name} (with ...)`",
            )  # fmt: skip
        bindings = self.bindings(asks.bindings, form, scope, asks.form)
        shown = tuple(word.text for word in asks.names)
        asked = Question(name, scope.situation, inputs, asks.kind, form.name, bindings, shown, ())
        return replace(asked, is_bare=asks.is_bare)

    def bindings(
        self, bindings: tuple[Binding, ...], form: Form, scope: Scope, where: Word
    ) -> tuple[tuple[str, Term], ...]:
        """Check that every role of a form that must be given is given, with its type."""
        pairs = ((binding.name, binding.value) for binding in bindings)
        return bound(self.checker, form, pairs, scope, where.span)

    def _form(self, word: Word, wanted: tuple[type[Form], ...]) -> Form | None:
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

    def answers(self, written: Iterable[NamedAnswer], scope: Scope) -> tuple[tuple[str, Answer], ...]:
        """Check named answers."""
        return tuple((one.name.text, self._named(one, scope)) for one in written)

    def _named(self, one: NamedAnswer, scope: Scope) -> Answer:
        answer = self.answer(one.value, scope)
        return answer if one.when is None else replace(answer, when=self.checker.condition(one.when, scope))

    def answer(self, value: AnswerValue, scope: Scope) -> Answer:
        """Check what stands behind the colon of an answer."""
        match value:
            case RecordAnswer(parts=parts):
                return Answer("record", parts=self.answers(parts, scope))
            case EachAnswer():
                return self._each(value, scope)
            case ChoicesAnswer(form=word, bindings=bindings):
                form = self._form(word, (*_ASKED_OF["choices"], Route))
                if isinstance(form, Route) and not form.ranks:
                    self.schema.faults.add(
                        f"`{form.name}` has too many ways to list", word.span, "it prefers none of them",
                        "write `prefers lowest ...` in the route, or ask for its ends",
                    )  # fmt: skip
                given = () if form is None else self.bindings(bindings, form, scope, word)
                return Answer("choices", form=word.text, bindings=given)
        return Answer("term", self.checker.term(value, scope))

    def _each(self, each: EachAnswer, scope: Scope) -> Answer:
        base = self.checker.list_of(each.base, scope)
        var = each.name.text
        inner = Scope(scope.situation, {**scope.names, var: self.schema.member(base.type)})
        where = self.checker.condition(each.where, inner) if each.where is not None else None
        parts = (("", self.answer(each.value, inner)),) if each.value is not None else ()
        return Answer("list" if each.in_order else "each", None, var, base, where, parts)
