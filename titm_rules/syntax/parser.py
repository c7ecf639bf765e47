"""Parse rule text with lark, item by item, and explain syntax errors."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from titm_rules.diagnostics import Fault, RulesetError, Span, did_you_mean
from titm_rules.files import data_folder, grammar_text
from titm_rules.syntax import ast
from titm_rules.syntax.builder import MAX_DEPTH, BadSlot, Builder, TextOrigin, TooDeep

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput


# ---------------------------------------------------------------------- reserved words
# The first words of expressions, and of what follows `is`; a test compares them with the grammar.
IN_EXPRESSIONS = frozenset((
    "at", "choices", "each", "every", "for", "highest", "in", "it", "its", "least", "less", "lowest", "more",
    "most", "no", "not", "nothing", "number", "one", "possible", "some", "those", "total", "yes",
))  # fmt: skip
# The first words of the sentences without a subject.
IN_CLAUSES = frozenset(("decides", "keeps", "lifts", "see"))
# Words for types, and for defaults of fields.
IN_DECLARATIONS = frozenset(("flag", "list", "names", "none", "number", "pair", "same", "text"))
ARTICLES = frozenset(("a", "an", "the"))
_UNASKED = (ast.GameDecl, ast.EditionDecl, ast.DieDecl, ast.ReadingDecl)
_NO_NAMES = ("asks", "answers", "lacking", "bindings", "sayings", "claimed")  # fields that declare no names
_NAMING = ("name", "values", "left", "entered", "thrown")


def reserved_names(decl: ast.Declaration, lines: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each name of a declaration that is a reserved word; `lines` are those of its file."""
    is_type = getattr(decl, "role", "") not in ("", "situation")
    for number, word in enumerate(() if isinstance(decl, _UNASKED) else _names(decl)):
        place = _place_of(word.text, is_type and number == 0)
        if place:
            why = f"{place} may begin with this word, so that no rule could use it as a name"
            source = lines[word.span.line - 1]
            yield Fault(f"`{word.text}` is a word of the language", word.span, why, "take another name", source)


def _place_of(word: str, is_type: bool) -> str:
    """Return the construct that may begin with a word; empty if there is none."""
    if word in IN_EXPRESSIONS:
        return "an expression"
    if word in IN_CLAUSES:
        return "a sentence"
    return "a type" if is_type and word in IN_DECLARATIONS else ""


def _names(node: object) -> Iterator[ast.Word]:
    """Yield the names that a declaration declares, in its order."""
    if isinstance(node, tuple):
        for part in node:
            yield from _names(part)
    elif is_dataclass(node) and not isinstance(node, ast.Expr | ast.TypeRef | ast.Word):
        for field in fields(node):
            value = getattr(node, field.name)
            values = value if isinstance(value, tuple) else (value,)
            if field.name in _NAMING:
                yield from (word for word in values if isinstance(word, ast.Word))
            if field.name not in _NO_NAMES:
                yield from _names(tuple(part for part in values if not isinstance(part, ast.Word)))


# ---------------------------------------------------------------------- hints for typical mistakes
_FULL_STOP = ("end the sentence with a full stop", "end the sentence before with a full stop")


@cache
def _mistakes() -> list[tuple[re.Pattern[str], str, str]]:
    raw = tomllib.loads((data_folder("grammar") / "mistakes.toml").read_text(encoding="utf-8"))
    return [(re.compile(rf"(?:{entry['pattern']})\Z"), entry["why"], entry["fix"]) for entry in raw["mistake"]]


def explain(before: str, word: str, expected: list[str]) -> tuple[str, str]:
    """Return the reason of a syntax error and its fix; empty texts if they are unknown.

    Args:
        before: the item up to the unexpected word.
        word: that word; empty at the end of the item.
        expected: the words and signs that may be there.

    A pattern must match the sentence up to and including the unexpected word, in which texts in quotes are `""`.
    """
    sentence = re.split(r"\.\s+", _without_texts(before))[-1] + _without_texts(word)
    for pattern, why, fix in _mistakes():
        if pattern.search(sentence):
            return why, fix
    return "", _FULL_STOP[bool(word)] if "`.`" in expected else ""


def _without_texts(text: str) -> str:
    return re.sub(r'"[^"]*"', '""', text)


