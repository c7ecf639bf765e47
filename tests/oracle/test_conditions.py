"""Conditions on choices, and the best of them, against brute force; and the parts of reasons why there is none."""

import operator
import random
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.engines.factory import make_engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.ir.model import head_key
from titm_rules.oracle.planning import choices_where

from tests.builders import battle
from tests.worlds import EDITIONS, chance, random_battle

ROOT = Path(__file__).resolve().parents[2]
SIZES = {
    "at least": operator.ge, "at most": operator.le, "": operator.eq, "not": operator.ne, "not more than": operator.le,
    "not at least": operator.lt,
}  # fmt: skip


def position(data, **edition):
    return Position.from_dict(data, Edition(**edition), "battle")


def random_condition(rng, question, own, enemy, depth=2):
    """Make the text of a condition, and a function of a line such as `a1>d2,a2>d1` or `d1,d1` that judges it."""
    kind = rng.choice(("pick", "picked", "count", "dice", "not", "and", "or") if depth else ("pick", "picked", "count"))
    target = rng.choice(enemy)["id"]
    picks = lambda line: [pair.split(">")[-1] for pair in line.split(",") if pair]  # noqa: E731
    if kind in ("and", "or"):
        parts = [random_condition(rng, question, own, enemy, depth - 1) for _ in range(2)]
        joined = all if kind == "and" else any
        return f"({parts[0][0]} {kind} {parts[1][0]})", lambda line: joined(holds(line) for _, holds in parts)
    if kind == "not":
        text, holds = random_condition(rng, question, own, enemy, depth - 1)
        return f"not ({text})", lambda line: not holds(line)
    if kind == "pick" and question == "fire_allocations":
        who = rng.choice(own)["id"]
        pair, text = f"{who}>{target}", rng.choice((f"{who}>{target}", f"{target} is shot at by {who}"))
        return text, lambda line: pair in line.split(",")
    word, number = rng.choice(list(SIZES)), rng.randint(0, 4)
    if kind == "dice":
        strength = {one["id"]: one["strength"] for one in own}

        def dice(line):
            pairs = [pair.partition(">")[::2] for pair in line.split(",") if pair]
            return sum(strength[who] if other else 1 for who, other in pairs if (other or who) == target)

        return f"dice at {target} is {word} {number}", lambda line: SIZES[word](dice(line), number)
    if kind == "picked":
        return f"{target} is picked", lambda line: target in picks(line)
    return f"picks of {target} is {word} {number}", lambda line: SIZES[word](picks(line).count(target), number)


def puts(amount, first=0):
    """Yield battles with a question, its input and some conditions, all random."""
    for seed in range(first, first + amount):
        rng = random.Random(seed)
        data, who = random_battle(rng), rng.choice(("attacker", "defender"))
        own, enemy = (data["attackers"], data["defenders"])[:: 1 if who == "attacker" else -1]
        question, given = ("fire_allocations", {"who": who})
        if chance(rng, 0.3):
            question, given = "artillery_targetings", {"who": who, "n": rng.randint(0, 4)}
        wanted = [random_condition(rng, question, own, enemy) for _ in range(rng.randint(1, 3))]
        yield rng, data, question, given, wanted


def all_of(place, question, given):
    asked = place.asked(question, given)
    from titm_rules.engines.engine import line  # the lines that the protocol writes

    return [line(asked.choice_form()[0], picked) for picked in asked.engine.choices(*asked.choice_form())]


def brute(place, question, given, wanted):
    return sorted(line for line in all_of(place, question, given) if all(holds(line) for _, holds in wanted))


@pytest.mark.parametrize("engine", ["compiled", "library"])
@pytest.mark.parametrize("first", [0, *(pytest.param(part * 10**6, marks=pytest.mark.slow) for part in range(1, 11))])
def test_what_meets_conditions_is_what_brute_force_finds(engine, first):
    found = 0
    for rng, data, question, given, wanted in puts(60 if not first else 200, first):
        edition = rng.choice(EDITIONS)
        lines = brute(position(data, date=edition, engine="reference"), question, given, wanted)
        choices = position(data, date=edition, engine=engine).choices(
            question, where=[text for text, _ in wanted], top=1_000, **given
        )
        assert (choices.count, [one.plan for one in choices.listed]) == (len(lines), lines), (data, question, wanted)
        found += bool(lines)
    assert found > 10


