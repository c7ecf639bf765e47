"""Hover, definitions, references and outline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.checker.expressions import FUNCTIONS
from titm_rules.diagnostics import Span
from titm_rules.editions.clause_index import chapter_of
from titm_rules.ir.model import ClauseInfo, Model
from titm_rules.lsp.workspace import Index, Symbol, Workspace
from titm_rules.syntax import ast
from titm_rules.syntax.parser import parse_sound, split_items
from titm_rules.syntax.references import Mention

# ---------------------------------------------------------------------- hover
MOST_LINES = 14
_KINDS = {
    "field": "field of `{owner}`", "value": "value of `{owner}`", "choice": "choice of reading `{owner}`",
    "role": "parameter of `{owner}`", "local": "bound variable", "course": "course of play",
}  # fmt: skip


def hover(index: Index, mention: Mention, symbol: Symbol) -> str:
    """Describe a symbol as Markdown: its kind and type, its declaration, the text of a clause."""
    if symbol.kind == "clause":
        info = index.model.clauses.get(symbol.name)
        return f"**{symbol.name}** is not a clause of these rules" if info is None else _clause(index.model, info)
    if symbol.kind == "function":
        return f"**{symbol.name}** function\n\n{FUNCTIONS[symbol.name]}"
    declared, clauses = index.declared.get(symbol, ()), clauses_about(index, symbol)
    kind = declared[0].part[0].replace("_record", "") if declared else "name"
    if symbol.kind != "name":
        kind = _KINDS[symbol.kind].format(owner=symbol.owner)
    type_of = index.type_of(symbol, mention)
    lines = [f"**{symbol.name}** {kind}" + (f": {type_of}" if type_of is not None else "")]
    if declared:
        lines += ["", "```titm", *_item(index, declared[0]), "```", *_choices(index, symbol)]
    if clauses:
        lines.append(f"\nclauses about it: {', '.join(info.id for info in clauses)}")
    return "\n".join(lines)


def _item(index: Index, declared: Mention) -> list[str]:
    text = index.texts.get(declared.span.path, "")
    item = next((item for line, item in split_items(text) if line == declared.item), "")
    lines = item.rstrip().split("\n")
    if len(lines) <= MOST_LINES:
        return lines
    at = declared.span.line - declared.item
    shown = [lines[0], *(["  ..."] if at > 1 else []), *lines[max(at, 1) : max(at, 1) + MOST_LINES - 2]]
    return [*shown, "  ..."]


def _choices(index: Index, symbol: Symbol) -> Iterator[str]:
    number, *_ = index.readings.get(symbol.owner if symbol.kind == "choice" else symbol.name, ("",))
    reading = index.model.readings.get(number)
    if reading is not None:
        yield f"\n{reading.question}\n"
        for choice, text in zip(reading.choices, reading.texts, strict=True):
            yield f"- `{choice}` {text}{' (default)' if choice == reading.default else ''}"


def clauses_about(index: Index, symbol: Symbol) -> list[ClauseInfo]:
    clauses = index.model.clauses.values() if symbol.kind == "name" else ()
    return [info for info in clauses if symbol.name in {key.split(".")[0] for key in info.heads}]


def exceptions_to(model: Model, number: str) -> list[ClauseInfo]:
    return [info for info in model.clauses.values() if number in info.excepts]


def _clause(model: Model, info: ClauseInfo) -> str:
    lines = [f"**{info.id}** {info.title}", "", info.says, ""]
    facts = (
        ("decides", [key for key in info.heads if info.is_formal]),
        ("an exception to", info.excepts),
        ("exceptions to it", [other.id for other in exceptions_to(model, info.id)]),
        ("says the same as", info.sees),
    )
    lines += [f"- {label}: {', '.join(names)}" for label, names in facts if names]
    return "\n".join([*lines, *([f"- decides nothing: {info.silent}"] if info.silent else [])])


# ---------------------------------------------------------------------- navigate
_VERB = re.compile("[A-Z][a-z]+")


def definition(index: Index, symbol: Symbol) -> list[Span]:
    """Find the declaration of a symbol; of a clause, the text in force, or else every text."""
    info = index.model.clauses.get(symbol.name) if symbol.kind == "clause" else None
    if info is not None:
        number = [word.span for word in index.declared.get(symbol, ()) if word.span.path == info.span.path]
        return number[:1] or [info.span]
    if symbol.kind == "local":
        return [use.span for use in index.uses(symbol) if str(use.span) == symbol.owner]
    return [word.span for word in index.declared.get(symbol, ())]


def exceptions(index: Index, symbol: Symbol) -> list[Span]:
    """Find the clauses that make an exception to a clause; of a definition or a form, those that decide it."""
    found = exceptions_to(index.model, symbol.name) if symbol.kind == "clause" else clauses_about(index, symbol)
    return [info.span for info in found]


def references(workspace: Workspace, path: Path, symbol: Symbol, declared: bool = True) -> list[Span]:
    """Find the mentions of a symbol, by each of its names, in all files of its game, with its declaration or not."""
    spans: dict[Span, None] = {}
    for name in workspace.check(path).index.names_of(symbol):
        for checked in workspace.naming(path, name.name):
            own = {word.span for word in checked.index.declared.get(name, ())} if not declared else set()
            spans |= dict.fromkeys(use.span for use in checked.index.uses(name) if use.span not in own)
    return list(spans)


# ---------------------------------------------------------------------- the outline
@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of an outline: a chapter, a clause, a course, an amendment or a kind of declaration."""

    name: str
    detail: str
    kind: str
    span: Span
    end_line: int
    inner: tuple[OutlineEntry, ...] = ()


