"""Write docs/reference/language.md from the grammar and the tiny programs in grammar/.

`python docs/tools/make_language_reference.py` writes the page; the tests check that it is up to date.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRAMMAR = ROOT / "grammar"
PAGE = ROOT / "docs" / "reference" / "language.md"

HEAD = """\
# The rule language

<!-- Made by docs/tools/make_language_reference.py from grammar/; edit that script, the grammar or the programs. -->

A rule set is a folder of files that end in `.rules`. This page shows every kind of declaration, sentence and
expression with a tiny program of an invented game and, where it is short, with a mistake and what is said of it.
All programs are in `grammar/good` and `grammar/bad`, and the tests check each. For a first lesson see
[Your first clause](../tutorial/first-clause.md); the words for the parts of the game are in the
[glossary](glossary.md).

## The shape of a file

- A file is a list of items. An item starts at the left margin with the word for its kind (`type`, `place`, `clause`
  and so on). Its further lines are indented, also those of a text in quotes.
- An item ends with a full stop; so does each sentence of a clause. Line breaks mean nothing.
- A comment starts with `#` and runs to the end of the line.
- The articles `the`, `a` and `an` may stand between any two words and mean nothing; so none of them can be a name.
- Names begin with a letter and go on with letters and digits, with hyphens or underscores inside. Each declared name
  has one meaning in a rule set.
- The number of a clause (`REF` in the grammar) begins and ends with a letter or digit; inside, it may have full stops,
  colons and hyphens, as in `8.33-minor`.
- Numbers are whole, of at most nine digits; where a type counts parts, `1/3` and `1 1/3` are numbers too.
- Texts stand in double quotes, and white space in them is folded.
- Expressions nest at most 60 levels deep.
- `titm fmt` lays a file out; it changes white space only.

The grammar is given in the notation of lark: words in quotes are written as they stand, `[x]` may be left out, `x*` and
`x+` repeat, `|` parts alternatives.
"""

# the sections of the grammar file, the number of the first program of each, and what to know about it
SECTIONS = (
    (
        "the vocabulary of a game",
        1,
        "The vocabulary says what a position holds. Outside, in JSON, a field or value has the name that stands behind "
        "`as`, or else its own, with underscores for hyphens. A number that is counted in parts stands there as the "
        "number of its parts, or as a text in its unit, such as `1 1/3`; people are told it so. In rules, a plain "
        "number beside it counts whole ones. Sums, comparisons, least and most are of numbers that are counted "
        "alike; of a product one factor is plain, and a quotient is, which is rounded to whole ones.",
    ),
    (
        "the questions that clauses decide",
        13,
        "Definitions, tables and forms open the questions that clauses decide; `question` is what "
        "programs may ask. A route asks where it may go, an allocation who picks what, a selection which of some, "
        "a roll what the die must show. A value has stages, as column shifts do, where one definition is worked out "
        "from the next: clauses add to totals, `least of` and `most of` hold what comes of them within limits.",
    ),
    (
        "what happens in a game",
        31,
        "Events make a game of a situation: each says who acts, over what it ranges, and what it asks of routes, "
        "allocations, selections and rolls. What its parts name, clauses may use: they bar it with `may not start` "
        "(at all) and `may not happen` (for one choice), and say with `sets`, `puts` and `removes` what comes of it. "
        "Parts are asked in the order in which they stand. In the grammar, `_FOR_EACH` is written `for each`, and "
        "`_FOR_FIRST` `for first`.",
    ),
    (
        "clauses",
        42,
        "Clauses decide. The order of clauses and of sentences means nothing: what takes precedence is said by "
        "`lifts` and `instead of`, which name the clauses that give way.",
    ),
    ("expressions", 62, "Expressions are what conditions and values are made of."),
    (
        "the course of play",
        85,
        "What only keeps the books of a game (whose turn it is, which step comes next, what is cleared away) is no "
        "rule that a player reads. It stands in sections of its own: they set, put and remove, and may define what "
        "that needs, but forbid nothing, and no verdict cites them.",
    ),
    (
        "amendments",
        95,
        "The file of a sheet or of a house rule says what it changes of the rules before it. Each clause is changed at "
        "most once by a document, only what is in force can be changed, and no clause may be left that names a deleted "
        "one. A clause keeps the number that it is known by here; the one in print may move.",
    ),
)


def programs(folder: str, low: int, high: int) -> list[Path]:
    """List the programs of a folder whose numbers lie in a range."""
    return [path for path in sorted((GRAMMAR / folder).glob("*.rules")) if low <= int(path.name[:2]) < high]


def split_program(path: Path) -> tuple[list[str], str]:
    """Part the first comments of a program from its text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    count = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    body = [line for line in lines[count:] if path.stem.startswith("01") or not line.startswith("game ")]
    return [line[2:] for line in lines[:count]], "\n".join(body)


def grammar_sections() -> dict[str, str]:
    """Cut the grammar file at its headings, without what precedes them and without the terminals."""
    text = (GRAMMAR / "titm.lark").read_text(encoding="utf-8")
    text = re.sub(r"^(?:[A-Z]|%).*\n", "", text, flags=re.MULTILINE)
    parts = re.split(r"^// -{10,} (.+)\n", text, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def header(path: Path) -> dict[str, str]:
    """Read what the first comments of a bad program say."""
    return {name.rstrip(":"): text for name, _, text in (line.partition(" ") for line in split_program(path)[0])}


def mistake(path: Path) -> str:
    """Tell one mistake: the line, what is said of it, and how to mend it."""
    said = header(path)
    line = path.read_text(encoding="utf-8").splitlines()[int(said["line"]) - 1].strip()
    shown = "" if line.startswith("#") else f"`{line}`\\\n  "
    hint = said.get("fix") or said.get("why")
    return f"- {shown}{said['fault']}" + (f"; {hint}" if hint else "")


def belongs(bad: Path) -> str:
    """Name the good program that a bad one is shown with: the one whose name is most of its own."""
    return max((path.stem for path in (GRAMMAR / "good").glob("*.rules") if bad.stem.startswith(path.stem)), key=len)


def example(path: Path) -> str:
    """Show a program and the mistakes that belong to it."""
    [about], body = split_program(path)
    name = path.stem.partition("_")[2].replace("_", " ")
    mistakes = [
        mistake(bad) for bad in sorted((GRAMMAR / "bad").glob(f"{path.stem}*.rules")) if belongs(bad) == path.stem
    ]
    lines = [f"### {name.capitalize()}", "", about, "", "```", body, "```", "", "Refused, for example:", "", *mistakes]
    return "\n".join(lines) + "\n"


def page() -> str:
    """Write the whole page."""
    grammar = grammar_sections()
    parts = [HEAD]
    ends = [first for _, first, _ in SECTIONS[1:]] + [100]
    for (title, first, about), end in zip(SECTIONS, ends, strict=True):
        parts.append(f"## {title.capitalize()}\n\n{about}\n")
        parts.append(f"```\n{grammar[title]}\n```\n")
        parts += [example(path) for path in programs("good", first, end)]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
