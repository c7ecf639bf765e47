"""Cases that are built on what ships: on its name, or on a notation that stands for the situation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from titm_rules.formats.cases import CaseText, case_text, is_scenario, read_case_file, shipped_cases
from titm_rules.maps.bases import base_name, named_base
from titm_rules.maps.notation import data_of_notation
from titm_rules.maps.scenarios import read_scenario
from titm_rules.maps.spelled import spelled
from titm_rules.rules.model import Model
from titm_rules.syntax.notation import read_notation

Json = dict[str, Any]


def built_case(model: Model, raw: Mapping[str, Any], path: Path, home: Path | None = None) -> CaseText:
    """Sort what a case file says; what it is built on is put under it, and a notation becomes values.

    `home` is the folder outside which no file is read as a base; none: a base may lie anywhere.

    Raises:
        InputError: for values that are neither a case nor a situation, or that are built on nothing that ships.
    """
    on = named_base(model, raw, path, home)
    said = case_text(model, _without_notations(model, raw, f"{path}: $"), path, on, home)
    return replace(said, data=spelled(model, said.situation, said.data))


def _without_notations(model: Model, raw: Mapping[str, Any], where: str) -> Json:
    found = dict(raw)
    for name, text in _notations(model, raw):
        found[name] = data_of_notation(model, name, text, f"{where}.{name}")
    if isinstance(raw.get("input"), dict):
        found["input"] = _without_notations(model, raw["input"], f"{where}.input")
    return found


def _notations(model: Model, raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the situations that a case gives as a text, by name."""
    for name, record in model.records.items():
        if record.role == "situation" and isinstance(raw.get(name), str):
            yield name, raw[name]


def special_rules_under(model: Model, raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the special rules of the scenario that a case is built on; none if it is built on none."""
    inner = raw["input"] if isinstance(raw.get("input"), dict) else {}
    texts = [text for source in (raw, inner) for _, text in _notations(model, source)]
    names = [base_name(raw), *(read_notation(text).base.text for text in texts)]
    shipped = shipped_cases(model.home)
    paths = [shipped[name] for name in names if name in shipped]
    scenarios = [read_scenario(model, path) for path in paths if is_scenario(read_case_file(path))]
    return tuple(dict.fromkeys(overlay for one in scenarios for overlay in one.overlays))
