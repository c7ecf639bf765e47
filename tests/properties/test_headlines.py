"""A headline names every input, says what the answer says, and uses no name of a rule file."""

import random
import re

import pytest
from titm_rules.editions.load import load_model
from titm_rules.service.capabilities import conformance_cases
from titm_rules.service.protocol import Oracle

from tests.worlds import wide_case

GAMES = {"titm": 190, "bitterwoods": 90, "cold-ford": 10}
WIDE = 40
COMPOUND = re.compile(r"[A-Za-z]\w*(?:-\w+)+|[A-Za-z]+_\w+")


def requests(game, most):
    rng = random.Random(f"headlines of {game}")
    known = [case for case in conformance_cases(game) if case["query"] != "replay"]
    wide = [wide_case(random.Random(f"headline{seed}")) for seed in range(WIDE if game == "titm" else 0)]
    for case in (*rng.sample(known, min(most, len(known))), *wide):
        readings = rng.choice((case.get("readings") or {}, "all"))
        yield {**{name: case[name] for name in ("edition", "query", "input")}, "readings": readings}


def leaves(value):
    """Yield the texts and numbers that a JSON value holds, and the names in it; of a flag its name says all."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def spaced(text):
    return re.sub(r"[-_!]", " ", text)


def identifiers(model):
    specs = [*model.records.values(), *model.questions.values()]
    names = {spec.json for one in specs for spec in getattr(one, "fields", getattr(one, "inputs", ()))}
    names |= {*model.questions, *model.records, *model.forms, *model.enums, *(key.split(".")[0] for key in model.heads)}
    names |= {value for enum in model.enums.values() for value in enum.values}
    return names | {name for one in model.questions.values() for name, _ in one.answers}


@pytest.mark.parametrize("game", GAMES)
def test_a_headline_says_the_question_and_its_answer(game):
    oracle = Oracle(game=game)
    for request in requests(game, GAMES[game]):
        reply = oracle.ask({**request, "words": True})
        assert reply["ok"], (request, reply)
        model = load_model(reply.get("edition") or request["edition"], game)
        question, headline = model.questions[request["query"]], reply["headline"]
        asked, _, said = headline.partition("? ")
        given = {name: one for name, one in request["input"].items() if name != question.situation}
        for word in leaves(list(given.values())):
            in_parts = game == "bitterwoods" and word.isdigit()  # a number of parts is shown in its unit
            assert spaced(word) in spaced(asked) or in_parts, (word, headline)
        for name, one in given.items():
            if one is True:
                assert spaced(name) in asked, (name, headline)
        assert_agrees(reply, said, headline, game == "bitterwoods")
        used = set(COMPOUND.findall(headline)) & identifiers(model)
        assert used <= set(re.findall(r"[\w-]+", repr(request["input"]))), (used, headline)


def assert_agrees(reply, said, headline, in_parts):
    answer = reply["answer"]
    if reply.get("outcome") == "depends":
        assert said.startswith("It depends on reading"), headline
        _, _, said = said.partition(": ")
    first = next(iter(answer.values()), None)
    if "undetermined" in answer:
        assert said.startswith("Not determined"), headline
    elif isinstance(first, bool):
        assert said.startswith("Yes" if first else "No"), headline
    elif first in (None, {}, []):
        assert re.match("No|None|Nothing|Nowhere|On no roll|\\w+ none", said), headline
    elif "drms" in answer:
        last = answer["highest"]
        assert said == {0: "On no roll.", 1: "On 1.", 10: "On every roll."}.get(last, f"On 1 to {last}."), headline
    elif isinstance(first, str) or (isinstance(first, int) and not in_parts):
        assert spaced(str(first)).lower() in spaced(said).lower(), headline
    elif isinstance(first, dict | list) and len(first) <= 8:
        names = first if isinstance(first, dict) else leaves(first)
        assert all(spaced(name).lower() in spaced(said).lower() for name in names), headline
