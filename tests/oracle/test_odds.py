"""The odds of fire plans: worked by hand, against every throw of the dice, and as lists."""

import itertools
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.oracle import odds as module

from tests.builders import battle
from tests.reference import handwritten as hand
from tests.worlds import random_battle

ROOT = Path(__file__).resolve().parents[2]
EDITION = Edition("1999")


def situation(data, edition=EDITION):
    return Position.from_dict(data, edition, "battle")


def pairs(plan):
    return dict(pair.split(">") for pair in plan.split(","))


# ---------------------------------------------------------------------- worked by hand
def test_shots_of_the_combat_example_worked_by_hand():
    """Two dice of armor (4) and two of foot (3) at the armor; one and three at what is dug in (2 each)."""
    file = Position.from_dict(
        battle("armor 2 river, mechanized 1 river, foot 2 river, foot 3 river", "armor 2, mechanized 3 entrenched"),
        EDITION, "battle",
    )  # fmt: skip
    odds = file.odds("fire_allocation_legal", who="attacker", allocation=pairs("a1>d1,a2>d2,a3>d1,a4>d2"))
    armor, mechanized = odds.losses
    unhurt = Fraction(6, 10) ** 2 * Fraction(7, 10) ** 2
    once = 2 * Fraction(4 * 6, 100) * Fraction(7, 10) ** 2 + 2 * Fraction(3 * 7, 100) * Fraction(6, 10) ** 2
    assert armor.chances == (unhurt, once, 1 - unhurt - once)
    # four dice that hit on 2: 8^4, 4*2*8^3, 6*2^2*8^2 of 10^4; three and four hits both destroy it
    assert mechanized.chances == tuple(Fraction(ways, 10_000) for ways in (4096, 4096, 1536, 272))
    assert (armor.destroyed, mechanized.destroyed) == (1 - unhurt - once, Fraction(272, 10_000))
    assert odds.expected == (once + 2 * (1 - unhurt - once)) + Fraction(4096 + 2 * 1536 + 3 * 272, 10_000)
    assert odds.chance({"d1": 0, "d2": 3}) == unhurt * Fraction(272, 10_000)


def test_small_cases_worked_by_hand():
    # Four dice of defending foot (4) against a foot unit of one point that lacks combined arms (5).
    odds = situation(battle("foot 1", "foot 4")).odds("fire_allocation_legal", who="defender", allocation={"d1": "a1"})
    assert odds.losses[0].chances == (Fraction(1, 16), Fraction(15, 16))
    assert odds.total == (Fraction(1, 16), Fraction(15, 16))
    # Two counters (3) on one unit of two points: none, one or two hits.
    odds = situation(battle("foot 6", "foot 2")).odds("artillery_sequence_legal", who="attacker", sequence=["d1", "d1"])
    assert odds.losses[0].chances == (Fraction(49, 100), Fraction(42, 100), Fraction(9, 100))
    odds = situation(battle("foot 2", "foot 3, foot 2")).odds(
        "fire_allocation_legal", who="attacker", allocation={"a1": "d2"}
    )
    assert odds.losses[0].chances == (1, 0, 0, 0)
    assert odds.losses[0].expected == 0


# ---------------------------------------------------------------------- against every throw
def every_throw(shots, strengths):
    """Throw all dice in all ways: shots are (dice, highest, target); give the chance of each loss of all targets."""
    throws = Counter()
    dice = [(highest, target) for number, highest, target in shots for _ in range(number)]
    for faces in itertools.product(range(1, 11), repeat=len(dice)):
        left = dict(strengths)
        for face, (highest, target) in zip(faces, dice, strict=True):
            if face <= highest and left[target]:
                left[target] -= 1
        throws[tuple(strengths[name] - left[name] for name in strengths)] += 1
    return {lost: Fraction(number, 10 ** len(dice)) for lost, number in throws.items()}


def agree(odds, wanted, strengths):
    everything = itertools.product(*(range(has + 2) for has in strengths.values()))
    for lost in everything:
        assert odds.chance(dict(zip(strengths, lost, strict=True))) == wanted.get(lost, 0), lost
    for number, share in enumerate(odds.total):
        assert share == sum(chance for lost, chance in wanted.items() if sum(lost) == number)
    assert odds.expected == sum(sum(lost) * chance for lost, chance in wanted.items())


