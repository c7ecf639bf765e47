"""From parsed files to the checked model of an edition."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from titm_rules.diagnostics import Fault, RulesetError, Span
from titm_rules.diagnostics.span import NOWHERE
from titm_rules.rules.always import AlwaysChecks
from titm_rules.rules.checks import check_heads
from titm_rules.rules.clauses import Clauses
from titm_rules.rules.effect_checks import check_effects
from titm_rules.rules.events import Events
from titm_rules.rules.expressions import Checker
from titm_rules.rules.form_checks import FormChecks
from titm_rules.rules.forms import Forms
from titm_rules.rules.model import Model, Question, Route
from titm_rules.rules.nothing import mark_nothing
from titm_rules.rules.questions import Questions
from titm_rules.rules.roles import check_movers, check_roles
from titm_rules.rules.schema import Faults, build_schema
from titm_rules.rules.terms import Term
from titm_rules.rules.unfolding import check_unfolding
from titm_rules.rules.views import Views
from titm_rules.syntax.declarations import (
    AllocationDecl,
    AlwaysDecl,
    Declaration,
    DefineDecl,
    EventDecl,
    FormDecl,
    GameDecl,
    QuestionDecl,
    RouteDecl,
    SelectionDecl,
    SummaryDecl,
    VictoryDecl,
    ViewDecl,
)
from titm_rules.syntax.nodes import Expr
from titm_rules.syntax.tree import SourceFile


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
    return mark_nothing(found.model)


def survey(sources: Sources) -> RuleSurvey:
    """Check the files of one edition together, and tell what could be made out, faults and all."""
    files = sources.files
    faults = Faults({file.path: file.lines for file in files})
    schema = build_schema(files, faults)
    decls = [decl for file in files for decl in file.decls]
    check_roles(schema, decls)
    checker = Checker(schema)
    forms = Forms(schema, checker, checker.forms)
    for form in decls:
        if isinstance(form, FormDecl):
            forms.declare(form)
    for kinds in ((SelectionDecl, RouteDecl), (AllocationDecl,)):  # what is best decides the type of some results
        for form in decls:
            if isinstance(form, kinds):
                forms.finish(form)
    for form in decls:
        if isinstance(form, DefineDecl):
            forms.default(form)
    always = AlwaysChecks(schema, checker)
    for decl in decls:
        if isinstance(decl, AlwaysDecl):
            always.always(decl)
    always.interrupted(forms.forms)
    checks = Questions(schema, checker, forms.forms)
    views = Views(schema, checker, checks)
    for decl in decls:
        match decl:
            case ViewDecl():
                views.view(decl)
            case SummaryDecl():
                views.summary(decl)
            case VictoryDecl():
                views.victory(decl)
    events = Events(schema, checker, forms.forms, checks, views.views)
    for decl in decls:
        if isinstance(decl, EventDecl):
            events.event(decl)
    clauses = Clauses(schema, checker, sources.known_clauses, events.played())
    for file in files:
        for clause in file.clauses:
            clauses.add(clause)
        for course in file.courses:
            clauses.add_course(course)
    clauses.finish()
    forms.direct(clauses.rising)
    questions = _questions(checks, decls)
    games = [decl for decl in decls if isinstance(decl, GameDecl)]
    if len(games) != 1:
        faults.add(
            f"{len(games)} sentences say which game this is",
            games[1].name.span if games else Span(files[0].path, 1, 1, 2) if files else NOWHERE,
            "a rule set is of one game",
            'write `game "..."` once',
        )
    if not faults.found:
        check_unfolding(checker.heads, faults)
    if not faults.found:
        routes = {name: form for name, form in forms.forms.items() if isinstance(form, Route)}
        check_movers(schema, routes, checker.heads, questions, events.events)
        FormChecks(schema, checker.heads, forms.forms, questions, events.events, views.views).check()
    if not faults.found:
        check_heads(checker.heads, forms.forms, schema, clauses.infos, sources.on_top, always.found)
    if not faults.found:
        check_effects(checker.heads, events.events, schema, always.found)
    game = games[0].name.text if games else ""
    model = Model(
        game, sources.edition, sources.title, schema.enums, schema.records, checker.heads,
        forms.forms, questions, events.events, views.views, views.summaries, schema.readings, clauses.infos,
        clauses.courses, victories=views.victories, always=always.found,
    )  # fmt: skip
    return RuleSurvey(model, tuple(sorted(faults.found, key=_place)), checker.notes, schema.spans)


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
