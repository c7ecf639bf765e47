"""From text to tree: the only module that knows lark."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from titm_rules.diagnostics import Fault, RulesetError, Span, did_you_mean
from titm_rules.syntax.build import Builder, TooDeep
from titm_rules.syntax.tree import Clause, Decl, SourceFile
from titm_rules.vocabulary.data import grammar_text

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput

MAX_FILE_CHARACTERS = 2_000_000
ITEM_WORDS = ["action", "allocation", "clause", "connection", "define", "die", "edition", "game", "piece", "place", "question", "reading", "record", "roll", "route", "selection", "situation", "table", "type"]
_ITEM_START = re.compile(r"^[^\s#]", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*|\S")


@cache
def load_parser() -> Lark:
    """Build the LALR parser of the rule language."""
    from lark import Lark

    return Lark(
        grammar_text(),
        parser="lalr",
        lexer="contextual",
        start="item",
        propagate_positions=True,
        maybe_placeholders=True,
    )


def split_items(text: str) -> list[tuple[int, str]]:
    """Cut a file into its items, each with the number of its first line.

    An item starts at the left margin; text before the first one must be blank or comment.
    """
    in_text = [match.span() for match in re.finditer(r'#[^\n]*|"[^"]*"', text) if match[0][0] == '"']
    starts = []
    position = 0
    for match in _ITEM_START.finditer(text):
        while position < len(in_text) and in_text[position][1] <= match.start():
            position += 1
        inside = position < len(in_text) and in_text[position][0] < match.start()
        if not inside:
            starts.append(match.start())
    ends = [*starts[1:], len(text)]
    return [(text.count("\n", 0, start) + 1, text[start:end]) for start, end in zip(starts, ends, strict=True)]


def parse_item(item: str) -> tuple[list[Token], Tree[Any]]:
    """Parse one item to lark's tree, with the tokens that it was read from."""
    parser = load_parser().parse_interactive(item)
    tokens = list(parser.iter_parse())
    return tokens, parser.feed_eof(tokens[-1] if tokens else None)


def parse_rules(text: str, path: str) -> SourceFile:
    """Parse a rule file.

    Raises:
        RulesetError: with one fault for every item that cannot be read.
    """
    faults: list[Fault] = []
    decls: list[Decl] = []
    clauses: list[Clause] = []
    if len(text) > MAX_FILE_CHARACTERS:
        raise RulesetError([Fault("the file is too large", path, f"limit: {MAX_FILE_CHARACTERS} characters")])
    lines = tuple(text.split("\n"))
    items = split_items(text)
    faults.extend(_stray_text(lines[: items[0][0] - 1] if items else lines, path))
    for first_line, item in items:
        parsed = _parse_item(item, first_line, path, lines, faults)
        if isinstance(parsed, Clause):
            clauses.append(parsed)
        elif parsed is not None:
            decls.append(parsed)
    if faults:
        raise RulesetError(faults)
    return SourceFile(path, tuple(decls), tuple(clauses), lines)


def _stray_text(lines: tuple[str, ...], path: str) -> list[Fault]:
    """Fault the first line before all items that is neither blank nor a comment."""
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare and not bare.startswith("#"):
            column = line.index(bare) + 1
            return [
                Fault(
                    "this text belongs to no item",
                    Span(path, number, column, column + len(bare)),
                    "an item starts at the left margin with its kind; further lines are indented",
                    "write the item at the left margin",
                    line,
                )
            ]
    return []


def _parse_item(
    item: str, first_line: int, path: str, lines: tuple[str, ...], faults: list[Fault]
) -> Decl | Clause | None:
    from lark.exceptions import UnexpectedInput

    word = _WORD.match(item)
    if word is not None and word[0] not in ITEM_WORDS:
        span = Span(path, first_line, 1, 1 + len(word[0]))
        faults.append(
            Fault(
                f"`{word[0]}` cannot start an item",
                span,
                "an item starts at the left margin with its kind; further lines are indented",
                did_you_mean(word[0], ITEM_WORDS),
                lines[first_line - 1],
            )
        )
        return None
    try:
        tree = load_parser().parse(item)
        return Builder(path, first_line - 1).item(tree)
    except UnexpectedInput as error:
        faults.append(_syntax_fault(error, item, first_line, path, lines))
    except TooDeep as error:
        faults.append(Fault("the expression is nested too deeply", error.span, "limit: 60 levels"))
    return None


def _syntax_fault(error: UnexpectedInput, item: str, first_line: int, path: str, lines: tuple[str, ...]) -> Fault:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    item_lines = item.split("\n")
    token = getattr(error, "token", None)
    at_end = error.line is None or error.line < 1 or getattr(token, "type", "") == "$END"
    line = len(item.rstrip().split("\n")) if at_end else error.line
    column = len(item_lines[line - 1].rstrip()) if at_end else error.column
    found = "the end of the item" if at_end else f"`{_found(item_lines, line, column)}`"
    names = error.accepts if isinstance(error, UnexpectedToken) else None
    allowed = getattr(error, "allowed", None) if isinstance(error, UnexpectedCharacters) else None
    expected = _readable(names or allowed or getattr(error, "expected", None) or ())
    length = 1 if at_end else max(1, len(_found(item_lines, line, column).split("\n")[0]))
    absolute = first_line + line - 1
    from titm_rules.syntax.mistakes import explain

    why, fix = explain(item, line, column, expected)
    return Fault(
        f"{found} is not expected here",
        Span(path, absolute, max(1, column), max(1, column) + length),
        why or f"expected {', '.join(expected[:12])}",
        fix,
        lines[absolute - 1] if absolute <= len(lines) else "",
        kind="syntax",
    )


def _found(item_lines: list[str], line: int, column: int) -> str:
    rest = item_lines[line - 1][column - 1 :] if 0 < line <= len(item_lines) else ""
    match = _WORD.match(rest)
    return match[0] if match else rest[:1]


def _readable(names: object) -> list[str]:
    """Turn names of terminals into what the author would write."""
    parser = load_parser()
    shown = {"NAME": "a name", "REF": "a clause number", "INT": "a number", "TEXT": "a text in quotes"}
    words = []
    for name in sorted(str(n) for n in names):  # type: ignore[attr-defined]  # any iterable of str
        if name in shown:
            words.append(shown[name])
            continue
        try:
            pattern = parser.get_terminal(name).pattern
        except KeyError:
            continue
        if pattern.type == "str":
            words.append(f"`{pattern.value}`")
    return words
