"""Claims of rule sets: what is proved fails in no situation, what fails is never proved, and claims change nothing."""

from dataclasses import replace
from functools import cache, partial
from random import Random

import pytest
from titm_rules.compare.claims import (
    CHOSEN_READINGS,
    EVERY_READING,
    OPEN,
    PROVED,
    REFUTED,
    check_claims,
    lost_claims,
    prove_claim,
)
from titm_rules.compare.counterexamples import read_search
from titm_rules.compare.prove import repeat
from titm_rules.compare.rule_pair import ModelPair, checked_runner, specialize
from titm_rules.compare.small_worlds import DeclaredWorlds, WorldSampler
from titm_rules.diagnostics import InputError
from titm_rules.editions.house_rules import HouseRules
from titm_rules.editions.load import load_model
from titm_rules.engines.factory import make_engine
from titm_rules.ir.model import CLAIMED

from tests.sampling import one_in
from tests.worlds import random_position

pytest.importorskip("z3")
pytest.importorskip("cvc5")

FORD, TITM = "cold-ford", "titm"


@cache
def with_claims(text, game=FORD, edition="1"):
    """Give rules that make some claims of their own."""
    return load_model(edition, game, (HouseRules("claims", text),))


def fails(model, claim, data, inputs, engine="library"):
    """Whether a claim fails in a situation, by an engine that the search does not ask; nothing if it makes no sense."""
    model = replace(model, questions={**model.questions, claim.name: claim})
    try:
        runner, raw = checked_runner(model, claim, data, inputs)
        return runner.answer(model, claim, raw, partial(make_engine, engine, model)) == {CLAIMED: False}
    except InputError:
        return None


# ---------------------------------------------------------------------- what ships
SHIPPED = [
    # The rules have held since the first sheet: the book says so in words, and no sheet changes it.
    *((TITM, edition, name, PROVED, EVERY_READING) for edition in ("1994-11-01", "1999", "2016-10-01")
      for name in ("enemies-stop", "enemies-to-enemies", "bridges-for-armor", "supplied-ends", "demolition-on-eight",
                   "demolition-by-infantry")),
    # R19 leaves the river open until the sheet of 2002 closes it.
    (TITM, "1999", "no-wading", PROVED, CHOSEN_READINGS), (TITM, "2002-07-25", "no-wading", PROVED, EVERY_READING),
    # Only the sheet of 2016 bars the lines.
    (TITM, "2002-07-25", "lines-on-the-first-day", REFUTED, ""),
    (TITM, "2016-10-01", "lines-on-the-first-day", PROVED, EVERY_READING),
    # Special forces come in August 1996, and from November on each effect is for once.
    (TITM, "1994-11-01", "five-points-a-step", PROVED, EVERY_READING),
    (TITM, "1999", "five-points-a-step", REFUTED, ""), (TITM, "1994-11-01", "effects-once", PROVED, EVERY_READING),
    (TITM, "1996-08-01", "effects-once", REFUTED, ""), (TITM, "1996-11-01", "effects-once", PROVED, EVERY_READING),
    # Stops are no bars, so that no lemma sees it.
    (TITM, "1999", "one-area", OPEN, ""), (FORD, "1", "short-marches", OPEN, ""),
    *((FORD, "1", name, PROVED, EVERY_READING) for name in ("zones-stop", "dry-feet", "one-unit-a-hex")),
    (FORD, "1", "way-out", REFUTED, ""),
    *(("bitterwoods", edition, name, PROVED, EVERY_READING) for edition in ("2014", "2014-qa")
      for name in ("cheap-roads", "enemies-bar")),
    ("bitterwoods", "2014", "two-points-a-hex", OPEN, ""), ("bitterwoods", "2014", "one-hex", REFUTED, ""),
]  # fmt: skip