@pytest.mark.parametrize("first", [0, *(pytest.param(part * 10**6, marks=pytest.mark.slow) for part in range(1, 6))])
def test_the_best_are_those_of_the_odds_of_each(first):
    seen = 0
    for rng, data, question, given, wanted in puts(80 if not first else 400, first + 5 * 10**7):
        if question != "fire_allocations":
            continue
        place, enemy = position(data), data["defenders" if given["who"] == "attacker" else "attackers"]
        target, most = rng.choice(enemy)["id"], rng.random() < 0.7
        degree = "most" if most else "least"
        for best, value in (
            (f"{degree} chance to destroy {target}", lambda loss, target=target: loss[target].destroyed),
            (f"{degree} expected loss", lambda loss: sum((one.expected for one in loss.values()), Fraction(0))),
        ):
            lines = brute(place, question, given, wanted)
            plans = ({line: dict(pair.split(">") for pair in line.split(",") if pair)} for line in lines)
            values = {
                line: value({loss.target: loss for loss in place.odds(
                    "fire_allocation_legal", who=given["who"], allocation=plan).losses})
                for pair in plans for line, plan in pair.items()
            }  # fmt: skip
            choices = place.choices(question, where=[text for text, _ in wanted], best=best, top=3, **given)
            order = sorted(values, key=lambda line: (-values[line] if most else values[line], line))[:3]
            assert [(one.plan, one.value) for one in choices.listed] == [(line, values[line]) for line in order]
            seen += len(order)
    assert seen > 40


def is_possible(asked, clauses, where):
    """Whether a choice meets conditions under some clauses on the choice alone, by the engine that is compared with."""
    model, key = asked.model, head_key(asked.choice_form()[0].name, "choose")
    statements = tuple(one for one in model.heads[key].statements if one.clause in clauses)
    model = replace(model, heads={**model.heads, key: replace(model.heads[key], statements=statements)})
    engine = make_engine("reference", model, asked.world)
    bound = BoundQuestion(model, asked.question, engine, asked.world, asked.raw, asked.path)
    return choices_where(bound, where).count > 0


@pytest.mark.parametrize("first", [0, *(pytest.param(part * 10**6, marks=pytest.mark.slow) for part in range(1, 6))])
def test_each_part_of_a_reason_is_necessary(first):
    reasons = 0
    for _, data, question, given, wanted in puts(100 if not first else 400, first + 9 * 10**7):
        place, where = position(data), [text for text, _ in wanted]
        if not place.choices(question, where=where, top=0, **given).count:
            reasons += check_reason(place, question, given, where)
    assert reasons > 20


def check_reason(place, question, given, where):
    """See that nothing meets the conditions and clauses of the reason why none does, and something all but any one."""
    choices = place.choices(question, where=where, **given)
    assert choices.is_explained
    asked, parts = place.asked(question, given), [*choices.conditions, *choices.clauses]
    assert not is_possible(asked, parts, choices.conditions)
    for part in parts:
        rest = [one for one in parts if one != part]
        assert is_possible(asked, rest, [one for one in choices.conditions if one != part]), (place.to_dict(), part)
    return True


# ---------------------------------------------------------------------- sets
def crowd(rng):
    """Make a place that too many may stand in, of one of two games, with the question who has to leave."""
    number = rng.randint(1, 6)
    if chance(rng, 0.5):
        strengths = [rng.randint(1, 4) for _ in range(number)]
        units = [{"id": f"u{n}", "side": "German", "kind": rng.choice(("foot", "armor", "engineer")), "strength": one,
                  "place": "x"} for n, one in enumerate(strengths)]  # fmt: skip
        data = {"day": 17, "impulse": 2, "side_to_move": "German", "areas": [{"id": "x"}], "connections": []}
        return "titm", rng.choice(EDITIONS), {**data, "units": units}, "overstack_eliminations", {"place": "x"}
    units = [{"id": f"u{n}", "side": "German", "kind": rng.choice(("armor", "infantry")), "allowance": 5, "strength": 4,
              "er": 3, "place": "A1"} for n in range(number)]  # fmt: skip
    data = {"turn": "17AM", "phasing": "German", "phase": "movement", "hexes": [{"id": "A1", "terrain": "clear"}]}
    data |= {"hexsides": [], "options": ["22"], "stack_limit": rng.randint(1, 3), "units": units}
    those = rng.sample([unit["id"] for unit in units], rng.randint(1, number))
    return "bitterwoods", "2014", data, "challenge_overstack", {"hex": "A1", "challengers": those}


