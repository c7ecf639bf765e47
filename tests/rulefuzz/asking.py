"""Questions put to three engines and to the explanation, about random situations of the small rule sets."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from titm_rules.diagnostics import InputError, Undecided
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.explain import explain
from titm_rules.explain.verdict import ILLEGAL, LEGAL
from titm_rules.formats.record_schemas import schemas_of, validate
from titm_rules.ir.model import Model, Question
from titm_rules.world.world import World

from tests.rulefuzz.programs import Program
from tests.versions.draws import Draw

UNDECIDED, REFUSED = "undecided", "refused"
Json = dict[str, Any]


def put(model: Model, engine: str, question: Question, situation: Json, inputs: Json) -> BoundQuestion:
    """Put a question to an engine."""
    raw = validate(schemas_of(model).question(question), {**inputs, question.situation: situation}, "$")
    data = raw.pop(question.situation)
    world = World(model, question.situation, data, "$")
    return BoundQuestion(model, question, make_engine(engine, model, world), world, raw, "$")


def answer(model: Model, engine: str, question: Question, situation: Json, inputs: Json) -> Any:
    """Answer a question; undecided if clauses contradict each other, refused if an input does not fit."""
    try:
        return put(model, engine, question, situation, inputs).answer()
    except Undecided:
        return UNDECIDED
    except InputError:
        return REFUSED


def disagreement(model: Model, question: Question, situation: Json, inputs: Json) -> Mapping[str, Any]:
    """Return the answers of the engines if they differ; contradictory clauses allow any answer."""
    answers = {engine: answer(model, engine, question, situation, inputs) for engine in ENGINES}
    if UNDECIDED in answers.values() or all(each == answers["reference"] for each in answers.values()):
        return {}
    return answers


def unexplained(model: Model, question: Question, situation: Json, inputs: Json) -> str:
    """Describe the error in the explanation of an answer; empty: there is none."""

    def under(choices: Mapping[str, str]) -> BoundQuestion:
        return put(model.with_readings(choices), "compiled", question, situation, inputs)

    try:
        verdict = explain(put(model, "compiled", question, situation, inputs), under)
    except (Undecided, InputError):
        return ""
    if question.ask not in ("path", "choice"):
        return ""
    if verdict.outcome == ILLEGAL and not verdict.failing and not verdict.plain_reason:
        return "no clause forbids an illegal answer"
    if verdict.outcome == LEGAL and verdict.failing:
        return f"{[finding.clause for finding in verdict.failing]} forbid a legal answer"
    return ""


def trial(rng: Random, program: Program, worlds: int) -> Iterator[tuple[Question, Json, Json]]:
    """Draw situations of a program, and inputs for each of its questions."""
    for _ in range(worlds):
        situation = called(random_field(rng), program.names)
        draw = Draw(program.model, "field", situation, rng, {})
        for question in [*program.model.questions.values()] * 2:
            inputs = draw.inputs(question)
            if inputs is not None:
                yield question, situation, inputs


def called(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the fields of a situation as a program does."""
    if isinstance(value, dict):
        return {names.get(key, key): called(each, names) for key, each in value.items()}
    return [called(each, names) for each in value] if isinstance(value, list) else value


SIDES, SORTS = ("red", "blue"), ("foot", "horse", "gun")
STATES = ("whole", "broken")


def some(rng: Random, **fields: Any) -> dict[str, Any]:
    """Keep some of the fields; the others take their defaults."""
    return {name: value for name, value in fields.items() if rng.random() < 0.6}


def random_field(rng: Random) -> dict[str, Any]:
    """Draw a situation: up to four places, as many scouts, few of everything else."""
    hexes = [
        {"id": f"h{n}", **some(rng, height=rng.randint(0, 2), wood=rng.random() < 0.5)}
        for n in range(rng.randint(1, 3))
    ]
    caves = [{"id": f"c{n}", **some(rng, depth=rng.randint(0, 2), wood=True)} for n in range(rng.randint(0, 1))]
    places = [one["id"] for one in hexes + caves]
    scouts = [_scout(rng, f"s{n}", places) for n in range(rng.randint(0, 4))]
    names = [one["id"] for one in scouts]
    for one in scouts:
        if rng.random() < 0.3:
            one["buddy"] = rng.choice(names)
    shots = [
        {"id": f"f{n}", "sort": rng.choice(SORTS), **some(rng, force=rng.randint(0, 3), aim=rng.choice([*names, None]))}
        for n in range(rng.randint(0, 3))
    ]
    return {
        "hexes": hexes,
        "caves": caves,
        "trails": [
            {"id": f"t{n}", "ends": ends, **some(rng, steep=True, toll=rng.randint(0, 3), bridge=rng.choice(STATES))}
            for n, ends in enumerate(_pairs(rng, places, 4))
        ],
        "rivers": [
            {"id": f"r{n}", "ends": ends, **some(rng, toll=rng.randint(0, 3))}
            for n, ends in enumerate(_pairs(rng, places, 2))
        ],
        "scouts": scouts,
        "posts": [
            {"id": f"p{n}", "side": rng.choice(SIDES), "place": rng.choice(places), **some(rng, strength=2)}
            for n in range(rng.randint(0, 2))
        ],
        "shots": shots,
        "marked": [name for name in names if rng.random() < 0.4],
        **some(rng, day=rng.randint(1, 3), night=True, turn=rng.choice(SIDES)),
        **some(rng, front=rng.choice(places), spent=rng.randint(0, 3)),
    }  # fmt: skip


def _scout(rng: Random, name: str, places: list[str]) -> dict[str, Any]:
    place = rng.choice(places) if rng.random() < 0.9 else None
    more = some(rng, strength=rng.randint(0, 3), pay=rng.randint(0, 9))
    more |= some(rng, tired=rng.random() < 0.5, home=rng.choice([*places, None]))
    return {"id": name, "place": place, "side": rng.choice(SIDES), "sort": rng.choice(SORTS), **more}


def _pairs(rng: Random, places: list[str], most: int) -> list[list[str]]:
    if len(places) < 2:
        return []
    return [rng.sample(places, 2) for _ in range(rng.randint(0, most))]
