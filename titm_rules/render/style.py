"""The style of pieces and connections in a rule set: data, matched by field values."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from titm_rules.catalog import game_folder
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.ir.model import FieldSpec, Model
from titm_rules.world.records import Piece, Place, Record, join_words

STYLE_FILE = "style.yaml"
LINE, MARK, PIECE, PLACE, SYMBOL, BADGE = "lines", "marks", "pieces", "places", "symbols", "badges"
NUMBER, TOWN = "number", "town"
TABLES = (
    "front", "bases", "notes", "cuts", "shots", "short", "teams", "switches", "play", "border", "river", "stack",
    "dark",
)  # fmt: skip
RULED = (LINE, MARK, PIECE, PLACE, SYMBOL, BADGE)
FAR, MIDDLE, CLOSE = LEVELS = ("far", "middle", "close")  # from where a board is looked at
_SLOT = re.compile(r"\{([\w-]+)\}")
_SPARE = re.compile(r"(?<=-)-+|^-+|-+$")  # hyphens beside fields that a piece has not
_PATH = re.compile(r"[MmLlHhVvAaCcQqZz0-9 .,-]{1,500}")
_PLAIN = {"text": "{name}", "at": [15, 13], "size": 8, "room": 28}
_COUNTER: dict[str, Any] = {"size": [30, 27], FAR: [_PLAIN], MIDDLE: [_PLAIN], CLOSE: [_PLAIN]}
_DEFAULTS: dict[str, Any] = {"fill": "#ffffff", "ink": "#222222", "stroke": "#777777", "width": 2}


@dataclass(frozen=True)
class Rule:
    """One way to draw: it applies to records whose fields have the values of `when`."""

    when: Mapping[str, Any]
    draw: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The label in the legend; empty: it is not in the legend."""
        return str(self.draw.get("label", ""))


