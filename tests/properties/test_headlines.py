"""A headline names every input, says what the answer says, and uses no name of a rule file."""

import random
import re

import pytest
from titm_rules.editions.load import load_model
from titm_rules.service.capabilities import conformance_cases
from titm_rules.service.protocol import Oracle

from tests.worlds import wide_case

GAMES = {"titm": 190, "bitterwoods": 90, "cold-ford": 10}
COMPOUND = re.compile(r"[A-Za-z]\w*(?:-\w+)+|[A-Za-z]+_\w+")
NO = "No|None|Nothing|Nowhere|On no roll|\\w+ none"


def requests(game, most):
    rng = random.Random(f"headlines of {game}")
    known = [case for case in conformance_cases(game) if case["query"] != "replay"]
    wide = [wide_case(random.Random(f"headline{seed}")) for seed in range(40)] if game == "titm" else []
    for case in (*rng.sample(known, min(most, len(known))), *wide):
        readings = rng.choice((case.get("readings") or {}, "all"))
        yield {**{name: case[name] for name in ("edition", "query", "input")}, "readings": readings, "words": True}


def leaves(value):
    """Yield the texts and numbers that a JSON value holds, and the names in it; of a flag its name says all."""
    if isinstance(value, dict | list):
        for one in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from leaves(one)
    elif value is not None and not isinstance(value, bool):
        yield re.sub(r"[-_!]", " ", str(value)).lower()


def identifiers(model):
    """Name what the rule files declare; words of several parts are those that no sentence has."""
    specs = [spec for one in model.records.values() for spec in one.fields]
    specs += [spec for one in model.questions.values() for spec in one.inputs]
    values = [value for enum in model.enums.values() for value in enum.values]
    answers = [name for one in model.questions.values() for name, _ in one.answers]
    heads = [key.split(".")[0] for key in model.heads]
    return {spec.json for spec in specs} | {*values, *answers, *heads, *model.questions, *model.records, *model.enums}


def says(answer, said, in_parts):
    """Whether the words of an answer agree with it; a number of parts is shown in its unit."""
    first = next(iter(answer.values()), None)
    if "undetermined" in answer or isinstance(first, bool) or first in (None, {}, []):
        return re.match("Not determined" if "undetermined" in answer else "Yes" if first else NO, said)
    if "drms" in answer:
        last = answer["highest"]
        return said == {0: "On no roll.", 1: "On 1.", 10: "On every roll."}.get(last, f"On 1 to {last}.")
    names = [] if in_parts and not isinstance(first, dict | list) else leaves(list(first) if in_parts else first)
    is_long = isinstance(first, dict | list) and len(first) > 8
    return is_long or all(name in "".join(leaves(said)) for name in names)


@pytest.mark.parametrize("game", GAMES)
def test_a_headline_says_the_question_and_its_answer(game):
    oracle, in_parts = Oracle(game=game), game == "bitterwoods"
    for request in requests(game, GAMES[game]):
        reply = oracle.ask(request)
        model, headline = load_model(reply.get("edition") or request["edition"], game), reply["headline"]
        asked, _, said = headline.partition("? ")
        about = model.questions[request["query"]].situation
        given = {name: one for name, one in request["input"].items() if name != about}
        words = "".join(leaves(asked))
        assert all(word in words or (in_parts and word.isdigit()) for word in leaves(list(given.values()))), headline
        assert all(word in words for name, one in given.items() if one is True for word in leaves(name)), headline
        assert said.startswith("It depends on reading") == (reply.get("outcome") == "depends"), headline
        assert says(reply["answer"], said.partition("now: ")[2] or said, in_parts), (reply["answer"], headline)
        used = set(COMPOUND.findall(headline)) & identifiers(model)
        assert used <= set(re.findall(r"[\w-]+", repr(request["input"]))), (used, headline)
