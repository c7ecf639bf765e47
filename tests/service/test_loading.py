"""Loading rules counts against the budget of a request, and leaves nothing half made when it is interrupted."""

import random
import time
from dataclasses import replace
from itertools import combinations

import pytest
from titm_rules.catalog import game_folder
from titm_rules.editions import load
from titm_rules.editions.load import link_edition, load_model
from titm_rules.editions.sources import parse_text
from titm_rules.mcp import Assistant
from titm_rules.service import protocol
from titm_rules.service.budget import Budget
from titm_rules.service.capabilities import conformance_cases
from titm_rules.service.protocol import MAX_MIXTURES, Oracle

from tests.service.interrupting import Interrupting
from tests.web.conftest import client_of

LATE_S = 6.0  # for a machine that is busy with other things
OWNED, SHEETS = "1994-11-01", ("1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20", "1998-01-15")
MIXTURES = ["+".join([OWNED, *some]) for count in (1, 2) for some in combinations(SHEETS, count)]
QUESTION = {"query": "campaign_victory_level", "input": {"points": 36}}
SMALL = "cold-ford"
NOTHING = 'add clause house:1 "Nothing" "Nothing is changed."\n  decides nothing "it is a test".\n'


@pytest.fixture
def nothing_loaded(monkeypatch):
    """An oracle that has just started, on a machine without a cache."""
    monkeypatch.setenv("TITM_RULES_CACHE", "off")
    forget()


def forget():
    editions = protocol._edition, protocol._mixed_edition, protocol._editions
    for known in (load._rules, load._mixed_rules, *editions, parse_text):
        known.cache_clear()


@pytest.mark.parametrize("more", [{"edition": MIXTURES[:MAX_MIXTURES]}, {"edition": "all", "overlays": ["skirmish"]}])
def test_mixtures_of_one_request_take_no_longer_than_the_budget(nothing_loaded, more):
    start = time.process_time()
    reply = Oracle(budget=Budget(0.5, 0)).ask(QUESTION | more)
    assert time.process_time() - start < 0.5 + LATE_S
    assert reply["error"] == {
        "kind": "too-large", "at": "$",
        "message": "the request exceeded the limit of 0.5 s (loading its rules counts)",
        "fix": "ask a smaller question, or raise the limit",
    }  # fmt: skip


def test_many_mixtures_in_one_request_are_refused_before_any_is_loaded(monkeypatch):
    monkeypatch.setattr(protocol, "_mixed_edition", lambda *_: pytest.fail("loaded"))
    reply = Oracle().ask(QUESTION | {"edition": MIXTURES[: MAX_MIXTURES + 1]})
    assert reply["error"] == {
        "kind": "too-large", "at": "$.edition", "message": "the request names 13 mixtures of rules "
        "(12 editions with sheets or house rules are the limit, as each is compiled for it)",
        "fix": "send several requests",
    }  # fmt: skip


def test_a_first_question_to_rules_that_ship_is_answered(nothing_loaded):
    assert Oracle().ask(QUESTION | {"edition": "1999"})["ok"]


def test_what_was_loaded_within_the_budget_stays(nothing_loaded, monkeypatch):
    """Where loading everything takes longer than the budget, each request gets further than the one before."""
    model = link_edition(game_folder("titm"), "1999")

    def slowly(*_):
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass
        return model

    monkeypatch.setattr(load, "link_edition", slowly)
    oracle = Oracle(budget=Budget(0.8, 0))
    replies = [oracle.ask(QUESTION | {"edition": "all"})["ok"] for _ in range(12)]
    assert (replies[0], replies[-1]) == (False, True)


@pytest.mark.parametrize("places", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_loading_that_is_interrupted_anywhere_leaves_nothing_half_made(nothing_loaded, tmp_path, monkeypatch, places):
    case = next(case for case in conformance_cases(SMALL) if case["query"] == "check_path")
    house = {"name": "house", "text": NOTHING}
    requests = (case | {"explain": True}, case | {"overlays": [house]})
    expected = [Oracle(game=SMALL).ask(request) for request in requests]
    assert all(reply["ok"] for reply in expected)
    model = replace(link_edition(game_folder(SMALL), "1"), home=SMALL)

    def answers(folder, budget):
        """Ask an oracle that has just started, with an empty cache folder."""
        monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path / folder))
        forget()
        return [Oracle(game=SMALL, budget=budget).ask(request) for request in requests]

    whole = Interrupting(0)
    assert answers("whole", whole) == expected
    for place in random.Random("loading").sample(range(1, whole.calls + 1), places):
        cut = answers(str(place), Interrupting(place))
        assert [reply["error"]["kind"] for reply in cut if not reply["ok"]] == ["too-large"]
        assert not [*(tmp_path / str(place)).glob("*.part")]
        assert [Oracle(game=SMALL).ask(request) for request in requests] == expected
        is_same = load_model("1", SMALL) == model
        assert is_same
        forget()
        is_same = load_model("1", SMALL) == model  # as it is in the cache now
        assert is_same


def test_the_page_and_an_assistant_load_within_the_budget_too(nothing_loaded):
    oracle = Oracle(budget=Budget(0.05, 0))
    shown = {"game": "titm", "edition": MIXTURES[0], "position": {}}
    with client_of(Budget(0.05, 0)) as client:
        replies = [
            client.post("/api/board", json=shown).json(),
            client.get("/api/games/titm/clauses", params={"edition": MIXTURES[1]}).json(),
            Assistant(oracle).look_up_clauses(edition=MIXTURES[2]),
        ]
    assert [(reply["error"]["kind"], reply["error"]["at"]) for reply in replies] == [("too-large", "$")] * 3
