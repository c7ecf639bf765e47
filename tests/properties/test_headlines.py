"""A headline names every input, says what the answer says, and uses no name of a rule file."""

import random
import re
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from titm_rules.catalog import files_of
from titm_rules.formats.case_files import conformance_cases, shipped_cases
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.position import Position
from titm_rules.render.overlays import draw_path, question_about
from titm_rules.render.pictures import plain_picture, render_board
from titm_rules.render.style import load_style
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


@lru_cache
def names_of(game):
    """Collect the names with a hyphen or an underscore in the rules of a game."""
    rules = "".join(re.sub(r'"[^"]*"', "", path.read_text()) for path in files_of(game, "**/*.rules"))
    return frozenset(COMPOUND.findall(rules))


def check(reply, given, names, in_parts):
    """Hold a headline against what was given and answered; `names` are those of the rule files."""
    asked, _, said = reply["headline"].partition("? ")
    inputs = [*leaves(list(given.values())), *leaves([name for name, one in given.items() if one is True])]
    words = re.sub("-", " ", asked).lower()
    assert all(word in words or (in_parts and word.isdigit()) for word in inputs), reply["headline"]
    assert said.startswith("It depends on reading") == (reply.get("outcome") == "depends"), reply["headline"]
    told = (said.partition("now: ")[2] or said).replace("-", " ")
    assert says(reply["answer"], told, in_parts), reply
    used = {one for one in COMPOUND.findall(reply["headline"]) if "_" in one or one in names}
    assert used <= set(re.findall(r"[\w-]+", repr((given, reply["answer"])))), (used, reply["headline"])


@pytest.mark.parametrize("share", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("game", "most"), [("titm", 50), ("bitterwoods", 45), ("cold-ford", 6)])
def test_a_headline_says_the_question_and_its_answer(game, most, share):
    oracle, rng, in_parts = Oracle(game=game), random.Random(f"headlines of {game}"), game == "bitterwoods"
    known = [case for case in conformance_cases(game) if case["query"] != "replay"]
    wide = [wide_case(random.Random(f"headline{seed}")) for seed in range(20)] if game == "titm" else []
    for case in (*rng.sample(known, min(most * share, len(known))), *wide):
        request = {name: case[name] for name in ("edition", "query", "input")} | {"words": True}
        reply = oracle.ask(request | {"readings": rng.choice((case.get("readings") or {}, "all"))})
        about = ("position", "battle" if game == "titm" else "")
        given = {name: one for name, one in request["input"].items() if name not in about}
        check(reply, given, names_of(game), in_parts)


# ---------------------------------------------------------------------- random questions of what ships
@lru_cache
def positions(game):
    """Open what ships of a game: each case, the values of its situation, and its rows by name and role of records."""
    found = []
    for name in shipped_cases(game):
        case = open_case(Path(name), Rules(game=game))
        model = case.edition.model
        data = Position.from_dict(case.data, case.edition, case.situation).to_dict() if case.data else {}
        fields = [spec for spec in model.records[case.situation].fields if spec.owns and data.get(spec.json)]
        rows = {}
        for spec in fields:
            record = model.records[spec.type.name]
            for kind in (record.name, record.role):
                rows.setdefault(kind, []).extend(
                    row for row in data[spec.json] if isinstance(row, dict) and "id" in row
                )
        found.append((case, data, rows))
    return found


def value_of(rng, model, rows, kind):
    """Draw a value of a type from what is in a situation; nothing if there is none."""
    ids = [row["id"] for row in rows.get(kind.name or kind.kind, rows.get(kind.kind, ()))]
    match kind.kind:
        case "flag":
            return rng.choice((True, False))
        case "number":
            low = kind.low or 0
            return rng.randint(low, min(low + 9, kind.high if kind.high is not None else low + 9))
        case "enum":
            return rng.choice(model.enums[kind.name].texts)
        case "path":
            return walk(rng, rows)
        case "set" if ids:
            return rng.sample(ids, min(len(ids), rng.choice((1, 1, 2))))
        case "record" | "place" if ids:
            return rng.choice(ids)
    return None


def walk(rng, rows):
    """Draw a way of one to three steps over connections from where somebody stands; now and then one step is a leap."""
    places = [row["id"] for row in rows.get("place", ())]
    stand = [row["place"] for row in rows.get("piece", ()) if row.get("place")]
    way = [rng.choice(stand or places or [""])]
    for _ in range(rng.randint(1, 3)):
        ends = [row["ends"] for row in rows.get("connection", ()) if way[-1] in row["ends"]]
        near = [end for pair in ends for end in pair if end != way[-1]]
        way.append(rng.choice(near if near and rng.random() < 0.9 else places or [""]))
    return way


def random_question(rng, game):
    """Draw a question and what it takes, and put it; one that takes what is not there is drawn again."""
    while True:
        case, data, rows = rng.choice(positions(game))
        model, readings = case.edition.model, rng.choice((None, "all"))
        fitting = [one for one in model.questions.values() if one.situation in ("", case.situation)]
        question = rng.choice(fitting)
        given = {spec.json: value_of(rng, model, rows, spec.type) for spec in question.inputs}
        if any(value is None for value in given.values()):
            continue
        about = {question.situation: data} if question.situation else {}
        request = {"game": game, "edition": case.edition.date, "query": question.name, "input": {**about, **given}}
        reply = Oracle(game=game).ask(
            {**request, "words": True, "explain": True, **({"readings": readings} if readings else {})}
        )
        if reply["ok"]:
            return case, data, question, given, reply


def check_colours(case, data, question, given, reply):
    """Draw the way that a question is about: what is barred of it is never in the colour of what is allowed."""
    position = Position.from_dict(data, case.edition, case.situation)
    movers = next(spec for spec in question.inputs if model_role(case, spec) == "piece")
    [way] = [spec.json for spec in question.inputs if spec.type.kind == "path"]
    pieces = given[movers.json] if isinstance(given[movers.json], list) else [given[movers.json]]
    more = {name: value for name, value in given.items() if name not in (movers.json, way)}
    picture = draw_path(plain_picture(position), position, given[way], pieces, more)
    drawn = ElementTree.fromstring(render_board(position, picture))
    style = load_style(case.edition.game)
    lines = [(one.get("stroke"), one.get("stroke-width")) for one in drawn.iter() if one.tag.endswith("path")]
    barred, green = [(look["stroke"], str(look["width"])) for look in (style.barred, style.route)]
    prefix = (reply.get("nearest") or {}).get("longest_prefix") or ()
    is_legal = reply["answer"]["legal"]
    allowed = len(prefix) > 1 or (is_legal and len(given[way]) > 1)
    assert (barred in lines, green in lines) == (not is_legal, allowed), given


def model_role(case, spec):
    record = case.edition.model.records.get(spec.type.name)
    return record.role if record is not None else ""


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
@pytest.mark.parametrize("game", ["titm", "bitterwoods", "cold-ford"])
def test_ten_random_questions_are_told_as_they_are_answered(game, seed):
    rng = random.Random(f"question {game} {seed}")
    for _ in range(10):
        case, data, question, given, reply = random_question(rng, game)
        check(reply, given, names_of(game), game == "bitterwoods")
        is_way = question.ask == "path" and question_about(case.edition.model, case.situation, "path")[0] is question
        if is_way and "legal" in reply["answer"]:
            check_colours(case, data, question, given, reply)
