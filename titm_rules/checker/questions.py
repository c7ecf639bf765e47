"""Check questions, views, summaries and victories."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace

from titm_rules.checker.expressions import Checker, Scope, bound
from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.ir.model import (
    MISSING,
    RETURNS,
    STANDING,
    WINNER,
    Allocation,
    Answer,
    FieldSpec,
    Form,
    Question,
    RecordSpec,
    Roll,
    Route,
    Selection,
    View,
)
from titm_rules.ir.terms import Template, Term
from titm_rules.ir.types import NUMBER, attribute, hyphenated
from titm_rules.syntax.ast import (
    AnswerValue,
    Asks,
    Binding,
    ChoicesAnswer,
    EachAnswer,
    GapDecl,
    NamedAnswer,
    QuestionDecl,
    RecordAnswer,
    RefusalDecl,
    SummaryDecl,
    VictoryDecl,
    ViewDecl,
    Word,
)


# ---------------------------------------------------------------------- views
@dataclass
class Views:
    """Checks views, summaries and victories."""

    schema: Schema
    checker: Checker
    questions: Questions
    views: dict[str, View] = field(default_factory=dict)
    summaries: dict[str, tuple[tuple[str, Answer], ...]] = field(default_factory=dict)
    victories: dict[str, tuple[tuple[str, Answer], ...]] = field(default_factory=dict)

    def view(self, decl: ViewDecl) -> None:
        """Check a view: its answers give the fields of the situation that is seen."""
        seen = self.schema.situation(decl.name)
        situation = self.schema.situation(decl.situation)
        if not seen or not self._only(decl.name, seen, self.views, "view"):
            return
        params = tuple((p.name.text, self.schema.resolve(p.type)) for p in decl.params)
        specs = self.schema.records[seen].fields
        answers = self._seen_fields(decl.answers, specs, Scope(situation, dict(params)), seen, decl.name.span)
        twins = self._twins(decl, answers)
        self.views[seen] = View(seen, situation, params, tuple((spec.json, one) for spec, one in answers), twins)

    def _twins(self, decl: ViewDecl, answers: Iterable[tuple[FieldSpec, Answer]]) -> dict[str, str]:
        """Tell which record of the view stands for one of the situation: one kind for one kind, both ways."""
        pairs = {(one.base.type.name, spec.type.name) for spec, one in answers if one.base is not None}
        twins = dict(pairs)
        if len(pairs) > min(len(twins), len(set(twins.values()))):
            shown = ", ".join(f"{twin} for {name}" for name, twin in sorted(pairs))
            self._fault("the records of a view stand for one kind each", decl.name.span, f"here they stand as {shown}",
                        "show a kind of record as one kind, and no other kind as that")  # fmt: skip
        return twins

    def _seen_fields(
        self, parts: Iterable[NamedAnswer], specs: Sequence[FieldSpec], scope: Scope, record: str, span: Span
    ) -> list[tuple[FieldSpec, Answer]]:
        """Check the answers that give the fields of a record or a situation: each once, and all needed."""
        fields = {spec.name: spec for spec in specs}
        found: dict[str, tuple[FieldSpec, Answer]] = {}
        for part in parts:
            word, name = part.name, attribute(part.name.text)
            if name not in fields:
                self._fault(f"a {record} has no `{word.text}`", word.span, "a view gives the fields of what is seen",
                            did_you_mean(word.text, map(hyphenated, fields)))  # fmt: skip
            elif name in found:
                self._fault(f"`{word.text}` appears twice", word.span, "a field has one value")
            else:
                found[name] = (fields[name], self._seen_field(part, fields[name], scope))
        missing = [hyphenated(s.name) for s in specs if s.default == MISSING and not s.same_as and s.name not in found]
        if missing:
            self._fault(f"a {record} needs {', '.join(missing)}", span,
                        "a view gives all fields, those with a default apart", "write `NAME: ...`")  # fmt: skip
        return list(found.values())

    def _seen_field(self, part: NamedAnswer, spec: FieldSpec, scope: Scope) -> Answer:
        if spec.owns and isinstance(part.value, EachAnswer):
            return self._seen_records(part.value, self.schema.records[spec.type.name], scope)
        answer = self.questions.answer(part.value, scope)
        if answer.term is None or spec.owns:
            self._fault(f"a {spec.type} is needed here", part.span, "a list of records is given one by one",
                        "write `each NAME in LIST: (NAME: ...; ...)`" if spec.owns else "")  # fmt: skip
        elif not self.checker.fits(answer.term.type, spec.type):
            self._fault(f"a {spec.type} is needed here", part.span, f"this is a {answer.term.type}")
        return answer

    def _seen_records(self, each: EachAnswer, record: RecordSpec, scope: Scope) -> Answer:
        """Check the answer of a view for a list of records: it gives the fields of each."""
        base = self.checker.list_of(each.base, scope)
        var = each.name.text
        inner = self.checker.inner(var, base, scope, each.span)
        where = self.checker.condition(each.where, inner) if each.where is not None else None
        written: tuple[NamedAnswer, ...] = ()
        if isinstance(each.value, RecordAnswer):
            written = each.value.parts
        elif each.value is not None:
            self._fault(f"a {record.name} is needed here", each.span, "a record is given by its fields",
                        "write `(NAME: ...; NAME: ...)`")  # fmt: skip
        specs = [one for one in record.fields if one.name != "id"]
        fields = self._seen_fields(written, specs, inner, record.name, each.span)
        whole = Answer("record", parts=tuple((one.json, answer) for one, answer in fields))
        return Answer("each", None, var, base, where, (("", whole),))

    def summary(self, decl: SummaryDecl) -> None:
        """Check what is told of a situation in a line."""
        situation = self.schema.situation(decl.name)
        if self._only(decl.name, situation, self.summaries, "summary"):
            self.summaries[situation] = self.questions.answers(decl.answers, Scope(situation, {}))

    def victory(self, decl: VictoryDecl) -> None:
        """Check what is told of who wins: the winner and, by side, what a result and a situation are worth."""
        situation = self.schema.situation(decl.name)
        if not self._only(decl.name, situation, self.victories, "victory"):
            return
        found: dict[str, Answer] = {}
        for written, (name, answer) in zip(
            decl.answers, self.questions.answers(decl.answers, Scope(situation, {})), strict=True
        ):
            if name in found:
                self._fault(f"`{name}` appears twice", written.name.span, "it has one value")
            found[name] = answer
            self._told_of_victory(written, name, answer)
        if WINNER not in found:
            self._fault(f"a victory needs {WINNER}", decl.name.span, "it tells who has won", f"write `{WINNER}: ...`")
        self.victories[situation] = tuple(found.items())

    def _told_of_victory(self, written: NamedAnswer, name: str, answer: Answer) -> None:
        """Check one thing that a victory tells."""
        enums, span = self.schema.enums, written.span
        if name not in (WINNER, RETURNS, STANDING):
            self._fault(f"a victory tells no `{name}`", written.name.span,
                        f"it tells {WINNER}, {RETURNS} and {STANDING}",
                        did_you_mean(name, (WINNER, RETURNS, STANDING)))  # fmt: skip
        elif name == WINNER:
            if answer.term is None or (answer.term.type.kind not in ("error", "enum")):
                self._fault("a side is needed here", span, "the winner is one of those who play")
        elif not (answer.base is not None and answer.base.type.name in enums and _gives_numbers(answer)):
            self._fault("a number for each side is needed here", span, f"{name} are counted for all who play",
                        "write `each NAME in SIDE: NUMBER`")  # fmt: skip

    def _only(self, name: Word, situation: str, known: Container[str], what: str) -> bool:
        """Whether a situation has no view, summary or victory yet."""
        if situation in known:
            self._fault(f"`{situation}` has two of these", name.span, f"it has one {what}", "leave one of them out")
        return situation not in known

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "") -> None:
        self.schema.faults.add(what, span, why, fix)


def _gives_numbers(answer: Answer) -> bool:
    """Whether an answer over a list gives a number for each member."""
    terms = [value.term for _, value in answer.parts]
    return [term.type.kind if term is not None else "" for term in terms] in (["number"], ["error"])


# ---------------------------------------------------------------------- questions
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