@pytest.mark.parametrize(("game", "edition", "name", "verdict", "under"), [
    pytest.param(*row, marks=pytest.mark.slow if row[0] == TITM and row[3] == OPEN else ()) for row in SHIPPED
])  # fmt: skip
def test_a_claim_that_ships_is_proved_refuted_or_open(game, edition, name, verdict, under):
    model = load_model(edition, game)
    [result] = check_claims(model, read_search(game), [name])
    assert (result.verdict, result.under) == (verdict, under)
    claims = list(repeat(result.certificates))
    assert claims == [True] * (verdict == PROVED)
    if verdict == REFUTED or under == CHOSEN_READINGS:
        found = result.refutation
        rules = model.with_readings(found.readings)
        assert bool(found.readings) == (verdict == PROVED)
        assert fails(rules, model.claims[name], found.data, found.inputs)
    if verdict == OPEN:
        assert {one.size is None for one in result.searches} == {True, False}
        if game == FORD:  # of size 9 there are more worlds than are asked, and none is smaller
            assert not any(one.is_finished for one in result.searches)


@pytest.mark.parametrize(("game", "edition"), [(TITM, "1999"), (FORD, "1"), ("bitterwoods", "2014")])
def test_every_claim_that_ships_is_expected_above(game, edition):
    assert {name for known, _, name, _, _ in SHIPPED if known == game} == set(load_model(edition, game).claims)


def test_a_claim_that_a_later_edition_gives_up_is_named():
    older, newer = load_model("1994-11-01"), load_model("1996-08-01")
    lost = {one.claim: one.verdict for one in lost_claims(older, newer, read_search())}
    assert lost == {"five-points-a-step": REFUTED, "effects-once": REFUTED}
    assert list(lost_claims(load_model("2002-07-25"), load_model("2016-10-01"), read_search())) == []


def test_claims_change_nothing_that_is_decided():
    plain = load_model("1", FORD)
    claiming = with_claims('claim another "More." on position takes u: unit: u is in-supply.\n')
    assert set(claiming.claims) == {*plain.claims, "another"}
    assert claiming.digests.rules == plain.digests.rules
    for part in ("heads", "forms", "questions", "events", "readings"):
        assert getattr(claiming, part) == getattr(plain, part), part


# ---------------------------------------------------------------------- false claims
OF_STEP = "(with u = u, way = way, place-left = place of u, place-entered = into)"
FALSE_OF_FORD = [
    "takes u: unit: u is in-supply",
    "takes u: unit: u is not in-supply",
    "takes u: unit: u is in-supply when depot of (place of u) is possible",
    "takes h: hex, s: side: h is not zoned against s",
    "takes h: hex: h is zoned against red when h is zoned against blue",
    f"takes u: unit, way: hexside, into: hex: not step of march {OF_STEP} when into is zoned against side of u",
    f"takes u: unit, way: hexside, into: hex: not step of march {OF_STEP} when river of way",
    f"takes u: unit, way: hexside, into: hex: not stop of march {OF_STEP}",
    f"takes u: unit, way: hexside, into: hex: stop of march {OF_STEP} when river of way",
    f"takes u: unit, way: hexside, into: hex: cost of march {OF_STEP} is 1",
    f"takes u: unit, way: hexside, into: hex: cost of march {OF_STEP} is at least 2 when ford of way",
    "takes u: unit, h: hex: cost of march (with u = u, end = h) is at most 2 when h is in ends of march (with u = u)",
    "takes u: unit, h: hex: some w in hexsides touching h where place of u is in ends of w when h is in ends of march "
    "(with u = u)",
    "takes u: unit, h: hex: h is not zoned against side of u when h is in ends of march (with u = u)",
    "takes u: unit, h: hex: h is in ends of march (with u = u) when h is not place of u and h is not held against "
    "side of u",
    "takes d: unit: assault of d is at most 3 when assault of d is possible",
    "takes d: unit: assault of d is at least 2",
    "takes d: unit: defence of d is at most strength of d",
    "takes d: unit: force of d is strength of d",
    "takes d: unit: attack of d is at least defence of d when some (attackers of d)",
    "takes d: unit: not some (attackers of d)",
    "takes h: hex, d: unit: h is refuge for d",
    "takes way: hexside: way is closed when river of way",
    "takes u: unit: supply of u is 0 when supply of u is possible",
    "takes u: unit, v: unit: u is in-supply when v is in-supply and side of u is side of v",
]  # fmt: skip
STEP = "(with stack = u, foot-mode = no, way = way, place-left = place of u, place-entered = into)"
FALSE_OF_TITM = [
    f"takes u: unit, way: link, into: area: not step of move {STEP} when into is hostile for u",
    f"takes u: unit, way: link, into: area: stop of move {STEP} when place of u is hostile for u",
    f"takes u: unit, way: link, into: area: cost of move {STEP} is at most 4",
    f"takes u: unit, way: link, into: area: not step of move {STEP} when way is unbridged",
    "takes u: unit, into: area: u is in-supply at into when into is in ends of move (with stack = u, foot-mode = no)",
    "takes u: unit, on-foot: flag: u is afoot for on-foot",
    "takes u: unit, way: link, s: list of unit: demolition of u at way against s is at most 4 when demolition of u at "
    "way against s is possible",
    "takes u: unit, way: link: construction of u at way is at most 4 when construction of u at way is possible",
    "takes choice: effect: choice is available",
]  # fmt: skip


