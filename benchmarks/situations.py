"""Battles and a large map, drawn by seed, as JSON values of the protocol."""

from __future__ import annotations

import random
from typing import Any

TERRAINS = ("clear", "clear", "clear", "light-woods", "forest", "broken", "town")
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


def hex_field(seed: int, wide: int = 25, units: int = 80) -> Json:
    """Draw a field of hexes with roads and rivers, and two armies with zones of control, for the game of hexes."""
    rng = random.Random(seed)
    cells = [(column, row) for column in range(wide) for row in range(wide)]
    ways = [(one, other) for one in cells for other in _beyond(*one) if max(other) < wide and min(other) >= 0]
    near: dict[str, list[str]] = {_hex(cell): [] for cell in cells}
    for one, other in ways:
        near[_hex(one)].append(_hex(other))
        near[_hex(other)].append(_hex(one))
    bounds = {"boundary_0915": "north", "boundary_1129": "north"}
    taken = rng.sample(sorted(near), units)
    armies = [_hex_unit(rng, number, place, near[place]) for number, place in enumerate(taken)]
    return {
        "turn": "17AM", "phasing": "German", "phase": "movement", "options": [], "supply_roads": [],
        "stack_limit": 3, "zoc_movement": "stop", "peiper_privileges": False,
        "hexes": [{"id": name, "terrain": rng.choice(TERRAINS), **bounds} for name in near],
        "hexsides": [_hexside(rng, _hex(one), _hex(other)) for one, other in ways], "units": armies,
    }  # fmt: skip


def _hex(cell: tuple[int, int]) -> str:
    return f"H{cell[0]}-{cell[1]}"


def _beyond(column: int, row: int) -> list[tuple[int, int]]:
    """Give the neighbours of a hex to the right and below."""
    return [(column + 1, row), (column, row + 1), (column + 1, row + (1 if column % 2 else -1))]


def _hexside(rng: random.Random, one: str, other: str) -> Json:
    found: Json = {"id": f"{one}-{other}", "ends": [one, other]}
    if rng.random() < 0.3:
        found["road"] = True
    elif rng.random() < 0.2:
        found |= {"river": "river", "crossing_cost": 6}
    return found


def _hex_unit(rng: random.Random, number: int, place: str, zone: list[str]) -> Json:
    side = ("German", "Allied")[number % 2]
    found = {"id": f"u{number}", "side": side, "kind": "infantry", "allowance": rng.randint(3, 6), "zoc": zone}
    return {**found, "strength": 4, "er": 4, "steps": 2, "place": place}


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
