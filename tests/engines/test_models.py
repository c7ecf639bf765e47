"""Choices as constraint models, against plain loops over every order."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from titm_rules.engines.library.models import (
    AllocationChoices,
    SelectionChoices,
    build_allocation_model,
    build_selection_model,
)


def evenly(_chooser, target, picks):
    return picks[target] == min(picks)


def anything(_chooser, _target, _picks):
    return True


def played_out(ranks, targets, may_pick):
    """Collect the allocations that some order makes, ranks from the highest down."""
    found = set()
    for order in itertools.permutations(range(len(ranks))):
        if [ranks[who] for who in order] != sorted(ranks, reverse=True):
            continue
        for wanted in itertools.product(range(targets), repeat=len(ranks)):
            picks = [0] * targets
            for who in order:
                if not may_pick(who, wanted[who], tuple(picks)):
                    break
                picks[wanted[who]] += 1
            else:
                found.add(wanted)
    return found


@pytest.mark.parametrize(("ranks", "targets", "count"), [
    ([0], 3, 3), ([0] * 3, 3, 6), ([0] * 3, 2, 6), ([0] * 4, 2, 6), ([0] * 2, 4, 12), ([0] * 5, 2, 20),
    ([6, 5, 4, 3, 2, 1], 3, 36),  # two layers of three targets: 3! sequences for the first, 3! for the second
])  # fmt: skip
def test_even_shots_are_counted(ranks, targets, count):
    choices = AllocationChoices(ranks, targets, evenly)
    assert choices.count() == count == len(set(choices))


def needs_company(chooser, target, picks):
    """Chooser 0 follows where somebody has gone before."""
    return chooser != 0 or picks[target] > 0


@pytest.mark.parametrize(
    ("ranks", "picked", "legal"),
    [((0, 0), (1, 1), True), ((1, 0), (1, 1), False), ((0, 1), (1, 1), True), ((0, 0), (0, 1), False)],
    ids=["an equal may go first", "a better one cannot wait", "a worse one comes later", "nobody was there"],
)
def test_some_order_among_equals_is_enough(ranks, picked, legal):
    choices = AllocationChoices(ranks, 2, needs_company)
    assert (picked in choices) is legal
    assert (picked in set(choices)) is legal


tables = st.tuples(
    st.lists(st.integers(0, 2), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
    st.floats(0.3, 0.95),
)


def arbitrary_rule(seed, share):
    """Make a rule that bars at random, the same for the same question."""
    return lambda chooser, target, picks: random.Random(f"{seed} {chooser} {target} {picks}").random() < share


@given(tables)
def test_models_give_what_playing_out_every_order_gives(table):
    ranks, targets, seed, share = table
    rule = arbitrary_rule(seed, share)
    choices, wanted = AllocationChoices(ranks, targets, rule), played_out(ranks, targets, rule)
    listed = list(choices)
    assert len(listed) == len(set(listed)) == choices.count()
    assert set(listed) == wanted
    for picked in itertools.product(range(targets), repeat=len(ranks)):
        assert (picked in choices) is (picked in wanted)


def test_the_model_is_a_problem_that_python_constraint_solves():
    problem = build_allocation_model([1, 0], 2, evenly)
    assert {tuple(sorted(one.items())) for one in problem.getSolutions()} == {((0, 0), (1, 1)), ((0, 1), (1, 0))}


@pytest.mark.parametrize(
    ("ranks", "targets", "wanted"),
    [((), 3, [()]), ((), 0, [()]), ((1,), 0, [])],
    ids=["nobody chooses", "nobody and nothing", "nothing to choose"],
)
def test_empty_allocations_and_choices_that_do_not_name_every_chooser(ranks, targets, wanted):
    choices = AllocationChoices(ranks, targets, anything)
    assert list(choices) == wanted
    assert choices.count() == len(wanted)
    assert not any(picked in AllocationChoices([0, 0], 2, anything) for picked in ((), (0,), (0, 0, 0)))


def test_a_battle_too_large_to_list_is_still_counted():
    """Twelve counters on twelve targets, each one once: 12 factorial."""
    choices = AllocationChoices(range(12, 0, -1), 12, evenly)
    assert choices.count() == 479_001_600


# ---------------------------------------------------------------------- selections


def pairs(chosen):
    return len(chosen) == 2


def test_selections_are_listed_counted_and_checked():
    choices = SelectionChoices(4, pairs)
    assert list(choices) == list(itertools.combinations(range(4), 2))
    assert choices.count() == 6
    assert [picked in choices for picked in ((3, 1), (1, 1), (1,))] == [True, False, False]
    assert list(SelectionChoices(0, pairs)) == []
    assert list(SelectionChoices(0, lambda chosen: not chosen)) == [()]
    problem = build_selection_model(2, lambda chosen: chosen != (0,))
    assert len(problem.getSolutions()) == 3