# ---------------------------------------------------------------------- parser
MAX_FILE_CHARACTERS = 2_000_000
MAX_FAULTS = 200
CACHED_ITEMS = 400  # as many as a large file has, which is read again after each edit
ITEM_WORDS = (
    "add", "allocation", "always", "attest", "claim", "clause", "connection", "course", "define", "delete", "die",
    "edition",
    "event", "extend", "game", "limit", "on", "piece", "place", "question", "reading", "record", "renumber", "replace",
    "restate", "roll", "route", "selection", "situation", "summary", "table", "type", "victory", "view", "walk",
)  # fmt: skip
_KINDS = {
    "NAME": "a name", "REF": "a clause number", "INT": "a number", "TEXT": "a text in quotes", "DATE": "a date",
    "_FOR_EACH": "`for each`", "_FOR_FIRST": "`for first`",
}  # fmt: skip
_NO_WORDS = (*_KINDS, "$END", "<END-OF-FILE>", "WS", "COMMENT", "ARTICLE")
_PATTERN_WORDS = ("for", "each", "first", "default", "otherwise", "not", "the", "a", "an")  # patterns in the grammar
BLANKS = " \t\r\n"  # the grammar ignores no others
_ITEM_START = re.compile(r"^[^\s#]", re.MULTILINE)
_ITEM_LAYOUT = "an item starts at the left margin with its kind; further lines are indented"
_WORD = re.compile(r'[A-Za-z][A-Za-z0-9_-]*|\d+|"[^"]*"|//|[<>=!]=?|\S')


@cache
def load_parser() -> Lark:
    from lark import Lark

    return Lark(
        grammar_text(),
        parser="lalr",
        lexer="contextual",
        start=["item", "slot"],
        propagate_positions=True,
        maybe_placeholders=True,
    )


def split_items(text: str) -> list[tuple[int, str]]:
    """Split a file into its items, each with the number of its first line.

    Every line at the left margin starts an item, except comments; further lines of an item, also those of a
    text in quotes, are indented. So a text that is never closed spoils one item only.
    """
    starts = [match.start() for match in _ITEM_START.finditer(text)]
    items = []
    line = 1 + text.count("\n", 0, starts[0] if starts else 0)
    for start, end in pairwise([*starts, len(text)]):
        items.append((line, text[start:end]))
        line += text.count("\n", start, end)
    return items


def parse_item(item: str) -> tuple[list[Token], Tree[Any]]:
    """Parse one item to its tokens and lark's tree."""
    parser = load_parser().parse_interactive(item, start="item")
    tokens = list(parser.iter_parse())
    tree = parser.feed_eof(tokens[-1] if tokens else None)  # type: ignore[no-untyped-call]  # lark leaves it untyped
    return tokens, tree


@lru_cache(maxsize=CACHED_ITEMS)
def _tree(item: str) -> Tree[Any]:
    """Parse one item to lark's tree, which must not be changed; its lines count from the start of the item."""
    return load_parser().parse(item, start="item")


def parse_tree(item: str) -> Tree[Any] | None:
    """Parse one item to lark's tree, which must not be changed; None if it cannot be parsed."""
    from lark.exceptions import UnexpectedInput

    word = _WORD.match(item)
    try:
        return _tree(item) if word is not None and word[0] in ITEM_WORDS else None
    except UnexpectedInput:
        return None


def parse_rules(text: str, path: str) -> ast.SourceFile:
    """Parse a rule file.

    Raises:
        RulesetError: with one fault for every item that cannot be read, up to 200.
    """
    file, faults = parse_sound(text, path)
    if faults:
        raise RulesetError(faults)
    return file


def parse_sound(text: str, path: str) -> tuple[ast.SourceFile, list[Fault]]:
    """Parse the items of a rule file that can be read, and list the faults of the others, up to 200.

    Raises:
        RulesetError: for a file that is too large.
    """
    if len(text) > MAX_FILE_CHARACTERS:
        raise RulesetError([Fault("the file is too large", path, f"limit: {MAX_FILE_CHARACTERS} characters")])
    decls: list[ast.Declaration] = []
    clauses: list[ast.Clause] = []
    courses: list[ast.Course] = []
    amendments: list[ast.Amendment] = []
    lines = tuple(text.split("\n"))
    items = split_items(text)
    situation: ast.Word | None = None
    faults = _stray_text(lines[: items[0][0] - 1] if items else lines, path)
    for first_line, item in items:
        if len(faults) >= MAX_FAULTS:
            break
        node = _parse_item(item, first_line, path, lines)
        if isinstance(node, Fault):
            faults.append(node)
        elif isinstance(node, ast.Clause):
            clauses.append(node)
        elif isinstance(node, ast.Course):
            courses.append(node)
        elif isinstance(node, ast.Amendment):
            amendments.append(node)
        elif isinstance(node, ast.SituationHeading):
            situation = node.situation
        else:
            if getattr(node, "situation", node) is None:
                node = replace(node, situation=situation)  # type: ignore[arg-type]  # those without one are left out
            faults.extend(reserved_names(node, lines))
            decls.append(node)
    return ast.SourceFile(path, tuple(decls), tuple(clauses), tuple(amendments), tuple(courses), lines), faults


def _stray_text(lines: tuple[str, ...], path: str) -> list[Fault]:
    """Report the first line before all items that is neither blank nor a comment."""
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare and not bare.startswith("#"):
            column = line.index(bare) + 1
            span, fix = Span(path, number, column, column + len(bare)), "write the item at the left margin"
            return [Fault("this text belongs to no item", span, _ITEM_LAYOUT, fix, line)]
    return []


