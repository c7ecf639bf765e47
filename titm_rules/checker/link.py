"""Link parsed files to the checked model of an edition."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from titm_rules.checker.clauses import ClauseChecker
from titm_rules.checker.consistency import ConsistencyChecker, InvariantChecker, check_expansion
from titm_rules.checker.events import EventChecker
from titm_rules.checker.expressions import ExpressionChecker
from titm_rules.checker.forms import FormChecker
from titm_rules.checker.nullability import asked_of_nothing, infer_nullability, share_terms
from titm_rules.checker.questions import QuestionChecker, ViewChecker
from titm_rules.checker.schema import Faults, build_schema, check_builtin_fields, check_origins
from titm_rules.checker.wording import DefaultTexts
from titm_rules.diagnostics import NOWHERE, Fault, RulesetError, Span
from titm_rules.ir.digests import with_digests
from titm_rules.ir.model import Model, Question
from titm_rules.ir.terms import Term
from titm_rules.syntax import ast

D = TypeVar("D", bound=ast.Declaration)


@dataclass(frozen=True)
class Sources:
    """The files of one edition, which are checked together.

    Attributes:
        files: the vocabulary and the clauses that are in force.
        edition: the date that verdicts cite.
        title: the title of the edition.
        known_clauses: the numbers that clauses may have, except those of overlays; empty: any.
        overlays: the paths of overlays, which may leave other sentences without effect, and settle readings.
    """

    files: tuple[ast.SourceFile, ...]
    edition: str
    title: str = ""
    known_clauses: Collection[str] = ()
    overlays: Collection[str] = ()


@dataclass(frozen=True)
class RuleSurvey:
    """The result of checking, for sound rules and for others.

    Attributes:
        model: the rules as far as they could be checked; with faults, no engine may use it.
        faults: every fault, in the order of the files.
        notes: the term of each expression; an expression that was tried in two ways is in it twice.
        spans: the place where each name is declared.
    """

    model: Model
    faults: tuple[Fault, ...]
    notes: Sequence[tuple[ast.Expr, Term]] = field(repr=False)
    spans: Mapping[str, Span]


def link_model(files: Iterable[ast.SourceFile], edition: str) -> Model:
    """Check the files of one edition together.

    Raises:
        RulesetError: with every fault.
    """
    return link(Sources(tuple(files), edition))


def link(sources: Sources) -> Model:
    """Check the sources of one edition together.

    Raises:
        RulesetError: with every fault.
    """
    result = survey(sources)
    if result.faults:
        raise RulesetError(result.faults)
    model = share_terms(infer_nullability(result.model))
    faults = Faults({file.path: file.lines for file in sources.files})
    _refuse_nothing(model, result.spans, faults)  # now it is known what else may be nothing
    if faults.found:
        raise RulesetError(faults.found)
    return with_digests(model)


def _refuse_nothing(model: Model, spans: Mapping[str, Span], faults: Faults) -> None:
    """Refuse claims that ask something of what may be nothing, of which no clause asks it."""
    why, fix = "the clauses never ask it of nothing", "let the claim take it as an input"
    for claim, asked in dict.fromkeys(asked_of_nothing(model)):
        faults.add(f"claim `{claim}` asks `{asked}` of what may be nothing", spans[claim], why, fix)


def survey(sources: Sources) -> RuleSurvey:
    """Check the sources of one edition together, and return all that could be checked, with the faults."""
    linker = _Linker(sources)
    linker.check()
    faults = tuple(sorted(dict.fromkeys(linker.faults.found), key=_position))
    return RuleSurvey(linker.model(), faults, linker.checker.notes, linker.schema.spans)


class _Linker:
    """Checks the files of one edition, one kind of sentence after the other.

    INVARIANT: a kind of sentence comes after those whose names and types it uses.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.faults = Faults({file.path: file.lines for file in sources.files})
        self.schema = build_schema(sources.files, self.faults)
        self.decls = [decl for file in sources.files for decl in file.decls]
        check_builtin_fields(self.schema, self.decls)
        self.checker = ExpressionChecker(self.schema)
        self.forms = FormChecker(self.checker)
        self._check_forms()
        self.invariants = InvariantChecker(self.checker)
        for decl in self._of_kind(ast.AlwaysDecl):
            self.invariants.invariant(decl)
        self.invariants.refuse_interrupted(self.checker.forms)
        phrases = {
            decl.name.text: (tuple(param.name.text for param in decl.params), decl.phrase)
            for decl in self._of_kind(ast.DefineDecl) if decl.phrase
        }  # fmt: skip
        texts = DefaultTexts(self.checker, phrases)
        questions = QuestionChecker(self.checker, texts)
        self.views = ViewChecker(self.checker, questions)
        self._check_views()
        self.events = EventChecker(self.checker, self.views.views, texts)
        for walk in self._of_kind(ast.WalkDecl):
            self.events.walk(walk)
        for event in self._of_kind(ast.EventDecl):
            self.events.event(event)
        known, played = sources.known_clauses, self.events.open_situations()
        self.clauses = ClauseChecker(
            self.checker, known, played, texts=texts, events=self.events, overlays=sources.overlays
        )
        self._check_clauses()
        self.questions: dict[str, Question] = {}
        for asked in self._of_kind(ast.QuestionDecl):
            question = questions.question(asked) if self.schema.declare(asked.name) else None
            if question is not None:
                self.questions[question.name] = question
        self.claims: dict[str, Question] = {}
        for claim in self._of_kind(ast.ClaimDecl):
            if self.schema.declare(claim.name):
                self.claims[claim.name.text] = questions.claim(claim)
        self.game = self._game()

    def _of_kind(self, kind: type[D]) -> Iterator[D]:
        return (decl for decl in self.decls if isinstance(decl, kind))

    def _check_forms(self) -> None:
        for decl in self.decls:
            if isinstance(decl, ast.FormDecl):
                self.forms.declare(decl)
        for kinds in (
            (ast.SelectionDecl, ast.RouteDecl),
            (ast.AllocationDecl,),
        ):  # ranks decide the type of some results
            for decl in self.decls:
                if isinstance(decl, kinds):
                    self.forms.finish(decl)
        for definition in self._of_kind(ast.DefineDecl):
            self.forms.check_default(definition)

    def _check_views(self) -> None:
        for decl in self.decls:
            match decl:
                case ast.ViewDecl():
                    self.views.view(decl)
                case ast.SummaryDecl():
                    self.views.summary(decl)
                case ast.VictoryDecl():
                    self.views.victory(decl)

    def _check_clauses(self) -> None:
        for file in self.sources.files:
            for clause in file.clauses:
                self.clauses.add(clause)
            for course in file.courses:
                self.clauses.add_course(course)
        self.clauses.finish()
        self.forms.set_directions(self.clauses.rises)

    def _game(self) -> str:
        games = list(self._of_kind(ast.GameDecl))
        if len(games) != 1:
            files = self.sources.files
            where = games[1].name.span if games else Span(files[0].path, 1, 1, 2) if files else NOWHERE
            self.schema.fault(f"the game is named {len(games)} times", where, fix='write `game "..."` once')
        return games[0].name.text if games else ""

    def check(self) -> None:
        """Check all sentences together; each check relies on those before it."""
        heads, forms = self.checker.heads, self.checker.forms
        events, invariants = self.events.events, self.invariants.found
        if not self.faults.found:
            check_expansion(heads, self.schema)
        if not self.faults.found:
            check_origins(self.schema, forms, heads, self.questions, events)
            self.forms.check(self.questions, events, self.views.views)
        if not self.faults.found:
            overlays, infos = self.sources.overlays, self.clauses.infos
            ConsistencyChecker(heads, forms, self.schema, infos, events, overlays, invariants).check()
            _refuse_nothing(self.model(), self.schema.spans, self.faults)

    def model(self) -> Model:
        schema, views, clauses = self.schema, self.views, self.clauses
        return Model(
            self.game, self.sources.edition, self.sources.title, schema.enums, schema.records, self.checker.heads,
            self.checker.forms, self.questions, self.events.events, views.views, views.summaries, schema.readings,
            clauses.infos, clauses.courses, victories=views.victories, always=self.invariants.found,
            claims=self.claims,
        )  # fmt: skip


def _position(fault: Fault) -> tuple[str, int, int]:
    assert isinstance(fault.where, Span)
    return fault.where.path, fault.where.line, fault.where.column
