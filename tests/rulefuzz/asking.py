"""Questions put to three engines and to the explanation, about random situations of the small rule sets."""

from __future__ import annotations

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
from titm_rules.ir.types import Type
from titm_rules.world.world import World

from tests.rulefuzz.programs import Program

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


def questions(rng: Random, model: Model, situation: Json, times: int = 2) -> Iterator[tuple[Question, Json]]:
    """Draw inputs for every question of a small rule set."""
    for question in model.questions.values():
        for _ in range(times):
            inputs = random_inputs(rng, model, question, situation)
            if inputs is not None:
                yield question, inputs


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
    if (
        verdict.outcome == ILLEGAL
        and question.ask in ("path", "choice")
        and not verdict.failing
        and not verdict.plain_reason
    ):
        return "no clause forbids an illegal answer"
    if verdict.outcome == LEGAL and question.ask in ("path", "choice") and verdict.failing:
        return f"{[finding.clause for finding in verdict.failing]} forbid a legal answer"
    return ""


def trial(rng: Random, program: Program, worlds: int) -> Iterator[tuple[Question, Json, Json]]:
    """Draw situations of a program and questions."""
    for _ in range(worlds):
        plain = random_field(rng)
        situation = called(plain, program.names)
        yield from ((question, situation, inputs) for question, inputs in questions(rng, program.model, plain))


def called(value: Any, names: Mapping[str, str]) -> Any:
    """Rename the fields of a situation as a program does."""
    if isinstance(value, dict):
        return {names.get(key, key): called(each, names) for key, each in value.items()}
    return [called(each, names) for each in value] if isinstance(value, list) else value


# ---------------------------------------------------------------------- random situations and inputs
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


# ---------------------------------------------------------------------- inputs
def random_inputs(rng: Random, model: Model, question: Question, data: dict[str, Any]) -> dict[str, Any] | None:
    """Draw what a question takes; nothing if the situation has nothing of the kind."""
    found: dict[str, Any] = {}
    for spec in question.inputs:
        if spec.default != "\0missing" and rng.random() < 0.5:
            continue
        value = _input(rng, model, question, spec.type, data, found.get("who"))
        if value is None:
            return None
        found[spec.json] = value
    return found


def _input(rng: Random, model: Model, question: Question, wanted: Type, data: dict[str, Any], who: Any) -> Any:
    names = {"place": [one["id"] for one in data["hexes"] + data["caves"]]}
    names |= {kind: [one["id"] for one in data[f"{kind}s"]] for kind in ("scout", "shot", "post", "trail")}
    match wanted.kind:
        case "flag":
            return rng.random() < 0.5
        case "number":
            return rng.randint(wanted.low or 0, wanted.high or 3)
        case "enum":
            return rng.choice(model.enums[wanted.name].texts)
        case "place" | "record":
            known = names[wanted.name or "place"]
            return rng.choice(known) if known else None
        case "set":
            return _together(rng, data) if wanted.name == "scout" else None
        case "path":
            return _path(rng, question, data, _start(rng, data, who))
        case "assignment":
            choosers = (
                names["shot"] if question.form == "aim" else [s["id"] for s in data["scouts"] if s["side"] == "red"]
            )
            targets = names["scout"]
            return {one: rng.choice(targets) for one in choosers if rng.random() < 0.97} if targets else None
        case "sequence":
            many = rng.randint(0, 3)
            if question.form == "party":
                return rng.sample(names["scout"], min(many, len(names["scout"])))
            return [rng.choice(names["scout"]) for _ in range(many)] if names["scout"] else None
    raise AssertionError(wanted)


def _together(rng: Random, data: dict[str, Any]) -> list[str] | None:
    """Name some scouts that stand at one place, mostly."""
    scouts = data["scouts"]
    if not scouts:
        return None
    first = rng.choice(scouts)
    near = [s["id"] for s in scouts if s["place"] == first["place"] or rng.random() < 0.1]
    return rng.sample(near, rng.randint(1, len(near))) if first["id"] in near else [first["id"]]


def _start(rng: Random, data: dict[str, Any], who: Any) -> str:
    """Name a place, mostly the one where the mover stands."""
    first = who[0] if isinstance(who, list) else who
    standing = [s["place"] for s in data["scouts"] if s["place"] and s["id"] == first]
    return standing[0] if standing and rng.random() < 0.9 else rng.choice(data["hexes"])["id"]


def _path(rng: Random, question: Question, data: dict[str, Any], at: str) -> list[str]:
    steps = [at]
    for _ in range(rng.randint(0, 3)):
        ways = [end for trail in data["trails"] if at in trail["ends"] for end in trail["ends"] if end != at]
        if not ways:
            break
        nearest = rng.choice(ways)
        if rng.random() < 0.25 and "march" in question.name:
            steps.append(f"!{nearest}")
            continue
        steps.append(nearest)
        at = nearest
    return [*steps, "camp"] if rng.random() < 0.2 else steps
