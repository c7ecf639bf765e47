"""Parse the one-line notation of positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from titm_rules.diagnostics import Fault, InputError
from titm_rules.files import grammar_text

if TYPE_CHECKING:
    from lark import Lark, Token


MAX_CHARACTERS = 1024 * 1024
_PLAIN = re.compile(r"[A-Za-z0-9.-]")


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """A word as written, with its column."""

    raw: str
    column: int = 1

    @property
    def text(self) -> str:
        return unescaped(self.raw)

    @property
    def words(self) -> list[str]:
        """Its parts between blanks, without escapes."""
        return [unescaped(part) for part in re.split(r"[\s_]+", self.raw) if part]


@dataclass(frozen=True, slots=True)
class Entry:
    """A value in parentheses, with a name or without one."""

    name: WrittenWord | None
    value: WrittenWord | tuple[Entry, ...]


NotationValue = WrittenWord | tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A difference to the base.

    Attributes:
        kind: said (words), row (fields of a record), piece (its place, and fields) or field (of the position).
        table: the list that contains the record, if it is named.
        thing: the record, the field, or the words.
        at: the place of a piece.
        fields: fields of the record.
        value: the value of a field of the position.
    """

    kind: str
    thing: WrittenWord
    table: WrittenWord | None = None
    at: WrittenWord | None = None
    fields: tuple[Entry, ...] = ()
    value: NotationValue = ()


@dataclass(frozen=True, slots=True)
class Notation:
    """A notation: the name of its base, a part of that, and the differences."""

    base: WrittenWord
    part: WrittenWord | None
    items: tuple[Item, ...]


def read_notation(text: str, path: str = "$") -> Notation:
    """Parse the notation of a position.

    Raises:
        InputError: for any other text, with the place where it fails.
    """
    (base, part), *items = _tree(text, "position", path).children
    return Notation(base, part, tuple(items))


def read_changes(text: str, path: str = "--set") -> tuple[Item, ...]:
    """Parse the differences of a position without their base.

    Raises:
        InputError: for any other text, with the place where it fails.
    """
    return tuple(item for item in _tree(text, "changes", path).children if item is not None)


def written(text: str) -> str:
    """Escape a word, so that it can be parsed; `unescaped` reverses this."""
    if text in ("-", "!"):
        return f"~{ord(text):02X}"
    return "".join(_escape(character) for character in text)


def _escape(character: str) -> str:
    if _PLAIN.fullmatch(character):
        return character
    if character == " ":
        return "_"
    return "".join(f"~{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def unescaped(raw: str) -> str:
    """Remove the escapes of a word."""
    return re.sub(r"(?:~[0-9A-Fa-f]{2})+", _bytes, re.sub(r"[\s_]+", " ", raw))


def _bytes(match: re.Match[str]) -> str:
    return unquote(match[0].replace("~", "%"), errors="replace")


def _tree(text: str, start: str, path: str) -> Any:
    from lark.exceptions import UnexpectedInput

    if len(text) > MAX_CHARACTERS:
        raise InputError([Fault("the notation is over 1 MiB", path, kind="too-large")])
    try:
        return _builder().transform(_parser().parse(text, start=start))
    except UnexpectedInput as error:
        column = max(1, getattr(error, "column", 1) or 1)
        raise InputError([fault("this cannot stand here", text, column, path)]) from None


def fault(what: str, text: str, column: int, path: str, fix: str = "") -> Fault:
    """Make the fault at a column of a notation."""
    near = text[max(0, column - 20) : column + 20].strip()
    why = f"near `{near}`" if near else "the text ends too soon"
    return Fault(what, f"{path}:{column}", why, fix or "write BASE and the differences, separated by commas",
                 kind="bad-notation")  # fmt: skip


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(
        grammar_text("notation"), parser="lalr", lexer="contextual", start=["position", "changes"],
        maybe_placeholders=True, propagate_positions=False,
    )  # fmt: skip


@cache
def _builder() -> Any:
    from lark import Transformer, v_args

    @v_args(inline=True)
    class NotationBuilder(Transformer[Any, Any]):
        """Turns the tree into nodes."""

        def WORD(self, token: Token) -> WrittenWord:
            return WrittenWord(str(token), token.column or 1)

        def base(self, name: WrittenWord, part: WrittenWord | None) -> tuple[WrittenWord, WrittenWord | None]:
            return name, part

        def thing(self, first: WrittenWord, second: WrittenWord | None) -> tuple[WrittenWord | None, WrittenWord]:
            return (None, first) if second is None else (first, second)

        def said(self, thing: tuple[WrittenWord | None, WrittenWord]) -> Item:
            return Item("said", thing[1], thing[0])

        def row(self, thing: tuple[WrittenWord | None, WrittenWord], fields: tuple[Entry, ...]) -> Item:
            return Item("row", thing[1], thing[0], fields=fields)

        def piece(
            self, thing: tuple[WrittenWord | None, WrittenWord], at: WrittenWord, fields: tuple[Entry, ...] | None
        ) -> Item:
            return Item("piece", thing[1], thing[0], at, fields or ())

        def field(self, name: WrittenWord, value: NotationValue) -> Item:
            return Item("field", name, value=value)

        def fields(self, *entries: Entry | None) -> tuple[Entry, ...]:
            return tuple(entry for entry in entries if entry is not None)

        many = fields

        def named(self, name: WrittenWord, value: NotationValue) -> Entry:
            return Entry(name, value)

        def entry(self, value: NotationValue) -> Entry:
            return Entry(None, value)

        def word(self, word: WrittenWord, below: WrittenWord | None) -> WrittenWord:
            return word if below is None else WrittenWord(f"{word.raw}/{below.raw}", word.column)

    return NotationBuilder()
