"""Each lemma against brute force: what it concludes of a whole holds in random small worlds.

The orders of the parts are taken from the world itself, the strongest that hold there; a lemma concludes no less from
less, so that nothing more has to be tried.
"""

import itertools
from functools import cache
from random import Random

import pytest
from titm_rules.compare.monotone import LEMMAS
from titm_rules.compare.prove import OPEN, prove_pair
from titm_rules.compare.rule_pair import EQUIVALENT, ModelPair, side_by_side
from titm_rules.compare.smt import Order

from tests.compare.test_proofs_hold import answers_of, contradicts
from tests.rulefuzz.test_amendments import drawn, shipped
from tests.sampling import one_in
from tests.worlds import random_case

SIZE, WORLDS = 4, 200
PLACES, LONGEST = range(4), 4


def order(first, second):
    """Give the order of two values: flags, numbers, lists, or nothing."""
    if isinstance(first, list) or isinstance(second, list):
        first, second = set(first), set(second)
    found = Order.LACKS if first is not None or second is None else Order.NONE
    found |= Order.KEEPS if second is not None or first is None else Order.NONE
    if first is None or second is None:
        return found | Order.LOWER | Order.HIGHER
    return found | (Order.LOWER if second <= first else Order.NONE) | (Order.HIGHER if second >= first else Order.NONE)


def each(pairs):
    """Give the order of what has an order in each of some cases."""
    found = Order.EQUAL
    for first, second in pairs:
        found &= order(first, second)
    return found


def alike(rng, draw, share=0.5):
    """Draw two values, more often than by chance in some order."""
    first = draw()
    return first, first if rng.random() < share else draw()


# ---------------------------------------------------------------------- expressions
class Members:
    """Two lists of members of one universe, with two conditions and two numbers of each."""

    def __init__(self, rng):
        every = list(range(SIZE))
        self.bases = alike(rng, lambda: [one for one in every if rng.random() < 0.6])
        self.where = [alike(rng, lambda: rng.random() < 0.6) for _ in every]
        self.member = [alike(rng, lambda: rng.random() < 0.5, 0.8) for _ in every]
        self.numbers = [alike(rng, lambda: rng.randint(-1, 2), 0.7) for _ in every]
        self.other = alike(rng, lambda: [one for one in every if rng.random() < 0.4])
        self.shares = [tuple(number * holds for number, holds in zip(*both, strict=True))
                       for both in zip(self.numbers, self.where, strict=True)]  # fmt: skip

    def parts(self):
        both = [numbers for numbers, where in zip(self.numbers, self.where, strict=True) if all(where)]
        return {
            "base": order(*self.bases), "where": each(self.where), "member": each(self.member), "body": each(both),
            "share": each(self.shares), "other": order(*self.other),
        }  # fmt: skip

    def value(self, name, side):
        base = self.bases[side]
        chosen = [one for one in base if self.where[one][side]]
        numbers = [self.numbers[one][side] for one in chosen]
        match name:
            case "some":
                return any(self.member[one][side] for one in base)
            case "every":
                return all(self.member[one][side] for one in base)
            case "count":
                return len(chosen)
            case "those":
                return chosen
            case "total":
                return sum(numbers)
            case "highest" | "lowest":
                return (max if name == "highest" else min)(numbers, default=None)
            case "member":
                return 0 in base
            case "filter":
                return [one for one in base if one % 2]
        return [one for one in base if one not in self.other[side]]


# ---------------------------------------------------------------------- forms
class Board:
    """Two sets of bars, stops, prices and points on one graph, and what may be reached under each."""

    def __init__(self, rng):
        edges = list(itertools.permutations(PLACES, 2))

        def some(keys, share=0.3):
            return {key: alike(rng, lambda: rng.random() < share, 0.7) for key in keys}

        self.edges = [edge for edge in edges if rng.random() < 0.5]
        self.step, self.stop = some(edges), some(edges)
        self.end, self.goal, self.closing = some(PLACES), some(PLACES, 0.5), some(PLACES)
        self.start, self.stay = (alike(rng, lambda: rng.random() < 0.2) for _ in range(2))
        self.cost = {edge: alike(rng, lambda: rng.randint(0, 2), 0.7) for edge in edges}
        self.points = alike(rng, lambda: rng.randint(1, 4))
        self.price = alike(rng, lambda: rng.randint(0, 2))

    def parts(self):
        return {
            "start": order(*self.start), "stay": order(*self.stay), "step": each(self.step.values()),
            "stop": each(self.stop.values()), "end": each(self.end.values()), "goal": each(self.goal.values()),
            "cost": each(self.cost.values()), "points": order(*self.points), "counts": Order.EQUAL,
            "closing try": each(self.closing.values()), "closing cost": order(*self.price),
            "interruption try": Order.EQUAL, "interruption cost": Order.EQUAL,
        }  # fmt: skip

    def walks(self, side):
        """List the ways from the first place that can be paid, with their costs."""
        found, left = [((0,), 0)], [((0,), 0, False)]
        while left:
            way, spent, stopped = left.pop()
            for edge in self.edges if not stopped and len(way) <= LONGEST else ():
                price = spent + self.cost[edge][side]
                if edge[0] == way[-1] and not self.step[edge][side] and price <= self.points[side]:
                    found.append(((*way, edge[1]), price))
                    left.append(((*way, edge[1]), price, self.stop[edge][side]))
        return found

    def value(self, name, side):
        """Give what may be reached, by its name, with the lowest cost; of closings only where."""
        found = {}
        if self.start[side] and name != "trace":
            return {}
        for way, spent in self.walks(side):
            place, key = way[-1], way if name == "path" else way[-1]
            legal = not self.end[place][side] and (name != "path" or len(way) > 1 or not self.stay[side])
            if name == "trace":
                legal, key = legal and self.goal[place][side], "goal"
            if name == "closing":
                total = spent + self.price[side]
                legal, spent = legal and not self.closing[place][side] and total <= self.points[side], 0
            if legal:
                found[key] = min(spent, found.get(key, spent))
        return found


