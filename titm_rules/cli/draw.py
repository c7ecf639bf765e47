"""`titm render` and `titm demo`: pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.listing import show_trace
from titm_rules.cli.terminal import LEGAL, print_json
from titm_rules.cli.verdict_text import show_verdict
from titm_rules.editions.registry import edition_on
from titm_rules.formats.case_files import parse_words
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Allocation, Question
from titm_rules.oracle.all_editions import Subject
from titm_rules.oracle.case import Case
from titm_rules.oracle.choice_listing import trace_verdict
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.render.board import Picture
from titm_rules.render.columns import render_columns, shots_of
from titm_rules.render.disputes import Dispute, judge_disputes
from titm_rules.render.overlays import (
    draw_difference,
    draw_path,
    draw_reach,
    focused,
    layout_of,
    question_about,
    traced,
)
from titm_rules.render.pictures import plain_picture, render_board, write_picture
from titm_rules.render.style import load_style


# ---------------------------------------------------------------------- render
@dataclass(frozen=True)
class WantedPicture:
    """The contents of the picture: an overlay, and a part of the board or the whole.

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
    """Draw a position, write the picture and print its text description."""
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
    """Compute the overlay for the picture of a position.

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


# ---------------------------------------------------------------------- demo
def run_demo(out: Path, engine: str, game: str, as_json: bool) -> int:
    """Judge every dispute; 1 if a verdict is not the expected one."""
    disputes: list[Dispute] = []
    for dispute in judge_disputes(out, engine, game):
        disputes.append(dispute)
        if not as_json:
            _show(len(disputes), dispute)
    failed = sum(bool(d.faults) for d in disputes)
    if as_json:
        print_json([_record(dispute) for dispute in disputes])
    else:
        typer.echo(f"{len(disputes) - failed} of {len(disputes)} disputes are decided as the rulebook's examples say")
    return 1 if failed else 0


def _show(number: int, dispute: Dispute) -> None:
    notes = dispute.case.notes
    typer.secho(f"{number}. {notes['title']}", bold=True)
    typer.echo(f"   {notes['question']}")
    show_verdict(dispute.verdict)
    if dispute.traced is not None:
        typer.echo(f"  The trace of {notes['trace']['piece']} from {notes['trace']['at']}:")
        show_trace(dispute.traced)
        typer.echo(f"  picture: {dispute.picture}")
    for fault in dispute.faults:
        typer.secho(f"  NOT AS EXPECTED: {fault}", fg="red", bold=True)
    typer.echo()


def _record(dispute: Dispute) -> dict[str, Any]:
    return {
        "dispute": dispute.name,
        "title": dispute.case.notes["title"],
        "as_expected": not dispute.faults,
        "faults": list(dispute.faults),
        "verdict": dispute.verdict.to_dict(),
        "trace": dispute.traced.to_dict() if dispute.traced else None,
        "picture": str(dispute.picture) if dispute.picture else None,
    }
