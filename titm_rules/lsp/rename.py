"""A new name for a thing, wherever rules name it; what positions and programs call it stays."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError
from titm_rules.lsp.desk import Desk, real_path
from titm_rules.lsp.edits import Edit, apply
from titm_rules.lsp.index import Index, Symbol
from titm_rules.rules.spelling import attribute
from titm_rules.syntax.parser import words_of_language
from titm_rules.syntax.words import Mention

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")
_ALIAS = re.compile(r"\s+as\s")
_OUTSIDE = ("question", "event", "situation", "reading")  # parts whose names programs and files of positions use
_FIXED = {
    "clause": "the number of a clause is that of the printed rules",
    "course": "the name of a section stands in verdicts",
    "choice": "the choices of a reading are named by whoever asks",
}


def can_rename(index: Index, symbol: Symbol) -> str:
    """Say why a thing keeps its name; empty if it may get another."""
    parts = {one.part[0] for one in index.declared.get(symbol, ())}
    if symbol.kind in _FIXED:
        return _FIXED[symbol.kind]
    outside = parts & set(_OUTSIDE)
    if outside:
        return f"programs and positions know the {outside.pop()} by this name"
    return "" if parts or symbol.kind == "local" else "it is a word of the language"


def rename(desk: Desk, path: Path, symbol: Symbol, name: str) -> dict[Path, list[Edit]]:
    """Give a thing another name in all the files of its game.

    A field or a value that positions write by its own name gets that name behind `as`.

    Raises:
        InputError: for a thing that keeps its name, a name that cannot be, or one that would mean something else.
    """
    index = desk.check(path).index
    why = can_rename(index, symbol)
    if why:
        raise _refused(f"`{symbol.name}` cannot be renamed", why)
    if not _NAME.fullmatch(name) or name in words_of_language():
        raise _refused(
            f"`{name}` cannot be a name", "a name is letters, digits and hyphens, and no word of the language"
        )
    edits: defaultdict[Path, dict[Edit, None]] = defaultdict(dict)
    for checked in desk.naming(path, symbol.name):
        for one in checked.index.uses(symbol):
            edits[real_path(one.span.path)][_edit(checked.index, symbol, one, name)] = None
    found = {file: list(changes) for file, changes in edits.items()}
    _refuse_faults(desk, path, found, name)
    return found


def _edit(index: Index, symbol: Symbol, one: Mention, name: str) -> Edit:
    """Write the new name; where a field or a value is declared, keep the old one outside."""
    declares = one.part in (("field", 0), ("type_value", 0))
    behind = index.texts[one.span.path].split("\n")[one.span.line - 1][one.span.end_column - 1 :]
    if not declares or _ALIAS.match(behind):
        return Edit.at(one.span, name)
    outside = attribute(symbol.name) if symbol.kind == "field" else symbol.name
    return Edit.at(one.span, f'{name} as "{outside}"')


def _refuse_faults(desk: Desk, path: Path, edits: dict[Path, list[Edit]], name: str) -> None:
    """Refuse a name with which the rules would have faults that they do not have now."""
    after = Desk()
    after.texts = {**desk.texts, **{file: apply(desk.text(file), changes) for file, changes in edits.items()}}
    for file in {path.resolve(), *edits}:
        faults = after.check(file).faults
        if len(faults) > len(desk.check(file).faults):
            fault = next((one for one in faults if f"`{name}`" in one.what), faults[0])
            raise _refused(f"`{name}` would make the rules wrong", f"{fault.where}: {fault.what}")


def _refused(what: str, why: str) -> InputError:
    return InputError([Fault(what, "rename", why, "take another name", kind="rename")])