@dataclass(frozen=True)
class Style:
    """The rules of a style file by what they draw, and looks by name."""

    rules: Mapping[str, tuple[Rule, ...]]
    route: Mapping[str, Any]
    closest: Mapping[str, Any]  # of a route that comes closest
    blocker: Mapping[str, Any]
    barred: Mapping[str, Any]  # of a way that is not legal
    changed: Mapping[str, Any]
    number: Mapping[str, Any]
    front: Mapping[str, Any] = field(default_factory=dict)  # where `fields` of places differ: the first that one has
    border: Mapping[str, Any] = field(default_factory=dict)  # between regions
    river: Mapping[str, Any] = field(default_factory=dict)  # the names of rivers
    stack: Mapping[str, Any] = field(default_factory=dict)  # of the counters that lie under one, seen from far
    towns: Sequence[Mapping[str, Any]] = ()  # by how much road meets there, `from` so much: the widths of the lines
    # The size of a counter, and by level what stands on it: a `symbol` so `wide`, or a `text` with fields in braces,
    # `at` its middle, in so much `room`; `{name}` is what people call the piece, `{total}` the figures of a stack.
    counter: Mapping[str, Any] = field(default_factory=dict)
    dark: Mapping[str, str] = field(default_factory=dict)  # colours on a dark screen, by what they are on paper
    bases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of names, by the basis of a place of the map
    notes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of what overlays write at places, by kind
    cuts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of lines: words by kind of loss, and looks
    shots: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of lines from who picks to whom
    # By list, without places: the `field` that names a side, or the `other` side, and `as` what field of a piece.
    teams: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # By situation, what changes odds: a `field`, its `value`, a `name`; what it `says` then, and what `else`; with a
    # `list` it is a field of those in it, the {who} of the words. Questions with what is `asked` have it on too.
    switches: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    play: Mapping[str, Any] = field(default_factory=dict)  # the words of a game that is played: phases, events, losses
    piece_number: str = ""
    piece_label: tuple[str, ...] = ()  # fields that name a piece in words; `piece_number` the one in figures
    short: Mapping[str, str] = field(default_factory=dict)  # short words for values

    def look(self, what: str, model: Model, record: Record, team: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Give the looks of a record: those of the first rule that applies."""
        return {**_DEFAULTS, **next((r.draw for r in self.all_looks(what, model, record, team)), {})}

    def all_looks(self, what: str, model: Model, record: Record, team: Mapping[str, str] | None = None) -> list[Rule]:
        """List the rules that apply to a record; `team` are fields that it is taken to have."""
        known = team or {}
        return [
            rule for rule in self.rules.get(what, ())
            if all(known.get(name, styled_value(model, record, name)) == value for name, value in rule.when.items())
        ]  # fmt: skip

    def label(self, model: Model, piece: Piece) -> str:
        """Write on a piece what the rule set wants to see there."""
        values = [str(styled_value(model, piece, name)) for name in self.piece_label]
        return " ".join(self.short.get(value, value) for value in values)

    def faces(self, level: str) -> Sequence[Mapping[str, Any]]:
        """List what stands on a counter, seen from some distance."""
        parts: Sequence[Mapping[str, Any]] = self.counter[level]
        return parts

    def written(self, model: Model, piece: Piece, text: str, more: Mapping[str, str]) -> str:
        """Fill a text of a counter with fields of the piece, or with more; one that it has not, or 0, is left out."""

        def value(found: re.Match[str]) -> str:
            return str(more.get(found[1]) or styled_value(model, piece, found[1]) or "")

        return _SPARE.sub("", _SLOT.sub(value, text))

    def badges(self, model: Model, place: Place, root: Record | None = None) -> list[tuple[str, Rule]]:
        """List what stands beside the name of a place: a value of it (`field`), or that a list has it (`named_in`)."""
        values = [
            (_is_named(model, root, rule.draw["named_in"], place) if "named_in" in rule.draw
             else styled_value(model, place, rule.draw["field"]), rule)
            for rule in self.all_looks(BADGE, model, place)
        ]  # fmt: skip
        return [(str(rule.draw.get("text", "{}")).replace("{}", str(value)), rule) for value, rule in values if value]

    def circumstances(self, situation: str, data: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
        """Say in words how each switch of a situation stands, one that is not given too: odds rest on all of them.

        What is `asked` besides the situation goes before it: a question about two artillery counters has them come.
        """
        found = []
        for switch in self.switches.get(situation, ()):
            rows = data.get(switch["list"], ()) if "list" in switch else (data,)
            who = [str(row.get("id", "")) for row in rows if _is_on(switch["value"], row.get(switch["field"]))]
            given = switch.get("asked", {})
            who += [""] if given and all(_is_on(value, asked.get(name)) for name, value in given.items()) else []
            text = str(switch["says"]).replace("{who}", join_words(who)) if who else str(switch["else"])
            found += [text] if rows else []
        return found

    def note(self, kind: str) -> Mapping[str, Any]:
        return {**_DEFAULTS, **self.notes.get(kind, {})}

    def shot(self, kind: str) -> Mapping[str, Any]:
        return {**_DEFAULTS, **self.shots.get(kind, {})}


def _is_on(wanted: object, value: object) -> bool:
    """Whether a switch is on: a number from the one that is named."""
    is_number = isinstance(wanted, int) and isinstance(value, int) and not isinstance(wanted, bool)
    return value >= wanted if is_number else value == wanted  # type: ignore[operator]


def _is_named(model: Model, root: Record | None, name: str, place: Place) -> bool:
    named = styled_value(model, root, name) if root is not None else None
    return any(one is place or getattr(one, "id", one) == place.id for one in named or ())


def styled_value(model: Model, record: Record, name: str) -> Any:
    """Give a field of a record as it is written outside; nothing if it has no such field."""
    if name == "record":
        return record.record_
    spec = _field(cast(Hashable, record.__class__), name)
    if spec is None:
        return None
    value = getattr(record, spec.name)
    if value is not None and spec.type.kind == "enum":
        return model.enums[spec.type.name].texts[value]
    return getattr(value, "id", value)


@lru_cache(maxsize=4_096)
def _field(kind: Hashable, name: str) -> FieldSpec | None:
    """Find a field of a class of records by its name inside or outside."""
    return next((field for field in cast("type[Record]", kind)._spec.fields if name in (field.name, field.json)), None)


def load_style(game: str = "") -> Style:
    return read_style(game_folder(game) / STYLE_FILE)


@lru_cache(maxsize=8)
def read_style(path: Path) -> Style:
    """Read the style file of a rule set, once; without one all is drawn alike. Raises `InputError` if it is faulty."""
    raw = read_data(path) if path.is_file() else {}
    if not isinstance(raw, dict):
        raise bad("a style is an object", str(path), kind="bad-value")
    rules = {what: tuple(_rule(item) for item in raw.get(what, ())) for what in RULED}
    for rule in rules[SYMBOL]:
        if not _PATH.fullmatch(str(rule.draw.get("path", ""))):
            raise bad("a symbol has a `path` of SVG", f"{path}: $.{SYMBOL}", "write letters and numbers", "bad-value")
    route, closest, blocker, barred, changed, number = (
        {**_DEFAULTS, **raw.get(name, {})} for name in ("route", "closest", "blocker", "barred", "changed", NUMBER)
    )
    tables = {name: raw.get(name, {}) for name in TABLES}
    return Style(
        rules, route, closest, blocker, barred, changed, number, **tables,
        towns=tuple(raw.get("towns", ())), counter={**_COUNTER, **raw.get("counter", {})},
        piece_number=str(raw.get("piece_number", "")), piece_label=tuple(raw.get("piece_label", ())),
    )  # fmt: skip


def _rule(item: Mapping[str, Any]) -> Rule:
    return Rule(item.get("when", {}), {name: value for name, value in item.items() if name != "when"})