def verdict_of(condition, game, edition):
    """Check one claim, about positions."""
    text = f'claim tried "It is tried." on position {condition}.\n'
    model = with_claims(text, game, edition)
    [result] = check_claims(model, read_search(game), ["tried"])
    return model, result


@pytest.mark.parametrize(("condition", "game", "edition"), one_in(5, [
    *((condition, FORD, "1") for condition in FALSE_OF_FORD),
    *((condition, TITM, "1999") for condition in FALSE_OF_TITM),
]))  # fmt: skip
def test_a_false_claim_is_refuted_or_open_and_never_proved(condition, game, edition):
    model, result = verdict_of(condition, game, edition)
    assert result.verdict in (REFUTED, OPEN)
    assert result.certificates == []
    if result.verdict == REFUTED:
        found = result.refutation
        assert fails(model, model.claims["tried"], found.data, found.inputs)


@pytest.mark.parametrize(("condition", "counts"), [
    ("takes u: unit: u is in-supply", {"hexes": 1, "units": 1}),
    ("takes h: hex, s: side: h is not zoned against s", {"hexes": 2, "hexsides": 1, "units": 1}),
])  # fmt: skip
def test_a_refutation_has_no_record_that_it_does_not_need(condition, counts):
    """A zone reaches into the hex beside that of a unit; supply needs a depot, which nobody has."""
    _, result = verdict_of(condition, FORD, "1")
    data = result.refutation.data
    assert {name: len(rows) for name, rows in data.items() if isinstance(rows, list) and rows} == counts


@pytest.mark.slow
def test_most_false_claims_are_refuted():
    found = [verdict_of(condition, FORD, "1")[1].verdict for condition in FALSE_OF_FORD]
    found += [verdict_of(condition, TITM, "1999")[1].verdict for condition in FALSE_OF_TITM]
    assert len(found) > 30
    assert found.count(REFUTED) >= 30


# ---------------------------------------------------------------------- random claims and random worlds
ATOMS = [
    f"step of march {OF_STEP}", f"stop of march {OF_STEP}", f"cost of march {OF_STEP} is 1",
    f"cost of march {OF_STEP} is at least 2", "river of way", "ford of way", "way is closed",
    "into is held against side of u", "into is zoned against side of u", "place of u is zoned against side of u",
    "u is in-supply", "supply of u is possible", "depot of (place of u) is side of u", "terrain of into is wood",
    "into is in ends of march (with u = u)", "assault of u is at least 3", "assault of u is possible",
    "defence of u is more than force of u", "strength of u is 1", "into is refuge for u",
    "some v in units standing at into where its side is not side of u", "some units standing at into",
]  # fmt: skip

