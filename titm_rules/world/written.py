"""Records that a text stands for, as `1D3` for a loss, a loser and a length."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from titm_rules.rules.model import MISSING, FieldSpec, Model
from titm_rules.rules.spelling import spoken
from titm_rules.world.records import new_record, record_class

_PART = re.compile(r"\{([^{}]*)\}")


def read_text(model: Model, name: str, text: str | None) -> Any:
    """Read a text as a record of a type that is written; nothing if it is not of that form."""
    record = model.records[name]
    found = _pattern(model, name).fullmatch(text) if text is not None else None
    if found is None:
        return None
    made = new_record(record_class(record), "", 0)
    for spec in record.fields:
        value = _value(model, spec, found[spec.name])
        if value is None:
            return None
        setattr(made, spec.name, value)
    return made


def _value(model: Model, spec: FieldSpec, text: str | None) -> int | None:
    """Read a field: a rank or a number; nothing for a number out of its range."""
    if not text:
        text = str(spec.default)
    if spec.type.kind == "enum":
        return model.enums[spec.type.name].texts.index(text)
    number = int(text)
    low, high = spec.type.low, spec.type.high
    return number if low is None or high is None or low <= number <= high else None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _pattern(model: Model, name: str) -> re.Pattern[str]:
    """Make the pattern of a record's text; a field with a default may be left out of it."""
    record = model.records[name]
    fields = {spoken(spec.name): spec for spec in record.fields}
    pieces = _PART.split(record.written)
    pieces[1::2] = [_field(model, fields[name]) for name in pieces[1::2]]
    pieces[::2] = map(re.escape, pieces[::2])
    return _compiled("".join(pieces))


def _field(model: Model, spec: FieldSpec) -> str:
    inner = r"\d{1,9}"
    if spec.type.kind == "enum":
        inner = "|".join(map(re.escape, model.enums[spec.type.name].texts))
    return f"(?P<{spec.name}>{inner}){'' if spec.default == MISSING else '?'}"
