"""Worlds made of the declarations alone: for every question of every game, without a search file."""

import os
import random
import subprocess
import sys
from contextlib import suppress
from functools import partial

import pytest
from titm_rules.compare.counterexamples import PairRun, read_search
from titm_rules.compare.rule_pair import ModelPair, QuestionRunner, checked_runner, split_by_answer
from titm_rules.compare.small_worlds import DeclaredWorlds, WorldSampler
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.engines.factory import make_engine

from tests.sampling import one_in

GONE = 'replace clause 5.4 "Gone" "Nothing."\n  decides nothing "it is a test".\n'
# A clause that each question depends on; `campaign_victory_level` is asked every case, in `test_find.py`.
TITM = """fire_allocations 9.56, may_fire 9.53a, artillery_calls 9.42b, artillery_sequence_legal 9.46f, to_hit 9.73,
reachable 14.22a, check_path 5.23b, supplied 13.11a, construction_options 10.13a, may_build 13.14b, may_blow 13.24,
contingent_release 11.3b, control_after_impulse 12.22a, attrition_losses chart-unit-engineer, fire_targets 9.56,
fire_allocation_legal 9.54b, artillery_targetings 9.46f, artillery_to_hit 9.72, combined_arms chart-unit-engineer,
reachable_cost 8.34b, entrench_options 10.14a, demolition_options 13.12b, overstack_eliminations 7.3,
attack_status 9.11a, reinforcement_options 11.23, special_forces_options 14.12b, vp_at_turn_end 12.24"""
BITTERWOODS = """options_legal 1.4.peiper-scope, action_legal 4.B.fortifications, step_cost 5.3.freeze,
retreats 5.1.enemy-occupied, check_path 5.3.freeze, stack_check 29.6,
support_options 10.2.both, shock_values 21.3.leaders, check_retreat 29.6,
angriff_status 12, leader_range qa.2, peiper_advance 9.7.penalty-cliff, angriff_advances 11.3"""
COLD_FORD = "reachable 3.5, check_path 3.5, supplied 2.1, attack_odds 5.4, assault_roll 5.4, winner 5.1"
PLANTED = [
    (game, *row.split())
    for game, rows in (("titm", TITM), ("bitterwoods", BITTERWOODS), ("cold-ford", COLD_FORD))
    for row in rows.split(",")
]


@pytest.fixture(params=["titm", "bitterwoods", "cold-ford", "skirmish"])
def game(request, tmp_path):
    if request.param != "skirmish":
        return request.param
    write_skeleton("skirmish", tmp_path)
    return str(tmp_path / "skirmish")


def test_every_question_can_be_asked_in_its_worlds(game):
    model = load_model(default_edition(game), game)
    pair, silent = ModelPair(model, model), []
    for question in model.questions.values():
        declared = DeclaredWorlds(pair, question)
        worlds, rng, answers = declared.worlds(declared.reads, others=True), random.Random(1), 0
        sampler = WorldSampler(worlds)
        for _ in range(25):
            with suppress(InputError):
                runner, raw = checked_runner(model, question, *sampler.made(sampler.draw(rng)))
                answers += runner.is_possible(model) and runner.answer(model, question, raw) is not None
        silent += [question.name] if answers < 3 else []
    assert silent == []


@pytest.mark.parametrize(("game", "query", "clause"), one_in(3, PLANTED))
def test_a_clause_that_is_gone_is_found_and_the_reference_engine_agrees(game, query, clause):
    model = load_model(default_edition(game), game)
    pair = ModelPair(model, model.without_clause(clause))
    question = pair.second.questions[query]
    result = PairRun(pair, read_search(game), each=True, budget=600).result(question)
    assert {f"-{clause}"} == {str(found.cause) for found in result.found}
    [found] = result.found
    runner = QuestionRunner(found.situation, found.data)
    answers = (
        runner.answer(model, question, found.inputs, partial(make_engine, "reference", model))
        for model in (pair.first, pair.second)
    )
    assert split_by_answer(*answers) == (found.first, found.second)


PRINTED = """
import sys
from titm_rules.editions.load import load_model
from titm_rules.cli import main
print({name: list(view.twins) for name, view in load_model("1999").views.items()})
sys.argv[1:] = ["diff", "--find", "--overlay", sys.argv[1], "--game", "cold-ford", "--query", "play"]
main()
"""


@pytest.mark.slow
def test_the_hash_seed_changes_nothing(tmp_path):
    (tmp_path / "house.rules").write_text(GONE)
    one, other = (
        subprocess.run([sys.executable, "-c", PRINTED, tmp_path / "house.rules"], capture_output=True, check=False,
                       env={**os.environ, "PYTHONHASHSEED": seed, "TITM_RULES_CACHE": "off"})
        for seed in ("1", "2")
    )  # fmt: skip
    assert (one.returncode, one.stdout) == (1, other.stdout)
    assert b"-5.4" in one.stdout
