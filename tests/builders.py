"""Tiny battles and positions written on a line or two, as JSON values of the protocol.

A battle: `battle("armor 2 river, foot 1 oos", "foot 3 entrenched")` names its units a1, a2, ... and
d1, d2, ... A position: `position("B-s major; s-x minor blown", "m German foot 3 s moved; ...")`.
A place of one capital letter is a zone, any other an area; a connection is named by its two ends.
"""

from collections.abc import Callable
from typing import Any

import pytest
from titm_rules.diagnostics import Fault, InputError, TitmError

FLAGS = {
    "river": {"arrival": "river"}, "road": {"arrival": "road"}, "here": {"arrival": "began-here"},
    "oos": {"in_supply": False}, "entrenched": {"entrenched": True},
}  # fmt: skip
GERMAN_ZONES = "ABC"


def combatants(text: str, letter: str) -> list[dict[str, Any]]:
    found = []
    for number, words in enumerate((part.split() for part in text.split(",") if part.strip()), 1):
        unit: dict[str, Any] = {"id": f"{letter}{number}", "kind": words[0], "strength": int(words[1])}
        for word in words[2:]:
            unit |= FLAGS[word]
        found.append(unit)
    return found


def battle(
    attackers: str, defenders: str, attacker: str = "German", bystanders: str = "", **more: Any
) -> dict[str, Any]:
    """Make a battle; `more` are further fields of it."""
    return {
        "attacker": attacker, "attackers": combatants(attackers, "a"), "defenders": combatants(defenders, "d"),
        "bystanders": combatants(bystanders, "b"), **more,
    }  # fmt: skip


def connection(text: str) -> dict[str, Any]:
    name, *words = text.split()
    made: dict[str, Any] = {"id": name, "ends": name.split("-")[:2], "road": None}
    for word in words:
        if word in ("major", "minor"):
            made["road"] = word
        elif word == "river":
            made["river"] = True
        elif word in ("intact", "blown"):
            made |= {"river": True, "bridge": word}
        else:
            made["failed_repairs"] = int(word.removeprefix("failed="))
    return made


def value(text: str) -> Any:
    if text.isdigit():
        return int(text)
    return None if text == "null" else text


def unit(text: str) -> dict[str, Any]:
    identity, side, kind, strength, place, *words = text.split()
    made: dict[str, Any] = {"id": identity, "side": side, "kind": kind, "strength": int(strength), "place": place}
    for word in words:
        name, equals, given = word.partition("=")
        made |= {name: value(given)} if equals else {word.removeprefix("!"): not word.startswith("!")}
    return made


def parts(text: str) -> list[str]:
    return [part for part in text.split(";") if part.strip()]


def position(
    connections: str,
    units: str,
    day: int = 17,
    impulse: int = 1,
    side: str = "German",
    areas: dict[str, dict[str, Any]] | None = None,
    zones: dict[str, dict[str, Any]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Make a position: its places are those that connections and units name.

    `areas` and `zones` give further fields of places by id, `more` further fields of the position.
    """
    links = [connection(text) for text in parts(connections)]
    pieces = [unit(text) for text in parts(units)]
    names = sorted({end for link in links for end in link["ends"]} | {piece["place"] for piece in pieces})
    return {
        "day": day,
        "impulse": impulse,
        "side_to_move": side,
        "areas": [{"id": name, **(areas or {}).get(name, {})} for name in names if not is_zone(name)],
        "zones": [{"id": name, "owner": owner(name), **(zones or {}).get(name, {})} for name in names if is_zone(name)],
        "connections": links,
        "units": pieces,
        **more,
    }


def ending(roads: str, units: str, side: str, impulse: int = 1, day: int = 17, **more: Any) -> dict[str, Any]:
    """Make a position in which a player impulse ends with the next `end-phase`; arguments as for a position."""
    return position(roads, units, day, impulse, side, phase="construction", **more)


def is_zone(name: str) -> bool:
    return len(name) == 1 and name.isupper()


def owner(zone: str) -> str:
    return "German" if zone in GERMAN_ZONES else "Allied"


def fault_of(work: Callable[..., object], *args: Any, error: type[TitmError] = InputError, **named: Any) -> Fault:
    """Give the only fault of what cannot be done."""
    with pytest.raises(error) as caught:
        work(*args, **named)
    [fault] = caught.value.faults
    return fault