def _parse_item(item: str, first_line: int, path: str, lines: tuple[str, ...]) -> ast.ItemNode | Fault:
    from lark.exceptions import UnexpectedInput

    word = _WORD.match(item)
    if word is not None and word[0] not in ITEM_WORDS:
        what, span = f"`{word[0]}` cannot start an item", Span(path, first_line, 1, 1 + len(word[0]))
        return Fault(what, span, _ITEM_LAYOUT, did_you_mean(word[0], ITEM_WORDS), lines[first_line - 1])
    try:
        node: ast.ItemNode = Builder(TextOrigin(path, first_line - 1), parse_part).build(_tree(item))
    except UnexpectedInput as error:
        return _syntax_fault(error, item, first_line, path, lines)
    except TooDeep as error:
        what, why = "the expression is nested too deeply", f"an expression has at most {MAX_DEPTH} levels"
        return Fault(what, error.span, why, "move a part of it to a definition", lines[error.span.line - 1])
    except BadSlot as error:
        why = "the text in braces is an expression, whose value is shown"
        fix = "write a role or an expression between braces, as `{height of goal}`"
        return Fault(error.what, error.span, why, fix, lines[error.span.line - 1])
    return node


def parse_part(text: str) -> Tree[Any] | None:
    """Parse an expression to lark's tree; None if it cannot be parsed."""
    from lark.exceptions import UnexpectedInput

    try:
        return load_parser().parse(text, start="slot")
    except UnexpectedInput:
        return None


def _syntax_fault(error: UnexpectedInput, item: str, first_line: int, path: str, lines: tuple[str, ...]) -> Fault:
    item = item.rstrip(BLANKS)
    at_end = error.line is None or error.line < 1 or getattr(getattr(error, "token", None), "type", "") == "$END"
    position = len(item) if at_end else _position(item, error.line, error.column)
    match = _WORD.match(item, position)
    word = match[0] if match else ""
    expected = _readable(_expected(error))
    why, fix = explain(item[:position], word, expected)
    line = first_line + item.count("\n", 0, position)
    column = position - item.rfind("\n", 0, position) - (1 if at_end else 0)
    what = f"`{word}`" if word else _name_character(item[position : position + 1])
    return Fault(
        f"{what} is not expected here",
        Span(path, line, column, column + max(1, len(word.split("\n")[0]))),
        why or f"expected {_listed(expected)}",
        fix,
        lines[line - 1],
        kind="syntax",
    )


def _name_character(character: str) -> str:
    """Name an invisible character, such as a blank that is not one of the language."""
    if not character:
        return "the end of the item"
    return f"the character U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _position(item: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = item.index("\n", start) + 1
    return start + column - 1


def _expected(error: UnexpectedInput) -> set[str]:
    from lark.exceptions import UnexpectedToken

    if isinstance(error, UnexpectedToken):
        return set(error.accepts or error.expected)
    return set(getattr(error, "allowed", None) or ())


def _listed(expected: list[str]) -> str:
    more = len(expected) - 12
    return ", ".join(expected[:12]) + (f" or one of {more} other words" if more > 0 else "")


def _readable(names: set[str]) -> list[str]:
    """Convert names of terminals to what the author would write, first the kinds, then the fixed words."""
    kinds = [_KINDS[name] for name in sorted(names) if name in _KINDS]
    words = [load_parser().get_terminal(name).pattern.value for name in sorted(names) if name not in _NO_WORDS]
    return kinds + [f"`{word}`" for word in words]


def next_words(before: str) -> tuple[list[tuple[str, str]], frozenset[str]] | None:
    """Parse the beginning of an item, for completion.

    Returns:
        Its tokens, each with its kind, and the words that may come next, or their kinds: `NAME`, `REF`, `INT`,
        `TEXT` and `DATE`. None if no item begins so.
    """
    from lark.exceptions import UnexpectedInput

    parser = load_parser().parse_interactive(before, start="item")
    try:
        tokens = [(token.type, str(token)) for token in parser.iter_parse()]
    except UnexpectedInput:
        return None
    accepted: set[str] = parser.accepts()  # type: ignore[no-untyped-call]  # lark leaves it untyped
    return tokens, frozenset(_as_written(name) for name in accepted if name != "$END")


def _as_written(terminal: str) -> str:
    """Return the word or sign of a terminal, or its name if it has several."""
    if terminal in _KINDS:
        return _KINDS[terminal].strip("`") if terminal.startswith("_") else terminal
    return str(load_parser().get_terminal(terminal).pattern.value)


def words_of_language() -> frozenset[str]:
    from lark.lexer import PatternStr

    patterns = (terminal.pattern for terminal in load_parser().terminals)
    words = {pattern.value for pattern in patterns if isinstance(pattern, PatternStr) and pattern.value.isalpha()}
    return frozenset({*words, *_PATTERN_WORDS})
