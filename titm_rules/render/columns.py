"""A situation without places as a picture: pieces in two columns, and who may pick whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from titm_rules.engines.query import HASHED, BoundQuestion
from titm_rules.explain.headline import restated
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Allocation
from titm_rules.oracle.odds import chances_of_shots
from titm_rules.oracle.position import Position
from titm_rules.render.board import MARGIN, counter, framed
from titm_rules.render.layout import Size
from titm_rules.render.shapes import Heading, Legend, clean, stroke, words
from titm_rules.render.style import LINE, PIECE, SYMBOL, Style, styled_value

APART, ROW, TOP, SCALE = 330.0, 66.0, 46.0, 1.9
ALWAYS, SOMETIMES, GAINED, LOST = "always", "sometimes", "gained", "lost"


@dataclass(frozen=True)
class Shots:
    """The pairs of a chooser and a target that it may pick."""

    title: str  # what is asked, in words
    choosers: tuple[str, ...]  # ids, in the order of the situation; `targets` likewise
    targets: tuple[str, ...]
    pairs: Mapping[tuple[str, str], str]  # whether every plan has the pair, or only some, or those of one edition
    chances: Mapping[tuple[str, str], tuple[int, Fraction]] = field(default_factory=dict)
    count: int = 0  # how many plans are legal
    remarks: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        yield f"{self.count} legal plans." if self.count != 1 else "1 legal plan."
        for who in self.choosers:
            said = [f"{to}{self._chance(who, to)}" for to in self.targets if self.pairs.get((who, to), LOST) != LOST]
            only = " only" if len(said) == 1 else ""
            yield f"{who} may pick{only} {', '.join(said)}." if said else f"{who} may pick nobody."
        yield from self.remarks

    def against(self, other: Shots, names: tuple[str, str]) -> Shots:
        """Show these shots with those that only these or only others have; `names` are what the two are called."""
        gained = {pair: GAINED for pair in self.pairs if pair not in other.pairs}
        lost = {pair: LOST for pair in other.pairs if pair not in self.pairs}
        told = [
            f"Only {name}: {', '.join(' > '.join(pair) for pair in sorted(pairs))}."
            for name, pairs in zip(names, (gained, lost), strict=True)
            if pairs
        ]
        counts = f"{names[0]} has {self.count} legal plans, {names[1]} {other.count}."
        remarks = (counts, *(told or ["The same pairs in both."]))
        return replace(self, pairs={**self.pairs, **gained, **lost}, remarks=remarks)

    def _chance(self, who: str, to: str) -> str:
        if (who, to) not in self.chances:
            return ""
        dice, hit = self.chances[who, to]
        return f" ({dice} {'die' if dice == 1 else 'dice'} of {float(hit):.0%})"


def shots_of(asked: BoundQuestion) -> Shots:
    """Work out who may pick whom in an allocation. Raises `InputError` for other questions, or too many plans."""
    form, given = asked.choice_form()
    if not isinstance(form, Allocation) or form.choosers is None:
        raise bad(f"`{asked.question.name}` is not about who picks whom", "--fire", kind="unknown-query")
    count = asked.engine.count(form, given)
    if count > HASHED:
        raise bad(f"{count} plans are too many to draw", "--fire", "leave out some pieces", "too-large")
    found: dict[tuple[str, str], int] = {}
    for picked in asked.engine.choices(form, given):
        for who, target in picked:
            found[who.id, target.id] = found.get((who.id, target.id), 0) + 1
    return Shots(
        restated(asked),
        tuple(one.id for one in asked.engine.term(form.choosers, given)),
        tuple(one.id for one in asked.engine.term(form.targets, given)),
        {pair: ALWAYS if times == count else SOMETIMES for pair, times in found.items()},
        chances_of_shots(asked) if form.shot is not None else {},
        count,
    )


def render_columns(position: Position, style: Style, shots: Shots | None = None, title: str = "") -> str:
    """Draw a situation without places as SVG: lists with ids are the columns, shots are lines from left to right."""
    world, legend, shapes = position.world, Legend(), []
    columns = _columns(position, shots)
    wide, high = (length * SCALE for length in style.counter["size"])
    width = max(640.0, 2 * MARGIN + APART * (len(columns) - 1) + wide)
    called = title or f"{position.edition.title}: {position.situation}"
    heading = Heading(f"{called}: {shots.title}" if shots else called, width - 2 * MARGIN)
    at: list[dict[str, float]] = []
    for number, (name, records) in enumerate(columns):
        left = MARGIN + APART * number
        shapes.append(words(clean(name), 13, left + wide / 2, MARGIN + heading.height, "#222222", "bold"))
        at.append({record.id: TOP + heading.height + ROW * row for row, record in enumerate(records)})
        team = team_of(position, style, name)
        for record in records:
            shapes.append(counter(record, world.model, style, (left, at[-1][record.id]), SCALE, team))
            for what in (PIECE, SYMBOL):
                for rule in style.all_looks(what, world.model, record, team)[:1]:
                    legend.add(what, rule.draw)
    shapes = [*_lines(at, (wide, high), style, shots, legend), *shapes] if shots else shapes
    top = TOP + heading.height + ROW * max((len(records) for _, records in columns), default=0) + 4
    told = (*_circumstances(position), *(shots.sentences() if shots else ()))
    drawn, bottom = legend.draw(MARGIN, top, width - 2 * MARGIN, told)
    about = " ".join([
        *(f"{name}: {', '.join(f'{one.id} ({style.label(world.model, one)})' for one in records)}."
          for name, records in columns),
        *told,
    ])  # fmt: skip
    shapes = [*heading.draw(MARGIN, MARGIN), *shapes, *drawn]
    return framed(heading.text, about, (width, bottom + MARGIN / 2), shapes)


def team_of(position: Position, style: Style, column: str) -> dict[str, str]:
    """Give the field that those in a list are taken to have: the side that the situation names, or the other one."""
    told = style.teams.get(column)
    if told is None:
        return {}
    model = position.edition.model
    spec = next(one for one in model.records[position.situation].fields if one.json == told["field"])
    value = str(styled_value(model, position.world.root, told["field"]))
    others = [one for one in model.enums[spec.type.name].texts if one != value]
    return {str(told["as"]): others[0] if told.get("other") and others else value}


def _circumstances(position: Position) -> Iterator[str]:
    """Say in a sentence what a situation says besides its lists: who attacks, say."""
    model, data = position.edition.model, position.to_dict()
    specs = [spec for spec in model.records[position.situation].fields if not spec.owns and data.get(spec.json)]
    said = ", ".join(f"{spec.name} {'yes' if data[spec.json] is True else data[spec.json]}" for spec in specs)
    if said:
        yield f"{said[0].upper()}{said[1:]}."


def _columns(position: Position, shots: Shots | None) -> list[tuple[str, list[Any]]]:
    """Give the lists to draw: those who pick and are picked, then the others that are not empty."""
    root, model = position.world.root, position.edition.model
    lists = [
        (spec.name, records)
        for spec in model.records[position.situation].fields
        if spec.owns and (records := [one for one in getattr(root, spec.name) if hasattr(one, "id")])
    ]

    def rank(pair: tuple[str, list[Any]]) -> int:
        ids = {one.id for one in pair[1]}
        return 2 if shots is None or not ids & {*shots.choosers, *shots.targets} else int(not ids & {*shots.choosers})

    return sorted(lists, key=rank)


def _lines(
    at: Sequence[Mapping[str, float]], size: Size, style: Style, shots: Shots, legend: Legend
) -> Iterator[Any]:
    where = {name: (column, y) for column, ys in enumerate(at) for name, y in ys.items()}
    for (who, target), kind in sorted(shots.pairs.items(), key=lambda pair: (pair[1] == ALWAYS, pair[0])):
        look = style.shot(kind)
        legend.add(LINE, look)
        (near, y1), (far, y2) = where[who], where[target]
        one = (MARGIN + APART * near + size[0], y1 + size[1] / 2)
        yield stroke(one, (MARGIN + APART * far - 3, y2 + size[1] / 2), look)
