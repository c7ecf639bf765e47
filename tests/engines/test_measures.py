"""Numbers in parts of a unit: three engines on random maps against plain loops over fractions."""

import itertools
import random
from fractions import Fraction

import pytest
from titm_rules.checker.link import link_model
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.explain.phrasing import Words
from titm_rules.ir.types import Amount, Measure, read_amount, read_share
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.world import World

RULES = """
game "Thirds".
type mp is number in 12 parts.
type day is dry, wet.
place hex has bog: flag default no.
connection trail has ends: pair of place, toll: mp 0 to 5 default 1/3.
piece scout has
  place: place, legs: number 0 to 9, boots: mp or nothing default nothing, friend: scout or nothing default nothing.
situation field has hexes: list of hex, trails: list of trail, scouts: list of scout.
table rate by day gives mp.
define mp price of way: trail to h: hex.
define mp purse of s: scout.
define mp or nothing loan of s: scout.
define number whole of m: mp.
define number up of m: mp.
define number trips of s: scout by m: mp.
define flag rich of s: scout.
define flag exact of s: scout.
define mp spread on field.
route march on field: mover who: scout, crosses way: trail from start to goal, paid in mp.

clause 1 "Prices"
  "A trail has its toll, and half as much again into a bog; on wet days a third more."
  price is toll of way when not bog of h.
  price is toll of way + 3 * toll of way / 2 rounded up * 1/4 when bog of h.
  march costs price of way to goal + rate of wet.
  march has purse of who points.
  rate: dry 0, wet 1/3.

clause 2 "Purses"
  "Legs are whole points, boots are a loan; a scout has 1/4 at least and 7 1/2 at most."
  loan is boots of s.
  purse is least of (most of (legs of s + loan of s - 1/2, 1/4), 7 1/2).

clause 3 "Whole ones"
  "Counted up and down; trips are how often an amount is in a purse."
  whole is m / 1 rounded down.
  up is m / 1 rounded up.
  trips is purse of s / m rounded down.
  rich holds when purse of s is more than 4 or loan of s is one of (1/2, 1, 1 1/3).
  exact holds when purse of s is legs of s.
  spread is highest toll of w over w in trails - lowest toll of w over w in trails.
"""
MODEL = link_model([parse_rules(RULES, "thirds.rules")], "test")
MARCH = MODEL.forms["march"]
MP = Measure("mp", 12)


def random_field(seed):
    rng = random.Random(seed)
    names = [f"h{n}" for n in range(rng.randint(3, 5))]
    pairs = [pair for pair in itertools.combinations(names, 2) if rng.random() < 0.7] or [("h0", "h1")]
    trails = [{"id": f"t{n}", "ends": list(pair), "toll": rng.randint(0, 30)} for n, pair in enumerate(pairs)]
    boots = rng.choice([None, 6, 12, 16, rng.randint(0, 40)])
    return {
        "hexes": [{"id": name, "bog": rng.random() < 0.3} for name in names], "trails": trails,
        "scouts": [{"id": "s", "place": "h0", "legs": rng.randint(0, 6), "boots": boots}],
    }  # fmt: skip


def purse(scout):
    """Work a purse out in points."""
    return min(max(scout["legs"] + Fraction(scout["boots"] or 0, 12) - Fraction(1, 2), Fraction(1, 4)), Fraction(15, 2))


