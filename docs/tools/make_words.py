# ruff: noqa: E501 -- the lines of the page are as long as those of the page
"""Generate docs/reference/words.md: the reserved words of the rule language, and its predefined names.

`python docs/tools/make_words.py` writes the page; the tests check that it is up to date, and its lists.
"""

from __future__ import annotations

import re
from pathlib import Path

from titm_rules.checker import expressions, schema
from titm_rules.checker.forms import ROUTE_WORDS
from titm_rules.checker.schema import INPUT_TYPES
from titm_rules.ir.model import BEGIN, PRICE, SUCCESSES
from titm_rules.ir.model import END as GAME_END
from titm_rules.syntax import parser

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "words.md"
HEAD = """\
# Words of the rule language

<!-- Made by docs/tools/make_words.py from the grammar and the code; edit these. -->

The words that a rule file cannot use as names, and the names with a fixed meaning in the language. [The reference](language.md)
describes the sentences that use them.

## Reserved words

A declaration cannot use these words as names, because no sentence could refer to the declared thing. The error message says that
the name is a word of the language.
"""
KNOWN = """
Every other word of the language may be a name, because its position shows its meaning: a field may be called
`cost`, and a definition `stop`. A word is rejected in a position where the sentence could continue with it: a definition cannot be
called `default` or `by`. The other words are: {others}.

## Built-in fields

The language knows three fields by name. Only clauses give a meaning to other fields.

| field | of | meaning | declaration |
| --- | --- | --- | --- |
| `{id}` | any record | {names} | `{id}: text`, or omitted: all records except plain ones have an id |
| `{place}` | a piece | {stands} | `{place}: place`, or a kind of place, optionally `or nothing` |
| `{ends}` | a connection | {joins} | `{ends}: pair of place` |

A field with one of these names and a different type is an error, for example:

{field_faults}

## Predefined names

| name | used in | meaning |
| --- | --- | --- |
| `{price}` | counters of a route, and the parts after `steps` and `closes` in an event | the cost of the step or the closing action |
| `stops` | the parts after `steps` in an event | whether the mover has to stop |
| `{successes}` | effects of an event that rolls | the number of dice that succeed |
| `{start}`, `{end}` | `cost of ROUTE (with ...)` and similar expressions | the places where the route starts and ends |
| {results} | before `of FORM (with ...)` | a result of the form; the name of a counter is another |
| `{begin}`, `{game_end}` | `SITUATION may not ...` | a game cannot begin, or end, in this situation |
| {functions} | expressions | functions: {meanings} |
| {inputs} | `takes NAME: ...` in a question | types of input that only a form can judge |

A counter of a route cannot be called {route_words} or `{price}`:

{counter_fault}
"""


def words(names: object) -> str:
    """List words, sorted."""
    return ", ".join(f"`{name}`" for name in sorted(names))  # type: ignore[call-overload]  # any strings


def all_words() -> set[str]:
    """Collect the words of the grammar: the quoted words in its rules and in its patterns."""
    text = (ROOT / "grammar" / "titm.lark").read_text(encoding="utf-8")
    return {word for line in text.splitlines() if not line.startswith("//") for word in re.findall(r'"([a-z]+)"', line)}


def faults(*names: str) -> str:
    """List mistakes of grammar/bad: the message of each, and its fix."""
    lines = []
    for name in names:
        text = (ROOT / "grammar" / "bad" / f"{name}.rules").read_text(encoding="utf-8")
        header = dict(re.findall(r"^# (\w+): (.*)$", text, flags=re.MULTILINE))
        lines.append(f"- {header['fault']}; {header.get('fix') or header['why']}")
    return "\n".join(lines)


def page() -> str:
    """Write the whole page."""
    lists = (
        ("They begin an expression", parser.IN_EXPRESSIONS),
        ("They begin a sentence", parser.IN_CLAUSES),
        ("They are types, so no record or type can have these names", parser.IN_DECLARATIONS - parser.IN_EXPRESSIONS),
        ("Articles, which have no meaning", parser.ARTICLES),
    )
    taken = frozenset().union(*(names for _, names in lists))
    rows = "\n".join(f"- {title}: {words(names)}." for title, names in lists)
    meanings = (meaning for _, meaning, _ in schema.BUILTIN.values())
    known = KNOWN.format(
        **dict(zip(("names", "stands", "joins"), meanings, strict=True)),
        others=words(all_words() - taken), id=schema.IDENTITY_FIELD, place=schema.PLACE_FIELD, ends=schema.ENDS_FIELD,
        field_faults=faults("05_piece_place", "06_connection_ends", "07_record_id"),
        price=PRICE, successes=SUCCESSES, start=expressions.START, end=expressions.END,
        results=words((expressions.ENDS, expressions.COST, expressions.BEST, expressions.CHOICES)), begin=BEGIN, game_end=GAME_END,
        inputs=words(INPUT_TYPES), functions=words(expressions.FUNCTIONS),
        meanings="; ".join(expressions.FUNCTIONS.values()), route_words=words(ROUTE_WORDS), counter_fault=faults("16_route_counts_word"),
    )  # fmt: skip
    return f"{HEAD}\n{rows}\n{known}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
