"""Whether a statement counts, and why: in one case and as a condition, the same answer."""

import itertools
import random

import pytest
from titm_rules.diagnostics import NOWHERE
from titm_rules.ir.applicability import COUNTS, LIFTED, REPLACED, UNMET, counts_when, judged
from titm_rules.ir.model import Head, Lift, Statement
from titm_rules.ir.terms import Const, Logic, Var
from titm_rules.ir.types import FLAG

NAMES = "abcd"


def said(clause, when="", instead=""):
    return Statement(clause, Var(when, FLAG) if when else None, None, "", tuple(instead), NOWHERE)


def lift(clause, target, when=""):
    return Lift(clause, target, Var(when, FLAG) if when else None, NOWHERE)


def head(*sentences):
    statements = tuple(one for one in sentences if isinstance(one, Statement))
    return Head("h", (), FLAG, "any", "", statements, tuple(one for one in sentences if isinstance(one, Lift)))


def truth(term, true):
    match term:
        case Const(value=value):
            return bool(value)
        case Var(name=name):
            return name in true
        case Logic(op="not", parts=(part,)):
            return not truth(part, true)
        case Logic(op=op, parts=parts):
            return (all if op == "all" else any)(truth(part, true) for part in parts)
    raise AssertionError(term)


def how(of, true):
    found = judged(of, lambda one: one.when is None or truth(one.when, frozenset(true)))
    return {one.statement.clause: (one.how, one.by.clause if one.by is not None else "") for one in found}


@pytest.mark.parametrize(
    ("sentences", "true", "wanted"),
    [
        ([said("1", "a")], "a", {"1": (COUNTS, "")}),
        ([said("1", "a")], "", {"1": (UNMET, "")}),
        ([said("1"), lift("2", "1", "a")], "a", {"1": (LIFTED, "2")}),
        ([said("1"), lift("2", "1", "a")], "", {"1": (COUNTS, "")}),
        ([said("1"), lift("2", "1"), lift("3", "2", "a")], "a", {"1": (COUNTS, "")}),
        ([said("1"), said("2", "a", "1")], "a", {"1": (REPLACED, "2"), "2": (COUNTS, "")}),
        ([said("1"), said("2", "a", "1")], "", {"1": (COUNTS, ""), "2": (UNMET, "")}),
        ([said("1"), said("2", "", "1"), lift("3", "2", "a")], "a", {"1": (COUNTS, ""), "2": (LIFTED, "3")}),
        ([said("1", "a"), said("2", "", "1")], "", {"1": (UNMET, ""), "2": (COUNTS, "")}),
    ],
)
def test_why_a_statement_counts(sentences, true, wanted):
    assert how(head(*sentences), true) == wanted


def some_head(rng):
    """Draw a head of few clauses; exceptions are made to earlier ones only, so that none lift each other."""
    statements = [
        said(str(n), rng.choice(["", *NAMES]), "".join(str(m) for m in range(3) if m != n and rng.random() < 0.2))
        for n in range(3)
    ]
    lifts = [lift(str(n), str(rng.randrange(n)), rng.choice(["", *NAMES])) for n in range(3, 3 + rng.randrange(4))]
    return head(*statements, *lifts)


@pytest.mark.parametrize("seed", range(60))
def test_the_condition_says_the_same_as_the_judgement(seed):
    of = some_head(random.Random(seed))
    for size in range(len(NAMES) + 1):
        for true in map(frozenset, itertools.combinations(NAMES, size)):
            verdicts = judged(of, lambda one: one.when is None or truth(one.when, true))  # noqa: B023 -- used at once
            counted = [verdict.statement for verdict in verdicts if verdict.how == COUNTS]
            assert counted == [s for s in of.statements if truth(counts_when(of, s), true)]
