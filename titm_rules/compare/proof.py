"""Proofs that two editions answer alike at any size, and the inputs that one of them needs asked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from titm_rules.compare.rules import ModelPair
from titm_rules.rules.model import Answer, FieldSpec, Model, Question
from titm_rules.rules.rests import answer_terms, head_terms, rests_of
from titm_rules.rules.terms import Call, Compare, Const, Term, Var, children, subterms

SAME_CLAUSES = "the same clauses: nothing that the answer rests on says anything else"
EVERY_CASE = (
    "every case was asked: the answer rests on no situation, and on numbers only as they compare with "
    "numbers that the clauses name, so that each of these and its neighbours stand for all"
)
MOST_CASES = 20_000


def every_case(pair: ModelPair, question: Question) -> list[dict[str, Any]] | None:
    """List inputs of which each possible input is like one; nothing if there is no such list.

    That can be told where a question is about no situation, and its numbers are only ever compared
    with constants: two numbers between which no constant lies are answered alike.
    """
    if question.situation or any(spec.type.kind not in ("number", "flag", "enum") for spec in question.inputs):
        return None
    terms = [term for model in pair.models for term in _behind(model, question)]
    if any(_counts_freely(term) for term in terms):
        return None
    numbers = {part.value for term in terms for part in subterms(term) if isinstance(part, Const)}
    values = [_values(pair.second, spec, {n for n in numbers if type(n) is int}) for spec in question.inputs]
    if math.prod(map(len, values)) > MOST_CASES:
        return None
    names = [spec.json for spec in question.inputs]
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*values)]


def _behind(model: Model, question: Question) -> Iterator[Term]:
    """Yield the terms that a question asks, and those of all heads that it rests on."""
    answers: tuple[tuple[str, Answer], ...] = question.answers
    yield from answer_terms(answers)
    for key in rests_of(model).of_question(question).heads:
        yield from head_terms(model.heads[key])


def _counts_freely(term: Term) -> bool:
    """Whether a number that is not known beforehand is used otherwise than compared with a constant, or passed on."""
    match term:
        case Compare(left=left, right=right) if isinstance(left, Const) or isinstance(right, Const):
            return any(not isinstance(side, Const | Var) and _counts_freely(side) for side in (left, right))
        case Call(args=args):
            return any(not isinstance(arg, Var) and _counts_freely(arg) for arg in args)
        case Var(type=kind):
            return kind.kind == "number"
    return any(_counts_freely(part) for part in children(term))


def _values(model: Model, spec: FieldSpec, numbers: set[int]) -> list[Any]:
    if spec.type.kind == "flag":
        return [False, True]
    if spec.type.kind == "enum":
        return list(model.enums[spec.type.name].texts)
    low, high = spec.type.low or 0, spec.type.high if spec.type.high is not None else 10**9
    about = {low, high, *(number + step for number in numbers for step in (-1, 0, 1))}
    return sorted(number for number in about if low <= number <= high)