@pytest.mark.parametrize("first", [0, *(pytest.param(part * 10**6, marks=pytest.mark.slow) for part in range(1, 6))])
def test_sets_that_meet_conditions_are_what_brute_force_finds(first):
    found = reasons = 0
    for seed in range(first, first + (60 if not first else 200)):
        rng = random.Random(seed)
        game, edition, data, question, given = crowd(rng)
        given = {**given, "side": "German"}
        named = given.get("challengers", [unit["id"] for unit in data["units"]])
        own = [{"id": name} for name in named]
        wanted = [random_set_condition(rng, own) for _ in range(rng.randint(0, 2))]
        where = [text for text, _ in wanted]
        plain, *others = (
            Position.from_dict(data, Edition(edition, game=game, engine=engine))
            for engine in ("reference", "compiled", "library")
        )
        lines = brute(plain, question, given, wanted)
        for place in others:
            choices = place.choices(question, where=where, top=1_000, **given)
            assert (choices.count, sorted(one.plan for one in choices.listed)) == (len(lines), lines), (seed, where)
        found += bool(lines)
        if not lines:
            reasons += check_reason(others[0], question, given, where)
    assert found > 20
    assert reasons > 5


def random_set_condition(rng, own):
    text, holds = random_condition(rng, "overstack_eliminations", [], own)
    while "dice" in text:
        text, holds = random_condition(rng, "overstack_eliminations", [], own)
    return text, holds


# ---------------------------------------------------------------------- against the reply of the other side
def loss_to(place, best, plan, names):
    """Give the chance that a plan of the attacker destroys some units, or what they lose to it on average."""
    losses = place.odds("fire_allocation_legal", who="attacker", allocation=plan).losses
    values = [one.destroyed if "destroy" in best else one.expected for one in losses if one.target in names]
    return prod(values, start=Fraction(1)) if "destroy" in best else sum(values, Fraction(0))


def value_by_hand(place, plan, best, names, stated):
    """Let the defender's plan be rolled for in every way, and take the attacker's worst reply to each, or one."""
    data, total = place.to_dict(), Fraction(0)
    losses = place.odds("fire_allocation_legal", who="defender", allocation=read(plan)).losses
    for outcome in product(*(list(enumerate(loss.chances)) for loss in losses)):
        probability = prod((chance for _, chance in outcome), start=Fraction(1))
        if not probability:
            continue
        lost = {loss.target: number for loss, (number, _) in zip(losses, outcome, strict=True)}
        rows = [{**one, "strength": one["strength"] - lost[one["id"]]} for one in data["attackers"]]
        gone = [
            {"id": one["id"], "kind": one["kind"], "arrival": one.get("arrival", "road")}
            for one in rows if one["strength"] == 0
        ]  # fmt: skip
        left = [one for one in rows if one["strength"]]
        if not left:
            continue
        after = position({**data, "attackers": left, "fallen": [*data.get("fallen", ()), *gone]})
        plans = [read(one) for one in all_of(after, "fire_allocations", {"who": "attacker"})]
        if stated:
            differing = [sum(plan[who] != stated[who] for who in plan) for plan in plans]
            plans = [plan for plan, number in zip(plans, differing, strict=True) if number == min(differing)][:1]
        worst = min if best.startswith("most") else max
        total += probability * worst(loss_to(after, best, plan, names) for plan in plans)
    return total


def read(line):
    return dict(pair.split(">") for pair in sorted(line.split(",")) if pair)


@pytest.mark.parametrize(
    ("first", "amount"), [(0, 6), *(pytest.param(part * 10**6, 40, marks=pytest.mark.slow) for part in range(1, 6))]
)
def test_what_choosers_lose_to_the_reply_is_what_brute_force_finds(first, amount):
    for seed in range(first, first + amount):
        rng = random.Random(seed)
        data = random_battle(rng)
        data["attackers"], data["defenders"] = data["attackers"][:3], data["defenders"][:3]
        place = position(data)
        data = place.to_dict()
        names = [one["id"] for one in rng.sample(data["defenders"], rng.randint(1, min(2, len(data["defenders"]))))]
        best = f"{rng.choice(('least', 'most'))} {rng.choice(('chance to destroy', 'expected loss of'))} "
        best += " and ".join(names)
        replies = sorted(all_of(place, "fire_allocations", {"who": "attacker"}))
        against = rng.choice(("worst", rng.choice(replies)))
        stated = {} if against == "worst" else read(against)
        found = place.choices("fire_allocations", best=best, against=against, top=100, who="defender")
        plans = sorted(all_of(place, "fire_allocations", {"who": "defender"}))
        values = {plan: value_by_hand(place, plan, best, names, stated) for plan in plans}
        order = sorted(values, key=lambda one: (-values[one] if best.startswith("most") else values[one], one))
        assert [(one.plan, one.value) for one in found.listed] == [(one, values[one]) for one in order[:100]], seed


