"""`titm render`: a situation as a picture, with an overlay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.guard import LEGAL, print_json
from titm_rules.cli.options import SharedOptions
from titm_rules.editions.named import edition_on
from titm_rules.formats.cases import parse_words
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.oracle.subject import Subject
from titm_rules.oracle.trace import trace_verdict
from titm_rules.render.board import Picture
from titm_rules.render.columns import render_columns, shots_of
from titm_rules.render.overlays import draw_difference, draw_path, draw_reach, focused, question_about
from titm_rules.render.pictures import plain_picture, render_board, write_picture
from titm_rules.render.style import load_style
from titm_rules.render.traces import layout_of, traced
from titm_rules.rules.model import Allocation, Question


@dataclass(frozen=True)
class WantedPicture:
    """What is to be seen on the picture: an overlay, and a part of the board or the whole.

    `words` are input of the questions that `reach` and `path` ask.
    """

    reach: str = ""
    path: str = ""
    supply: str = ""
    fire: tuple[str, ...] = ()
    compare: str = ""
    around: str = ""
    whole: bool = False
    words: tuple[str, ...] = ()

    @property
    def pieces(self) -> list[str]:
        """The pieces that move together."""
        return _names(self.reach)


def draw(subject: Subject, words: Sequence[str], out: Path, wanted: WantedPicture, options: SharedOptions) -> int:
    """Draw a position and write the picture; print what it tells."""
    case, wanted = subject.open(options.rules), replace(wanted, words=tuple(words))
    position = Position.from_dict(case.data, case.edition, case.situation)
    if position.world.places:
        picture = overlaid(case, position, wanted)
        write_picture(out, render_board(position, picture))
        told: Sequence[str] = picture.remarks
    else:
        svg, told = _columns(case, position, wanted)
        write_picture(out, svg)
    if options.as_json:
        print_json({"picture": str(out), "told": list(told)})
    else:
        for line in (*told, f"picture: {out}"):
            typer.echo(line)
    return LEGAL


def overlaid(case: Case, position: Position, wanted: WantedPicture) -> Picture:
    """Say what the picture of a position shows.

    Raises:
        InputError: for an overlay that does not fit.
    """
    if wanted.fire:
        what, fix = f"nobody picks targets in a {case.situation}", "name a file in which pieces pick targets"
        raise bad(what, "--fire", fix, "bad-value")
    picture = plain_picture(position, str(case.notes.get("title", "")))
    picture = replace(picture, layout=layout_of(case) or picture.layout)
    if wanted.compare:
        picture = draw_difference(picture, position, _other(case, wanted.compare), wanted.pieces)
    elif wanted.reach and not wanted.path:
        picture = draw_reach(picture, position, wanted.pieces, _more(position, "ends", wanted))
    if wanted.path:
        more = _more(position, "path", wanted) if wanted.pieces else None
        picture = draw_path(picture, position, _names(wanted.path), wanted.pieces, more)
    if wanted.supply:
        picture = traced(picture, position, trace_verdict(case, wanted.supply), wanted.supply)
    return picture if wanted.whole else focused(picture, position, _names(wanted.around))


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _more(position: Position, ask: str, wanted: WantedPicture) -> Mapping[str, Any]:
    question, _ = question_about(position.edition.model, position.situation, ask)
    return parse_words(question, wanted.words)


def _other(case: Case, date: str) -> Edition:
    """Give the edition to compare with; readings and house rules stay those of the case."""
    its = case.edition
    return Edition(edition_on(date, its.game), {}, its.engine, its.game, its.overlays)


# ---------------------------------------------------------------------- battles
def _columns(case: Case, position: Position, wanted: WantedPicture) -> tuple[str, Sequence[str]]:
    if wanted.reach or wanted.path or wanted.supply or wanted.around:
        raise bad(f"a {case.situation} has no places", "POSITION", "draw who may pick whom with --fire", "bad-value")
    style, title = load_style(case.edition.game), str(case.notes.get("title", ""))
    if wanted.compare and not wanted.fire:
        raise bad("it is not said whose fire is compared", "--compare", "add --fire NAME=VALUE", "bad-value")
    if not wanted.fire:
        return render_columns(position, style, title=title), ()
    question = _question(case)
    inputs = {case.situation: case.data, **parse_words(question, wanted.fire)}
    shots = shots_of(case.edition.ask(question.name, inputs))
    if wanted.compare:
        other = _other(case, wanted.compare)
        shots = shots.against(shots_of(other.ask(question.name, inputs)), (case.edition.label, other.label))
    return render_columns(position, style, shots, title), tuple(shots.sentences())


def _question(case: Case) -> Question:
    """Find the question that lists who picks whom."""
    model = case.edition.model
    for question in model.questions.values():
        form = model.forms.get(question.form)
        listed = question.ask == "choices" and question.situation == case.situation
        if listed and isinstance(form, Allocation) and form.choosers is not None:
            return question
    raise bad(f"nobody picks targets in a {case.situation}", "--fire", kind="unknown-query")