class Picks:
    """Two bars on what is picked after what, and the sequences that they leave."""

    def __init__(self, rng):
        self.bars = {way: alike(rng, lambda: rng.random() < 0.4, 0.8)
                     for size in range(1, 4) for way in itertools.product(range(2), repeat=size)}  # fmt: skip

    def parts(self):
        return {"choose": each(self.bars.values())}

    def value(self, _, side):
        ways = itertools.product(range(2), repeat=3)
        return [way for way in ways if not any(self.bars[way[:size]][side] for size in (1, 2, 3))]


class Die:
    """Two factors without modifiers, and the last face of a die that succeeds."""

    def __init__(self, rng):
        self.factors = alike(rng, lambda: rng.choice((None, *range(-1, 8))))

    def parts(self):
        return {"factor without modifiers": order(*self.factors)}

    def value(self, _, side):
        return None if self.factors[side] is None else max(0, min(6, self.factors[side]))


WAYS = ("route", "trace", "closing", "path")
KINDS = dict.fromkeys(WAYS, Board) | {"choices": Picks, "roll": Die}


@pytest.mark.parametrize("name", LEMMAS)
def test_what_a_lemma_concludes_holds_in_every_small_world(name):
    concluded = set()
    for seed in range(WORLDS):
        world = KINDS.get(name, Members)(Random(f"{name} {seed}"))
        found = LEMMAS[name].law(world.parts())
        first, second = (world.value(name, side) for side in (0, 1))
        if name in WAYS:
            holds = each((first.get(key), second.get(key)) for key in {*first, *second})
        else:
            holds = order(first, second)
        if name == "closing":  # where something may be closed is a list
            holds = order(list(first), list(second))
        assert found in holds, (seed, found, first, second)
        concluded.add(found)
    assert len(concluded) >= 3, concluded  # both ways, and nothing, at least


# ---------------------------------------------------------------------- random rules
@cache
def amended(seed):
    """Give the shipped rules with a random amendment, a question that it may bear on, and what is proved of it."""
    case = drawn(seed)
    if case is None:
        return None
    question, _, model = case
    if model.questions != shipped().questions:
        return None
    pair = side_by_side(ModelPair(shipped(), model))
    return pair, question, prove_pair(pair, [question.name]).questions[question.name]


@pytest.mark.parametrize("seed", one_in(250, range(1000, 1500)))
def test_no_random_amendment_contradicts_what_is_proved_of_it(seed):
    found = amended(seed)
    if found is None:
        return
    pair, question, proof = found
    rng = Random(seed)
    for _ in range(6 if proof.relation != OPEN else 0):
        inputs = dict(random_case(rng, question.name)["input"])
        data = inputs.pop(question.situation)
        both = answers_of({"first": pair.first, "second": pair.second}, question, data, inputs)
        if both:
            assert not contradicts(question, proof, both["first"], both["second"]), (proof, data, inputs, both)


@pytest.mark.slow
def test_false_claims_are_refused():
    """Of amendments that are seen to make a difference, none is proved to make none, or the other one."""
    refused = 0
    for seed in itertools.count():
        if refused == 100:
            break
        found = amended(seed)
        if found is None:
            continue
        pair, question, proof = found
        rng = Random(seed)
        for _ in range(10):
            inputs = dict(random_case(rng, question.name)["input"])
            data = inputs.pop(question.situation)
            both = answers_of({"first": pair.first, "second": pair.second}, question, data, inputs)
            if both and both["first"] != both["second"]:
                assert proof.relation != EQUIVALENT, seed
                assert proof.relation == OPEN or not contradicts(question, proof, both["first"], both["second"]), seed
                refused += 1
                break
