"""Write docs/reference/changes.md from the table of known differences in the tests.

`python -m docs.tools.make_changes` writes the page; the tests check that it is up to date.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.editions.changes import CHANGES, IDLE, IN_PLAY, Change, Side

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "changes.md"
HEAD = """\
# What changed between the editions

<!-- Made by docs/tools/make_changes.py from tests/editions/changes.py; edit that table. -->

The 36 differences that a comparison of all preserved documents shows. A test asks each situation of both editions;
`titm check FILE ... --edition all` does it for a situation of your own. `assumed` in an answer names the clauses that
an edition does not attest: of the texts before 1999 only the revision sheets are preserved.
"""


def told(side: Side) -> str:
    """Write what an edition answers, and by which clauses."""
    date, *readings = side.edition.split()
    under = f" (`{'`, `'.join(readings)}`)" if readings else ""
    answer = json.dumps(side.answer).removeprefix("{").removesuffix("}").replace('"', "")
    return f"{date}{under}: {answer}" + (f"; {', '.join(side.clauses.split())}" if side.clauses else "")


def row(change: Change) -> str:
    """Write a row of the first table."""
    return f"| {change.row} | {change.rule} | {change.situation} | {told(change.before)} | {told(change.after)} |"


def page() -> str:
    """Write the whole page."""
    lines = [HEAD, "## Seen in one question", "", "| no. | rule | situation | before | after |", "|" + " --- |" * 5]
    lines += [row(change) for change in sorted(CHANGES, key=lambda change: change.row)]
    lines += ["", "## Seen in the course of play", "", "| no. | rule |", "| --- | --- |"]
    lines += [f"| {number} | {rule} |" for number, rule in IN_PLAY.items()]
    lines += ["", "## Without effect on an answer", "", "| no. | rule | why |", "| --- | --- | --- |"]
    lines += [f"| {idle.row} | {idle.rule} | {idle.reason} |" for idle in IDLE]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
