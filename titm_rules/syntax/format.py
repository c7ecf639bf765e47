"""Format rule files: the layout that `titm fmt` writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from titm_rules.syntax.builder import unquote
from titm_rules.syntax.parser import parse_item, parse_rules, split_items

if TYPE_CHECKING:
    from lark import Token, Tree

WIDTH = 98
INDENT = 2
_ALLOCATION = ("choosers", "counters", "picks", "prefers", "order", "rolls", "success")
_ROUTE = ("mover", "crosses", "interruption", "closing", "tallied", "halted", "simple", "entering", "paid")
_FORM_PARTS = ("given", *_ROUTE, *_ALLOCATION)
_ASKS = ("ask_ends", "ask_cost", "ask_path", "ask_closings", "ask_choices", "ask_choice", "ask_roll", "answers")
_EVENT_PARTS = (
    "domain", "first", "condition", "let", "able", "steps", "halts", "closes", "selects", "seen", "picking",
    "rolling", "rolling_many", "throwing",
)  # fmt: skip
_QUESTION_PARTS = ("takes", "gap", "refusal", *_ASKS, "answered", "bindings")
_PARTS = frozenset(("field", "type_value", "choice", "claimed", *_FORM_PARTS, *_EVENT_PARTS, *_QUESTION_PARTS))
# The number of parts on the first line of a clause, or of a section of the course of play.
_HEADS = {"clause": 3, "course": 2}
_OTHER_PARTS = (
    ("on", "define"), ("on", "total_definition"),
    ("otherwise_value", "define"), ("on", "roll"), ("answer", "view"), ("answer", "summary"),
    ("answer", "victory"),
)  # fmt: skip
_GAP = re.compile(r"#[^\n]*|[A-Za-z]+")
_OPERANDS = ("NAME", "INT", "FRACTION", "TEXT", "RPAR", "YES", "NO", "NOTHING")
_STICKING = ("DOT", "COMMA", "COLON", "SEMICOLON", "RPAR")


def format_rules(text: str, path: str) -> str:
    """Format a rule file; its meaning, its comments and its articles stay.

    Raises:
        RulesetError: for text that does not parse.
    """
    parse_rules(text, path)
    items = split_items(text)
    before = text[: len(text) - sum(len(item) for _, item in items)]
    blocks = list(_comment_blocks(before, blank=False))
    for _, item in items:
        laid, rest = _format_item(item)
        blank = bool(blocks) and (blocks[-1].ends_blank or blocks[-1].clause)
        blocks.append(replace(laid, blank=blank))
        blocks.extend(_tail_blocks(rest, blocks))
    return _join(blocks)


# ---------------------------------------------------------------------- the file
@dataclass(frozen=True, slots=True)
class _Block:
    """Adjacent lines: an item or a block of comments.

    `blank`: the author left a blank line before it; `ends_blank`: after it.
    """

    lines: tuple[str, ...]
    clause: bool = False
    item: bool = False
    blank: bool = False
    ends_blank: bool = False


def _comment_blocks(text: str, blank: bool) -> Iterator[_Block]:
    """Split the text between items into blocks of comments at blank lines."""
    parts = re.split(r"\n[^\S\n]*(?=\n)", text)
    for index, part in enumerate(parts):
        lines = tuple(line.strip() for line in part.split("\n") if line.strip())
        if lines:
            yield _Block(lines, blank=blank or index > 0, ends_blank=index < len(parts) - 1)


def _tail_blocks(rest: str, blocks: list[_Block]) -> list[_Block]:
    """Split the comments after an item into those that belong to it and blocks of their own.

    A comment on its last line, and indented comments right below it, stay with the item.
    """
    first, *below = rest.split("\n")
    item = blocks[-1]
    lines = list(item.lines)
    if first.strip():
        lines[-1] += f"  {first.strip()}"
    while below and below[0].strip() and below[0][0] in " \t":
        lines.append(" " * INDENT + below.pop(0).strip())
    blank = bool(below) and not below[0].strip() and len(below) > 1
    blocks[-1] = replace(item, lines=tuple(lines), ends_blank=blank)
    return list(_comment_blocks("\n".join(below), blank))


def _join(blocks: list[_Block]) -> str:
    """Join blocks: a clause has a blank line on both sides, other blocks where the author left one."""
    if not blocks:
        return ""
    out = list(blocks[0].lines)
    for index, (last, block) in enumerate(pairwise(blocks), 1):
        parted = block.blank or (last.item and (last.clause or _leads_to_clause(blocks[index:])))
        out += ["", *block.lines] if parted else block.lines
    return "\n".join(out) + "\n"


def _leads_to_clause(blocks: list[_Block]) -> bool:
    """Whether a clause comes next, after the comments that belong to it."""
    for last, block in pairwise(blocks):
        if last.item or block.blank:
            return last.clause
    return blocks[-1].clause


# ---------------------------------------------------------------------- an item
@dataclass(frozen=True, slots=True)
class _Piece:
    """A word with the punctuation that sticks to it, or a comment.

    `kind`: word, trailing (a comment at the end of a line) or comment (on a line of its own).
    `glued`: no white space before it. `starts`: it begins a part of the item (1), or of such a
    part (2). `blank`: a blank line before a comment.
    """

    text: str
    kind: str = "word"
    glued: bool = False
    starts: int = 0
    blank: bool = False


def _format_item(item: str) -> tuple[_Block, str]:
    """Format an item; return it and the text after its last word."""
    tokens, tree = parse_item(item)
    clause = _text_of(tree) is not None
    end = _end(tokens, item)
    parts = _cut(_stick(_pieces(item[:end], tokens, _part_starts(tree))))
    one_line = " ".join(piece.text for part in parts for piece in part)
    commented = any(piece.kind != "word" for part in parts for piece in part)
    if not clause and not commented and len(one_line) <= WIDTH:
        return _Block((one_line,), item=True), item[end:]
    lines = [line for index, part in enumerate(parts) for line in _lay_out(part, INDENT if index else 0)]
    return _Block(tuple(lines), clause=clause, item=True), item[end:]


def _lay_out(part: list[_Piece], indent: int) -> list[str]:
    """Format a part on one line, or each of its own parts on a line."""
    fits = indent + len(" ".join(piece.text for piece in part)) <= WIDTH
    if fits and all(piece.kind == "word" for piece in part):
        return _Lines(indent).fill(part)
    first, *others = _cut(part, level=2)
    return _Lines(indent).fill(first) + [line for other in others for line in _Lines(indent + INDENT).fill(other)]


def _end(tokens: list[Token], item: str) -> int:
    """Find the end of an item's last token, or of a stray article after it."""
    end: int = tokens[-1].end_pos or 0
    for match in _GAP.finditer(item, end):
        if not match[0].startswith("#"):
            end = match.end()
    return end


