"""Random situations of the small rule sets, and inputs for their questions."""

from __future__ import annotations

from random import Random
from typing import Any

from titm_rules.ir.model import Model, Question
from titm_rules.ir.types import Type

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
