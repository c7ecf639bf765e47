"""Generate docs/reference/language.md from the grammar and the example programs in grammar/.

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

A rule set is a folder of files with the ending `.rules`. This page shows every kind of declaration, sentence and
expression with a short program of an invented game. Where it is short, it also shows a mistake and its error
message. All programs are in `grammar/good` and `grammar/bad`, and the tests check each of them. For a first lesson
see [Your first clause](../tutorial/first-clause.md). The [glossary](glossary.md) defines the words for the parts of
the game.

## The shape of a file

- A file is a list of items. An item starts at the left margin with the word for its kind (`type`, `place`, `clause`
  and so on). Its other lines are indented, including the lines of a quoted text.
- An item ends with a full stop, and so does each sentence of a clause. Line breaks are not significant.
- A comment starts with `#` and runs to the end of the line.
- The articles `the`, `a` and `an` may appear between any two words and have no meaning, so they cannot be names.
- A name begins with a letter and continues with letters and digits, with hyphens or underscores inside. Each
  declared name has one meaning in a rule set.
- The number of a clause (`REF` in the grammar) begins and ends with a letter or digit. Inside, it may have full
  stops, colons and hyphens, as in `8.33-minor`.
- Numbers are whole and have at most nine digits. If a type counts parts, `1/3` and `1 1/3` are numbers too.
- Texts are in double quotes, and white space in them is folded.
- Expressions nest at most 60 levels deep.
- `titm fmt` formats a file; it changes only white space.

The grammar uses the notation of lark: quoted words are literal, `[x]` is optional, `x*` and
`x+` repeat, and `|` separates alternatives.
"""

# the sections of the grammar file, with the number of the first program and an introduction
SECTIONS = (
    (
        "the vocabulary of a game",
        1,
        "The vocabulary declares the data of a position. In JSON, a field or value has the name after `as`; without "
        "`as` it has its own name, with underscores for hyphens. JSON stores a number that is counted in parts as the "
        "number of its parts, or as a text in its unit, such as `1 1/3`, which is also the form that people see. In "
        "rules, a plain number next to it counts whole units. Sums, comparisons, `least` and `most` need numbers of "
        "the same measure. A product needs one plain factor. A quotient is plain and rounded to a whole number.",
    ),
    (
        "the questions that clauses decide",
        13,
        "Definitions, tables and forms declare the questions that clauses decide; `question` declares the questions "
        "that programs may ask. A route covers where a piece may go, an allocation who picks what, a selection which "
        "members are chosen, and a roll which faces succeed. A value can have stages, as column shifts do: each "
        "definition is computed from the one before, clauses add to totals, and `least of` and `most of` keep the "
        "result within limits.",
    ),
    (
        "what happens in a game",
        31,
        "Events turn a situation into a game. Each event declares who acts, its choices, and the routes, allocations, "
        "selections and rolls that it uses. Clauses can use the names in its parts. They bar the event with "
        "`may not start` (entirely) and `may not happen` (for one choice), and give its effects with `sets`, `puts` "
        "and `removes`. Parts are evaluated in the order in which they are written. In the grammar, `_FOR_EACH` is "
        "written `for each`, and `_FOR_FIRST` `for first`.",
    ),
    (
        "clauses",
        42,
        "Clauses decide. The order of clauses and of sentences is not significant, except for `otherwise`, which "
        "follows the other cases of its clause. Precedence between clauses comes only from `lifts` and `instead of`, "
        "which name the overridden clauses.",
    ),
    ("expressions", 62, "Conditions and values consist of expressions."),
    (
        "the course of play",
        85,
        "The bookkeeping of a game (whose turn it is, which step comes next, what is cleared away) is not a rule that "
        "a player reads. It has sections of its own. They set, put and remove values, and may contain the definitions "
        "that they need, but they forbid nothing, and no verdict cites them.",
    ),
    (
        "amendments",
        95,
        "The file of a sheet or of a house rule lists its changes to the rules before it. A document changes each "
        "clause at most once, only clauses in force can be changed, and no remaining clause may refer to a deleted "
        "one. A clause keeps its number in the rule set; its printed number may change.",
    ),
)


def programs(folder: str, low: int, high: int) -> list[Path]:
    """List the programs of a folder with numbers in a range."""
    return [path for path in sorted((GRAMMAR / folder).glob("*.rules")) if low <= int(path.name[:2]) < high]


def split_program(path: Path) -> tuple[list[str], str]:
    """Separate the first comments of a program from its text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    count = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    body = [line for line in lines[count:] if path.stem.startswith("01") or not line.startswith("game ")]
    return [line[2:] for line in lines[:count]], "\n".join(body)


def grammar_sections() -> dict[str, str]:
    """Split the grammar file at its headings; leave out the text before them and the terminals."""
    text = (GRAMMAR / "titm.lark").read_text(encoding="utf-8")
    text = re.sub(r"^(?:[A-Z]|%).*\n", "", text, flags=re.MULTILINE)
    parts = re.split(r"^// -{10,} (.+)\n", text, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def header(path: Path) -> dict[str, str]:
    """Read the fields in the first comments of a bad program."""
    return {name.rstrip(":"): text for name, _, text in (line.partition(" ") for line in split_program(path)[0])}


def mistake(path: Path) -> str:
    """Write one mistake: the line, the message, and the fix."""
    fields = header(path)
    line = path.read_text(encoding="utf-8").splitlines()[int(fields["line"]) - 1].strip()
    shown = "" if line.startswith("#") else f"`{line}`\\\n  "
    hint = fields.get("fix") or fields.get("why")
    return f"- {shown}{fields['fault']}" + (f"; {hint}" if hint else "")


def belongs(bad: Path) -> str:
    """Return the good program next to which a bad one is shown: the one with the longest matching name."""
    return max((path.stem for path in (GRAMMAR / "good").glob("*.rules") if bad.stem.startswith(path.stem)), key=len)


def example(path: Path) -> str:
    """Write a program and its mistakes."""
    [about], body = split_program(path)
    name = path.stem.partition("_")[2].replace("_", " ")
    mistakes = [
        mistake(bad) for bad in sorted((GRAMMAR / "bad").glob(f"{path.stem}*.rules")) if belongs(bad) == path.stem
    ]
    lines = [f"### {name.capitalize()}", "", about, "", "```", body, "```", "", "Errors, for example:", "", *mistakes]
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