def outline(text: str, path: str) -> list[OutlineEntry]:
    """List the declarations and amendments of a file in their order, and its clauses by chapter."""
    file, _ = parse_sound(text, path)
    ends: dict[int, int] = {}
    for start, item in split_items(text):  # an item ends before the comments at the margin that follow it
        lines = enumerate(item.rstrip().split("\n"), start)
        ends[start] = max(at for at, line in lines if line.strip() and not line.startswith("#"))
    entries: list[OutlineEntry] = []
    for entry in sorted(_entries(file, ends), key=lambda entry: entry.span.line):
        chapter = chapter_of(entry.name) if entry.kind == "clause" else ""
        last = entries[-1] if entries else None
        if not chapter:
            entries.append(entry)
        elif last is not None and last.kind == "chapter" and last.name == chapter:
            entries[-1] = OutlineEntry(chapter, "", "chapter", last.span, entry.end_line, (*last.inner, entry))
        else:
            entries.append(OutlineEntry(chapter, "", "chapter", entry.span, entry.end_line, (entry,)))
    return entries


def _entries(file: ast.SourceFile, ends: dict[int, int]) -> Iterator[OutlineEntry]:
    yield from (_of_clause(clause, ends) for clause in file.clauses)
    for decl in file.decls:
        kind = type(decl).__name__.removesuffix("Decl").lower()
        yield OutlineEntry(decl.name.text, kind, kind, decl.name.span, _end(decl.name.span, ends))
    for course in file.courses:
        yield OutlineEntry(course.name.text, course.title, "course", course.name.span, _end(course.name.span, ends))
    for amendment in file.amendments:
        clause = ast.clause_in(amendment)
        if clause is not None:
            yield _of_clause(clause, ends)
            continue
        words = _amended(amendment)
        span = words[0].span
        verb = _VERB.match(type(amendment).__name__)
        names = ", ".join(word.text for word in words)
        yield OutlineEntry(f"{verb[0].lower() if verb else ''} {names}", "", "amendment", span, _end(span, ends))


def _amended(amendment: ast.Amendment) -> list[ast.Word]:
    match amendment:
        case ast.Limit(reading=word) | ast.Extend(record=word) | ast.DeleteCourse(name=word):
            return [word]
        case ast.AddCourse(course=course) | ast.ReplaceCourse(course=course):
            return [course.name]
    return list(ast.clauses_named(amendment))


def amended(text: str, path: str) -> list[ast.Word]:
    """List the clauses that the amendments of a file name, each where it is named."""
    file, _ = parse_sound(text, path)
    found: list[ast.Word] = []
    for amendment in file.amendments:
        clause = ast.clause_in(amendment)
        found += [clause.id] if clause is not None else ast.clauses_named(amendment)
    return found


def _of_clause(clause: ast.Clause, ends: dict[int, int]) -> OutlineEntry:
    span = clause.id.span
    return OutlineEntry(clause.id.text, clause.title, "clause", span, _end(span, ends))


def _end(span: Span, ends: dict[int, int]) -> int:
    return max((end for start, end in ends.items() if start <= span.line <= end), default=span.line)


def search(workspace: Workspace, paths: Sequence[Path], wanted: str) -> list[OutlineEntry]:
    """Find clauses and declarations by a part of their name or title, in all files of the games of some files."""
    files = dict.fromkeys(file for path in paths for file in workspace.files_of_game(path))
    entries = (entry for file in files for entry in outline(workspace.text(file), str(file)))
    leaves = (leaf for entry in entries for leaf in entry.inner or (entry,))
    return [leaf for leaf in leaves if wanted in f"{leaf.name} {leaf.detail}".lower()]
