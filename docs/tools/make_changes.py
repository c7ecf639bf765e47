"""Generate docs/reference/changes.md and rulesets/titm/changes.jsonl from the table of known differences in the tests.

`python -m docs.tools.make_changes` writes both; the tests check that they are up to date.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.editions.changes import CHANGES, IDLE, IN_PLAY, PLAYED, Change, Played, Side
from titm_rules.catalog import game_folder
from titm_rules.formats.case_files import CHANGES_FILE, REPLAY
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import Turn
from titm_rules.oracle.position import Position
from titm_rules.syntax.game_record import GameRecord

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "changes.md"
FILE = game_folder("titm") / CHANGES_FILE
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


# ---------------------------------------------------------------------- cases that ship
def cases() -> str:
    """Write the differences as cases, one a line, each under the edition that made it."""
    told = {one.row: _case(one) for one in CHANGES} | {one.row: _record(one) for one in PLAYED}
    return "".join(f"{json.dumps(told[row])}\n" for row in sorted(told))


def _case(change: Change) -> dict[str, object]:
    date, *readings = change.after.edition.split()
    clauses = [*change.before.clauses.split(), *change.after.clauses.split()]
    return {
        **_head(change, clauses), "edition": date, "readings": dict(one.split("=") for one in readings),
        "query": change.query, "input": change.input, "expected": change.after.answer,
    }  # fmt: skip


def _record(one: Played) -> dict[str, object]:
    """Write a difference of play as a record that is legal."""
    position = Position.from_dict(one.position, Edition(one.after)).settled
    start, lines = position.notation, []
    for kind in one.actions:
        action = next(action for action in position.legal_actions if action.kind == kind)
        after = position.apply(action, [])
        lines.append(Turn(position, action, (), (), after).recorded)
        position = after
    record = GameRecord(one.after, start, "", actions=tuple(lines), game="titm").write()
    return {
        **_head(one, one.clauses.split()), "edition": one.after, "readings": {}, "query": REPLAY,
        "input": {"record": record}, "expected": {"legal": True},
    }  # fmt: skip


def _head(one: Change | Played, clauses: list[str]) -> dict[str, object]:
    return {"id": f"change-{one.row}", "title": f"{one.situation[:1].upper()}{one.situation[1:]}", "clauses": clauses}


if __name__ == "__main__":
    FILE.write_text(cases(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
