"""The lists of a situation that a map fills."""

from __future__ import annotations

from titm_rules.rules.model import FieldSpec, Model

EVERY = "*"  # in a map file, stands for every field that is not named
_TABLE_ROLES = ("place", "connection")


def table_fields(model: Model, situation: str = "") -> dict[str, FieldSpec]:
    """Name the lists of a situation that a map fills: its places, and what joins them.

    Args:
        model: the rules.
        situation: which; if none is named, the first that has places.
    """
    names = [situation] if situation else [r.name for r in model.records.values() if r.role == "situation"]
    for name in names:
        specs = {f.json: f for f in model.records[name].fields if f.owns and _role(model, f) in _TABLE_ROLES}
        if any(_role(model, spec) == "place" for spec in specs.values()):
            return specs
    return {}


def _role(model: Model, spec: FieldSpec) -> str:
    return model.records[spec.type.name].role