def small_battles(number):
    """Draw battles in which each side throws four dice at most."""
    seeds = itertools.count()
    drawn = (random_battle(random.Random(seed), largest=3) for seed in seeds)
    small = (b for b in drawn if all(sum(u["strength"] for u in b[s]) <= 4 for s in ("attackers", "defenders")))
    return list(itertools.islice(small, number))


@pytest.mark.parametrize("data", small_battles(12), ids=range(12))
@pytest.mark.parametrize("who", ["attacker", "defender"])
def test_fire_is_as_every_throw_has_it(data, who):
    fight = hand.read_battle(data)
    fire = hand.read_fire(fight, who)
    strengths = {unit.id: unit.strength for unit in fight.enemies(who)}
    units = {unit.id: unit for unit in (*fight.attackers, *fight.defenders)}
    lines = hand.allocation_lines(fire)
    assert lines
    for plan in lines:
        shots = [
            (units[f].strength, hand.unit_fire(fight, who, units[f], units[t])["highest"], t)
            for f, t in pairs(plan).items()
        ]
        odds = situation(data).odds("fire_allocation_legal", who=who, allocation=pairs(plan))
        agree(odds, every_throw(shots, strengths), strengths)


@pytest.mark.parametrize("data", small_battles(12), ids=range(12))
def test_artillery_is_as_every_throw_has_it(data):
    fight = hand.read_battle(data)
    strengths = {unit.id: unit.strength for unit in fight.defenders}
    for row in hand.targetings(fight.defenders, 3, True):
        targets = [fight.defenders[number] for number in row]
        shots = [(1, hand.artillery_fire(fight, "attacker", target)["highest"], target.id) for target in targets]
        names = [target.id for target in targets]
        odds = situation(data).odds("artillery_sequence_legal", who="attacker", sequence=names)
        agree(odds, every_throw(shots, strengths), strengths)


# ---------------------------------------------------------------------- lists of plans
@pytest.mark.parametrize("seed", range(30))
def test_kinds_of_plans_and_targetings_hold_every_legal_one_once_and_stand_by_expected_loss(seed):
    # What the compiled engine joins, the reference engine lists one by one.
    data = random_battle(random.Random(seed))
    for who in ("attacker", "defender"):
        kinds = situation(data).plans("fire_allocations", top=1_000, who=who)
        single = situation(data, Edition("1999", engine="reference")).plans("fire_allocations", top=1_000, who=who)
        assert kinds.count == single.count == single.kinds == sum(odds.ways for odds in kinds.best)
        assert weighed(kinds.best) == weighed(single.best)
        lines = set(hand.allocation_lines(hand.read_fire(hand.read_battle(data), who)))
        assert {odds.plan for odds in kinds.best} <= lines
    for n in (0, 1, 3):
        found = situation(data).plans("artillery_targetings", top=1_000, who="attacker", n=n)
        wanted = hand.targetings(hand.read_battle(data).defenders, n, True)
        assert found.count == len(wanted) == sum(odds.ways for odds in found.best)
        names = [unit["id"] for unit in data["defenders"]]
        assert {odds.plan for odds in found.best} <= {",".join(names[number] for number in row) for row in wanted}
    found = situation(data).plans("fire_allocations", top=1_000, who="attacker").best
    keys = [(-odds.expected, odds.plan) for odds in found]
    assert keys == sorted(keys)


def weighed(plans):
    """Count the plans by what they do; how the losses are spread over targets without their names is part of it."""
    found = Counter()
    for odds in plans:
        found[odds.expected, tuple(sorted(loss.chances for loss in odds.losses))] += odds.ways
    return found


@pytest.mark.parametrize("seed", range(40))
def test_kinds_are_those_of_units_alike(seed):
    """Where units differ by kind and strength alone, plans are of one kind that fire the same units at the same."""
    rng = random.Random(seed)
    sides = [
        ", ".join(f"{rng.choice(('armor', 'foot'))} {rng.choice((1, 2))}" for _ in range(n)) for n in SIZES[seed % 8]
    ]
    data = battle(*sides)
    who = rng.choice(("attacker", "defender"))
    wanted = Counter(
        signature(data, plan) for plan in hand.allocation_lines(hand.read_fire(hand.read_battle(data), who))
    )
    found = situation(data).plans("fire_allocations", top=1_000, who=who)
    assert {signature(data, odds.plan): odds.ways for odds in found.best} == wanted
    assert found.kinds == len(wanted)


