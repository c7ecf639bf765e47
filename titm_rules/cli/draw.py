"""`titm render` and `titm demo`: pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, game_name, scenario_files, scenario_folder
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.listing import show_trace
from titm_rules.cli.terminal import ILLEGAL, LEGAL, echo, print_json, styled
from titm_rules.cli.verdict_text import show_verdict
from titm_rules.editions.registry import edition_on
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.case_files import parse_words
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Allocation, Question
from titm_rules.oracle.case import PIECE, PLACE, Case, Rules, open_case
from titm_rules.oracle.choice_listing import trace_verdict
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.render import overlays
from titm_rules.render.board import Picture
from titm_rules.render.columns import render_columns, shots_of
from titm_rules.render.pictures import plain_picture, render_board, write_picture
from titm_rules.render.style import load_style


# ---------------------------------------------------------------------- render
@dataclass(frozen=True)
class WantedPicture:
    """The contents of the picture: an overlay, and a part of the board or the whole."""

    words: Sequence[str]  # input of the questions that `reach` and `path` ask
    pieces: Sequence[str]
    path: Sequence[str]
    supply: str
    lines: str
    fire: Sequence[str]
    compare: str
    around: Sequence[str]
    whole: bool


def draw(
    options: SharedOptions, out: Path, reach: str, path: str, supply: str, lines: str, fire: Sequence[str],
    compare: str, around: str, whole: bool,
) -> None:  # fmt: skip
    case, words = options.open_case()
    pieces, way = case.all_meant(reach, "--reach", PIECE), case.all_meant(path, "--path", PLACE)
    supplied = case.meant(supply, "--supply", PIECE) if supply else ""
    near = case.all_meant(around, "--around", PLACE)
    wanted = WantedPicture(words, pieces, way, supplied, lines, fire, compare, near, whole)
    position = Position.from_dict(case.data, case.edition, case.situation)
    told: Sequence[str]
    if position.world.places:
        picture = _overlaid(case, position, wanted)
        svg, told = render_board(position, picture), picture.remarks
    else:
        svg, told = _columns(case, position, wanted)
    write_picture(out, svg)
    if options.as_json:
        print_json({"picture": str(out), "told": list(told)})
    else:
        for line in (*told, f"picture: {out}"):
            echo(line)


def _overlaid(case: Case, position: Position, wanted: WantedPicture) -> Picture:
    if wanted.fire:
        what, fix = f"nobody picks targets in a {case.situation}", "name a file in which pieces pick targets"
        raise bad(what, "--fire", fix, "bad-value")
    picture = plain_picture(position, str(case.notes.get("title", "")))
    picture = replace(picture, layout=overlays.layout_of(case) or picture.layout)
    if wanted.compare:
        picture = overlays.draw_difference(picture, position, _other(case, wanted.compare), wanted.pieces)
    elif wanted.pieces and not wanted.path:
        picture = overlays.draw_reach(picture, position, wanted.pieces, _more(position, "ends", wanted))
    if wanted.path:
        more = _more(position, "path", wanted) if wanted.pieces else None
        picture = overlays.draw_path(picture, position, wanted.path, wanted.pieces, more)
    piece = wanted.supply or (wanted.lines if wanted.lines in position.units else "")
    if piece:
        picture = overlays.traced(picture, position, trace_verdict(case, piece), piece)
    if wanted.lines:
        picture = overlays.draw_lines(picture, position, wanted.lines)
    return picture if wanted.whole else overlays.focused(picture, position, wanted.around)


def _more(position: Position, ask: str, wanted: WantedPicture) -> Mapping[str, Any]:
    question, _ = overlays.question_about(position.edition.model, position.situation, ask)
    return parse_words(question, wanted.words)


def _other(case: Case, date: str) -> Edition:
    """Give the edition to compare with; readings and house rules stay those of the case."""
    its = case.edition
    return Edition(edition_on(date, its.game), {}, its.engine, its.game, its.overlays)


# ---------------------------------------------------------------------- battles
def _columns(case: Case, position: Position, wanted: WantedPicture) -> tuple[str, Sequence[str]]:
    if wanted.pieces or wanted.path or wanted.supply or wanted.lines or wanted.around:
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
DISPUTES = "disputes"


@dataclass(frozen=True)
class Dispute:
    """A dispute with its verdict, what is wrong with that, and its trace with a picture."""

    name: str
    case: Case
    verdict: Verdict
    faults: Sequence[str]
    traced: Verdict | None = None
    picture: Path | None = None

    def record(self) -> dict[str, Any]:
        return {
            "dispute": self.name,
            "title": self.case.notes["title"],
            "as_expected": not self.faults,
            "faults": list(self.faults),
            "verdict": self.verdict.to_dict(),
            "trace": self.traced.to_dict() if self.traced else None,
            "picture": str(self.picture) if self.picture else None,
        }


def judge_disputes(out: Path, engine: str, game: str) -> Iterator[Dispute]:
    """Judge every dispute of a game, with a picture each in `out`. Raises `InputError` for a game without disputes."""
    paths = scenario_files(game, f"{DISPUTES}/*.yaml")
    if not paths:
        what = f"the game `{game_name(game or default_game())}` has no disputes"
        raise bad(what, "--game", f"lay cases into {scenario_folder(game) / DISPUTES}", "no-case")
    return (_judge_dispute(path, out, Rules(engine=engine, game=game)) for path in paths)


def run_demo(options: SharedOptions, out: Path) -> int:
    """Judge every dispute; 1 if a verdict is not the expected one."""
    disputes: list[Dispute] = []
    for dispute in judge_disputes(out, options.engine, options.game):
        disputes.append(dispute)
        if not options.as_json:
            _show(len(disputes), dispute)
    failed = sum(bool(dispute.faults) for dispute in disputes)
    if options.as_json:
        print_json([dispute.record() for dispute in disputes])
    else:
        echo(f"{len(disputes) - failed} of {len(disputes)} disputes are decided as the rulebook's examples say")
    return ILLEGAL if failed else LEGAL


def _judge_dispute(path: Path, out: Path, rules: Rules) -> Dispute:
    case = open_case(path, rules)
    verdict = case.edition.verdict(case.query, case.full_input(case.query))
    wrong = list(faults(verdict, case.notes["expected"]))
    if "trace" not in case.notes:
        return Dispute(path.stem, case, verdict, wrong)
    piece, at = case.notes["trace"]["piece"], case.notes["trace"]["at"]
    trace = trace_verdict(case, piece, at)
    picture = out / f"{path.stem}.svg"
    write_picture(picture, overlays.draw_trace(case, trace, piece, at))
    return Dispute(path.stem, case, verdict, wrong, trace, picture)


def faults(verdict: Verdict, expected: Mapping[str, Any]) -> Iterator[str]:
    """Say where a verdict is not the expected one: outcome, answer or failing clauses."""
    if verdict.outcome != expected["outcome"]:
        yield f"expected {expected['outcome']}, got {verdict.outcome}"
    for name, value in expected["answer"].items():
        if verdict.answer.get(name) != value:
            yield f"expected {name} {value}, got {verdict.answer.get(name)}"
    missing = set(expected.get("clauses", ())) - {finding.clause for finding in verdict.failing}
    if missing:
        yield f"not cited: {', '.join(sorted(missing))}"


def _show(number: int, dispute: Dispute) -> None:
    notes = dispute.case.notes
    echo(styled(f"{number}. {notes['title']}", bold=True))
    echo(f"   {notes['question']}")
    show_verdict(dispute.verdict)
    if dispute.traced is not None:
        echo(f"  The trace of {notes['trace']['piece']} from {notes['trace']['at']}:")
        show_trace(dispute.traced)
        echo(f"  picture: {dispute.picture}")
    for fault in dispute.faults:
        echo(styled(f"  NOT AS EXPECTED: {fault}", "red", bold=True))
    echo()
