"""Generate the pages of questions, records and readings from the declarations of the rule set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.ir.model import MISSING, FieldSpec, Model, RecordSpec
from titm_rules.service.capabilities import QuestionTold, listing, questions_told, told_type

QUESTIONS_HEAD = """\
# Questions and their data

The questions that a program may ask, and the data of situations, as the rule set declares them. The names are those
used in JSON; the [protocol](protocol.md) explains how to send them. The site build generates this page from
`rulesets/titm/game.rules`; `titm oracle --schemas` prints the same data as JSON Schemas.

## Questions

A question mark marks an optional input.
"""
READINGS_HEAD = """\
# Readings

The points where the printed text is ambiguous. Each has a name, its choices and a default. An edition may settle
the point or change the default. [Why a verdict may depend on a reading](../explanation/readings.md) explains their
use. The site build generates this page from the rule set; `titm oracle --list` prints the same data as JSON.
"""
# for each role of a record: its description, and whether its records have an id
ROLES = {
    "place": ("A kind of place.", True),
    "piece": ("A piece that occupies a place and moves.", True),
    "connection": ("Joins two places.", True),
    "plain": ("A component of a situation.", False),
    "situation": ("A situation: the subject of a question.", False),
}
ID_ROW = ("`id`", "text", "required")


def questions_page(game: str = "titm") -> str:
    """Write the page of questions and records of the newest edition."""
    model = load_model(list_editions(game)[-1].name, game)
    told = questions_told(model)
    questions = _table(("question", "meaning", "situation", "inputs", "answer"), map(_question, told))
    tried = ["## Example commands", "", "```sh", *_examples(told), "```"]
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
        return [f"{about} In JSON it is only the pair of its ends."]
    rows = [ID_ROW] if named else []
    rows += [(f"`{spec.json}`", told_type(spec.type), _default(spec)) for spec in record.fields]
    return [about, "", *_table(("field", "type", "default"), rows)]


def _question(question: QuestionTold) -> tuple[str, str, str, str, str]:
    takes = [f"`{name}`{'' if default == MISSING else '?'}" for name, _, default in question.takes]
    return f"`{question.name}`", question.says, question.about or "nothing", ", ".join(takes), question.answer


def _examples(questions: Iterable[QuestionTold]) -> Iterable[str]:
    """Write an example command for each question."""
    return [f"# {question.name}\n{question.example}" for question in questions if question.example]


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
            parts += [f"Reason for the default: {reading['because']}.", ""]
        parts += [f"Default by edition: {_defaults(reading['editions'])}.", ""]
    return "\n".join(parts)


def _choices(reading: Mapping[str, Any]) -> list[str]:
    return [
        f"- `{choice}`{' (default)' if choice == reading['default'] else ''}: {text}"
        for choice, text in reading["choices"].items()
    ]


def _defaults(editions: Mapping[str, list[str]]) -> str:
    """Group the editions with an open reading by its default."""
    groups: dict[str, list[str]] = {}
    for date, (default, *_) in editions.items():
        groups.setdefault(default, []).append(date)
    return "; ".join(f"`{default}` in {', '.join(dates)}" for default, dates in groups.items())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    return [_row(head), "|" + " --- |" * len(head), *map(_row, rows)]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
