"""Check questions, views, summaries and victories."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from titm_rules.checker.expressions import ExpressionChecker, Scope
from titm_rules.checker.wording import DefaultTexts
from titm_rules.diagnostics import Span
from titm_rules.ir import model as ir
from titm_rules.ir.terms import Call, Result, Template, Term, subterms, terms_in
from titm_rules.ir.types import NUMBER, PLACE, TEXT, Type, attribute, hyphenated
from titm_rules.syntax import ast

# The forms that each question may ask.
_FORMS_OF_QUESTION: dict[str, tuple[type[ir.Form], ...]] = {
    "ends": (ir.Route,),
    "cost": (ir.Route,),
    "path": (ir.Route,),
    "closings": (ir.Route,),
    "choices": (ir.Allocation, ir.Selection),
    "choice": (ir.Allocation, ir.Selection),
    "roll": (ir.Roll,),
}
Answers = tuple[tuple[str, ir.Answer], ...]


class QuestionChecker:
    """Checks questions and answers against the declared forms; faults go to the schema."""

    def __init__(self, checker: ExpressionChecker, texts: DefaultTexts) -> None:
        self.checker, self.schema, self.forms = checker, checker.schema, checker.forms
        self.texts = texts

    def question(self, decl: ast.QuestionDecl) -> ir.Question | None:
        """Check a question; `None` if its form is unknown."""
        situation = self.schema.situation(decl.situation)
        inputs = self.schema.fields(decl.fields)
        names = {each.name.text: self._seen(spec.type) for each, spec in zip(decl.fields, inputs, strict=False)}
        scope = Scope(situation, names)
        gaps = tuple(
            (each.what, self.checker.condition(each.when, scope))
            for each in decl.lacking
            if isinstance(each, ast.GapDecl)
        )
        refusals = self._refusals(decl, inputs, scope)
        if isinstance(decl.asks, ast.Asks):
            question = self._form_question(decl.name.text, decl.asks, inputs, scope)
        else:
            answers = self.answers(decl.asks, scope)
            question = ir.Question(decl.name.text, situation, inputs, "answers", "", (), (), answers)
        if question is None:
            return None
        if decl.title is not None:
            question = replace(question, says=decl.title.text, asked=self.checker.template(decl.title.asked, scope))
        return replace(question, gaps=gaps, refusals=refusals, sayings=self._sayings(decl, question, scope))

    def claim(self, decl: ast.ClaimDecl) -> ir.Question:
        """Check a claim: a question whose answer is whether it holds, where it says anything."""
        situation = self.schema.situation(decl.situation)
        inputs = self.schema.fields(decl.fields)
        names = {each.name.text: spec.type for each, spec in zip(decl.fields, inputs, strict=False)}
        scope = Scope(situation, names)
        holds = ir.Answer("term", self.checker.condition(decl.claimed.condition, scope))
        if decl.claimed.when is not None:
            holds = replace(holds, when=self.checker.condition(decl.claimed.when, scope))
        asked = (part for term in terms_in(holds) for part in subterms(term))
        if not self.schema.faults.found and not any(isinstance(part, Call | Result) for part in asked):
            why, fix = "it is about what a position holds", "ask what clauses decide, or write an `always` sentence"
            self.schema.fault("no clause has a say in this claim", decl.claimed.condition.span, why, fix)
        claimed = ((ir.CLAIMED, holds),)
        return ir.Question(decl.name.text, situation, inputs, "answers", "", (), (), claimed, says=decl.says)

    def _sayings(
        self, decl: ast.QuestionDecl, question: ir.Question, scope: Scope
    ) -> tuple[tuple[str, Template], ...]:
        """Check the words of answers; they may show inputs and answers."""
        known, found = question.answer_names, dict[str, Template]()
        scope = replace(scope, names={**scope.names, **dict.fromkeys(known, TEXT)})
        for saying in decl.sayings:
            name, span = (saying.whole, saying.span) if saying.name is None else (saying.name.text, saying.name.span)
            if saying.name is not None and name not in known:
                why = "only what it answers can be said" if known else "its answer is yes or no"
                self.schema.unknown(f"`{question.name}` answers no `{name}`", saying.name, (*known, ir.YES, ir.NO), why)
            elif name in found:
                self.schema.fault(f"`{name}` is said twice", span, fix="remove one of them")
            found[name] = self.checker.template(saying.says, scope)
        return tuple(found.items())

    def _seen(self, given: Type) -> Type:
        """Return the type of an input in conditions: that of a path is the list of the places that it enters."""
        place = self.schema.only_place or PLACE
        return Type("set", place.name or place.kind) if given.kind == "path" else given

    def _refusals(
        self, decl: ast.QuestionDecl, inputs: tuple[ir.FieldSpec, ...], scope: Scope
    ) -> tuple[tuple[str, Term, Template], ...]:
        """Check the inputs that a question refuses; they may use the number of picks, which is not an input."""
        refusals, json_names = [], {each.name.text: spec.json for each, spec in zip(decl.fields, inputs, strict=False)}
        form = self.forms.get(decl.asks.form.text) if isinstance(decl.asks, ast.Asks) else None
        if isinstance(form, ir.Allocation) and form.counter:
            scope = replace(scope, names={form.counter: NUMBER, **scope.names})
        for refusal in (part for part in decl.lacking if isinstance(part, ast.RefusalDecl)):
            name = refusal.given.text
            if name not in json_names:
                what, why = f"`{decl.name.text}` has no input `{name}`", "only an input can be refused"
                self.schema.unknown(what, refusal.given, json_names, why)
            condition = self.checker.condition(refusal.when, scope)
            says = self.checker.template(refusal.says, scope) or self.texts.text(refusal.when, scope)
            if not says:
                why = "its condition does not read as a sentence"
                self.schema.fault(f"nothing says why `{name}` is refused", refusal.given.span, why, 'add `says "..."`')
            refusals.append((json_names.get(name, ""), condition, says))
        return tuple(refusals)

    def _form_question(
        self, name: str, asks: ast.Asks, inputs: tuple[ir.FieldSpec, ...], scope: Scope
    ) -> ir.Question | None:
        form = self.checker.form(asks.form, *_FORMS_OF_QUESTION[asks.kind])
        if form is None:
            return None
        if asks.kind == "closings" and isinstance(form, ir.Route) and form.ranks:
            self.schema.fault(
                f"`{form.name}` prefers some paths", asks.form.span, "its paths show where it closes",
                f"write `answers ...: choices of {form.name} (with ...)`",
            )  # fmt: skip
        bindings = self.checker.bindings(form, asks.bindings, scope, asks.form.span)
        shown = tuple(word.text for word in asks.names)
        question = ir.Question(name, scope.situation, inputs, asks.kind, form.name, bindings, shown, ())
        return replace(question, is_bare=asks.is_bare)

    def answers(self, written: Iterable[ast.NamedAnswer], scope: Scope) -> Answers:
        answers = []
        for each in written:
            answer = self.answer(each.value, scope)
            if each.when is not None:
                answer = replace(answer, when=self.checker.condition(each.when, scope))
            answers.append((each.name.text, answer))
        return tuple(answers)

    def answer(self, value: ast.AnswerValue, scope: Scope) -> ir.Answer:
        match value:
            case ast.RecordAnswer(parts=parts):
                return ir.Answer("record", parts=self.answers(parts, scope))
            case ast.EachAnswer():
                return self._each(value, scope)
            case ast.ChoicesAnswer(form=word, bindings=written):
                form = self.checker.form(word, *_FORMS_OF_QUESTION["choices"], ir.Route)
                if isinstance(form, ir.Route) and not form.ranks:
                    what, why = f"`{form.name}` has too many paths to list", "it does not prefer any of them"
                    fix = "write `prefers lowest ...` in the route, or ask for its ends"
                    self.schema.fault(what, word.span, why, fix)
                bindings: ir.Bindings = () if form is None else self.checker.bindings(form, written, scope, word.span)
                return ir.Answer("choices", form=word.text, bindings=bindings)
        return ir.Answer("term", self.checker.term(value, scope))

    def _each(self, each: ast.EachAnswer, scope: Scope) -> ir.Answer:
        base = self.checker.list_of(each.base, scope)
        var = each.name.text
        inner = self.checker.inner(var, base, scope, each.span)
        where = self.checker.condition(each.where, inner) if each.where is not None else None
        parts = (("", self.answer(each.value, inner)),) if each.value is not None else ()
        return ir.Answer("list" if each.in_order else "each", None, var, base, where, parts=parts)


class ViewChecker:
    """Checks views, summaries and victories; faults go to the schema."""

    def __init__(self, checker: ExpressionChecker, questions: QuestionChecker) -> None:
        self.checker, self.schema, self.questions = checker, checker.schema, questions
        self.views: dict[str, ir.View] = {}
        self.summaries: dict[str, Answers] = {}
        self.victories: dict[str, Answers] = {}

    def view(self, decl: ast.ViewDecl) -> None:
        """Check a view: its answers are the fields of the situation that it shows."""
        shown = self.schema.situation(decl.name)
        situation = self.schema.situation(decl.situation, decl.name)
        if not shown or not self._is_first(decl.name, shown, self.views, "view"):
            return
        params = self.schema.params(decl.params)
        specs = self.schema.records[shown].fields
        fields = self._fields(decl.answers, specs, Scope(situation, dict(params)), shown, decl.name.span)
        twins = self._twins(decl, fields)
        answers = tuple((spec.json, answer) for spec, answer in fields)
        self.views[shown] = ir.View(shown, situation, params, answers, twins)

    def _twins(self, decl: ast.ViewDecl, fields: Iterable[tuple[ir.FieldSpec, ir.Answer]]) -> dict[str, str]:
        """Map the records of the situation to those of the view; the map must be one to one."""
        pairs = {(answer.base.type.name, spec.type.name) for spec, answer in fields if answer.base is not None}
        twins = dict(sorted(pairs))  # an order that is the same in every process
        if len(pairs) > min(len(twins), len(set(twins.values()))):
            shown = ", ".join(f"{name} as {twin}" for name, twin in sorted(pairs))
            self.schema.fault(
                "a view shows each kind of record as one kind of its own", decl.name.span, f"this one shows {shown}",
                "show each kind of record as one other kind",
            )  # fmt: skip
        return twins

    def _fields(
        self, parts: Iterable[ast.NamedAnswer], specs: Sequence[ir.FieldSpec], scope: Scope, record: str, span: Span
    ) -> list[tuple[ir.FieldSpec, ir.Answer]]:
        """Check the answers for the fields of a record or a situation: each once, and none missing."""
        known = {spec.name: spec for spec in specs}
        fields: dict[str, tuple[ir.FieldSpec, ir.Answer]] = {}
        for part in parts:
            word, name = part.name, attribute(part.name.text)
            if name not in known:
                what, why = f"a {record} has no `{word.text}`", "a view sets declared fields"
                self.schema.unknown(what, word, map(hyphenated, known), why)
            elif name in fields:
                self.schema.fault(f"`{word.text}` appears twice", word.span, fix="remove one of them")
            else:
                fields[name] = (known[name], self._field(part, known[name], scope))
        missing = [
            hyphenated(s.name) for s in specs if s.default == ir.MISSING and not s.same_as and s.name not in fields
        ]
        if missing:
            why = "only fields with a default may be left out"
            self.schema.fault(f"a {record} needs {', '.join(missing)}", span, why, "write `NAME: ...`")
        return list(fields.values())

    def _field(self, part: ast.NamedAnswer, spec: ir.FieldSpec, scope: Scope) -> ir.Answer:
        if spec.owns and isinstance(part.value, ast.EachAnswer):
            return self._each_record(part.value, self.schema.records[spec.type.name], scope)
        answer = self.questions.answer(part.value, scope)
        what = f"a {spec.type} is needed here"
        if answer.term is None or spec.owns:
            fix = "write `each NAME in LIST: (NAME: ...; ...)`" if spec.owns else ""
            self.schema.fault(what, part.span, "a view lists its records one by one", fix)
        elif not self.checker.fits(answer.term.type, spec.type):
            self.schema.fault(what, part.span, f"this is a {answer.term.type}")
        return answer

    def _each_record(self, each: ast.EachAnswer, record: ir.RecordSpec, scope: Scope) -> ir.Answer:
        """Check the answer of a view for a list of records: the fields of each record."""
        base = self.checker.list_of(each.base, scope)
        var = each.name.text
        inner = self.checker.inner(var, base, scope, each.span)
        where = self.checker.condition(each.where, inner) if each.where is not None else None
        written: tuple[ast.NamedAnswer, ...] = ()
        if isinstance(each.value, ast.RecordAnswer):
            written = each.value.parts
        elif each.value is not None:
            self.schema.fault(f"a {record.name} is needed here", each.span, fix="write `(NAME: ...; NAME: ...)`")
        specs = [spec for spec in record.fields if spec.name != "id"]
        fields = self._fields(written, specs, inner, record.name, each.span)
        whole = ir.Answer("record", parts=tuple((spec.json, answer) for spec, answer in fields))
        return ir.Answer("each", None, var, base, where, parts=(("", whole),))

    def summary(self, decl: ast.SummaryDecl) -> None:
        situation = self.schema.situation(decl.name)
        if self._is_first(decl.name, situation, self.summaries, "summary"):
            self.summaries[situation] = self.questions.answers(decl.answers, Scope(situation, {}))

    def victory(self, decl: ast.VictoryDecl) -> None:
        """Check a victory: the winner and, by side, the value of a result and of a situation."""
        situation = self.schema.situation(decl.name)
        if not self._is_first(decl.name, situation, self.victories, "victory"):
            return
        answers: dict[str, ir.Answer] = {}
        for written, (name, answer) in zip(
            decl.answers, self.questions.answers(decl.answers, Scope(situation, {})), strict=True
        ):
            if name in answers:
                self.schema.fault(f"`{name}` appears twice", written.name.span, fix="remove one of them")
            answers[name] = answer
            self._check_victory(written, name, answer)
        if ir.WINNER not in answers:
            self.schema.fault(f"a victory needs {ir.WINNER}", decl.name.span, fix=f"write `{ir.WINNER}: ...`")
        self.victories[situation] = tuple(answers.items())

    def _check_victory(self, written: ast.NamedAnswer, name: str, answer: ir.Answer) -> None:
        known = (ir.WINNER, ir.RETURNS, ir.STANDING)
        if name not in known:
            why = f"its parts are {ir.WINNER}, {ir.RETURNS} and {ir.STANDING}"
            self.schema.unknown(f"a victory has no `{name}`", written.name, known, why)
        elif name == ir.WINNER:
            if answer.term is None or answer.term.type.kind not in ("error", "enum"):
                self.schema.fault("a side is needed here", written.span, "the winner is one of the players")
        else:
            terms = [value.term for _, value in answer.parts]
            kinds = [term.type.kind if term is not None else "" for term in terms]
            has_sides = answer.base is not None and answer.base.type.name in self.schema.enums
            if not has_sides or kinds not in (["number"], ["error"]):
                fix = "write `each NAME in SIDE: NUMBER`"
                self.schema.fault("a number for each side is needed here", written.span, fix=fix)

    def _is_first(self, name: ast.Word, situation: str, known: Container[str], kind: str) -> bool:
        if situation in known:
            self.schema.fault(f"`{situation}` already has a {kind}", name.span, fix="remove one of them")
        return situation not in known
