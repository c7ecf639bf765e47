"""A request may be interrupted anywhere, while it loads rules too: what outlives it answers as before."""

import random
import sys
import time
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import pytest
from titm_rules import Edition, Position
from titm_rules.catalog import game_folder
from titm_rules.editions import load
from titm_rules.editions.load import link_edition, load_model
from titm_rules.editions.registry import list_editions
from titm_rules.editions.sources import parse_text
from titm_rules.engines.compiled import incremental
from titm_rules.engines.compiled.incremental import Locality
from titm_rules.engines.compiled.route_search import RouteKernel
from titm_rules.engines.factory import make_engine
from titm_rules.formats.case_files import conformance_cases
from titm_rules.mcp import Assistant
from titm_rules.service import protocol
from titm_rules.service.budget import Budget, Overrun
from titm_rules.service.protocol import MAX_MIXTURES, Oracle
from titm_rules.world.world import World

from tests.sampling import one_in
from tests.web.conftest import client_of

CALLS = frozenset({"call"})
EVERYWHERE = frozenset({"call", "return", "c_call", "c_return"})


class Interrupting(Budget):
    """Raises what the watch would raise, at the n-th event of the profiler in what is done within it; at none if 0."""

    def __init__(self, place, events=CALLS):
        super().__init__(3600, 0)
        vars(self).update(place=place, calls=0, events=events)

    def run(self, work):
        events, count, place = self.events, self.calls, self.place

        def look(_, event, __):
            nonlocal count
            if event in events:
                count += 1
                if count == place:
                    raise Overrun

        def watched():
            sys.setprofile(look)
            try:
                return work()
            finally:
                sys.setprofile(None)
                vars(self)["calls"] = count

        return super().run(watched)


# ---------------------------------------------------------------------- answers
SCENARIOS = {"titm": "crossing-at-dasburg", "cold-ford": "the-ford", "bitterwoods": "teaching-battle"}
EDITIONS = {"titm": "1999", "cold-ford": "1", "bitterwoods": "2014"}


def requests_of(game):
    """One of each question with its reasons, and a step of a game whose situations share what has not changed."""
    edition = EDITIONS[game]
    cases = {case["query"]: case for case in conformance_cases(game) if case["edition"] == edition}
    told = [case | {"explain": True} for case in cases.values() if case["query"] != "replay"]
    position = Position.from_file(SCENARIOS[game], Edition(edition, game=game))
    for _ in range(3):
        given = {"game": game, "edition": edition, "input": {"position": position.to_dict()}}
        told.append(given | {"query": "legal_actions"})
        option = next(iter(position.options))
        action = given | {"input": {**given["input"], "action": str(option.action)}}
        told += [action | {"query": "outcomes"}, action | {"query": "judge"}]
        position, _ = position.play(option.action, [option.dice.low] * option.dice.count if option.dice else ())
    return told


def starting(*more):
    """Let the next oracle be one that has just started: nothing is compiled."""
    for known in (load._rules, load._mixed_rules, protocol._edition, *more):
        known.cache_clear()


