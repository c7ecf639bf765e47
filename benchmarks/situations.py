"""Battles and a large map, drawn by seed, as JSON values of the protocol."""

from __future__ import annotations

import random
from typing import Any

KINDS = ("engineer", "armor", "mechanized", "motorized", "foot")
Json = dict[str, Any]


def battle(attackers: int, defenders: int, seed: int, kinds: tuple[str, ...] = KINDS) -> Json:
    """Draw a battle with units of some kinds and of 1 to 4 strength points."""
    rng = random.Random(seed)

    def units(letter: str, number: int) -> list[Json]:
        return [{"id": f"{letter}{n}", "kind": rng.choice(kinds), "strength": rng.randint(1, 4)} for n in range(number)]

    return {"attacker": "German", "attackers": units("a", attackers), "defenders": units("d", defenders)}


def campaign(seed: int, places: int = 150, germans: int = 120, allies: int = 60) -> Json:
    """Draw a map, each area joined to its three nearest, zones at its rims, and two armies that overlap."""
    rng = random.Random(seed)
    at = {f"p{n}": (rng.random(), rng.random()) for n in range(places)}
    connections = [_connection(rng, f"c{n}", ends) for n, ends in enumerate(_near(at))]
    zones = []
    for side, rim, letters in (("German", 1.0, "ABC"), ("Allied", 0.0, "DEFG")):
        for n, letter in enumerate(letters):
            gate = _nearest(at, (rim, n / (len(letters) - 1)))[0]
            zones.append({"id": letter, "owner": side})
            connections.append({"id": f"z{letter}", "ends": [letter, gate], "road": "major"})
    east = [name for name, (x, _) in at.items() if x > 0.4]
    west = [name for name, (x, _) in at.items() if x < 0.45]
    units = [_unit(rng, f"g{n}", "German", east) for n in range(germans)]
    units += [_unit(rng, f"a{n}", "Allied", west) for n in range(allies)]
    return {
        "day": 18,
        "impulse": 1,
        "side_to_move": "German",
        "areas": [{"id": name} for name in at],
        "zones": zones,
        "connections": connections,
        "units": units,
    }


def _nearest(at: dict[str, tuple[float, float]], spot: tuple[float, float]) -> list[str]:
    return sorted(at, key=lambda name: (at[name][0] - spot[0]) ** 2 + (at[name][1] - spot[1]) ** 2)


def _near(at: dict[str, tuple[float, float]]) -> list[list[str]]:
    pairs = {tuple(sorted((name, other))) for name, spot in at.items() for other in _nearest(at, spot)[1:4]}
    return [list(pair) for pair in sorted(pairs)]


def _connection(rng: random.Random, name: str, ends: list[str]) -> Json:
    river = rng.random() < 0.2
    bridge = rng.choice(("intact", "intact", "blown")) if river else None
    return {"id": name, "ends": ends, "road": rng.choice(("major", "minor")), "river": river, "bridge": bridge}


def _unit(rng: random.Random, name: str, side: str, places: list[str]) -> Json:
    kind, strength, place = rng.choice(KINDS), rng.randint(1, 4), rng.choice(places)
    return {"id": name, "side": side, "kind": kind, "strength": strength, "place": place}
