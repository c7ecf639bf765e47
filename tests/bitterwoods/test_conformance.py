"""The public cases and the worked examples of the second game, and random worlds, by every engine and the reference."""

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from titm_rules.catalog import scenario_files
from titm_rules.editions.load import load_model
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.testing import files_of_tests, load_tests
from titm_rules.service.protocol import Oracle

from tests.bitterwoods.deciding import CASES, FILE, HOME, answered, changes_without, formal, published, row
from tests.bitterwoods.reference.answer import OF_BATTLES, OF_POSITIONS, answer
from tests.bitterwoods.worlds import INPUTS, HexMaker, Maker

MODEL = load_model("2014", "bitterwoods")
EXAMPLES = sorted(scenario_files("bitterwoods", "worked-examples/*.yaml"))
ON_HEX_MAPS = (
    "reachable", "advances", "retreats", "angriff_advances", "check_retreat", "peiper_advance", "leader_range",
)  # fmt: skip
SEEDS = st.integers(0, 10**6)
every_engine = pytest.mark.parametrize("engine", ENGINES)


oracle = cache(Oracle)


def reply_to(case, engine="compiled", **more):
    return json.loads(oracle(engine).answer_line(json.dumps(case | more)))


def agree(maker, query, engines=ENGINES):
    """Compare the answers of engines to a question about a random world with that of the reference."""
    request = maker.request(query)
    expected = answer(request)
    for engine in engines:
        edition = Edition(request["edition"], request["readings"], game="bitterwoods", engine=engine)
        assert edition.answer(query, request["input"]) == expected, (engine, query)


# ---------------------------------------------------------------- cases and examples
@every_engine
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case, engine):
    assert reply_to(case, engine)["answer"] == case["expected"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_reference_answers_the_case(case):
    assert answer(case) == case["expected"]


def test_every_query_is_answered():
    assert {case["query"] for case in CASES} == set(MODEL.questions)
    assert {case["query"] for case in CASES} <= set(OF_BATTLES) | set(OF_POSITIONS)
    assert len(CASES) == 92


@pytest.mark.parametrize("case", CASES[::3], ids=[case["id"] for case in CASES[::3]])
def test_an_explanation_gives_the_same_answer(case):
    assert reply_to(case, explain=True)["answer"] == case["expected"]


def test_a_gap_is_explained_by_the_clause_that_is_missing():
    [case] = [case for case in CASES if case["id"] == "crossing-undeclared"]
    reply = reply_to(case, explain=True)
    assert reply["answer"] == {"undetermined": "rule 5.3"}
    assert "5.3.river-classes" in {finding["clause"] for finding in reply["why"]}


@pytest.mark.parametrize("game", ["bitterwood", "../rulesets/bitterwoods", "", "bitterwoods/2014"])
def test_a_game_is_known_by_the_name_of_its_folder(game):
    request = {"game": game, "edition": "2014", "query": "next_phase", "input": {"position": {}}}
    assert reply_to(request)["error"]["kind"] == "unknown-game"


@every_engine
@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example(path, engine):
    case = open_case(path, Rules(engine=engine))
    assert case.edition.answer(case.query, case.full_input(case.query)) == case.notes["expected"]["answer"]


def test_every_example_of_the_source_is_there():
    assert {path.stem.split("-")[0] for path in EXAMPLES} == {f"e{number}" for number in range(1, 10)}


@every_engine
@pytest.mark.parametrize("path", files_of_tests("bitterwoods"), ids=lambda path: path.stem)
def test_the_tests_beside_the_rules_hold(path, engine):
    tests = load_tests(path, "bitterwoods")
    assert [str(test.text.name) for test in tests if test.ask(test.rules(engine)) != test.demanded] == []


# ---------------------------------------------------------------- random worlds
@given(seed=SEEDS, query=st.sampled_from(sorted(INPUTS)))
@settings(max_examples=150)
def test_rules_agree_with_the_reference(seed, query):
    agree(Maker(seed), query, ["compiled"])


@every_engine
@given(seed=SEEDS, query=st.sampled_from(["retreats", "check_retreat", "peiper_advance"]))
@settings(max_examples=40)
def test_retreats_and_conversions_agree_with_the_reference(engine, seed, query):
    maker = Maker(seed)
    if query == "peiper_advance":
        maker.lead_peiper()
    agree(maker, query, [engine])


@every_engine
@given(seed=SEEDS, query=st.sampled_from(["retreat_responses", "loss_candidates"]))
@settings(max_examples=40)
def test_peipers_leader_agrees_with_the_reference(engine, seed, query):
    maker = Maker(seed)
    maker.gather_around_peiper()
    agree(maker, query, [engine])


PARTS = [range(25 * part, 25 * part + 25) for part in range(5)]
PARTS += [pytest.param(range(1000 * part, 1000 * part + 1000), marks=pytest.mark.slow) for part in range(21)]


@pytest.mark.parametrize("seeds", PARTS, ids=str)
def test_engines_agree_on_hex_maps(seeds):
    """Pieces of a hex map have parallel ways, rivers and enemy zones."""
    for seed in seeds:
        maker, query = HexMaker(seed), ON_HEX_MAPS[seed % len(ON_HEX_MAPS)]
        if query == "peiper_advance":
            maker.lead_peiper()
        agree(maker, query)


def test_hex_maps_hold_what_is_hard():
    positions = [HexMaker(seed).position for seed in range(200)]
    sides = [side for position in positions for side in position["hexsides"]]
    assert any(side["id"].endswith("too") for side in sides)
    assert {side.get("river") for side in sides} == {None, "river", "meuse", "cliff"}
    assert any(unit.get("zoc") for position in positions for unit in position["units"])


# ---------------------------------------------------------------- rows in which a clause decides
ROWS = json.loads(FILE.read_text(encoding="utf-8"))


def test_what_readers_see_of_the_rows_is_up_to_date():
    """`python -m tests.bitterwoods.deciding` writes it again."""
    for name, text in published(ROWS).items():
        assert (HOME / name).read_text(encoding="utf-8") == text, name


def test_a_default_is_by_no_clause():
    fight = {"attacker": "German", "attackers": [], "defenders": [], "result": "D2"}
    verdict = Edition("2014", game="bitterwoods").verdict("retreat_length", {"position": {}, "battle": fight})
    assert [one.message for one in verdict.findings if one.clause == "9.7.full-length"] == ["The whole distance: 2"]


def test_every_clause_has_its_row():
    assert set(ROWS) == set(formal())


FAST = set(list(ROWS)[::4])
CLAUSES = [clause if clause in FAST else pytest.param(clause, marks=pytest.mark.slow) for clause in ROWS]


@pytest.mark.parametrize("clause", CLAUSES)
def test_clause_decides(clause):
    request, expected = row(ROWS[clause])
    assert answered(request) == expected
    assert changes_without(clause, request, expected)
