"""Proofs about questions contradict nothing: no random situation, no game, no difference that is known.

`python -m tests.compare.test_proofs_hold N` puts N random situations to all pairs of editions, and says what it did;
`... games N` puts the positions of N games to them.
"""

import itertools
import json
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest
from titm_rules.compare.all_pairs import EditionSet, SearchPlan
from titm_rules.compare.prove import (
    EVERY_READING,
    OPEN,
    PROVED_HEAD,
    prove_pair,
    prove_questions,
    read_marks,
    repeat,
)
from titm_rules.compare.results import MARKS
from titm_rules.compare.rule_pair import (
    EQUIVALENT,
    INCOMPARABLE,
    NARROWER,
    UNDECIDED,
    WIDER,
    checked_runner,
    compare,
)
from titm_rules.diagnostics import InputError
from titm_rules.editions.registry import list_editions
from titm_rules.maps.expand import open_situation
from titm_rules.oracle.game import choose_randomly, load_scenario, play_game

from tests.sampling import one_in
from tests.worlds import ALL_QUERIES, random_path, wide_case

pytest.importorskip("z3")
pytest.importorskip("cvc5")

EDITIONS = tuple(info.name for info in list_editions())
PAIRS = list(itertools.combinations(EDITIONS, 2))
NEAR = [("1999", "2016-10-01"), ("2002-07-25", "2016-10-01")]  # those that the normal run looks at
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "differences.md"


@cache
def editions():
    return EditionSet(SearchPlan(EDITIONS))


@cache
def proofs_of(pair):
    return prove_pair(editions().pair(*pair))


def contradicts(question, proof, first, second):
    """Say whether two answers are not as it is proved; an answer that a gap or conflict prevents says nothing."""
    if any(isinstance(one, dict) and UNDECIDED in one for one in (first, second)):
        return False
    if proof.relation == EQUIVALENT:
        return first != second
    less, more = compare(question, first, second)
    return more if proof.relation == NARROWER else less


def answers_of(models, question, data, inputs):
    """Answer a question by each model; empty if it makes no sense there."""
    newest = list(models.values())[-1]
    try:
        runner, raw = checked_runner(newest, question, data, inputs)
        if not all(runner.is_possible(model) for model in models.values()):
            return {}
        return {name: runner.answer(model, question, raw) for name, model in models.items()}
    except InputError:
        return {}


@cache
def oldest_alike(query):
    """Map each edition to the oldest whose clauses say the same of a question: one answer is enough for them."""
    question = editions().questions[query]
    return editions().classes(lambda pair: pair.is_same_for(question))


def contradictions(pairs, cases):
    """Put cases to all editions of some pairs; count what was compared, and list the contradictions.

    What is open, and editions whose clauses say the same, are not compared.
    """
    seen, found = Counter(), []
    for query, data, inputs, readings in cases:
        question, alike = editions().questions[query], oldest_alike(query) if readings is None else {}
        proved = {pair: proofs_of(pair).questions[query] for pair in pairs}
        wanted = {
            pair: [alike.get(name, name) for name in pair] for pair, proof in proved.items() if proof.relation != OPEN
        }
        wanted = {pair: both for pair, both in wanted.items() if both[0] != both[1]}
        names = {name for both in wanted.values() for name in both}
        known = {name: editions().models[name] for name in EDITIONS if name in names}
        if readings is not None:
            known = {name: model.with_readings(_offered(model, readings)) for name, model in known.items()}
        got = answers_of(known, question, data, inputs) if known else {}
        seen["situations"] += bool(got)
        for pair, both in wanted.items() if got else ():
            if readings is not None and not _covers(proved[pair], pair, readings, known):
                continue
            first, second = (got[name] for name in both)
            seen["compared"] += 1
            seen["different"] += first != second
            if contradicts(question, proved[pair], first, second):
                found.append((pair, query, data, inputs, readings, proved[pair].relation, first, second))
    return seen, found


def _offered(model, readings):
    return {
        name: choice for name, choice in readings.items()
        if name in model.readings and choice in model.readings[name].offered
    }  # fmt: skip


def _covers(proof, pair, readings, known):
    """Whether a proof speaks of these readings: of all of them, where both editions take the same."""
    same = all(known[pair[0]].chosen.get(one) == known[pair[1]].chosen.get(one) for one in readings)
    return proof.under == EVERY_READING and same


def random_cases(seed, number):
    rng = Random(seed)
    for at in range(number):
        case = wide_case(rng, ALL_QUERIES[at % len(ALL_QUERIES)])
        given = dict(case["input"])
        situation = editions().questions[case["query"]].situation
        data = given.pop(situation) if situation else {}
        readings = case["readings"] if case["readings"] and at % 2 else None
        yield case["query"], data, given, readings


@pytest.mark.parametrize("seed", one_in(20, range(20)))
def test_no_random_situation_contradicts_a_proof(seed):
    seen, found = contradictions(NEAR, random_cases(seed, 2 * len(ALL_QUERIES)))
    assert found == []
    assert seen["compared"] > 10


SCENARIOS = ("sauer-crossing", "race-for-bastogne", "pocket-at-bastogne", "crossing-at-dasburg", "two-bridges",
             "first-three-days", "seventh-army", "bridge-at-malmedy")  # fmt: skip
