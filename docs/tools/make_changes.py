"""Generate docs/reference/changes.md from the table of known differences in the tests.

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

The 36 differences that a comparison of all preserved documents shows. A test asks both editions about each situation;
`titm check FILE ... --edition all` does this for your own situation. `assumed` in an answer lists the clauses that
an edition does not attest, because only the revision sheets are preserved from before 1999.
"""


def answer_of(side: Side) -> str:
    """Write the answer of an edition and the clauses behind it."""
    date, *readings = side.edition.split()
    under = f" (`{'`, `'.join(readings)}`)" if readings else ""
    answer = json.dumps(side.answer).removeprefix("{").removesuffix("}").replace('"', "")
    return f"{date}{under}: {answer}" + (f"; {', '.join(side.clauses.split())}" if side.clauses else "")


def row(change: Change) -> str:
    """Write a row of the first table."""
    before, after = answer_of(change.before), answer_of(change.after)
    return f"| {change.row} | {change.rule} | {change.situation} | {before} | {after} |"


def page() -> str:
    """Write the whole page."""
    lines = [HEAD, "## Visible in one question", "", "| no. | rule | situation | before | after |", "|" + " --- |" * 5]
    lines += [row(change) for change in sorted(CHANGES, key=lambda change: change.row)]
    lines += ["", "## Visible in play", "", "| no. | rule |", "| --- | --- |"]
    lines += [f"| {number} | {rule} |" for number, rule in IN_PLAY.items()]
    lines += ["", "## No effect on an answer", "", "| no. | rule | why |", "| --- | --- | --- |"]
    lines += [f"| {idle.row} | {idle.rule} | {idle.reason} |" for idle in IDLE]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
