"""Whatever is changed in one clause is found or said to be without evidence; nothing that differs is equivalent."""

import random
from dataclasses import replace
from functools import partial
from itertools import chain, islice

import pytest
from titm_rules.compare.counterexamples import BUDGET, PairRun, read_search
from titm_rules.compare.playout import Playout, outcomes, play_result
from titm_rules.compare.results import NO_EVIDENCE
from titm_rules.compare.rule_pair import ModelPair, QuestionRunner
from titm_rules.diagnostics import TitmError
from titm_rules.editions.load import load_model
from titm_rules.engines.factory import make_engine
from titm_rules.ir.model import Statement
from titm_rules.ir.terms import Compare, Const, Logic, rebuild, subterms

from tests.builders import position

SEARCH = read_search()
MANY = 60
QUICK = (0, 2, 5, 10, 11)  # found at once, or proved alike
TURNED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", "<=": ">", ">": "<="}


def planted(model, seed):
    """Change one clause: another number, a condition less or turned round, an exception gone; say which and how."""
    rng = random.Random(seed)
    kind = rng.choice(["number", "condition", "exception"])
    while True:
        key = rng.choice(sorted(model.heads))
        found = list(changes(model.heads[key], kind, rng))
        if found:
            told, change = rng.choice(found)
            return f"{kind}: {told} in {key}", replace(model, heads={**model.heads, key: change()})


def changes(head, kind, rng):
    if kind == "exception":
        for lift in head.lifts:
            yield lift.clause, lambda lift=lift: replace(head, lifts=tuple(x for x in head.lifts if x is not lift))
        return
    for one in head.sentences:
        if not one.clause:
            continue
        if kind == "number":
            yield from number_changes(head, one, rng)
        elif one.when is not None:
            yield from condition_changes(head, one)


def number_changes(head, one, rng):
    for name in ("when", "value"):
        term = getattr(one, name, None)
        for number in parts_of(term, Const):
            if number.type.kind == "number":
                other = replace(number, value=number.value + rng.choice((-1, 1)))
                yield one.clause, put(head, one, name, swapped(term, number, other))


def condition_changes(head, one):
    for part in parts_of(one.when, Compare):
        if part.op in TURNED:
            yield one.clause, put(head, one, "when", swapped(one.when, part, replace(part, op=TURNED[part.op])))
    for part in parts_of(one.when, Logic):
        if part.op == "all" and len(part.parts) > 1:
            yield one.clause, put(head, one, "when", swapped(one.when, part, replace(part, parts=part.parts[:-1])))


def parts_of(term, wanted):
    return [] if term is None else [part for part in subterms(term) if isinstance(part, wanted)]


def swapped(term, old, new):
    return new if term is old else rebuild(term, lambda part: swapped(part, old, new))


def put(head, one, name, term):
    kind = "statements" if isinstance(one, Statement) else "lifts"
    new = replace(one, **{name: term})
    return lambda: replace(head, **{kind: tuple(new if x is one else x for x in getattr(head, kind))})


def verdicts(pair, budget, nodes):
    """Search question by question, then in play; no further than the first difference."""
    finder, found = PairRun(pair, SEARCH, budget=budget), []
    for question in pair.second.questions.values():
        found.append(finder.result(question))
        if found[-1].found:
            return found
    return [*found, play_result(pair, SEARCH, nodes=nodes)]


def outcome(results):
    if any(one.found for one in results):
        return "found"
    if any(one.verdict == NO_EVIDENCE for one in results):
        return NO_EVIDENCE
    return "proved" if all(one.proof for one in results) else "equivalent"


def differs_by_brute_force(pair, budget):
    """Ask the reference engine: the smallest of the worlds that were searched, and others than those drawn."""
    finder = PairRun(pair, SEARCH, budget=budget)
    for question in pair.second.questions.values():
        if not pair.changed_for(question):
            continue
        for ground in finder.grounds(question):
            drawing, rng, sizes = ground.sampler, random.Random(99), range(4 if ground.worlds else 0)
            listed = (one for size in sizes for one in islice(ground.worlds.of_size(size), 40))
            drawn = (drawing.made(drawing.draw(rng)) for _ in range(ground.drawn))
            if any(differs(pair, question, data, inputs) for data, inputs in chain(listed, drawn)):
                return True
    return False


def differs(pair, question, data, inputs):
    ask = partial(QuestionRunner(question.situation, data).answer, question=question, inputs=inputs)
    try:
        one, other = (ask(model, make=partial(make_engine, "reference", model)) for model in (pair.first, pair.second))
    except TitmError:
        return False
    return one != other


def game_differs(pair, seed, actions):
    """Play a game at random under both rules, until they part or it is long enough."""
    rng = random.Random(seed)
    data = position(
        "A-x major; x-y major intact; y-D major; x-z minor; z-D minor",
        "g German foot 3 x; h German engineer 2 A; i German armor 4 x; e Allied foot 3 y; f Allied engineer 2 z", 17, 1,
        areas={"y": {"vp": 3}},
    )  # fmt: skip
    for _ in range(actions):
        one, other = (Playout(model, "position", data) for model in (pair.first, pair.second))
        if one.legal != other.legal:
            return True
        if not one.legal:
            return False
        action = rng.choice(sorted(one.legal))
        fell = rng.choice(outcomes(one.legal[action]))
        data, otherwise = one.outcome(action, fell), other.outcome(action, fell)
        if data != otherwise:
            return True
    return False


def check(seed, budget, nodes, games=3, actions=150):
    model = load_model("1999")
    told, other = planted(model, seed)
    pair = ModelPair(model, other)
    found = outcome(verdicts(pair, budget, nodes))
    if found == "equivalent" and differs_by_brute_force(pair, budget):
        found = outcome(verdicts(pair, BUDGET, nodes))  # the search as long as people have it
    if found in ("equivalent", "proved"):
        assert not differs_by_brute_force(pair, budget), told
        try:
            assert not any(game_differs(pair, number, actions) for number in range(games)), told
        except TitmError as error:
            raise AssertionError(f"{told}: the game stops: {error}") from error
    return found


@pytest.mark.parametrize("seed", QUICK)
def test_a_planted_change_is_never_called_equivalent_if_it_shows(seed):
    check(seed, 60, 20, games=1, actions=30)


@pytest.mark.slow
def test_sixty_planted_changes():
    assert sum(check(seed, 200, 60) == "found" for seed in range(MANY)) > MANY // 2
