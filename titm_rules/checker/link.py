"""From parsed files to the checked model of an edition."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from titm_rules.checker.case_analysis import AlwaysChecks
from titm_rules.checker.clauses import Clauses
from titm_rules.checker.consistency import check_heads, check_unfolding
from titm_rules.checker.events import Events, check_effects
from titm_rules.checker.expressions import Checker
from titm_rules.checker.forms import FormChecks, Forms
from titm_rules.checker.nullability import infer_nullability
from titm_rules.checker.questions import Questions, Views
from titm_rules.checker.schema import Faults, build_schema, check_movers, check_roles
from titm_rules.diagnostics import NOWHERE, Fault, RulesetError, Span
from titm_rules.ir.model import Model, Question, Route
from titm_rules.ir.terms import Term
from titm_rules.syntax.ast import (
    AllocationDecl,
    AlwaysDecl,
    Declaration,
    DefineDecl,
    EventDecl,
    Expr,
    FormDecl,
    GameDecl,
    QuestionDecl,
    RouteDecl,
    SelectionDecl,
    SourceFile,
    SummaryDecl,
    VictoryDecl,
    ViewDecl,
)


@dataclass(frozen=True)
class Sources:
    """The files of one edition, which are checked together.

    Attributes:
        files: the vocabulary and the clauses that are in force.
        edition: the date that verdicts cite.
        title: what the edition is called.
        known_clauses: the numbers that clauses may bear; empty: any.
        on_top: the files of overlays, which may leave other clauses nothing to say, and settle readings.
    """

    files: tuple[SourceFile, ...]
    edition: str
    title: str = ""
    known_clauses: Collection[str] = ()
    on_top: Collection[str] = ()


@dataclass(frozen=True)
class RuleSurvey:
    """What checking came to, of sound rules and of others.

    Attributes:
        model: what the rules say as far as it could be made out; nobody may judge by it.
        faults: every fault, in the order of the files.
        notes: what each expression came to; one that was tried in two ways is there twice.
        spans: where each name is declared.
    """

    model: Model
    faults: tuple[Fault, ...]
    notes: Sequence[tuple[Expr, Term]] = field(repr=False)
    spans: Mapping[str, Span]


def link_model(
    files: Iterable[SourceFile],
    edition: str,
    title: str = "",
    known_clauses: Collection[str] = (),
    on_top: Collection[str] = (),
) -> Model:
    """Check the files of one edition together.

    Args:
        files: the vocabulary and the clauses that are in force.
        edition: the date that verdicts cite.
        title: what the edition is called.
        known_clauses: the numbers that clauses may bear; empty: any.
        on_top: the files of overlays, which may leave other clauses nothing to say, and settle readings.

    Raises:
        RulesetError: with every fault found.
    """
    return link(Sources(tuple(files), edition, title, known_clauses, on_top))


def link(sources: Sources) -> Model:
    """Check the files of one edition together, and give what they say.

    Raises:
        RulesetError: with every fault found.
    """
    found = survey(sources)
    if found.faults:
        raise RulesetError(found.faults)
    return infer_nullability(found.model)


def survey(sources: Sources) -> RuleSurvey:
    """Check the files of one edition together, and tell what could be made out, faults and all."""
    linking = _Linking(sources)
    linking.check()
    return RuleSurvey(linking.model(), linking.found(), linking.checker.notes, linking.schema.spans)


class _Linking:
    """The files of one edition as they are read together, one kind of sentence after the other."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.faults = Faults({file.path: file.lines for file in sources.files})
        self.schema = build_schema(sources.files, self.faults)
        self.decls = [decl for file in sources.files for decl in file.decls]
        check_roles(self.schema, self.decls)
        self.checker = Checker(self.schema)
        self.forms = Forms(self.schema, self.checker, self.checker.forms)
        self._read_forms()
        self.always = AlwaysChecks(self.schema, self.checker)
        self._read_always()
        asking = Questions(self.schema, self.checker, self.forms.forms)
        self.views = Views(self.schema, self.checker, asking)
        self._read_views()
        self.events = Events(self.schema, self.checker, self.forms.forms, asking, self.views.views)
        for decl in self.decls:
            if isinstance(decl, EventDecl):
                self.events.event(decl)
        self.clauses = Clauses(self.schema, self.checker, sources.known_clauses, self.events.played())
        self._read_clauses()
        self.questions = _questions(asking, self.decls)
        self.game = self._read_game()

    def _read_forms(self) -> None:
        for decl in self.decls:
            if isinstance(decl, FormDecl):
                self.forms.declare(decl)
        for kinds in ((SelectionDecl, RouteDecl), (AllocationDecl,)):  # what is best decides the type of some results
            for decl in self.decls:
                if isinstance(decl, kinds):
                    self.forms.finish(decl)
        for decl in self.decls:
            if isinstance(decl, DefineDecl):
                self.forms.default(decl)

    def _read_always(self) -> None:
        for decl in self.decls:
            if isinstance(decl, AlwaysDecl):
                self.always.always(decl)
        self.always.interrupted(self.forms.forms)

    def _read_views(self) -> None:
        for decl in self.decls:
            match decl:
                case ViewDecl():
                    self.views.view(decl)
                case SummaryDecl():
                    self.views.summary(decl)
                case VictoryDecl():
                    self.views.victory(decl)

    def _read_clauses(self) -> None:
        for file in self.sources.files:
            for clause in file.clauses:
                self.clauses.add(clause)
            for course in file.courses:
                self.clauses.add_course(course)
        self.clauses.finish()
        self.forms.direct(self.clauses.rising)

    def _read_game(self) -> str:
        """Give the name of the game, which is said once."""
        games = [decl for decl in self.decls if isinstance(decl, GameDecl)]
        if len(games) != 1:
            files = self.sources.files
            self.faults.add(
                f"{len(games)} sentences say which game this is",
                games[1].name.span if games else Span(files[0].path, 1, 1, 2) if files else NOWHERE,
                "a rule set is of one game",
                'write `game "..."` once',
            )
        return games[0].name.text if games else ""

    def check(self) -> None:
        """Look for faults in what the sentences come to together; each check asks that those before found none."""
        heads, forms, events, always = self.checker.heads, self.forms.forms, self.events.events, self.always.found
        if not self.faults.found:
            check_unfolding(heads, self.faults)
        if not self.faults.found:
            routes = {name: form for name, form in forms.items() if isinstance(form, Route)}
            check_movers(self.schema, routes, heads, self.questions, events)
            FormChecks(self.schema, heads, forms, self.questions, events, self.views.views).check()
        if not self.faults.found:
            check_heads(heads, forms, self.schema, self.clauses.infos, self.sources.on_top, always)
        if not self.faults.found:
            check_effects(heads, events, self.schema, always)

    def found(self) -> tuple[Fault, ...]:
        """Give the faults in the order of the files."""
        return tuple(sorted(self.faults.found, key=_place))

    def model(self) -> Model:
        """Give what the rules say, as far as it could be made out."""
        schema, views, clauses = self.schema, self.views, self.clauses
        return Model(
            self.game, self.sources.edition, self.sources.title, schema.enums, schema.records, self.checker.heads,
            self.forms.forms, self.questions, self.events.events, views.views, views.summaries, schema.readings,
            clauses.infos, clauses.courses, victories=views.victories, always=self.always.found,
        )  # fmt: skip


def _place(fault: Fault) -> tuple[str, int, int]:
    assert isinstance(fault.where, Span)
    return fault.where.path, fault.where.line, fault.where.column


def _questions(checks: Questions, decls: Iterable[Declaration]) -> dict[str, Question]:
    questions: dict[str, Question] = {}
    for decl in decls:
        if isinstance(decl, QuestionDecl) and checks.schema.declare(decl.name):
            question = checks.question(decl)
            if question is not None:
                questions[question.name] = question
    return questions
