"""Write the pages of what the rule set declares: questions with what they take, records, and readings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from titm_rules.editions.load import load_model
from titm_rules.editions.named import list_editions
from titm_rules.rules.model import MISSING, FieldSpec, Model, RecordSpec
from titm_rules.service.listing import listing
from titm_rules.service.questions import QuestionTold, questions_told, told_type

QUESTIONS_HEAD = """\
# Questions and their data

What a program may ask, and what situations are made of, as the rule set declares it. The names are those of JSON; the
[protocol](protocol.md) says how to send them. Made from `rulesets/titm/game.rules` while this site is built;
`titm oracle --schemas` gives the same as JSON Schemas.

## Questions

Behind what may be left out stands a question mark.
"""
READINGS_HEAD = """\
# Readings

The points where the printed words leave room. Each has a name, its readings and a default, which an edition may
settle or change. [Why a verdict may depend on a reading](../explanation/readings.md) tells how they are used.
Made from the rule set while this site is built; `titm oracle --list` gives the same as JSON.
"""
# what a record is, by its role, and whether it is named by an id
ROLES = {
    "place": ("A kind of place.", True),
    "piece": ("What stands at places and moves.", True),
    "connection": ("Joins two places.", True),
    "plain": ("A part of a situation.", False),
    "situation": ("A situation: what a question is about.", False),
}
ID_ROW = ("`id`", "text", "required")


def questions_page(game: str = "titm") -> str:
    """Write the page of questions and records, as the newest edition has them."""
    model = load_model(list_editions(game)[-1].name, game)
    told = questions_told(model)
    questions = _table(("question", "what is asked", "about", "takes", "answer"), map(_question, told))
    tried = ["## Lines to try", "", "```sh", *_examples(told), "```"]
    parts = [
        QUESTIONS_HEAD,
        *questions,
        "",
        *tried,
        "",
        "## Values",
        "",
        *_table(("type", "values"), _values(model)),
        "",
    ]
    for record in model.records.values():
        parts += [f"## {record.name.capitalize()}", "", *_record(record), ""]
    return "\n".join(parts)


def _record(record: RecordSpec) -> list[str]:
    about, named = ROLES[record.role]
    if record.is_bare:
        return [f"{about} Written as the pair of its ends alone."]
    rows = [ID_ROW] if named else []
    rows += [(f"`{spec.json}`", told_type(spec.type), _default(spec)) for spec in record.fields]
    return [about, "", *_table(("field", "what", "if left out"), rows)]


def _question(question: QuestionTold) -> tuple[str, str, str, str, str]:
    takes = [f"`{name}`{'' if default == MISSING else '?'}" for name, _, default in question.takes]
    return f"`{question.name}`", question.says, question.about or "nothing", ", ".join(takes), question.answer


def _examples(questions: Iterable[QuestionTold]) -> Iterable[str]:
    """Write a line to try for each question."""
    return [f"# {one.name}\n{one.example}" for one in questions if one.example]


def _values(model: Model) -> Iterable[tuple[str, str]]:
    return ((enum.name, ", ".join(f"`{text}`" for text in enum.texts)) for enum in model.enums.values())


def _default(spec: FieldSpec) -> str:
    if spec.same_as:
        return f"the same as {' of '.join(f'`{name}`' for name in spec.same_as)}"
    return "required" if spec.default == MISSING else f"`{json.dumps(spec.default)}`"


def readings_page(game: str = "titm") -> str:
    """Write the page of readings."""
    parts = [READINGS_HEAD]
    for name, reading in listing(game)["readings"].items():
        parts += [f"## {name} {{: #{name} }}", "", reading["question"], "", *_choices(reading), ""]
        if reading["because"]:
            parts += [f"Why the default: {reading['because']}.", ""]
        parts += [f"Default by edition: {_defaults(reading['editions'])}.", ""]
    return "\n".join(parts)


def _choices(reading: Mapping[str, Any]) -> list[str]:
    return [
        f"- `{choice}`{' (default)' if choice == reading['default'] else ''}: {text}"
        for choice, text in reading["choices"].items()
    ]


def _defaults(editions: Mapping[str, list[str]]) -> str:
    """Group the editions that leave a reading open by their default."""
    groups: dict[str, list[str]] = {}
    for date, (default, *_) in editions.items():
        groups.setdefault(default, []).append(date)
    return "; ".join(f"`{default}` in {', '.join(dates)}" for default, dates in groups.items())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [_row(head), "|" + " --- |" * len(head), *map(_row, rows)]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
