"""The engines give equal answers on random small worlds, and what they find can be shown."""

import random
import re
from contextlib import suppress
from functools import cache
from itertools import islice

import pytest
from hypothesis import given, settings
from titm_rules.diagnostics import InputError
from titm_rules.engines.library.graph import build_graph
from titm_rules.engines.query import BoundQuestion
from titm_rules.oracle.edition import Edition

from tests.engines.witnesses import allocation_ok, path_ok, selection_ok, trace_ok
from tests.worlds import ALL_QUERIES, LATER_QUERIES, cases, random_case, seeded_case, wide_case

FAST = ("library", "compiled")


def answer(case, engine):
    """Answer a case; to a question about what cannot occur, the answer is what is said of it."""
    try:
        return Edition(case["edition"], case["readings"], engine).answer(case["query"], case["input"])
    except InputError as error:
        return {"refused": str(error)}


def asked(case, engine) -> BoundQuestion:
    return Edition(case["edition"], case["readings"], engine).ask(case["query"], case["input"])


@cache
def wide(seed, query=""):
    return wide_case(random.Random(f"wide {seed}"), query)


@cache
def yardstick(seed, query=""):
    return answer(wide(seed, query), "reference")


def disagreements(engine, seeds, query=""):
    for seed in seeds:
        case = wide(seed, query)
        if (found := answer(case, engine)) != yardstick(seed, query):
            yield seed, case["edition"], case["query"], found, yardstick(seed, query)


@pytest.mark.parametrize("engine", FAST)
def test_engines_agree_on_300_worlds(engine):
    assert list(disagreements(engine, range(300))) == []


@pytest.mark.parametrize("query", LATER_QUERIES)
@pytest.mark.parametrize("engine", FAST)
def test_engines_agree_on_what_is_seldom_asked(engine, query):
    assert list(disagreements(engine, range(25), query)) == []


def test_a_shift_goes_over_neighbouring_zones_only():
    """Zones that are joined by roads alone are no neighbours."""
    zones = [{"id": name, "owner": "German"} for name in "AB"]
    roads = [{"id": name, "ends": [name, "x"], "road": "major"} for name in "AB"]
    roads += [{"id": "A-B", "ends": ["A", "B"], "road": "major"}]
    here = {"day": 18, "impulse": 1, "side_to_move": "German", "areas": [{"id": "x"}], "zones": zones}
    given = {"side": "German", "entry": ["A"], "due": [16, 1], "ask": ["A", "B"]}
    for engine in ("reference", *FAST):
        for neighbours, cost in (([], None), ([["A", "B"]], 2)):
            position = {**here, "connections": roads, "zone_neighbours": neighbours}
            found = Edition("1999", {}, engine).answer("reinforcement_options", {"position": position, **given})
            assert found == {"zones": {"A": 0, "B": cost}}, (engine, neighbours)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("engine", FAST)
def test_engines_agree_on_20000_worlds(engine, part):
    assert list(disagreements(engine, range(10_000 + part * 1_000, 11_000 + part * 1_000))) == []


@pytest.mark.parametrize("engine", FAST)
@settings(max_examples=25)
@given(case=cases)
def test_engines_agree_on_what_hypothesis_finds(engine, case):
    assert answer(case, engine) == answer(case, "reference")


@pytest.mark.parametrize("query", ALL_QUERIES)
def test_random_cases_are_worth_asking(query):
    first = answer(wide(0, query), "compiled")
    assert any(answer(wide(seed, query), "compiled") != first for seed in range(1, 200))


# ---------------------------------------------------------------------- the board's names mean nothing


def renamed(value, names):
    """Rename ids wherever they stand: as values, as keys, and inside lines such as `a1>d2,!p3`."""
    if isinstance(value, dict):
        return {renamed(key, names): renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    if isinstance(value, str):
        return re.sub(r"\b[abcdpuvw]\d+\b", lambda match: names[match[0]], value)
    return value


def without_order(answer):
    """Leave out what depends on the alphabet: hashes, the order of lists and of names in a line."""
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items() if key != "sha256"}
        return sorted(map(plain, value)) if isinstance(value, list) else value

    return plain(answer)


def sorted_lines(answer):
    for name in ("allocations", "sets", "multisets"):
        if name in answer:
            answer[name] = [",".join(sorted(line.split(","))) for line in answer[name]]
    return without_order(answer)