def ends_by_hand(data):
    """Walk everywhere that the purse pays for, in points."""
    bogs = {row["id"] for row in data["hexes"] if row["bog"]}
    best, going = {"h0": Fraction(0)}, ["h0"]
    while going:
        here = going.pop()
        for trail in data["trails"]:
            if here in trail["ends"]:
                [there] = set(trail["ends"]) - {here}
                toll = Fraction(trail["toll"], 12)
                price = toll + (-(-3 * toll // 2) * Fraction(1, 4) if there in bogs else 0)
                spent = best[here] + price + Fraction(1, 3)
                if spent <= purse(data["scouts"][0]) and (there not in best or spent < best[there]):
                    best[there] = spent
                    going.append(there)
    return {name: cost for name, cost in best.items() if name != "h0"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("part", range(4))
def test_ends_cost_what_plain_loops_over_fractions_say(part, engine):
    for seed in range(10 * part, 10 * part + 10):
        here = make_engine(engine, MODEL, World(MODEL, "field", random_field(seed), "$"))
        found = here.ends(MARCH, here.world.root.scouts[0], {})
        assert {place.id: Fraction(cost, 12) for place, cost in found.items()} == ends_by_hand(random_field(seed)), seed


@pytest.mark.parametrize("engine", ENGINES)
def test_values_are_those_of_fractions(engine):
    seen = set()
    for seed in range(60):
        data = random_field(seed)
        here = make_engine(engine, MODEL, World(MODEL, "field", data, "$"))
        [scout], row = here.world.root.scouts, data["scouts"][0]
        has, third, tolls = purse(row), Fraction(1, 3), [trail["toll"] for trail in data["trails"]]
        told = {
            "purse": has * 12, "loan": row["boots"], "exact": has == row["legs"],
            "rich": has > 4 or row["boots"] in (6, 12, 16), "trips": has // third, "spread": max(tolls) - min(tolls),
        }  # fmt: skip
        env = {"s": scout, "m": 4}
        assert {name: here.decide(name, env) for name in told} == told, seed
        for number in (0, 1, 11, 12, 13, 30):
            rounded = [here.decide(name, {"m": number}) for name in ("whole", "up")]
            assert rounded == [number // 12, -(-number // 12)]
        seen |= {(told["exact"], told["rich"], row["boots"] is None)}
    assert all(set(found) == {True, False} for found in zip(*seen, strict=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_plain_number_that_may_be_nothing_stays_nothing(engine):
    text = RULES.replace("loan is boots of s.", "loan is legs of friend of s.")
    model = link_model([parse_rules(text, "thirds.rules")], "test")
    data = random_field(0)
    data["scouts"] += [{"id": "t", "place": "h0", "legs": 2, "friend": "s"}]
    data["scouts"][0]["legs"] = 3
    here = make_engine(engine, model, World(model, "field", data, "$"))
    one, other = here.world.root.scouts
    assert (here.decide("loan", {"s": one}), here.decide("loan", {"s": other})) == (None, 36)


def test_what_is_worked_out_is_told_in_the_unit():
    data = {**random_field(0), "scouts": [{"id": "s", "place": "h0", "legs": 2, "boots": 10}]}
    world = World(MODEL, "field", data, "$")
    words = Words(Evaluator(MODEL, world, make_engine("compiled", MODEL, world)))
    assert words.value(MODEL.heads["purse"], {"s": world.root.scouts[0]}) == "2 1/3"


@pytest.mark.parametrize(
    ("text", "parts"),
    [("0", 0), ("3", 36), ("1/3", 4), ("4/3", 16), ("1 1/3", 16), ("-1 1/3", -16), ("2/24", 1), ("1/5", None),
     ("", None), ("1 2", None), ("1/0", None), ("0.5", None), ("1/3 ", None), ("\u0663", None)],
)  # fmt: skip
def test_texts_are_read_as_parts(text, parts):
    assert read_amount(text, MP) == parts


@pytest.mark.parametrize("parts", [2, 3, 12])
def test_what_is_written_is_read_back(parts):
    for number in range(-40, 41):
        written = Amount(number, parts)
        assert read_amount(str(written), Measure("unit", parts)) == number == written
        assert read_share(f"{written}") == Fraction(number, parts)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_bars_the_start_of_a_route_does_not_bar_its_reach(engine):
    """A clause that asks what a way costs does not ask whether the mover may set out now, as with traces."""
    barred = RULES + 'clause 4 "Rest" "A scout rests." march may not start when legs of who is less than 10.'
    model, shown = link_model([parse_rules(barred, "thirds.rules")], "test"), 0
    for seed in range(20):
        here, free = (make_engine(engine, one, World(one, "field", random_field(seed), "$")) for one in (model, MODEL))
        (scout, other), march = (one.world.root.scouts[0] for one in (here, free)), model.forms["march"]
        assert here.ends(march, scout, {}) == {}
        costs = [here.reach(march, scout, None, place) for place in here.world.places]
        assert costs == [free.reach(MARCH, other, None, place) for place in free.world.places]
        shown += sum(cost is not None and cost > 0 for cost in costs)
    assert shown
