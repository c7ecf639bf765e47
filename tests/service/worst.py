"""Requests that take as long as a request can: each within the limits of the protocol on its size."""

from itertools import pairwise
from typing import Any

from titm_rules.editions.load import load_model
from titm_rules.maps.scenarios import load_scenario

KINDS = ("engineer", "armor", "mechanized", "motorized", "foot")


def mixed(count: int, letter: str) -> list[dict[str, Any]]:
    """Combatants no two of which are alike for long."""
    return [
        {"id": f"{letter}{n}", "kind": KINDS[n % 5], "strength": 1 + n % 4, "in_supply": n % 3 > 0}
        | ({"entrenched": n % 2 > 0} if letter == "d" else {})
        for n in range(count)
    ]


def battle(attackers: int, defenders: int) -> dict[str, Any]:
    return {"attacker": "German", "attackers": mixed(attackers, "a"), "defenders": mixed(defenders, "d")}


def here(**more: Any) -> dict[str, Any]:
    return {"day": 18, "impulse": 1, "side_to_move": "German", "zones": [{"id": "A", "owner": "German"}], **more}


def grid(side: int, engineers: int) -> dict[str, Any]:
    """A square of areas, each joined to its neighbours by bridges of which every other is blown."""
    pairs = [(n, n + 1) for n in range(side * side) if (n + 1) % side]
    pairs += [(n, n + side) for n in range(side * side - side)]
    links = [
        {"id": f"c{n}", "ends": [f"p{a}", f"p{b}"], "road": "minor", "river": True}
        | {"bridge": "blown" if n % 2 else "intact"}
        for n, (a, b) in enumerate(pairs)
    ]
    units = [
        {"id": f"u{n}", "side": "German", "kind": "engineer", "strength": 2, "place": f"p{n * 3 % (side * side)}"}
        for n in range(engineers)
    ]
    return here(areas=[{"id": f"p{n}"} for n in range(side * side)], connections=links, units=units)


def chain_of_zones(count: int) -> dict[str, Any]:
    names = [f"z{n}" for n in range(count)]
    zones = [{"id": name, "owner": "German"} for name in names]
    neighbours = [list(pair) for pair in pairwise(names)]
    position = here(areas=[{"id": "x"}], connections=[], units=[], zone_neighbours=neighbours)
    asked = {"side": "German", "entry": names[:1], "due": [16, 1], "ask": names}
    return {"position": {**position, "zones": zones}, **asked}


def request(query: str, asked: dict[str, Any], edition: str = "1999", explain: bool = False) -> dict[str, Any]:
    return {"id": query, "edition": edition, "query": query, "input": asked, "explain": explain}


def worst() -> dict[str, dict[str, Any]]:
    campaign = load_scenario(load_model("1999"), "campaign").position
    back_and_forth = ["p0", *["!p1"] * 999]
    return {
        "targets": request("artillery_targetings", {"battle": battle(3, 24), "who": "attacker", "n": 24}),
        "sequence": request(
            "artillery_sequence_legal",
            {"battle": battle(3, 24), "who": "attacker", "sequence": [f"d{n % 24}" for n in range(99)]}, explain=True,
        ),
        "fire": request("fire_allocations", {"battle": battle(24, 24), "who": "attacker"}, "1998-01-15"),
        "zones": request("reinforcement_options", chain_of_zones(2_000)),
        "path": request("check_path", {"position": grid(10, 1), "units": ["u0"], "path": back_and_forth}, explain=True),
        "bridges": request("construction_options", {"position": grid(31, 300)}, explain=True),
        "campaign": request("construction_options", {"position": campaign}, explain=True),
    }  # fmt: skip
