"""How a rule set wants its pieces and connections drawn: data, matched by field values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from titm_rules.edges.jsonin import bad, read_data
from titm_rules.editions.load import game_folder
from titm_rules.model.model import Model

STYLE_FILE = "style.yaml"
LINE, MARK, PIECE, PLACE = "lines", "marks", "pieces", "places"
_DEFAULTS: dict[str, Any] = {"fill": "#ffffff", "ink": "#222222", "stroke": "#777777", "width": 2}


@dataclass(frozen=True)
class Rule:
    """One way to draw: it applies to records whose fields have the values of `when`."""

    when: Mapping[str, Any]
    draw: Mapping[str, Any]

    @property
    def label(self) -> str:
        """What the legend calls it; empty: it is not in the legend."""
        return str(self.draw.get("label", ""))


@dataclass(frozen=True)
class Style:
    """The rules of a style file by what they draw, and the looks of routes and blockers."""

    rules: Mapping[str, tuple[Rule, ...]]
    route: Mapping[str, Any]
    closest: Mapping[str, Any]
    blocker: Mapping[str, Any]
    piece_label: tuple[str, ...] = ()
    short: Mapping[str, str] = field(default_factory=dict)

    def look(self, what: str, model: Model, record: Any) -> dict[str, Any]:
        """Give the looks of a record: those of the first rule that applies."""
        return {**_DEFAULTS, **next((r.draw for r in self.all_looks(what, model, record)), {})}

    def all_looks(self, what: str, model: Model, record: Any) -> list[Rule]:
        """List the rules that apply to a record."""
        return [
            rule for rule in self.rules.get(what, ())
            if all(shown(model, record, name) == value for name, value in rule.when.items())
        ]  # fmt: skip

    def label(self, model: Model, piece: Any) -> str:
        """Write on a piece what the rule set wants to see there."""
        values = [str(shown(model, piece, name)) for name in self.piece_label]
        return " ".join(self.short.get(value, value) for value in values)


def shown(model: Model, record: Any, name: str) -> Any:
    """Give a field of a record as it is written outside; nothing if it has no such field."""
    if name == "record":
        return record.record
    spec = next((f for f in model.records[record.record].fields if name in (f.name, f.json)), None)
    if spec is None:
        return None
    value = getattr(record, spec.name)
    if value is not None and spec.type.kind == "enum":
        return model.enums[spec.type.name].texts[value]
    return getattr(value, "id", value)


def load_style(game: str = "titm") -> Style:
    """Read the style of a rule set; without a file everything is drawn alike.

    Raises:
        InputError: for a style that cannot be read.
    """
    path = game_folder(game) / STYLE_FILE
    raw = read_data(path) if path.is_file() else {}
    if not isinstance(raw, dict):
        raise bad("a style is an object", str(path), kind="bad-value")
    rules = {what: tuple(_rule(item) for item in raw.get(what, ())) for what in (LINE, MARK, PIECE, PLACE)}
    route, closest, blocker = ({**_DEFAULTS, **raw.get(name, {})} for name in ("route", "closest", "blocker"))
    label, short = tuple(raw.get("piece_label", ())), raw.get("short", {})
    return Style(rules, route, closest, blocker, label, short)


def _rule(item: Mapping[str, Any]) -> Rule:
    return Rule(item.get("when", {}), {name: value for name, value in item.items() if name != "when"})