ACTIONS = 40  # of a game


def game_cases(seed, actions=ACTIONS):
    """Ask about each position of a game by chance, of a scenario that ships, under one edition or another."""
    start = load_scenario(SCENARIOS[seed % len(SCENARIOS)], game="titm", edition=EDITIONS[seed % len(EDITIONS)])
    rng = Random(seed)
    for turn in play_game(start, choose_randomly, seed, actions):
        board = open_situation(turn.before.edition.model, "position", turn.before.to_dict(), "$").data
        data = {**NOTHING_THERE, **board}
        query = rng.choice(IN_GAMES)
        yield query, data, inputs_in(rng, query, data), None
        if data.get("contested") is not None:
            battle = turn.before.view("battle", data["contested"])
            query, who = rng.choice(("to_hit", "artillery_to_hit", "combined_arms", "artillery_calls")), "attacker"
            own, enemy = battle["attackers"], battle["defenders"]
            if rng.random() < 0.5:
                who, own, enemy = "defender", enemy, own
            if own and enemy:
                asked = {"to_hit": {"who": who, "firing": rng.choice(own)["id"], "target": rng.choice(enemy)["id"]},
                         "artillery_to_hit": {"who": who, "target": rng.choice(enemy)["id"]}}  # fmt: skip
                yield query, battle, asked.get(query, {}), None


NOTHING_THERE = {"zones": [], "connections": [], "units": []}
IN_GAMES = ("reachable", "check_path", "entrench_options", "supplied", "demolition_options", "construction_options",
            "attack_status", "special_forces_options", "control_after_impulse", "attrition_losses")  # fmt: skip


def inputs_in(rng, query, data):
    """Draw what a question takes from a position."""
    unit = rng.choice(data["units"])
    places = [one["id"] for one in (*data["areas"], *data["zones"])]
    match query:
        case "reachable" | "check_path":
            units = [unit["id"]]
            path = random_path(rng, data, unit["place"]) if unit["place"] is not None else places[:2]
            return {"units": units, "path": path} if query == "check_path" else {"units": units}
        case "demolition_options":
            return {"bridge": rng.choice(data["connections"])["id"], "crossing": [unit["id"]]}
        case "entrench_options" | "supplied" | "attack_status":
            return {"unit": unit["id"]}
    return {}


@pytest.mark.parametrize("seed", one_in(200, range(200)))
def test_no_position_of_a_game_contradicts_a_proof(seed):
    seen, found = contradictions(NEAR, game_cases(seed))
    assert found == []
    assert seen["compared"] > 3


def proved_on_page():
    """Read what the page of differences says is proved, by pair of editions and question; open cells are empty."""
    text = PAGE.read_text(encoding="utf-8")
    names = list(next(iter(read_marks(text).values())))
    table = text.partition(PROVED_HEAD)[2].partition("\n- ")[0]
    rows = (line.strip("|").split("|") for line in table.splitlines() if re.match(r"\| \d{4}", line))
    cells = {(row[0].strip(), row[1].strip()): [cell.strip(" `") for cell in row[2:]] for row in rows}
    return {pair: dict(zip(names, found, strict=False)) for pair, found in cells.items()}


FALSE = {MARKS[NARROWER]: (MARKS[EQUIVALENT], MARKS[WIDER]), MARKS[WIDER]: (MARKS[EQUIVALENT], MARKS[NARROWER]),
         MARKS[INCOMPARABLE]: (MARKS[EQUIVALENT], MARKS[NARROWER], MARKS[WIDER])}  # fmt: skip


def test_what_is_proved_contradicts_no_difference_that_the_search_found():
    """A situation refutes each of these claims, more than a hundred; none of them is proved."""
    marks, proved = read_marks(PAGE.read_text(encoding="utf-8")), proved_on_page()
    false = [
        (pair, name, claim) for pair, found in marks.items() for name, mark in found.items() if name in proved[pair]
        for claim in FALSE.get(mark, ())
    ]  # fmt: skip
    assert len(false) > 700
    assert [(pair, name, claim) for pair, name, claim in false if proved[pair][name] == claim] == []


@pytest.mark.parametrize("pair", [*NEAR, *(pytest.param(pair, marks=pytest.mark.slow) for pair in PAIRS)])
def test_the_page_says_what_is_proved_and_a_second_solver_confirms_it(pair):
    both = editions().pair(*pair)
    signs = {name: MARKS.get(proof.relation, "") for name, proof in prove_questions(both).items()}
    assert signs == proved_on_page()[pair]
    proofs = prove_pair(both)
    assert all(repeat(proofs.problems()))


if __name__ == "__main__":
    total, in_games, wanted = Counter(), sys.argv[1] == "games", int(sys.argv[-1])
    for seed in range(wanted if in_games else 10**6):
        seen, wrong = contradictions(PAIRS, game_cases(seed) if in_games else random_cases(seed, len(ALL_QUERIES)))
        total += Counter({**seen, "games": int(in_games)})
        print(dict(total), json.dumps(wrong, default=str)[:3000] if wrong else "no contradiction", flush=True)
        if not in_games and total["situations"] >= wanted:
            break
