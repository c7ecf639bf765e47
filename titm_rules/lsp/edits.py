"""Edits: layout, quick fixes, rename; and columns as editors count them."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.diagnostics import Fault, InputError, RulesetError, Span
from titm_rules.ir.types import attribute
from titm_rules.lsp.workspace import Index, Symbol, Workspace, real_path
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import words_of_language
from titm_rules.syntax.references import Mention

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"


def units(text: str, encoding: str) -> int:
    if encoding == UTF32:
        return len(text)
    if encoding == UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def character_of(line: str, column: int, encoding: str) -> int:
    """Convert a column of a line (from 1) to a character of the editor (from 0)."""
    return units(line[: max(0, column - 1)], encoding)


def column_at(line: str, character: int, encoding: str) -> int:
    """Convert a character of the editor (from 0) to a column of a line (from 1), at most its end."""
    passed = 0
    for column, letter in enumerate(line, 1):
        if passed >= character:
            return column
        passed += units(letter, encoding)
    return len(line) + 1


# ---------------------------------------------------------------------- edits
_SUGGESTED = re.compile(r"did you mean `([^`]+)`\?")
_WRONG = re.compile(r"`([^`\s]+)`")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_STOP = "end the sentence with a full stop"


@dataclass(frozen=True, slots=True)
class Edit:
    """A range of a text and its replacement; lines and columns count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    @classmethod
    def at(cls, span: Span, text: str) -> Edit:
        return cls(span.line, span.column, span.line, span.end_column, text)


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits that do not overlap to a text."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(edits, key=lambda edit: (edit.line, edit.column), reverse=True):
        start, end = starts[edit.line - 1] + edit.column - 1, starts[edit.end_line - 1] + edit.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text


def layout_edits(text: str, path: str) -> list[Edit]:
    """Format a rule file; no edits for a text that cannot be read."""
    try:
        laid = format_rules(text, path)
    except RulesetError:
        return []
    return list(_line_edits(_LINE.findall(text), _LINE.findall(laid)))


def _line_edits(old: Sequence[str], new: Sequence[str]) -> Iterator[Edit]:
    """Compare two texts line by line; each line keeps its end."""
    last = old[-1] if old else ""
    end = (len(old) + 1, 1) if last.endswith("\n") or not old else (len(old), len(last) + 1)
    for tag, start, stop, first, beyond in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            places = [(line + 1, 1) if line < len(old) else end for line in (start, stop)]
            yield Edit(*places[0], *places[1], "".join(new[first:beyond]))


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A correction of a fault: its title and the edit."""

    title: str
    edit: Edit


def quick_fixes(fault: Fault) -> list[QuickFix]:
    """List the corrections that a fault suggests: the intended word, or the missing full stop."""
    if not isinstance(fault.where, Span) or not fault.source:
        return []
    suggested = _SUGGESTED.search(fault.fix)
    wrong = _wrong_word(fault, fault.where, suggested[1]) if suggested is not None else None
    if suggested is not None and wrong is not None:
        return [QuickFix(f"write `{suggested[1]}`", Edit.at(wrong, suggested[1]))]
    if fault.fix == _STOP:
        span = fault.where
        column = span.end_column - 1 if fault.source[span.column - 1 : span.end_column - 1].strip() == "" else 0
        end = column or len(fault.source.rstrip()) + 1
        return [QuickFix(_STOP, Edit(span.line, end, span.line, end, "."))]
    return []


def _wrong_word(fault: Fault, span: Span, suggested: str) -> Span | None:
    """Find what to replace: of a suggested phrase as many words, else the word that the fault names or underlines."""
    words = suggested.count(" ")
    if words:
        phrase = re.compile(rf"[\w-]+(?:\s+[\w-]+){{{words}}}").match(fault.source, span.column - 1)
        return None if phrase is None else Span(span.path, span.line, span.column, phrase.end() + 1)
    for name in _WRONG.finditer(fault.what):
        word = re.compile(rf"(?<![\w-]){re.escape(name[1])}(?![\w-])").search(fault.source, span.column - 1)
        if word is not None:
            return Span(span.path, span.line, word.start() + 1, word.end() + 1)
    underlined = fault.source[span.column - 1 : span.end_column - 1]
    return span if underlined in re.split(r"[\s`]+", fault.what) else None


# ---------------------------------------------------------------------- rename
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")
_ALIAS = re.compile(r"\s+as\s")
_OUTSIDE = ("question", "event", "situation", "reading")  # declarations whose names programs and positions use
_INSIDE = (("reading", 1),)  # the name of a reading; programs and positions know its number
_FIXED = {
    "clause": "the number of a clause is that of the printed rules",
    "course": "verdicts name the section",
    "choice": "questions name the choices of a reading",
}


def can_rename(index: Index, symbol: Symbol) -> str:
    """Return why a symbol cannot be renamed; empty if it can."""
    parts = {mention.part[0] for mention in index.declared.get(symbol, ()) if mention.part not in _INSIDE}
    if symbol.kind in _FIXED:
        return _FIXED[symbol.kind]
    outside = parts & set(_OUTSIDE)
    if outside:
        return f"programs and positions know the {outside.pop()} by this name"
    return "" if index.declared.get(symbol) or symbol.kind == "local" else "it is a word of the language"


def rename(workspace: Workspace, path: Path, symbol: Symbol, name: str) -> dict[Path, list[Edit]]:
    """Rename a symbol in all the files of its game; an `InputError` says why it cannot be renamed."""
    index = workspace.check(path).index
    why = can_rename(index, symbol)
    if why:
        raise _refused(f"`{symbol.name}` cannot be renamed", why)
    if not _NAME.fullmatch(name) or name in words_of_language():
        why = "a name has letters, digits and hyphens, and is not a word of the language"
        raise _refused(f"`{name}` cannot be a name", why)
    edits: defaultdict[Path, dict[Edit, None]] = defaultdict(dict)
    for checked in workspace.naming(path, symbol.name):
        for use in checked.index.uses(symbol):
            if use.text == symbol.name:  # and not `it`
                edits[real_path(use.span.path)][_edit(checked.index, symbol, use, name)] = None
    changed = {file: list(changes) for file, changes in edits.items()}
    _refuse_faults(workspace, path, changed, name)
    return changed


def _edit(index: Index, symbol: Symbol, use: Mention, name: str) -> Edit:
    """Write the new name; in the declaration of a field or a value, keep the old one as its text in data."""
    declares = use.part in (("field", 0), ("type_value", 0))
    after = index.texts[use.span.path].split("\n")[use.span.line - 1][use.span.end_column - 1 :]
    if not declares or _ALIAS.match(after):
        return Edit.at(use.span, name)
    outside = attribute(symbol.name) if symbol.kind == "field" else symbol.name
    return Edit.at(use.span, f'{name} as "{outside}"')


def _refuse_faults(workspace: Workspace, path: Path, edits: dict[Path, list[Edit]], name: str) -> None:
    after = Workspace()
    after.texts = {**workspace.texts, **{file: apply(workspace.text(file), changes) for file, changes in edits.items()}}
    for file in {path.resolve(), *edits}:
        faults = after.check(file).faults
        if len(faults) > len(workspace.check(file).faults):
            fault = next((fault for fault in faults if f"`{name}`" in fault.what), faults[0])
            raise _refused(f"`{name}` would make the rules wrong", f"{fault.where}: {fault.what}")


def _refused(what: str, why: str) -> InputError:
    return InputError([Fault(what, "rename", why, "take another name", kind="rename")])
