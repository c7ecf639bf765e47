"""Definitions rest on each other, but not so deep, nor so often, that no answer would come."""

import time

import pytest
from titm_rules.checker.consistency import MAX_CALLS, MAX_LEVELS

from tests.rules.test_checks import CHARGE, PACE, faults_of, link


def definitions(count, says):
    """So many definitions, each but the first by the one before it."""
    declared = "".join(f"define number n{n}-x of t: troop on field.\n" for n in range(count))
    said = "".join(f"  n{n}-x is {says.format(f'n{n - 1}-x of t')}.\n" for n in range(1, count))
    return f'{declared}{PACE}{CHARGE}clause 9.1 "Chain" "A chain."\n  n0-x is strength of t.\n{said}'


@pytest.mark.parametrize(
    ("count", "says", "what"),
    [
        (60, "({0}) + ({0})", f"expands to over {MAX_CALLS} calls of definitions"),
        (3_000, "{0}", f"is nested over {MAX_LEVELS} definitions deep"),
    ],
)
def test_too_much_is_refused_at_once(count, says, what):
    start = time.monotonic()
    [fault] = faults_of(definitions(count, says))
    assert what in fault.what
    assert time.monotonic() - start < 30


def test_circles_are_refused_and_what_rules_need_is_allowed():
    text = definitions(500, "{0}").replace("n0-x is strength of t", "n0-x is n499-x of t")
    assert faults_of(text)
    text = definitions(3, "{0}").replace("n0-x is strength of t", "n0-x is n2-x of t")
    assert "defined in terms of itself" in faults_of(text)[0].what
    assert link(definitions(MAX_LEVELS - 1, "{0}"))
    assert link(definitions(10, "({0}) + ({0})"))