@pytest.mark.parametrize("engine", ["compiled", pytest.param("library", marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", one_in(2, SCENARIOS))
@pytest.mark.parametrize("places", [1, pytest.param(100, marks=pytest.mark.slow)])
def test_an_interruption_leaves_nothing_half_made(game, engine, places):
    asked = requests_of(game)
    starting()
    oracle = Oracle(engine, game=game, budget=Budget(0, 0))
    expected = [oracle.ask(request) for request in asked]
    rng = random.Random(f"{game} {engine}")
    for _ in range(places):
        number = rng.randrange(len(asked))
        starting()
        oracle = Oracle(engine, game=game, budget=Budget(0, 0))
        for request in asked[rng.randrange(number + 1) : number]:
            oracle.ask(request)
        oracle.budget = Interrupting(int(10 ** rng.uniform(1, 5)), EVERYWHERE)
        reply = oracle.ask(asked[number])
        assert reply == expected[number] or not reply["ok"]
        oracle.budget = Budget(0, 0)
        assert oracle.ask(asked[number]) == expected[number]  # at once, before others make what it needs
        assert [oracle.ask(request) for request in asked] == expected


class Interrupted(BaseException):
    """As the exception of the watch."""


def interrupted(*_):
    raise Interrupted


def test_the_ends_of_an_interrupted_search_are_searched_again(monkeypatch):
    position = Position.from_file("two-bridges")
    model = position.edition.model
    engine = make_engine("compiled", model, World(model, "position", position.to_dict()))
    unit, given = engine.root.units[0], {"foot-mode": False}
    with monkeypatch.context() as patched:
        patched.setattr(RouteKernel, "may_end", interrupted)
        with pytest.raises(Interrupted):
            engine.ends(model.forms["move"], [unit], given)
    assert engine.ends(model.forms["move"], [unit], given)


def test_locality_that_is_interrupted_is_decided_again(monkeypatch):
    model = Edition("1999").model
    heads = [head for head in model.heads.values() if head.params]
    expected = [Locality(model).of_head(head, [head.params[0][0]]) for head in heads]
    assert len(set(expected)) == 2
    locality = Locality(model)
    with monkeypatch.context() as patched:
        patched.setattr(incremental, "counts_when", interrupted)
        for head in heads:
            with suppress(Interrupted):
                locality.of_head(head, [head.params[0][0]])
    assert [locality.of_head(head, [head.params[0][0]]) for head in heads] == expected


# ---------------------------------------------------------------------- loading
OWNED, SHEETS = "1994-11-01", ("1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20", "1998-01-15")
MIXTURES = ["+".join([OWNED, *some]) for count in (1, 2) for some in combinations(SHEETS, count)]
QUESTION = {"query": "campaign_victory_level", "input": {"points": 36}}
SMALL = "cold-ford"
NOTHING = 'add clause house:1 "Nothing" "Nothing is changed."\n  decides nothing "it is a test".\n'


LOADED = protocol._mixed_edition, protocol._editions, parse_text


@pytest.fixture
def nothing_loaded(monkeypatch):
    """An oracle that has just started, on a machine without a cache."""
    monkeypatch.setenv("TITM_RULES_CACHE", "off")
    starting(*LOADED)


@pytest.mark.parametrize("more", [{"edition": MIXTURES[:MAX_MIXTURES]}, {"edition": "all", "overlays": ["skirmish"]}])
def test_mixtures_of_one_request_take_no_longer_than_the_budget(nothing_loaded, monkeypatch, more):
    """All of them take seconds on any machine: so most are never begun."""
    begun = []
    monkeypatch.setattr(load, "link_edition", lambda *given: begun.append(given) or link_edition(*given))
    reply = Oracle(budget=Budget(0.5, 0)).ask(QUESTION | more)
    assert len(begun) < len(list_editions())
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
        until = time.monotonic() + 0.15
        while time.monotonic() < until:
            pass
        return model

    monkeypatch.setattr(load, "link_edition", slowly)
    oracle = Oracle(budget=Budget(0.45, 0))
    replies = [oracle.ask(QUESTION | {"edition": "all"})["ok"] for _ in range(12)]
    assert (replies[0], replies[-1]) == (False, True)


@pytest.mark.parametrize("places", [4, pytest.param(200, marks=pytest.mark.slow)])
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
        starting(*LOADED)
        return [Oracle(game=SMALL, budget=budget).ask(request) for request in requests]

    whole = Interrupting(0)
    assert answers("whole", whole) == expected
    for place in random.Random("loading").sample(range(1, whole.calls + 1), places):
        cut = answers(str(place), Interrupting(place))
        assert [reply["error"]["kind"] for reply in cut if not reply["ok"]] == ["too-large"]
        assert not [*(tmp_path / str(place)).glob("*.part")]
        assert [Oracle(game=SMALL).ask(request) for request in requests] == expected
        is_same = load_model("1", SMALL) == model
        starting(*LOADED)
        is_same_again = load_model("1", SMALL) == model  # as it is in the cache now
        assert (is_same, is_same_again) == (True, True)


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
