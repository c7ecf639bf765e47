"""From a name to where it is declared, to where it is used, and to the exceptions of a clause; the outline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.diagnostics import Span
from titm_rules.editions.book import chapter_of
from titm_rules.lsp.desk import Desk
from titm_rules.lsp.hover import exceptions_to, speaking_of
from titm_rules.lsp.index import Index, Symbol
from titm_rules.syntax.nodes import Word
from titm_rules.syntax.parser import parse_sound, split_items
from titm_rules.syntax.tree import (
    AddCourse,
    Amendment,
    Clause,
    DeleteCourse,
    Extend,
    Limit,
    ReplaceCourse,
    SourceFile,
    clause_in,
    clauses_named,
)

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


def references(desk: Desk, path: Path, symbol: Symbol, declared: bool = True) -> list[Span]:
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


def search(desk: Desk, paths: Sequence[Path], wanted: str) -> list[OutlineEntry]:
    """Find clauses and declarations whose name or title holds a text, in all files of the games of some files."""
    files = dict.fromkeys(file for path in paths for file in desk.files_of_game(path))
    found: list[OutlineEntry] = []
    for file in files:
        for entry in outline(desk.text(file), str(file)):
            for one in entry.inner or (entry,):
                if wanted in f"{one.name} {one.detail}".lower():
                    found.append(one)
    return found
