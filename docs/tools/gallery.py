"""Generate the gallery of disputes: the question, picture, verdict and command of each."""

from __future__ import annotations

import contextlib
import html
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from titm_rules.catalog import game_folder
from titm_rules.cli.draw import Dispute, judge_disputes
from titm_rules.cli.verdict_text import show_verdict
from titm_rules.oracle.case import Case
from titm_rules.oracle.position import Position
from titm_rules.render.columns import render_columns
from titm_rules.render.overlays import draw_path, layout_of, question_about
from titm_rules.render.pictures import plain_picture, render_board
from titm_rules.render.style import load_style

PAGE = "disputes.md"
HEAD = """\
# A gallery of disputes

Arguments that come up at the table, judged by the site build. `titm demo` judges all of them. Each is a file of a few
lines; run `titm why` with that file to see every clause and exception that was considered. Where this site was put
online with the board beside it (`titm site`), a click asks the referee here, under all editions, or opens the position.

<script type="module" src="board/oracle/verdict.js"></script>
"""


def gallery(game: str = "titm") -> dict[str, str]:
    """Return the page and its pictures, by their paths in the site."""
    sections, files = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for dispute in judge_disputes(Path(folder), "compiled", game):
            path = f"pictures/{dispute.name}.svg"
            traced = dispute.picture
            files[path] = traced.read_text(encoding="utf-8") if traced else picture_of(dispute.case)
            sections.append(_section(dispute, path, game_folder(game).name))
    return {PAGE: "\n".join([HEAD, *sections]), **files}


def picture_of(case: Case) -> str:
    """Draw the subject of a dispute: the disputed path, or the two rows of a battle."""
    position, title = Position.from_dict(case.data, case.edition, case.situation), str(case.notes["title"])
    if not position.world.places:
        return render_columns(position, load_style(case.edition.game), title=title)
    picture = plain_picture(position, title)
    picture = replace(picture, layout=layout_of(case) or picture.layout)
    question, movers = question_about(case.edition.model, case.situation, "path")
    way = next(spec for spec in question.inputs if spec.type.kind == "path")
    given = dict(case.inputs)
    pieces, path = given.pop(movers.json), given.pop(way.json)
    return render_board(position, draw_path(picture, position, path, pieces, given))


def _section(dispute: Dispute, picture: str, game: str) -> str:
    notes, shown = dispute.case.notes, io.StringIO()
    with contextlib.redirect_stdout(shown):
        show_verdict(dispute.verdict)
    file = f"scenarios/{game}/disputes/{dispute.name}.yaml"
    case, text = dispute.case, html.escape(notes["title"])
    attributes = {"game": game, "edition": "all", "query": case.query}
    if case.situation == "position":
        attributes |= {"notation": dispute.name, "input": json.dumps(case.inputs), "board": "board/"}
    else:  # what has no board has no notation
        attributes["input"] = json.dumps({**case.inputs, case.situation: case.data})
    named = " ".join(f'{name}="{html.escape(str(value))}"' for name, value in attributes.items())
    return "\n".join(
        [
            f"## {notes['title']}\n", f"{notes['question']}\n",
            f'<div><titm-verdict {named}><img src="{picture}" alt="{text}">',
            f"<pre>{html.escape(shown.getvalue().rstrip())}</pre></titm-verdict></div>\n",
            f"Source: {notes['source']}. Try it: `titm why {file}`\n",
        ]
    )  # fmt: skip
