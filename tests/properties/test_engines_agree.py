"""The engines give equal answers on random small worlds, and what they find can be shown."""

import random
import re
from contextlib import suppress
from functools import cache
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from titm_rules.diagnostics import InputError
from titm_rules.engines.library.graph import build_graph
from titm_rules.engines.query import BoundQuestion
from titm_rules.ir.model import head_key
from titm_rules.oracle.edition import Edition
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.records import all_links

from tests.answers import disagreements as disagreements_of_all
from tests.builders import position
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
def test_engines_agree_on_150_worlds(engine):
    assert list(disagreements(engine, range(150))) == []


@pytest.mark.parametrize("numbers", [range(40), pytest.param(range(40, 6_000), marks=pytest.mark.slow)])
def test_engines_agree_about_all_games(numbers):
    assert list(disagreements_of_all(numbers)) == []


@pytest.mark.parametrize("query", LATER_QUERIES)
@pytest.mark.parametrize("engine", FAST)
def test_engines_agree_on_what_is_seldom_asked(engine, query):
    assert list(disagreements(engine, range(25), query)) == []


def test_a_shift_goes_over_neighbouring_zones_only():
    """Zones that are joined by roads alone are no neighbours."""
    given = {"side": "German", "entry": ["A"], "due": [16, 1], "ask": ["A", "B"]}
    for engine in ("reference", *FAST):
        for neighbours, cost in (([], None), ([["A", "B"]], 2)):
            here = position("A-x major; B-x major; A-B major", "", 18, zone_neighbours=neighbours)
            found = Edition("1999", {}, engine).answer("reinforcement_options", {"position": here, **given})
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


def without_order(value, is_set=False):
    """Leave out what depends on the alphabet: hashes, the order of lists, and of names in a line that is a set."""
    if isinstance(value, dict):
        sets = ("allocations", "sets", "multisets")
        return {key: without_order(one, key in sets) for key, one in value.items() if key != "sha256"}
    if isinstance(value, list):
        return sorted(without_order(one, is_set) for one in value)
    return ",".join(sorted(value.split(","))) if is_set else value


@pytest.mark.parametrize("engine", FAST)
def test_renaming_changes_nothing_but_names(engine):
    for seed in range(80):
        rng = random.Random(seed)
        case = random_case(rng)
        numbers = list(range(50))
        rng.shuffle(numbers)
        old = [f"{letter}{n}" for letter in "abcdpuvw" for n in range(50)]
        names = {name: f"{name[0]}{numbers[int(name[1:])]}" for name in old}
        other = {**case, "input": renamed(case["input"], names)}
        assert without_order(answer(other, engine)) == without_order(renamed(answer(case, engine), names)), seed


# ---------------------------------------------------------------------- witnesses
@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 60), marks=pytest.mark.slow)])
def test_every_destination_has_a_path_that_all_engines_accept(seeds):
    shown = 0
    for seed in seeds:
        case = seeded_case(seed, "reachable")
        edition, destinations = Edition("1999", case["readings"]), answer(case, "compiled")["destinations"]
        assert answer(case, "library")["destinations"] == destinations
        for name, cost in destinations.items():
            steps = edition.verdict("reachable_cost", {**case["input"], "to": name}).witness["route"]
            walked = {**case, "query": "check_path", "input": {**case["input"], "path": steps}}
            assert all(answer(walked, engine) == {"legal": True, "cost": cost} for engine in ("reference", *FAST))
            shown += 1
    assert shown > 25


def test_paths_are_legal_as_the_reference_engine_says():
    found = [answer(seeded_case(seed, "check_path"), "reference") for seed in range(100)]
    for engine in FAST:
        assert [answer(seeded_case(seed, "check_path"), engine) for seed in range(100)] == found
    assert sum(one["legal"] for one in found) > 20


def trace_faults(asked, route, mover, places, cost):
    """Judge a trace step by step, without a search: what clauses bar of it, or that it costs something else."""
    evaluator, model = Evaluator(asked.model, asked.world, no_search), asked.model

    def head(word):
        return model.heads[head_key(route.name, word)]

    def env(**roles):
        return {route.mover[0]: mover, **route.zeros, **roles}

    def bars(word, **roles):
        return [said.clause for said in evaluator.alive(head(word), env(**roles))]

    there = {route.entered: places[-1]}
    faults = [] if bars("goal", **there) else ["no goal"]
    faults, spent = faults + bars("end", **there), 0
    for left, entered in pairwise(places):
        ways = [
            env(**{route.crossing[0]: link, route.left: left, route.entered: entered})
            for link, other in all_links(left)
            if other is entered
        ]
        costs = [
            evaluator.head(head("cost"), way)
            for way in ways
            if not evaluator.head(head("step"), way)
            and (entered is places[-1] or not evaluator.head(head("stop"), way))
        ]
        if not costs:
            return [*faults, "no connection"]
        spent += min(costs)
    if spent != cost or spent > max(0, evaluator.head(head("points"), env())):
        faults.append("wrong cost")
    return faults


def no_search(*asked):
    raise AssertionError(f"a step of a trace asks for a search: {asked}")


def test_every_trace_has_a_way_that_is_legal_step_by_step():
    edition, shown = Edition("1999"), 0
    for seed in range(60):
        board = seeded_case(seed, "supplied")["input"]["position"]
        for unit in board["units"]:
            question = edition.ask("supplied", {"position": board, "unit": unit["id"]})
            witness, model, world = edition.explained(question).witness, question.model, question.world
            route, piece = model.forms["supply"], next(one for one in world.root.units if one.id == unit["id"])
            cost = question.engine.trace(route, piece, None)
            assert ("route" in witness) is (cost is not None), (seed, unit)
            if cost is not None:
                places = [next(place for place in world.places if place.id == name) for name in witness["route"]]
                assert trace_faults(question, route, piece, places, cost) == []
                assert trace_faults(question, route, piece, places, cost + 1) == ["wrong cost"]
                assert len(places) == 1 or trace_faults(question, route, piece, places[:-1], cost) != []
                shown += 1
    assert shown > 50


@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(15, 30), marks=pytest.mark.slow)])
@pytest.mark.parametrize("engine", FAST)
def test_what_is_listed_is_accepted_one_by_one(engine, seeds):
    listed = 0
    for seed in seeds:
        for query in ("fire_allocations", "artillery_targetings", "overstack_eliminations"):
            with suppress(InputError):  # a question about what cannot occur
                question = asked(seeded_case(seed, query), engine)
                form, chosen = question.choice_form()
                for picked in islice(question.engine.choices(form, chosen), 20):
                    assert question.engine.is_legal(form, chosen, picked)
                    listed += 1
    assert listed > 50


def test_the_map_graph_holds_the_places_and_connections_of_the_input():
    for seed in range(40):
        case = seeded_case(seed, "reachable")
        graph, given_position = build_graph(asked(case, "reference").world), case["input"]["position"]
        assert set(graph) == {place["id"] for place in given_position["areas"] + given_position["zones"]}
        links = {key: {one, other} for one, other, key in graph.edges(keys=True)}
        assert links == {link["id"]: set(link["ends"]) for link in given_position["connections"]}
