"""Lines of the protocol, and what an answer must be whatever the line holds."""

import json
import random
from typing import Any, NoReturn

from titm_rules.cli.serve import encoded
from titm_rules.editions.load import load_model
from titm_rules.maps.maps import map_paths
from titm_rules.service.budget import Budget
from titm_rules.service.protocol import Oracle

from tests.fuzz.mutate import as_bytes, changed, written
from tests.worlds import ALL_QUERIES, wide_case

BUDGET = Budget(5, 512)
MOST_OF_AN_ERROR = 20_000


def sample(rng: random.Random) -> dict[str, Any]:
    """A request as it should be; some stand on a map that ships."""
    query = rng.choice(ALL_QUERIES)
    request = {"id": rng.choice((1, "a", None)), **wide_case(rng, query)}
    position = request["input"].get("position")
    if position is not None and rng.random() < 0.1:
        links = position["connections"]
        for name in ("connections", "areas", "zones", "zone_neighbours"):
            position.pop(name, None)
        position["map"] = rng.choice([*map_paths(load_model(request["edition"]))])
        position["bridges"] = {link["id"]: "blown" for link in links[:1]}
    if rng.random() < 0.3:
        request["explain"] = True
    return request


ABOUT_GAMES = (
    "legal_actions", "judge", "apply", "outcomes", "replay", "notation", "odds", "choices", "battle_of",
    "supply_lines", "joint_moves",
)  # fmt: skip
NOTED = ("two-bridges,21-1,g-tank@3", "-,17-1,German,areas/x()", {"ref": "9aa69d0e2ade6a76"})
ACTIONS = ("German muster g-tank", "advance 3 1-3", {"kind": "muster", "by": "German", "choices": {"u": "g-tank"}})
RECORD = "edition 1999\nstart two-bridges\n21-1 German muster g-tank\n21-1 German advance 3 1-3\n"


def game_sample(rng: random.Random) -> dict[str, Any]:
    """A request about a game as it should be."""
    query = rng.choice(ABOUT_GAMES)
    given: dict[str, Any] = {"position": rng.choice(NOTED)}
    if query in ("judge", "apply", "outcomes"):
        given["action"] = rng.choice(ACTIONS)
    if query == "apply":
        given["dice"] = rng.choice(([], [0], [3, 4]))
    if query == "replay":
        given = {"record": RECORD, "until": rng.choice((None, 3))}
    if query in ("battle_of", "odds", "choices"):
        given["place"] = "3"
    if query == "supply_lines":
        given["of"] = rng.choice(("German", "g-tank", "nobody"))
    if query == "joint_moves":
        given["stacks"] = [{"units": ["g-tank"], "to": rng.choice((["3"], ["2", "nowhere"]))}]
    if query == "choices":
        given |= {"query": "fire_allocations", "who": "attacker", "where": rng.choice(([], ["dice at a1 is 2"], ["("]))}
    edition = rng.choice(("1999", "Aug 1997", ["1999", "2016-10-01"]))
    return {"id": 1, "edition": edition, "query": query, "input": given, "explain": rng.random() < 0.1}


def line(seed: object) -> bytes:
    """A line that was changed; the same seed gives the same line."""
    rng = random.Random(f"line {seed}")
    made = game_sample if rng.random() < 0.3 else sample
    request = changed(made(rng), rng, [sample(rng)])
    return as_bytes(written(request, rng), rng)


def check_line(raw: bytes, oracle: Oracle) -> str:
    """Ask, hold the answer to what the protocol says of it, and give the kind of error, or `ok`."""
    text = encoded(oracle.answer_line(raw)).decode("utf-8")
    assert "\n" not in text
    answer = json.loads(text, parse_constant=_no_constant)
    assert isinstance(answer, dict)
    assert "id" in answer
    if answer["ok"] is True:
        assert "answer" in answer
        return "ok"
    error = answer["error"]
    assert all(isinstance(error[name], str) for name in ("kind", "at", "message", "fix"))
    assert error["at"].startswith("$")
    assert len(json.dumps(error)) < MOST_OF_AN_ERROR
    assert error["kind"] != "bug", error["message"]
    return str(error["kind"])


def _no_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")