FIELDS = {"river of way", "ford of way", "depot of (place of u) is side of u", "terrain of into is wood",
          "strength of u is 1", "some v in units standing at into where its side is not side of u",
          "some units standing at into"}  # fmt: skip


def random_claim(rng):
    """Draw a claim in which one of two things holds wherever one or two others do."""
    drawn = rng.sample(ATOMS, rng.choice((2, 3, 3, 4)))
    if all(one in FIELDS for one in drawn):  # it has to ask something that clauses decide
        return random_claim(rng)
    first, *rest = (one if rng.random() < 0.6 else f"not ({one})" for one in drawn)
    claimed = f"({first}) or ({rest.pop()})" if len(rest) > 1 and rng.random() < 0.5 else first
    return f"takes u: unit, way: hexside, into: hex: {claimed} when {' and '.join(f'({one})' for one in rest)}"


@cache
def sampler_of(edition, game, name):
    model = load_model(edition, game)
    model = replace(model, questions={**model.questions, **model.claims})
    declared = DeclaredWorlds(ModelPair(model, model), model.claims[name])
    return WorldSampler(declared.worlds(declared.reads, others=True))


def checked_by_worlds(seed, worlds=150):
    """Try to prove a random claim; if it is proved, ask it in random worlds. Return whether it is proved."""
    rng = Random(seed)
    model = with_claims(f'claim tried "It is tried." on position {random_claim(rng)}.\n')
    claim = model.claims["tried"]
    proofs = [prove_claim(rules, claim)[0] for rules in (model, specialize(model))]
    sampler = sampler_of("1", FORD, "dry-feet")
    for _ in range(worlds if any(proofs) else 0):
        data, inputs = sampler.made(sampler.draw(rng))
        assert not fails(model, claim, data, inputs, "compiled"), (seed, claim, data, inputs)
    return any(proofs)


@pytest.mark.parametrize("seed", one_in(10, range(20)))
def test_no_random_claim_that_is_proved_fails_in_a_random_world(seed):
    proved = sum(checked_by_worlds(f"{seed} {number}") for number in range(15))
    assert proved >= 1


@pytest.mark.parametrize("seed", one_in(20, range(20)))
@pytest.mark.parametrize("edition", ["1999", "2016-10-01"])
def test_no_claim_that_ships_and_is_proved_fails_in_a_random_position(edition, seed):
    rng, model = Random(seed), load_model(edition)
    proved = [claim for claim in model.claims.values() if prove_claim(specialize(model), claim)[0]]
    asked = 0
    for claim in proved:
        for _ in range(30):
            data = random_position(rng)
            found = fails(model, claim, data, random_inputs(rng, claim, data), "compiled")
            assert not found, (claim.name, data)
            asked += found is not None
    assert asked > 100


def random_inputs(rng, claim, data):
    """Draw what a claim takes from a position: ways more often than not with their ends."""
    way, units = rng.choice(data["connections"]), [one["id"] for one in data["units"]]
    ends = iter(rng.sample(way["ends"], 2))
    areas = [one["id"] for one in data["areas"]]
    kinds = {
        "flag": lambda _: rng.random() < 0.5, "enum": lambda _: rng.choice(("mobility", "demolition", "confusion")),
        "set": lambda _: rng.sample(units, min(len(units), rng.choice((1, 1, 2)))),
        "place": lambda _: next(ends, rng.choice(areas)),
        "record": lambda spec: {"unit": rng.choice(units), "link": way["id"]}.get(spec.type.name, rng.choice(areas)),
    }  # fmt: skip
    return {spec.json: kinds[spec.type.kind](spec) for spec in claim.inputs}