SIZES = ((2, 3), (3, 2), (4, 4), (5, 5), (5, 2), (2, 5), (6, 4), (4, 6))


def signature(data, plan):
    """Write a plan without names: for each target what it is and what fires at it."""
    looks = {unit["id"]: (unit["kind"], unit["strength"]) for unit in (*data["attackers"], *data["defenders"])}
    fired_at = {}
    for firer, target in pairs(plan).items():
        fired_at.setdefault(target, []).append(looks[firer])
    return tuple(sorted((looks[target], tuple(sorted(firers))) for target, firers in fired_at.items()))


def test_alike_targets_and_firers_make_one_kind_and_strength_tells_kinds_apart():
    # Two counters on two of three foot units: six orders, but three choices of whom.
    found = situation(battle("foot 6", "foot 1, foot 2, foot 3")).plans("artillery_targetings", who="attacker", n=2)
    assert (found.count, found.kinds, [odds.ways for odds in found.best]) == (6, 3, [2, 2, 2])
    found = situation(battle("foot 2, foot 2, foot 2", "foot 3, foot 3, foot 3")).plans(
        "fire_allocations", who="attacker"
    )
    assert (found.count, found.kinds, [odds.ways for odds in found.best]) == (6, 1, [6])
    # Who is stronger matters to the dice, though not to the rules on picking.
    found = situation(battle("foot 2, foot 3", "foot 3, foot 4")).plans("fire_allocations", who="attacker")
    assert [(odds.plan, odds.ways) for odds in found.best] == [("a1>d1,a2>d2", 1), ("a1>d2,a2>d1", 1)]


def test_only_the_first_are_shown():
    data = situation(battle("foot 1, foot 2, foot 3", "foot 4, foot 3, foot 2"))
    every, first = (data.plans("fire_allocations", top=top, who="attacker") for top in (9, 2))
    assert (first.kinds, len(first.best)) == (every.kinds, 2)
    assert first.best == every.best[:2]


@pytest.mark.parametrize("engine", ["compiled", "reference", "library"])
def test_too_many_plans_are_counted_and_not_compared(engine, monkeypatch):
    monkeypatch.setattr(module, "COMPARED", 5)
    found = situation(battle("foot 1, foot 2, foot 3", "foot 4, foot 3, foot 2"), Edition("1999", engine=engine)).plans(
        "fire_allocations", who="attacker"
    )
    assert (found.count, found.kinds, found.best) == (6, None, ())


def test_plans_are_compared_or_have_no_odds_and_a_stranger_has_no_chance():
    units = ", ".join(["foot 2"] * 6 + ["foot 3"] * 6)
    found = situation(battle(units, units)).plans("fire_allocations", who="attacker")
    # so many of the six weak fire at weak ones: 0 to 6
    assert (found.count, found.kinds) == (479_001_600, 7)
    assert sum(odds.ways for odds in found.best) == found.count
    data = situation(battle("armor 2, foot 2", "armor 2, foot 2"))
    assert data.odds("fire_allocation_legal", who="attacker", allocation=pairs("a1>d2,a2>d1")) is None
    assert data.odds("fire_allocation_legal", who="attacker", allocation={"a1": "d1"}) is None
    odds = situation(battle("foot 2", "foot 2")).odds("fire_allocation_legal", who="attacker", allocation={"a1": "d1"})
    with pytest.raises(InputError, match="`d9` is not a target"):
        odds.chance({"d9": 1})


# ---------------------------------------------------------------------- what cannot be asked
@pytest.mark.parametrize(
    ("ask", "query"), [("odds", "fire_allocations"), ("plans", "fire_allocation_legal"), ("odds", "combined_arms")]
)
def test_a_question_that_is_about_no_such_plan_is_bad_input(ask, query):
    data = situation(battle("foot 2", "foot 2"))
    inputs = {"fire_allocations": {"who": "attacker"}, "combined_arms": {}}.get(
        query, {"who": "attacker", "allocation": {"a1": "d1"}}
    )
    with pytest.raises(InputError, match="dice are rolled for"):
        getattr(data, ask)(query, **inputs)