def _part_starts(tree: Tree[Any]) -> dict[int, int]:
    """Map the offsets where lines should begin to their level: parts of the item (1), or parts of those (2)."""
    text = _text_of(tree)
    if text is not None:
        parts: list[Any] = text.children[_HEADS[str(text.data)] :]
        return dict.fromkeys([getattr(part, "meta", part).start_pos for part in parts], 1)
    starts: dict[int, int] = {}
    part: Any
    for part in tree.children:
        name = getattr(part, "data", "")
        if name in _PARTS or (name, tree.data) in _OTHER_PARTS:
            starts[part.meta.start_pos] = 1
            starts |= dict.fromkeys([inner.meta.start_pos for inner in _inner_parts(part)], 2)
    return starts


def _text_of(tree: Tree[Any]) -> Tree[Any] | None:
    """Find the clause, or the section of the course of play, in an item."""
    inner: Any
    for inner in (tree, *tree.children):
        if getattr(inner, "data", "") in _HEADS:
            return cast("Tree[Any]", inner)
    return None


def _inner_parts(part: Tree[Any]) -> list[Tree[Any]]:
    """List the parts of a part: fields after the first, answers after the first, or bindings."""
    if part.data in ("takes", "answers", "answered"):
        return part.children[1:]
    inner = ("when", "unless") if part.data == "claimed" else ("bindings",)
    return [child for child in part.children if getattr(child, "data", "") in inner]


