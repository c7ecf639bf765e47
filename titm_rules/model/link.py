"""From parsed files to the checked model of an edition."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from titm_rules.diagnostics import Fault, RulesetError, Span
from titm_rules.diagnostics.span import NOWHERE
from titm_rules.model.checks import check_heads
from titm_rules.model.clauses import Clauses
from titm_rules.model.effect_checks import check_effects
from titm_rules.model.events import Events
from titm_rules.model.expressions import Checker
from titm_rules.model.forms import Forms
from titm_rules.model.model import Model, Question
from titm_rules.model.questions import Questions
from titm_rules.model.schema import Faults, build_schema
from titm_rules.model.views import Views
from titm_rules.syntax.tree import Decl, SourceFile

FORM_KINDS = ("define", "table", "route", "allocation", "selection", "roll")


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
        on_top: the clauses of overlays, which may leave others nothing to say.

    Raises:
        RulesetError: with every fault found.
    """
    files = tuple(files)
    faults = Faults({file.path: file.lines for file in files})
    schema = build_schema(files, faults)
    checker = Checker(schema)
    forms = Forms(schema, checker)
    decls = [decl for file in files for decl in file.decls]
    form_decls = [decl for decl in decls if decl.kind in FORM_KINDS]
    for decl in form_decls:
        forms.declare(decl)
    for decl in form_decls:
        if decl.kind in ("allocation", "selection"):
            forms.finish(decl)
    checks = Questions(schema, checker, forms.forms)
    views = Views(schema, checker, checks)
    for decl in decls:
        if decl.kind == "view":
            views.view(decl)
        elif decl.kind == "summary":
            views.summary(decl)
    events = Events(schema, checker, forms.forms, checks, views.views)
    for decl in decls:
        if decl.kind == "event":
            events.event(decl)
    clauses = Clauses(schema, checker, known_clauses, events.events)
    for file in files:
        for clause in file.clauses:
            clauses.add(clause)
    clauses.finish()
    questions = _questions(checks, decls)
    games = [decl for decl in decls if decl.kind == "game"]
    if len(games) != 1:
        faults.add(
            f"{len(games)} sentences say which game this is",
            games[1].span if games else Span(files[0].path, 1, 1, 2) if files else NOWHERE,
            "a rule set is of one game",
            'write `game "..."` once',
        )
    if not faults.found:
        check_heads(checker.heads, forms.forms, schema, clauses.infos, on_top)
    if not faults.found:
        check_effects(checker.heads, events.events, schema)
    if faults.found:
        raise RulesetError(sorted(faults.found, key=_place))
    return Model(
        games[0].name.text, edition, title, schema.enums, schema.records, checker.heads,
        forms.forms, questions, events.events, views.views, views.summaries, schema.readings, clauses.infos,
    )  # fmt: skip


def _place(fault: Fault) -> tuple[str, int, int]:
    assert isinstance(fault.where, Span)
    return fault.where.path, fault.where.line, fault.where.column


def _questions(checks: Questions, decls: Iterable[Decl]) -> dict[str, Question]:
    questions: dict[str, Question] = {}
    for decl in decls:
        if decl.kind == "question" and checks.schema.declare(decl.name):
            question = checks.question(decl)
            if question is not None:
                questions[question.name] = question
    return questions
