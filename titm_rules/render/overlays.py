"""Overlays on a position: reach, routes, traces and differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from titm_rules.diagnostics import did_you_mean
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.verdict import UNDETERMINED, Verdict, answer_in_units
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import FieldSpec, Model, Question
from titm_rules.oracle.case import Case
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.oracle.supply_lines import PLACE, supply_lines
from titm_rules.play.action import Action
from titm_rules.render.board import MANY, Note, Picture
from titm_rules.render.pictures import plain_picture, render_board, with_words
from titm_rules.world.records import all_links

MOST_NOTED = 20  # losses


# ---------------------------------------------------------------------- traces
def draw_trace(case: Case, verdict: Verdict, piece: str, at: str = "") -> str:
    position = Position.from_dict(case.data, case.edition, case.situation)
    picture = traced(plain_picture(position), position, verdict, piece, at)
    title = f"{case.notes.get('title') or verdict.query}: {piece} at {picture.start}"
    return render_board(position, replace(picture, title=title, layout=layout_of(case) or picture.layout))


def traced(picture: Picture, position: Position, verdict: Verdict, piece: str, at: str = "") -> Picture:
    """Add the route of a verdict on a trace to a picture, or the one that comes closest and what blocks it."""
    route = verdict.witness.get("route") or ()
    closest = () if route else verdict.witness.get("closest") or ()
    open_up_to = _first_bar(closest, verdict)
    picture = replace(
        picture,
        route=route,
        closest=closest[: open_up_to + 1],
        barred=closest[open_up_to:],
        start=position.place_id(at) if at else standing(position).get(piece, ""),
        blockers=() if route else blocking(verdict),
    )
    return with_words(picture, f"{verdict.sentence()} {'Route: ' + ', '.join(route) if route else 'No route'}.")


def draw_lines(picture: Picture, position: Position, of: str) -> Picture:
    """Add what cuts off a piece or a side: how many each single loss does, and the first of the fewest losses.

    For a piece that is cut off it is the first of the fewest losses to undo. A loss of a connection is noted at its
    ends. Raises `InputError` for an unknown name.
    """
    found = supply_lines(position, of, top=MOST_NOTED)
    ends = {link.id: link.ends for place in position.world.places for link, _ in all_links(place)}
    notes: dict[str, Note] = {}
    for one in found.pockets:
        [loss] = one.losses
        for name in [loss.id] if loss.kind == PLACE else [end.id for end in ends[loss.id]]:
            notes.setdefault(name, Note(f"✂{len(one.pieces)}", "cut"))
    shown = found.cuts[:1] or (found.restores[:1] if not found.pieces else ())
    rings = {loss.id for one in shown for loss in one.losses}
    start = standing(position).get(of, "")
    picture = replace(picture, notes={**picture.notes, **notes}, blockers=rings, start=start)
    return with_words(picture, found.sentence)


def _first_bar(way: Sequence[str], verdict: Verdict) -> int:
    """Count the steps of a trace before the first that would have to be otherwise; if none is named, all are barred."""
    bars = {change.get("step") for change in verdict.nearest.get("changes", ())}
    return next((at for at, step in enumerate(pairwise(way)) if " > ".join(step) in bars), 0)


def blocking(verdict: Verdict) -> frozenset[str]:
    """Collect the ids of what would have to be otherwise, or of what the failing clauses saw."""
    return frozenset(_texts(verdict.nearest.get("changes", ()))) or _seen(verdict)


def _seen(verdict: Verdict) -> frozenset[str]:
    return frozenset(name for finding in verdict.failing for name in finding.looked_at)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def layout_of(case: Case) -> dict[str, tuple[float, float]] | None:
    """Give the coordinates of places in a case file. Raises `InputError` if they are not pairs of numbers."""
    raw = case.notes.get("layout")
    if raw is None:
        return None
    if not isinstance(raw, dict) or not all(map(_is_point, raw.values())):
        raise bad("a layout gives each place two numbers", "$.layout", "write PLACE: [x, y]", "bad-value")
    return {str(name): (float(x), float(y)) for name, (x, y) in raw.items()}


def _is_point(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(type(number) in (int, float) and abs(number) < 1e6 for number in value)


# ---------------------------------------------------------------------- overlays
Ends = Mapping[str, int]
NAMED = 8


def question_about(model: Model, situation: str, ask: str) -> tuple[Question, FieldSpec]:
    """Find the first question for `ends` or about a `path` of pieces, and its input of them. Raises `InputError`."""
    for question in model.questions.values():
        if question.situation == situation and question.ask == ask:
            for spec in question.inputs:
                if spec.type.name in model.records and model.records[spec.type.name].role == "piece":
                    return question, spec
    raise bad(f"the rules answer no question about where pieces of a {situation} go", "QUERY", kind="unknown-query")


def _asked_of(spec: FieldSpec, pieces: Sequence[str]) -> dict[str, Any]:
    if spec.type.kind != "set" and len(pieces) != 1:
        raise bad("the question takes one piece", "--reach", "name one", "bad-value")
    return {spec.json: list(pieces) if spec.type.kind == "set" else pieces[0]}


def standing(position: Position) -> dict[str, str]:
    """Map each piece on the board to the place where it stands."""
    world = position.world
    return {piece.id: place.id for place in world.places for piece in world.standing(place)}


def homes(position: Position, pieces: Sequence[str]) -> list[str]:
    """Give the places where pieces stand, each once. Raises `InputError` for a piece that is not on the board."""
    found = standing(position)
    for piece in pieces:
        if piece not in found:
            raise bad(f"no piece `{piece}` stands on the board", "PIECE", did_you_mean(piece, found), "unknown-name")
    return list(dict.fromkeys(found[piece] for piece in pieces))


# ---------------------------------------------------------------------- where pieces may go
class Moves:
    """The places that pieces of a position can reach; many can be asked for, as the position is resolved once."""

    def __init__(self, position: Position) -> None:
        self._model, self._world = position.edition.model, position.world
        self._question, self._spec = question_about(self._model, position.situation, "ends")
        self._engine = position.edition.engine_for(self._model, self._world)

    def ends(self, pieces: Sequence[str], more: Mapping[str, Any] | None = None) -> Ends:
        """Give where pieces may end together, with the cost or 0. Raises `InputError` if it is not determined."""
        raw = {**_asked_of(self._spec, pieces), **(more or {})}
        asked = BoundQuestion(self._model, self._question, self._engine, self._world, raw, "$")
        answer = answer_in_units(self._question, asked.form, asked.answer())
        if UNDETERMINED in answer:
            what = f"where these pieces may go is not determined: {answer[UNDETERMINED]} is missing"
            raise bad(what, "--reach", "say in the position what it lacks", "undetermined")
        ends: Ends | list[str] = answer[self._question.names[0]]
        return ends if isinstance(ends, dict) else dict.fromkeys(ends, 0)


def draw_reach(
    picture: Picture, position: Position, pieces: Sequence[str], more: Mapping[str, Any] | None = None
) -> Picture:
    """Add where pieces, moving together, may end, with the cost at each place."""
    starts, ends = homes(position, pieces), Moves(position).ends(pieces, more)
    notes = {name: Note(str(cost or "•"), "reach") for name, cost in ends.items()}
    nearest = sorted(ends.items(), key=lambda end: (end[1], end[0]))
    told = ", ".join(f"{name} {cost}" if cost else name for name, cost in nearest)
    text = f"{', '.join(pieces)} at {', '.join(starts)} can reach {len(ends)} places"
    picture = replace(picture, notes={**picture.notes, **notes}, start=starts[0] if starts else "")
    return with_words(picture, f"{text}: {told}." if told else f"{text}.")


# ---------------------------------------------------------------------- a route and a trace
def draw_path(
    picture: Picture,
    position: Position,
    path: Sequence[str],
    pieces: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
) -> Picture:
    """Add a route; for pieces, say if they may go it, and ring what bars it. Raises `InputError` for other places."""
    known = {place.id for place in position.world.places}
    names = [position.place_id(step.removeprefix("!")) for step in path]
    for number, name in enumerate(names):
        if name not in known and (number == 0 or number < len(names) - 1 or not pieces):
            raise bad(f"no place `{name}` is on the board", "--path", did_you_mean(name, known), "unknown-name")
    picture = replace(picture, route=[name for name in names if name in known])
    if not pieces:
        return with_words(picture, f"Route: {', '.join(names)}.")
    question, spec = question_about(position.edition.model, position.situation, "path")
    way = next(one for one in question.inputs if one.type.kind == "path")
    given = {**_asked_of(spec, pieces), way.json: list(path), **(more or {})}
    verdict = position.check(question.name, **given)
    picture = replace(_parted(picture, verdict), blockers=_seen(verdict) - set(pieces))
    return with_words(picture, verdict.sentence())


def _parted(picture: Picture, verdict: Verdict) -> Picture:
    """Part a way that is not legal into what is legal of it and the rest."""
    if verdict.answer.get("legal", True):
        return picture
    legal = len(verdict.nearest.get("longest_prefix") or picture.route[:1])
    return replace(picture, route=picture.route[:legal], barred=picture.route[max(0, legal - 1) :])


# ---------------------------------------------------------------------- a part of the board
def focused(picture: Picture, position: Position, around: Sequence[str] = ()) -> Picture:
    """Crop the board: to places with their neighbours, or to what the overlay shows. Raises `InputError` for others."""
    world = position.world
    near = {place.id: [end.id for link, _ in all_links(place) for end in link.ends] for place in world.places}
    names = [position.place_id(name) for name in around]
    for name in names:
        if name not in near:
            raise bad(f"no place `{name}` is on the board", "--around", did_you_mean(name, near), "unknown-name")
    if names:
        return replace(picture, focus={one for name in names for one in (name, *near[name])})
    at = standing(position)
    blocked = {at.get(name, name) for name in (*picture.blockers, *picture.changed)}
    ways = (*picture.route, *picture.closest, *picture.barred, picture.start)
    shown = {*ways, *picture.notes, *blocked} & near.keys()
    return replace(picture, focus=shown if len(near) > MANY else ())


# ---------------------------------------------------------------------- two editions
def draw_difference(picture: Picture, position: Position, other: Edition, pieces: Sequence[str] = ()) -> Picture:
    """Add where editions do not agree: where pieces may go, each alone; with none named also what may be done."""
    twin = position.under(other)
    at = standing(position)
    homes(position, pieces)
    here, there = Moves(position), Moves(twin)
    gained, lost, changed = kinds = Counter[str](), Counter[str](), Counter[str]()  # how many pieces, by place
    for piece in pieces or at:
        one, two = here.ends([piece]), there.ends([piece])
        gained.update(one.keys() - two.keys())
        lost.update(two.keys() - one.keys())
        changed.update(place for place in one.keys() & two.keys() if one[place] != two[place])
    actions = {} if pieces else _actions(position, twin)
    touched = {name for action in actions.values() for name in _chosen(action)}
    drawn = {*at, *(place.id for place in position.world.places)}
    picture = replace(picture, notes={**picture.notes, **_notes(*kinds)}, changed=frozenset(touched & drawn))
    return with_words(picture, _told(position, twin, kinds, list(actions)))


def _actions(position: Position, twin: Position) -> dict[str, Action]:
    one, two = ({str(action): action for action in which.legal_actions} for which in (position, twin))
    gained = {f"+{text}": action for text, action in sorted(one.items()) if text not in two}
    return gained | {f"-{text}": action for text, action in sorted(two.items()) if text not in one}


def _chosen(action: Action) -> set[str]:
    values = (value if isinstance(value, tuple) else (value,) for _, value in action.choices)
    return {one for value in values for one in value if isinstance(one, str)}


def _notes(gained: Counter[str], lost: Counter[str], changed: Counter[str]) -> dict[str, Note]:
    notes = {}
    for place in gained | lost | changed:
        kinds = (("+", "gained", gained), ("-", "lost", lost), ("≠", "differs", changed))
        shown = [(f"{sign}{which[place]}", kind) for sign, kind, which in kinds if place in which]
        notes[place] = Note(" ".join(text for text, _ in shown), shown[0][1] if len(shown) == 1 else "differs")
    return notes


def _told(position: Position, twin: Position, kinds: Sequence[Counter[str]], actions: Sequence[str]) -> str:
    one, two = position.edition.label, twin.edition.label
    says = (f"only {one} lets pieces go to", f"only {two} lets pieces go to", "the cost differs at")
    parts = [f"{text} {_few(sorted(which))}" for text, which in zip(says, kinds, strict=True) if which]
    if actions:
        counts = Counter(action.split()[0] for action in actions)
        kinds_of = ", ".join(f"{count} {kind[1:]} ({kind[0]})" for kind, count in counts.items())
        parts.append(f"actions that only one allows (+ {one}, - {two}): {kinds_of}; the first: {_few(actions)}")
    return f"{one} and {two}: {'; '.join(parts) or 'no difference'}."


def _few(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
