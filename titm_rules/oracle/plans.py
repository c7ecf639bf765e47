"""Which questions ask for plans that dice are rolled for, and which of them words mean."""

from __future__ import annotations

from collections.abc import Sequence

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case
from titm_rules.oracle.listing import every_input
from titm_rules.oracle.odds import rolling_questions
from titm_rules.rules.model import Question

PLAN, PLANS = "choice", "choices"
Put = tuple[Question, Sequence[str]]


def questions_of_plans(case: Case, words: Sequence[str], plan: str) -> list[Put]:
    """List the questions to put, each with its input as words.

    Raises:
        InputError: if the words fit no question about plans that dice are rolled for.
    """
    known = _known(case)
    named = words[0] if words and "=" not in words[0] else ""
    if named and named not in known:
        faults = [Fault(f"`{named}` has no odds", "QUERY", "", did_you_mean(named, known), kind="unknown-query")]
        raise InputError(faults)
    given = words[1:] if named else words
    if plan:
        shape = "assignment" if ">" in plan else "sequence"
        checks = [q for q in known.values() if q.ask == PLAN and _shape(q) == shape]
        question = _fitting([q for q in checks if not named or q.form == known[named].form], given)
        return [(question, [*given, f"{question.names[0]}={plan}"])]
    if named or case.query in known:
        return [(known[named or case.query], given)]
    lists = [q for q in known.values() if q.ask == PLANS]
    if given:
        return [(_fitting(lists, given), given)]
    return [(q, inputs) for q in lists for inputs in every_input(case, q)]


def _known(case: Case) -> dict[str, Question]:
    """Map the questions of a situation about plans that dice are rolled for, by name."""
    found = [q for ask in (PLANS, PLAN) for q in rolling_questions(case.edition.model, ask)]
    known = {q.name: q for q in found if q.situation == case.situation}
    if not known:
        raise bad(f"no dice are rolled for the choices of a {case.situation}", "FILE", kind="unknown-query")
    return known


def _shape(question: Question) -> str:
    """Tell how a question takes its plan: as an assignment or as a sequence."""
    return next(spec.type.kind for spec in question.inputs if spec.json == question.names[0])


def _fitting(questions: Sequence[Question], given: Sequence[str]) -> Question:
    """Find the question that takes what is given, its plan apart."""
    for word in given:
        if "=" not in word:
            raise bad(f"`{word}` is not an input", "NAME=VALUE", "write NAME=VALUE, after the question if one is named")
    names = {word.partition("=")[0].replace("-", "_") for word in given}
    for question in questions:
        if names == set(_taken(question)):
            return question
    what = f"no question about such plans takes just {', '.join(sorted(names))}" if names else "whose plan is it?"
    takes = [" ".join((q.name, *(f"{name}=" for name in _taken(q)))) for q in questions]
    raise bad(what, "NAME=VALUE", f"known: {'; '.join(takes)}", "missing-field")


def _taken(question: Question) -> list[str]:
    """Name what a question takes, the plan that it judges apart."""
    plan = question.names[:1] if question.ask == PLAN else ()
    return [spec.json for spec in question.inputs if spec.json not in plan]
