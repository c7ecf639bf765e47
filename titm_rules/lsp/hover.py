"""What is told of a name when the pointer rests on it."""

from __future__ import annotations

from collections.abc import Iterator

from titm_rules.lsp.index import Index, Symbol
from titm_rules.rules.model import ClauseInfo, Model
from titm_rules.syntax.parser import split_items
from titm_rules.syntax.words import Mention

MOST_LINES = 14
_KINDS = {
    "field": "field of `{owner}`", "value": "value of `{owner}`", "choice": "choice of reading `{owner}`",
    "role": "what `{owner}` is about", "local": "stands for one member at a time", "course": "course of play",
}  # fmt: skip


def hover(index: Index, one: Mention, symbol: Symbol) -> str:
    """Tell what a name is, as Markdown: its kind and type, how it is declared, the words of a clause."""
    if symbol.kind == "clause":
        info = None if index.model is None else index.model.clauses.get(symbol.name)
        return _unknown_clause(symbol.name) if index.model is None or info is None else _clause(index.model, info)
    lines = [f"**{symbol.name}** {_kind(index, symbol)}{_typed(index, one, symbol)}"]
    for declared in index.declared.get(symbol, ())[:1]:
        lines += ["", "```titm", *_item(index, declared), "```", *_meant(index, symbol)]
    return "\n".join([*lines, *_decided(index, symbol)])


def _kind(index: Index, symbol: Symbol) -> str:
    if symbol.kind == "name":
        return next((one.part[0].replace("_record", "") for one in index.declared.get(symbol, ())), "name")
    return _KINDS[symbol.kind].format(owner=symbol.owner)


def _typed(index: Index, one: Mention, symbol: Symbol) -> str:
    found = index.type_of(symbol, one)
    return f": {found}" if found is not None else ""


def _item(index: Index, declared: Mention) -> list[str]:
    """Give the lines of the item that declares a thing, the first of them."""
    text = index.texts.get(declared.span.path, "")
    item = next((item for line, item in split_items(text) if line == declared.item), "")
    lines = item.rstrip().split("\n")
    if len(lines) <= MOST_LINES:
        return lines
    at = declared.span.line - declared.item
    shown = [lines[0], *(["  ..."] if at > 1 else []), *lines[max(at, 1) : max(at, 1) + MOST_LINES - 2]]
    return [*shown, "  ..."]


def _meant(index: Index, symbol: Symbol) -> Iterator[str]:
    """Tell the question of a reading, and what its choices say."""
    readings = {} if index.model is None else index.model.readings
    reading = readings.get(symbol.owner if symbol.kind == "choice" else symbol.name)
    if reading is not None:
        yield f"\n{reading.question}\n"
        for choice, text in zip(reading.choices, reading.texts, strict=True):
            yield f"- `{choice}` {text}{' (default)' if choice == reading.default else ''}"


def _decided(index: Index, symbol: Symbol) -> Iterator[str]:
    """Name the clauses that speak of a definition or a form."""
    found = speaking_of(index, symbol)
    if found:
        yield f"\nclauses that speak of it: {', '.join(info.id for info in found)}"


def speaking_of(index: Index, symbol: Symbol) -> list[ClauseInfo]:
    """List the clauses that speak of what a name declares."""
    clauses = {} if index.model is None or symbol.kind != "name" else index.model.clauses
    return [info for info in clauses.values() if symbol.name in {key.split(".")[0] for key in info.heads}]


def exceptions_to(model: Model, number: str) -> list[ClauseInfo]:
    """List the clauses that make an exception to one."""
    return [info for info in model.clauses.values() if number in info.excepts]


def _clause(model: Model, info: ClauseInfo) -> str:
    """Tell a clause: number, title, words, and what it has to do with others."""
    lines = [f"**{info.id}** {info.title}", "", info.says, ""]
    facts = (
        ("decides", [key for key in info.heads if info.is_formal]),
        ("an exception to", info.excepts),
        ("exceptions to it", [one.id for one in exceptions_to(model, info.id)]),
        ("says the same as", info.sees),
    )
    lines += [f"- {what}: {', '.join(names)}" for what, names in facts if names]
    return "\n".join([*lines, *([f"- decides nothing: {info.silent}"] if info.silent else [])])


def _unknown_clause(number: str) -> str:
    return f"**{number}** is no clause of these rules"