@pytest.mark.parametrize(
    ("who", "best", "against", "message"),
    [
        ("defender", "least expected loss of d1", "", "against which reply"),
        ("defender", "least expected loss of d1", "a1>d9", "the other side may not choose `a1>d9`"),
        ("defender", "least expected loss of d1 and a1", "worst", "of both sides"),
        ("defender", "least expected loss of a1", "worst", "no reply of the other side matters here"),
        ("defender", "", "worst", "no reply of the other side matters here"),
        ("attacker", "least expected loss of a1", "worst", "no `a1` can be picked here"),
    ],
)
def test_a_bad_reply_is_a_clear_fault(who, best, against, message):
    with pytest.raises(InputError, match=message):
        position(battle("foot 1", "foot 2")).choices("fire_allocations", best=best, against=against, who=who)


def test_too_many_plans_have_no_best(monkeypatch):
    monkeypatch.setattr("titm_rules.oracle.planning.MAX_FOUND", 5)
    place = position(battle("foot 2, foot 2, foot 2", "foot 2, foot 2, foot 2"))
    found = place.choices("fire_allocations", who="attacker", top=1)
    assert (found.count, found.is_all) == (5, False)
    with pytest.raises(InputError, match="too many choices to compare"):
        place.choices("fire_allocations", best="most expected loss", who="attacker")


def test_conditions_compare_by_the_words_of_clauses():
    grammars = [(ROOT / "grammar" / f"{name}.lark").read_text() for name in ("titm", "conditions")]
    found = [set(re.findall(r'"(at|more|less|one)" "(least|most|than|of)"[^\n]*-> (\w+)', text)) for text in grammars]
    assert {alias for _, _, alias in found[1]} == {"at_least", "at_most", "more_than", "less_than", "one_of"}
    assert found[1] <= found[0]


@pytest.mark.parametrize(
    ("where", "best", "message"),
    [
        ("a1>x", "", "no `x` can be picked here"), ("x>d1", "", "no `x` picks here"),
        ("a1=d1", "", "`=d1` is not expected"), ("a1>d1 and", "", "`and` is not expected here"),
        ("not " * 300 + "a1>d1", "", "the condition is too long"),
        ("", "", "something is missing at the end"), ("a1>d1", "most luck", "`luck` is not expected here"),
        ("a1>d1", "most expected loss of a1", "no `a1` can be picked here"),
    ],
)  # fmt: skip
def test_a_bad_condition_is_a_clear_fault(where, best, message):
    with pytest.raises(InputError, match=message):
        position(battle("foot 1", "foot 2")).choices("fire_allocations", where=[where], best=best, who="attacker")


def test_counters_without_names_are_chosen_and_not_picked_by_name():
    place = position(battle("foot 6", "foot 2, foot 1"))
    assert place.choices("artillery_targetings", where=["d1 is shot at by at least 2"], who="attacker", n=2).count == 0
    with pytest.raises(InputError, match="nothing has the name `a1` that could pick here"):
        place.choices("artillery_targetings", where=["a1>d1"], who="attacker", n=2)
    with pytest.raises(InputError, match="`to_hit` lists no choices"):
        place.choices("to_hit", firing="a1", target="d1", who="attacker")


def test_sets_take_conditions_too():
    units = [
        {"id": f"u{n}", "side": "German", "kind": "foot", "strength": strength, "place": "x"}
        for n, strength in enumerate((2, 3, 3, 3))
    ]
    data = {"day": 17, "impulse": 2, "side_to_move": "German", "areas": [{"id": "x"}], "units": units}
    place = Position.from_dict({**data, "connections": []})
    asked = {"place": "x", "side": "German"}
    found = place.choices("overstack_eliminations", where=["u1 is picked"], **asked)
    assert [one.plan for one in found.listed] == ["u1"]
    none = place.choices("overstack_eliminations", where=["u1 is picked", "u2 is picked"], **asked)
    assert (none.count, none.conditions, none.is_explained) == (0, ("u1 is picked", "u2 is picked"), True)
    assert none.clauses
    with pytest.raises(InputError, match="no dice are thrown for these choices"):
        place.choices("overstack_eliminations", where=["dice at u1 is 2"], **asked)
