"""Hover, definitions, references, outline and rename."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError, Span
from titm_rules.editions.clause_index import chapter_of
from titm_rules.ir.model import ClauseInfo, Model
from titm_rules.ir.types import attribute
from titm_rules.lsp.code_actions import Edit, apply
from titm_rules.lsp.index import Index, Symbol
from titm_rules.lsp.workspace import Workspace, real_path
from titm_rules.syntax.ast import (
    AddCourse,
    Amendment,
    Clause,
    DeleteCourse,
    Extend,
    Limit,
    ReplaceCourse,
    SourceFile,
    Word,
    clause_in,
    clauses_named,
)
from titm_rules.syntax.parser import parse_sound, split_items, words_of_language
from titm_rules.syntax.references import Mention

# ---------------------------------------------------------------------- hover
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


# ---------------------------------------------------------------------- navigate
_VERB = re.compile("[A-Z][a-z]+")


def definition(index: Index, symbol: Symbol) -> list[Span]:
    """Find where a thing is declared; of a clause, the words that are in force, or else all that there are."""
    info = None if index.model is None or symbol.kind != "clause" else index.model.clauses.get(symbol.name)
    if info is not None:
        number = [one.span for one in index.declared.get(symbol, ()) if one.span.path == info.span.path]
        return number[:1] or [info.span]
    if symbol.kind == "local":
        return [one.span for one in index.uses(symbol) if str(one.span) == symbol.owner]
    return [one.span for one in index.declared.get(symbol, ())]


def exceptions(index: Index, symbol: Symbol) -> list[Span]:
    """Find the clauses that make an exception to a clause; of a definition or a form, those that decide it."""
    if index.model is None:
        return []
    found = exceptions_to(index.model, symbol.name) if symbol.kind == "clause" else speaking_of(index, symbol)
    return [info.span for info in found]


def references(desk: Workspace, path: Path, symbol: Symbol, declared: bool = True) -> list[Span]:
    """Find where a thing is named in all the files of its game, its declaration among them or not."""
    spans: dict[Span, None] = {}
    for checked in desk.naming(path, symbol.name):
        own = {one.span for one in checked.index.declared.get(symbol, ())} if not declared else set()
        spans |= dict.fromkeys(one.span for one in checked.index.uses(symbol) if one.span not in own)
    return list(spans)


# ---------------------------------------------------------------------- the outline
@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A line of an outline: what it is (chapter, clause, course, amendment or a kind of declaration), and its lines."""

    name: str
    detail: str
    kind: str
    span: Span
    end_line: int
    inner: tuple[OutlineEntry, ...] = ()


def outline(text: str, path: str) -> list[OutlineEntry]:
    """List what a file holds: declarations and amendments as they stand, clauses by chapter."""
    file, _ = parse_sound(text, path)
    ends = {line: line + _last_line(item) for line, item in split_items(text)}
    found: list[OutlineEntry] = []
    for entry in sorted(_entries(file, ends), key=lambda one: one.span.line):
        chapter = chapter_of(entry.name) if entry.kind == "clause" else ""
        last = found[-1] if found else None
        if not chapter:
            found.append(entry)
        elif last is not None and last.kind == "chapter" and last.name == chapter:
            found[-1] = OutlineEntry(chapter, "", "chapter", last.span, entry.end_line, (*last.inner, entry))
        else:
            found.append(OutlineEntry(chapter, "", "chapter", entry.span, entry.end_line, (entry,)))
    return found


def _last_line(item: str) -> int:
    """Count the lines of an item behind its first, without the comments at the margin that follow it."""
    lines = item.rstrip().split("\n")
    return max(at for at, line in enumerate(lines) if line.strip() and not line.startswith("#"))


def _entries(file: SourceFile, ends: dict[int, int]) -> Iterator[OutlineEntry]:
    for clause in file.clauses:
        yield _of_clause(clause, ends)
    for decl in file.decls:
        kind = type(decl).__name__.removesuffix("Decl").lower()
        yield OutlineEntry(decl.name.text, kind, kind, decl.name.span, _end(decl.name.span, ends))
    for course in file.courses:
        yield OutlineEntry(course.name.text, course.title, "course", course.name.span, _end(course.name.span, ends))
    for one in file.amendments:
        brought = clause_in(one)
        if brought is not None:
            yield _of_clause(brought, ends)
            continue
        words = _changed(one)
        span = words[0].span
        verb = _VERB.match(type(one).__name__)
        names = ", ".join(word.text for word in words)
        yield OutlineEntry(f"{verb[0].lower() if verb else ''} {names}", "", "amendment", span, _end(span, ends))


def _changed(one: Amendment) -> list[Word]:
    """List what an amendment changes that brings no clause."""
    match one:
        case Limit(reading=word) | Extend(record=word) | DeleteCourse(name=word):
            return [word]
        case AddCourse(course=course) | ReplaceCourse(course=course):
            return [course.name]
    return list(clauses_named(one))


def _of_clause(clause: Clause, ends: dict[int, int]) -> OutlineEntry:
    span = clause.id.span
    return OutlineEntry(clause.id.text, clause.title, "clause", span, _end(span, ends))


def _end(span: Span, ends: dict[int, int]) -> int:
    """Find the last line of the item that something stands in."""
    return max((end for start, end in ends.items() if start <= span.line <= end), default=span.line)


def search(desk: Workspace, paths: Sequence[Path], wanted: str) -> list[OutlineEntry]:
    """Find clauses and declarations whose name or title holds a text, in all files of the games of some files."""
    files = dict.fromkeys(file for path in paths for file in desk.files_of_game(path))
    found: list[OutlineEntry] = []
    for file in files:
        for entry in outline(desk.text(file), str(file)):
            for one in entry.inner or (entry,):
                if wanted in f"{one.name} {one.detail}".lower():
                    found.append(one)
    return found


# ---------------------------------------------------------------------- rename
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


def rename(desk: Workspace, path: Path, symbol: Symbol, name: str) -> dict[Path, list[Edit]]:
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


def _refuse_faults(desk: Workspace, path: Path, edits: dict[Path, list[Edit]], name: str) -> None:
    """Refuse a name with which the rules would have faults that they do not have now."""
    after = Workspace()
    after.texts = {**desk.texts, **{file: apply(desk.text(file), changes) for file, changes in edits.items()}}
    for file in {path.resolve(), *edits}:
        faults = after.check(file).faults
        if len(faults) > len(desk.check(file).faults):
            fault = next((one for one in faults if f"`{name}`" in one.what), faults[0])
            raise _refused(f"`{name}` would make the rules wrong", f"{fault.where}: {fault.what}")


def _refused(what: str, why: str) -> InputError:
    return InputError([Fault(what, "rename", why, "take another name", kind="rename")])
