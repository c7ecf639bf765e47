"""Fire allocations of every edition against the rulings, tried out order by order."""

import random
from itertools import combinations, pairwise, permutations

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import battle

QUALITY = {"engineer": 5, "armor": 4, "mechanized": 3, "motorized": 2, "foot": 1}
# edition, readings, who is exempt, whether that outranks coverage, whether the last of the smaller side is free
CASES = [
    ("1994-11-01", {}, False, False, False),
    ("1996-08-01", {}, False, False, False),
    ("1996-11-01", {}, False, False, False),
    ("1996-11-01", {"R3": "carried-back"}, True, True, False),
    ("1997-03-01", {}, False, False, False),
    ("1997-08-20", {}, False, False, True),
    ("1997-08-20", {"R3": "carried-back"}, True, True, True),
    ("1998-01-15", {}, True, True, False),
    ("1998-01-15", {"R1": "coverage-first"}, True, False, False),
    ("1998-01-15", {"R7": "in-force"}, True, True, True),
    ("1999", {}, True, False, False),
    ("2002-07-25", {}, True, False, False),
    ("2016-10-01", {}, True, False, False),
]


class Rulings:
    """The rulings on fire, in the plainest form: who may fire at whom, given the shots so far."""

    def __init__(self, fight, who, exempt, absolute, last_free):
        own, other = ("attackers", "defenders") if who == "attacker" else ("defenders", "attackers")
        self.firers = {unit["id"]: QUALITY[unit["kind"]] for unit in fight[own]}
        self.targets = {unit["id"]: QUALITY[unit["kind"]] for unit in fight[other]}
        weak = {unit["id"] for unit in fight[other] if unit["strength"] == 1}
        self.exempt = weak if exempt and who == "defender" else set()
        strong = set(self.targets) - self.exempt
        self.binding = strong if absolute and strong else set(self.targets)
        self.last_free = last_free

    def allocations(self):
        best_first = [
            order for order in permutations(self.firers)
            if all(self.firers[a] >= self.firers[b] for a, b in pairwise(order))
        ]  # fmt: skip
        return {tuple(sorted(found.items())) for order in best_first for found in self.follow(order, {})}

    def follow(self, order, shots):
        if not order:
            yield shots
            return
        for target in self.allowed(order[0], shots, last=len(order) == 1):
            yield from self.follow(order[1:], {**shots, order[0]: target})

    def allowed(self, firer, shots, last):
        count = {target: list(shots.values()).count(target) for target in self.targets}
        least = min(count[target] for target in self.binding)
        eligible = {target for target in self.targets if count[target] <= least}
        if len(self.firers) == 1:
            return self.left_out(eligible, self.not_better, firer)
        if least > 0:
            return eligible
        found = self.left_out(eligible, self.preferred, firer)
        if self.last_free and last and len(self.firers) < len(self.targets):
            found |= self.not_better({target for target in self.targets if not count[target]}, firer)
        return found

    def left_out(self, eligible, rule, firer):
        """Apply a rule with any of the exempt targets left out."""
        exempt = sorted(eligible & self.exempt)
        sets = [eligible - set(out) for size in range(len(exempt) + 1) for out in combinations(exempt, size)]
        return {target for one in sets if one for target in rule(one, firer)}

    def not_better(self, among, firer):
        low = {target for target in among if self.targets[target] <= self.firers[firer]}
        lowest = min(self.targets[target] for target in among)
        return low or {target for target in among if self.targets[target] == lowest}

    def preferred(self, among, firer):
        own = self.firers[firer]
        ranks = {self.targets[target] for target in among}
        lower = [rank for rank in ranks if rank <= own]
        wanted = max(lower) if lower else min(ranks)
        return {target for target in among if self.targets[target] == wanted}


def battles(seed):
    draw = random.Random(seed)
    for _ in range(40):
        sides = [
            ", ".join(f"{draw.choice(list(QUALITY))} {draw.choice([1, 1, 2, 3])}" for _ in range(draw.randint(1, 4)))
            for _ in range(2)
        ]
        yield battle(*sides)


@pytest.mark.parametrize(("edition", "readings", "exempt", "absolute", "last_free"), CASES)
def test_allocations_follow_the_rulings(edition, readings, exempt, absolute, last_free):
    rules = Edition(edition, readings)
    for fight in battles(edition):
        for who in ("attacker", "defender"):
            wanted = Rulings(fight, who, exempt, absolute, last_free).allocations()
            answer = rules.answer("fire_allocations", {"battle": fight, "who": who})
            assert answer["count"] == len(wanted), (fight, who)
            lines = sorted(",".join(f"{firer}>{target}" for firer, target in one) for one in wanted)
            assert answer.get("allocations", lines) == lines, (fight, who)


BEFORE_AND_AFTER = pytest.mark.parametrize(
    ("edition", "readings"), [(case[0], case[1]) for case in CASES if case[0] != "1999"]
)


@BEFORE_AND_AFTER
def test_engines_agree(edition, readings):
    """With up to three on a side: the plain engine tries all orders, and four against four take it a second."""
    fights = battles(f"{edition} engines")
    small = [fight for fight in fights if max(len(fight["attackers"]), len(fight["defenders"])) < 4]
    for fight in small[:6]:
        check_engines(edition, readings, fight)


@pytest.mark.slow
@BEFORE_AND_AFTER
def test_engines_agree_on_larger_battles(edition, readings):
    for fight in battles(f"{edition} engines"):
        check_engines(edition, readings, fight)


def check_engines(edition, readings, fight):
    engines = [Edition(edition, readings, engine) for engine in ("compiled", "library", "reference")]
    for who in ("attacker", "defender"):
        answers = [rules.answer("fire_allocations", {"battle": fight, "who": who}) for rules in engines]
        assert answers[0] == answers[1] == answers[2], (fight, who)
