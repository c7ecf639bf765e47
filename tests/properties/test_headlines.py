"""A headline names every input, says what the answer says, and uses no name of a rule file."""

import random
import re

import pytest
from titm_rules.catalog import files_of
from titm_rules.formats.case_files import conformance_cases
from titm_rules.service.protocol import Oracle

from tests.worlds import wide_case

COMPOUND = re.compile(r"[A-Za-z]\w*(?:-\w+)+|[A-Za-z]+_\w+")
NO = "No|None|Nothing|Nowhere|On no roll|\\w+ none"


def leaves(value):
    """Yield the texts and numbers that a JSON value holds, and the names in it; of a flag its name says all."""
    if isinstance(value, dict | list):
        for one in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from leaves(one)
    elif value is not None and not isinstance(value, bool):
        yield re.sub(r"[-_!]", " ", str(value)).lower()


def says(answer, said, in_parts):
    """Whether the words of an answer agree with it; a number of parts is shown in its unit."""
    first = next(iter(answer.values()), None)
    if "undetermined" in answer or isinstance(first, bool) or first in (None, {}, []):
        return re.match("Not determined" if "undetermined" in answer else "Yes" if first else NO, said)
    if "drms" in answer:
        last = answer["highest"]
        return said == {0: "On no roll.", 1: "On 1.", 10: "On every roll."}.get(last, f"On 1 to {last}.")
    is_long = isinstance(first, dict | list) and len(first) > 8
    names = list(first) if in_parts and isinstance(first, dict | list) else first
    return is_long or (in_parts and isinstance(first, int)) or all(name in said.lower() for name in leaves(names))


@pytest.mark.parametrize("share", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("game", "most"), [("titm", 50), ("bitterwoods", 45), ("cold-ford", 6)])
def test_a_headline_says_the_question_and_its_answer(game, most, share):
    oracle, rng, in_parts = Oracle(game=game), random.Random(f"headlines of {game}"), game == "bitterwoods"
    rules = "".join(re.sub(r'"[^"]*"', "", path.read_text()) for path in files_of(game, "**/*.rules"))
    names = set(COMPOUND.findall(rules))
    known = [case for case in conformance_cases(game) if case["query"] != "replay"]
    wide = [wide_case(random.Random(f"headline{seed}")) for seed in range(20)] if game == "titm" else []
    for case in (*rng.sample(known, min(most * share, len(known))), *wide):
        request = {name: case[name] for name in ("edition", "query", "input")} | {"words": True}
        reply = oracle.ask(request | {"readings": rng.choice((case.get("readings") or {}, "all"))})
        asked, _, said = reply["headline"].partition("? ")
        about = ("position", "battle" if game == "titm" else "")
        given = {name: one for name, one in request["input"].items() if name not in about}
        inputs = [*leaves(list(given.values())), *leaves([name for name, one in given.items() if one is True])]
        words = re.sub("-", " ", asked).lower()
        assert all(word in words or (in_parts and word.isdigit()) for word in inputs), reply["headline"]
        assert said.startswith("It depends on reading") == (reply.get("outcome") == "depends"), reply["headline"]
        told = (said.partition("now: ")[2] or said).replace("-", " ")
        assert says(reply["answer"], told, in_parts), reply
        used = {one for one in COMPOUND.findall(reply["headline"]) if "_" in one or one in names}
        assert used <= set(re.findall(r"[\w-]+", repr(request["input"]))), (used, reply["headline"])