@pytest.mark.parametrize("engine", FAST)
def test_renaming_changes_nothing_but_names(engine):
    for seed in range(150):
        rng = random.Random(seed)
        case = random_case(rng)
        numbers = list(range(50))
        rng.shuffle(numbers)
        old = [f"{letter}{n}" for letter in "abcdpuvw" for n in range(50)]
        names = {name: f"{name[0]}{numbers[int(name[1:])]}" for name in old}
        other = {**case, "input": renamed(case["input"], names)}
        assert sorted_lines(answer(other, engine)) == sorted_lines(renamed(answer(case, engine), names)), seed


# ---------------------------------------------------------------------- witnesses


def test_every_destination_has_a_path_that_the_checker_and_the_engines_accept():
    shown = 0
    for seed in range(120):
        case = seeded_case(seed, "reachable")
        edition, destinations = Edition("1999", case["readings"]), answer(case, "compiled")["destinations"]
        assert answer(case, "library")["destinations"] == destinations
        for name, cost in destinations.items():
            question = edition.ask("reachable_cost", {**case["input"], "to": name})
            steps = edition.explained(question).witness["route"]
            assert path_ok(question.model, question.world, *question.route(), steps) == []
            walked = {**case, "query": "check_path", "input": {**case["input"], "path": steps}}
            assert all(answer(walked, engine) == {"legal": True, "cost": cost} for engine in FAST)
            shown += 1
    assert shown > 100


def test_paths_are_legal_as_the_checker_says():
    legal = 0
    for seed in range(200):
        case = seeded_case(seed, "check_path")
        plain = asked(case, "reference")
        violated = path_ok(plain.model, plain.world, *plain.route(), plain.steps())
        for engine in ("reference", *FAST):
            assert answer(case, engine)["legal"] is (violated == []), (engine, seed, violated)
        legal += violated == []
    assert legal > 40


def test_every_trace_has_a_way_that_the_checker_accepts():
    edition, shown = Edition("1999"), 0
    for seed in range(60):
        position = seeded_case(seed, "supplied")["input"]["position"]
        for unit in position["units"]:
            question = edition.ask("supplied", {"position": position, "unit": unit["id"]})
            witness, model, world = edition.explained(question).witness, question.model, question.world
            piece = next(one for one in world.root.units if one.id == unit["id"])
            cost = question.engine.trace(model.forms["supply"], piece, None)
            assert ("route" in witness) is (cost is not None), (seed, unit)
            if cost is not None:
                places = [next(place for place in world.places if place.id == name) for name in witness["route"]]
                assert trace_ok(model, world, model.forms["supply"], piece, places, cost) == []
                assert trace_ok(model, world, model.forms["supply"], piece, places, cost + 1) != []
                shown += 1
    assert shown > 50


@pytest.mark.parametrize("engine", FAST)
def test_what_is_listed_is_accepted_one_by_one(engine):
    listed = 0
    for seed in range(30):
        for query in ("fire_allocations", "artillery_targetings", "overstack_eliminations"):
            with suppress(InputError):  # a question about what cannot occur
                question = asked(seeded_case(seed, query), engine)
                form, chosen = question.choice_form()
                for picked in islice(question.engine.choices(form, chosen), 20):
                    assert question.engine.is_legal(form, chosen, picked)
                    listed += 1
    assert listed > 100


def test_legal_orders_of_fire_pass_the_checker():
    for seed in range(40):
        question = asked(seeded_case(seed, "fire_allocations"), "reference")
        form, chosen = question.choice_form()
        for number, order in enumerate(question.engine.sequences(form, chosen)):
            if number < 10:
                assert allocation_ok(question.model, question.world, form, chosen, order) == []


def test_legal_eliminations_pass_the_checker():
    for seed in range(60):
        question = asked(seeded_case(seed, "overstack_eliminations"), "compiled")
        form, chosen = question.choice_form()
        for picked in question.engine.choices(form, chosen):
            assert selection_ok(question.model, question.world, form, chosen, picked) == []


def test_the_map_graph_holds_the_places_and_connections_of_the_input():
    for seed in range(40):
        case = seeded_case(seed, "reachable")
        graph, given_position = build_graph(asked(case, "reference").world), case["input"]["position"]
        assert set(graph) == {place["id"] for place in given_position["areas"] + given_position["zones"]}
        links = {key: {one, other} for one, other, key in graph.edges(keys=True)}
        assert links == {link["id"]: set(link["ends"]) for link in given_position["connections"]}
