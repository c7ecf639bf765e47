"""An oracle that is asked for long keeps its memory, whatever it is asked."""

import gc
from itertools import islice, product
from pathlib import Path

import pytest
from lark import Tree
from titm_rules.editions.load import MOST_MIXED, MOST_READINGS
from titm_rules.formats.case_files import conformance_cases
from titm_rules.ir.model import Model
from titm_rules.oracle.edition import Edition
from titm_rules.service.budget import held_memory
from titm_rules.service.protocol import Oracle
from titm_rules.syntax import parser

from tests.fuzz.life import LIVES, RULE, live
from tests.fuzz.lines import BUDGET, line

MEBIBYTE = 2**20


def grown(count):
    """How much the memory grows over the second half of many changed lines."""
    oracle = Oracle("compiled", BUDGET)
    for number in range(count):
        oracle.answer_line(line(f"life {number}"))
    halfway = held_memory()
    for number in range(count, 2 * count):
        oracle.answer_line(line(f"life {number}"))
    return (held_memory() - halfway) / MEBIBYTE


@pytest.mark.parametrize(("count", "most"), [(60, 40), pytest.param(20_000, 60, marks=pytest.mark.slow)])
def test_memory_stays_where_it_is(count, most):
    assert grown(count) < most


NOTHING = 'add clause house:{0} "Nothing" "Nothing is changed, {0} times."\n  decides nothing "it is a test".\n'


def test_rules_that_anybody_may_mix_do_not_pile_up():
    """Of rules that are others for every request the last few are held, with all that was worked out of them."""
    case = next(case for case in conformance_cases("cold-ford") if case["query"] == "check_path")
    oracle = Oracle(game="cold-ford")
    for number in range(56):
        rule = {"name": f"house-{number}", "text": NOTHING.format(number)}
        assert oracle.ask({**case, "overlays": [rule]})["ok"]
    gc.collect()
    held = {id(one.heads) for one in gc.get_objects() if type(one) is Model and "house-" in one.edition}
    assert len(held) <= 2 * MOST_MIXED


def test_models_under_other_readings_do_not_pile_up():
    """An edition keeps the last few; each choice of readings is a model of its own."""
    choices = [[(reading.name, one) for one in reading.offered] for reading in Edition("1999").model.readings.values()]
    for some in islice(product(*choices), 3 * MOST_READINGS):
        Edition("1999", dict(some))
    gc.collect()
    held = {id(one) for one in gc.get_objects() if type(one) is Model and one.edition == "1999"}
    assert MOST_READINGS <= len(held) <= MOST_READINGS + 10


def test_trees_of_texts_that_nobody_sends_again_do_not_pile_up(monkeypatch):
    """The parser keeps the trees of as many items as a large file has, however many others it reads."""
    shared = parser.load_parser()
    monkeypatch.setattr(shared, "parse", shared.parse.__wrapped__)  # the tests keep what they have parsed
    alive = []
    for number in range(0, 1_500, 500):
        parser.parse_rules("".join(NOTHING.format(f"{number}.{part}") for part in range(500)), "house.rules")
        gc.collect()
        alive.append(sum(type(one) is Tree for one in gc.get_objects()))
    assert alive[0] * 0.9 < alive[2] < alive[0] * 1.1


@pytest.mark.slow
def test_memory_stays_where_every_question_brings_other_house_rules(tmp_path, monkeypatch):
    monkeypatch.setenv("TITM_RULES_CACHE", "off")
    held = []
    for number in range(160):
        path = tmp_path / f"rule{number}.rules"
        path.write_text(RULE.format(number, 16 + number % 7), encoding="utf-8")
        assert Edition("1999", overlays=(str(path),)).answer("campaign_victory_level", {"points": number})
        held.append(held_memory())
    assert held[-1] - held[len(held) // 2] < 60 * MEBIBYTE


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux what a process holds")
@pytest.mark.parametrize("kind", LIVES)
def test_a_process_of_its_own_keeps_its_memory(kind):
    told = [held for _, _, held in live(kind, 600)]
    assert told[-1].mebibytes - told[len(told) // 2].mebibytes < 60
    assert told[-1].files - told[len(told) // 2].files < 20
