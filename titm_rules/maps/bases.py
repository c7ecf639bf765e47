"""What a notation is built on: scenarios and cases that ship, maps, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from titm_rules.diagnostics import Fault, InputError, TitmError, cut, did_you_mean
from titm_rules.editions.games import scenario_folder
from titm_rules.formats.cases import SUFFIXES, case_text, is_scenario, read_case_file, shipped_cases
from titm_rules.formats.jsonin import bad
from titm_rules.formats.sound import without_defaults
from titm_rules.maps.expand import MAP, PART, expand, map_of, names_map
from titm_rules.maps.maps import map_paths
from titm_rules.maps.scenarios import FILE, read_scenario
from titm_rules.rules.model import Model
from titm_rules.syntax.notation import WrittenWord, fault

NOTHING = "-"
Json = dict[str, Any]
_KEPT = 64
_DATA: dict[tuple[str, str, Path | None], tuple[str, Json]] = {}
_LEAN: dict[tuple[str, str], Json] = {}


def base_data(model: Model, situation: str, name: WrittenWord, part: WrittenWord | None, text: str, path: str) -> Json:
    """Give the values that a notation is built on.

    Raises:
        InputError: if nothing has this name.
    """
    if name.raw == NOTHING:
        return {}
    if part is None and name.text in _cases(model.home):
        its, data = _shipped(model, name.text, scenario_folder(model.home))
        if its == situation:
            return data
    known = map_paths(model)
    if name.text not in known:
        fix = did_you_mean(name.text, [*_cases(model.home), *known])
        raise InputError([fault(f"unknown scenario or map `{name.text[:80]}`", text, name.column, path, fix)])
    return {MAP: name.text, **({} if part is None else {PART: part.text})}


def whole(model: Model, situation: str, data: Mapping[str, Any], path: str) -> Json:
    """Give a situation with all that its map holds; it still names the map.

    Raises:
        InputError: for a map that cannot be put under it.
    """
    if not names_map(data):
        return dict(data)
    board = map_of(model, data, path)
    named = {name: data[name] for name in (MAP, PART) if name in data}
    return {**named, **expand(model, situation, data, board, path)}


def lean(model: Model, situation: str, name: str) -> Json:
    """Give what ships under a name as a position keeps it: the whole of it, without what is the default."""
    key = model.home, name
    if key not in _LEAN:
        found = whole(model, situation, _shipped(model, name, scenario_folder(model.home))[1], name)
        _LEAN[key] = without_defaults(model, situation, found)
        _bound(_LEAN)
    return _LEAN[key]


def likely_bases(model: Model, situation: str, named: Mapping[str, str]) -> Iterator[str]:
    """Name what ships and stands on the same map, or on none as well."""
    for name, path in shipped_cases(model.home).items():
        if (path.name == FILE) != bool(named):  # a scenario names its map, a case gives one
            continue
        try:
            its, data = _shipped(model, name, scenario_folder(model.home))
        except TitmError:
            continue
        if its == situation and {key: data[key] for key in (MAP, PART) if key in data} == dict(named):
            yield name


@lru_cache(maxsize=16)
def _cases(game: str) -> tuple[str, ...]:
    return tuple(shipped_cases(game))


def _shipped(model: Model, name: str, home: Path | None) -> tuple[str, Json]:
    """Read what ships under a name: its situation and values, before a map is put under them.

    `home` is the folder outside which no file is read, as in `case_text`.
    """
    key = model.home, name, home
    if key not in _DATA:
        path = shipped_cases(model.home)[name]
        raw = read_case_file(path)
        if is_scenario(raw):
            scenario = read_scenario(model, path)
            _DATA[key] = scenario.situation, scenario.position
        else:
            said = case_text(model, raw, path, named_base(model, raw, path, home), home)
            _DATA[key] = said.situation, dict(said.data)
        _bound(_DATA)
    return _DATA[key]


def named_base(
    model: Model, raw: Mapping[str, Any], path: Path, home: Path | None = None
) -> tuple[str, Json] | None:
    """Give the situation that ships under the name that a case is built on; nothing if it names a file or none.

    `home` is the folder outside which no file is read, as in `case_text`.

    Raises:
        InputError: if nothing ships under the name, or what does is itself built on a name.
    """
    name = base_name(raw)
    if not name:
        return None
    known, where = shipped_cases(model.home), f"{path}: $.base"
    if name not in known:
        what = f"nothing ships under the name `{cut(name)}`"
        fix = f"{did_you_mean(name, known)}; a file is named with its ending"
        raise InputError([Fault(what, where, fix=fix, kind="unknown-name")])
    if base_name(read_case_file(known[name])):
        raise bad(f"`{name}` is itself built on what ships", where, "name what it is built on", "bad-case")
    return _shipped(model, name, home)


def base_name(raw: Mapping[str, Any]) -> str:
    """Give the name of what ships that a case is built on; empty if it is built on a file, or on nothing."""
    base = str(raw.get("base", ""))
    return "" if Path(base).suffix in SUFFIXES else base


def _bound(kept: dict[Any, Any]) -> None:
    """Let the oldest go where there are too many."""
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]
