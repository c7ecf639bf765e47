"""Explaining an answer: findings, a witness, the nearest legal alternative, deciding readings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any

from titm_rules.model.model import Model, Question
from titm_rules.model.terms import Call, Term, Var, children
from titm_rules.oracle.answer import Asked
from titm_rules.oracle.explain_choices import explain_choice, explain_choices, explain_roll
from titm_rules.oracle.explain_routes import explain_closings, explain_cost, explain_ends, explain_path
from titm_rules.oracle.explain_terms import explain_answers
from titm_rules.oracle.findings import Reasons
from titm_rules.oracle.verdict import ANSWERED, DEPENDS, ILLEGAL, LEGAL, Finding, Verdict

if TYPE_CHECKING:
    from titm_rules.oracle.edition import Edition

MAX_DECIDING = 3
MAX_TRIED = 300
Told = tuple[Mapping[str, Any], Mapping[str, Any]]


def explain(edition: Edition, query: str, inputs: Mapping[str, Any], all_readings: bool = False) -> Verdict:
    """Answer a question and say why; with `all_readings`, under no fixed reading.

    Raises:
        InputError: for an unknown question or bad input.
    """
    asked = edition.ask(query, inputs)
    answer = asked.answer()
    reasons = Reasons(asked.model, asked.world, asked.engine)
    witness, nearest = _told(asked, answer, reasons)
    findings = reasons.ordered()
    fixed, largest = (edition.readings, MAX_DECIDING) if all_readings else ((), 1)
    deciding = deciding_sets(edition, asked, answer, fixed, largest)
    outcome = DEPENDS if all_readings and deciding else outcome_of(asked.question, answer)
    assumed = assumed_in(edition, findings)
    return Verdict(query, edition.label, outcome, answer, findings, witness, nearest, assumed, deciding)


def assumed_in(edition: Edition, findings: Iterable[Finding]) -> tuple[str, ...]:
    """Name the clauses behind findings that the edition does not attest, each once."""
    resting = [finding.clause for finding in findings if finding.holds or finding.effect == "lifted"]
    return tuple(number for number in dict.fromkeys(resting) if not edition.clauses[number].attested)


def _told(asked: Asked, answer: Mapping[str, Any], reasons: Reasons) -> Told:
    """Give witness and nearest alternatives; findings go to `reasons`."""
    match asked.question.ask:
        case "path":
            return explain_path(asked, answer, reasons)
        case "cost":
            return explain_cost(asked, answer, reasons)
        case "ends":
            return explain_ends(asked, reasons)
        case "closings":
            return explain_closings(asked, reasons)
        case "choice":
            return explain_choice(asked, answer, reasons)
        case "choices":
            return explain_choices(asked, answer, reasons)
        case "roll":
            return explain_roll(asked, reasons)
    return explain_answers(asked, reasons)


def outcome_of(question: Question, answer: Mapping[str, Any]) -> str:
    """Read yes or no off an answer, where the question has one."""
    if question.ask in ("path", "choice"):
        return LEGAL if answer["legal"] else ILLEGAL
    if question.ask == "cost":
        return LEGAL if answer[question.names[1]] is not None else ILLEGAL
    first = next(iter(answer.values()), None)
    if question.ask == "answers" and isinstance(first, bool):
        return LEGAL if first else ILLEGAL
    return ANSWERED


def deciding_sets(
    edition: Edition, asked: Asked, answer: Mapping[str, Any], fixed: Collection[str] = (), largest: int = 1
) -> tuple[Mapping[str, str], ...]:
    """Find the choices of readings that would change an answer, smallest sets first.

    Args:
        edition: the rules that gave the answer.
        asked: the question.
        answer: what it came to.
        fixed: readings that stay as they are.
        largest: how many readings are changed together at most. Of the sets only minimal ones are
            given, none of which holds another; at most 300 are tried.
    """
    from titm_rules.oracle.edition import variant

    found: list[Mapping[str, str]] = []
    for choices in islice(_other_choices(edition, asked, fixed, largest), MAX_TRIED):
        if any(smaller.items() <= dict(choices).items() for smaller in found):
            continue
        if asked.again(variant(edition, choices)).answer() != answer:
            found.append(dict(choices))
    return tuple(found)


def _other_choices(
    edition: Edition, asked: Asked, fixed: Collection[str], largest: int
) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the other ways to choose the readings behind a question, fewest changes first."""
    names = sorted((readings_behind(asked) & edition.all_readings.keys()) - set(fixed))
    others = {
        name: [(name, one) for one in edition.all_readings[name].offered if one != asked.model.reading(name)]
        for name in names
    }
    for size in range(1, largest + 1):
        for changed in combinations(names, size):
            yield from product(*(others[name] for name in changed))


def readings_behind(asked: Asked) -> set[str]:
    """Collect the readings that the clauses behind a question ask for."""
    key = (asked.question.name, asked.model.edition)
    if key not in _READINGS:
        _READINGS[key] = _readings_of(asked.model, asked.question)
    return _READINGS[key]


_READINGS: dict[tuple[str, str], set[str]] = {}


def _readings_of(model: Model, question: Question) -> set[str]:
    heads: set[str] = set()
    found: set[str] = set()
    if question.form:
        _visit_form(model, question.form, heads, found)
    terms = [term for _, term in question.bindings]
    stack = [answer for _, answer in question.answers]
    while stack:
        answer = stack.pop()
        terms += [term for term in (answer.term, answer.base, answer.where) if term is not None]
        stack += [part for _, part in answer.parts]
    for term in terms:
        _visit_term(model, term, heads, found)
    return found


def _visit_form(model: Model, form: str, heads: set[str], found: set[str]) -> None:
    spec = model.forms[form]
    names = {form, getattr(spec, "interruption", ""), getattr(spec, "closing", "")} - {""}
    for key in model.heads:
        if key.split(".")[0] in names and "." in key:
            _visit_head(model, key, heads, found)
    for term in (getattr(spec, name, None) for name in ("choosers", "targets", "order", "members")):
        if term is not None:
            _visit_term(model, term, heads, found)


def _visit_head(model: Model, key: str, heads: set[str], found: set[str]) -> None:
    if key in heads:
        return
    heads.add(key)
    head = model.heads[key]
    if head.mode in ("route", "roll"):
        _visit_form(model, key, heads, found)
    for statement in head.statements:
        for term in (statement.when, statement.value):
            if term is not None:
                _visit_term(model, term, heads, found)
    for lift in head.lifts:
        if lift.when is not None:
            _visit_term(model, lift.when, heads, found)


def _visit_term(model: Model, term: Term, heads: set[str], found: set[str]) -> None:
    if isinstance(term, Var) and term.type.kind == "reading":
        found.add(term.name)
    if isinstance(term, Call):
        _visit_head(model, term.head, heads, found)
    for part in children(term):
        _visit_term(model, part, heads, found)
