"""The public cases of the second game, against every engine, and its rule set against the reference."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from titm_rules.editions.load import load_model
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.edition import Edition
from titm_rules.service.protocol import Oracle

from tests.bitterwoods.reference.answer import answer
from tests.bitterwoods.test_reference import CASES
from tests.bitterwoods.worlds import INPUTS, Maker

MODEL = load_model("2014", "bitterwoods")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, engine):
    reply = json.loads(Oracle(engine).answer_line(json.dumps(case)))
    assert reply["answer"] == case["expected"]


def test_every_query_is_answered():
    assert {case["query"] for case in CASES} == set(MODEL.questions)


@given(seed=st.integers(0, 10**6), query=st.sampled_from(sorted(INPUTS)))
@settings(max_examples=150)
def test_rules_agree_with_the_reference(seed, query):
    request = Maker(seed).request(query)
    edition = Edition(request["edition"], request["readings"], game="bitterwoods")
    assert edition.answer(query, request["input"]) == answer(request)


@pytest.mark.parametrize("engine", ENGINES)
@given(seed=st.integers(0, 10**6), query=st.sampled_from(["retreats", "check_retreat", "peiper_advance"]))
@settings(max_examples=40)
def test_retreats_and_conversions_agree_with_the_reference(engine, seed, query):
    maker = Maker(seed)
    if query == "peiper_advance":
        maker.lead_peiper()
    request = maker.request(query)
    edition = Edition(request["edition"], request["readings"], game="bitterwoods", engine=engine)
    assert edition.answer(query, request["input"]) == answer(request)


@pytest.mark.parametrize("engine", ENGINES)
@given(seed=st.integers(0, 10**6), query=st.sampled_from(["retreat_responses", "loss_candidates"]))
@settings(max_examples=40)
def test_peipers_leader_agrees_with_the_reference(engine, seed, query):
    maker = Maker(seed)
    maker.gather_around_peiper()
    request = maker.request(query)
    edition = Edition(request["edition"], request["readings"], game="bitterwoods", engine=engine)
    assert edition.answer(query, request["input"]) == answer(request)


@pytest.mark.parametrize("case", CASES[::3], ids=[case["id"] for case in CASES[::3]])
def test_an_explanation_gives_the_same_answer(case):
    reply = json.loads(Oracle().answer_line(json.dumps({**case, "explain": True})))
    assert reply["answer"] == case["expected"]


def test_a_gap_is_explained_by_the_clause_that_is_missing():
    [case] = [case for case in CASES if case["id"] == "crossing-undeclared"]
    reply = json.loads(Oracle().answer_line(json.dumps({**case, "explain": True})))
    assert reply["answer"] == {"undetermined": "rule 5.3"}
    assert "5.3.river-classes" in {finding["clause"] for finding in reply["why"]}


@pytest.mark.parametrize("game", ["bitterwood", "../rulesets/bitterwoods", "", "bitterwoods/2014"])
def test_a_game_is_known_by_the_name_of_its_folder(game):
    request = {"game": game, "edition": "2014", "query": "next_phase", "input": {"position": {}}}
    assert json.loads(Oracle().answer_line(json.dumps(request)))["error"]["kind"] == "unknown-game"