def _pieces(item: str, tokens: list[Token], starts: dict[int, int]) -> Iterator[_Piece]:
    """Yield the words and comments of an item in order."""
    end, tight, last = 0, False, ""
    for token in tokens:
        pending = starts.get(token.start_pos or 0, 0)
        for piece in (*_gap(item, end, token.start_pos or 0), *_words(token)):
            begins = 0 if piece.kind == "trailing" else pending
            yield replace(piece, starts=begins, glued=piece.glued or (tight and piece.kind == "word"))
            pending -= begins
            tight = tight and piece.kind != "word"
        sign = token.type == "MINUS" and last not in _OPERANDS
        tight = token.type == "LPAR" or sign
        end, last = token.end_pos or 0, token.type
    yield from _gap(item, end, len(item))


def _words(token: Token) -> list[_Piece]:
    """Split a token into pieces: lines may break between the words of a text in quotes."""
    text = f'"{unquote(token)}"' if token.type == "TEXT" else str(token)
    first, *others = text.split()
    return [_Piece(first, glued=token.type in _STICKING), *map(_Piece, others)]


def _gap(item: str, start: int, end: int) -> Iterator[_Piece]:
    """Yield the comments and articles between two tokens."""
    for match in _GAP.finditer(item, start, end):
        space = item[start : match.start()]
        start = match.end()
        if not match[0].startswith("#"):
            yield _Piece(match[0])
        elif "\n" in space:
            yield _Piece(match[0].rstrip(), "comment", blank=space.count("\n") > 1)
        else:
            yield _Piece(match[0].rstrip(), "trailing")


def _stick(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Join the pieces without white space before them to the word before."""
    out: list[_Piece] = []
    for piece in pieces:
        if piece.glued and out and out[-1].kind == "word" and not piece.starts:
            out[-1] = replace(out[-1], text=out[-1].text + piece.text)
        else:
            out.append(piece)
    return out


def _cut(pieces: list[_Piece], level: int = 1) -> list[list[_Piece]]:
    """Split the pieces of an item into its parts, or those of a part into its own."""
    parts: list[list[_Piece]] = [[]]
    for piece in pieces:
        if piece.starts == level:
            parts.append([])
        parts[-1].append(piece)
    return parts


@dataclass
class _Lines:
    """Fills lines with the pieces of one part; lines after its first are indented further."""

    indent: int
    done: list[str] = field(default_factory=list)
    line: str = ""
    begun: bool = False

    def fill(self, pieces: list[_Piece]) -> list[str]:
        for piece in pieces:
            getattr(self, f"_{piece.kind}")(piece)
        self._flush()
        return self.done

    def _word(self, piece: _Piece) -> None:
        if self.line and len(self.line) + 1 + len(piece.text) <= WIDTH:
            self.line += f" {piece.text}"
            return
        self._flush()
        self.line = " " * self._lead() + piece.text

    def _trailing(self, piece: _Piece) -> None:
        self.line += f"  {piece.text}"
        self._flush()

    def _comment(self, piece: _Piece) -> None:
        self._flush()
        if piece.blank:
            self.done.append("")
        self.done.append(" " * self._lead() + piece.text)

    def _lead(self) -> int:
        return max(2 * INDENT, self.indent + INDENT) if self.begun else self.indent

    def _flush(self) -> None:
        if self.line:
            self.done.append(self.line)
            self.line, self.begun = "", True
