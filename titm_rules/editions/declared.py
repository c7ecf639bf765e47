"""What is declared while documents are applied: readings that rulings limit, records that gain fields."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from titm_rules.diagnostics import did_you_mean
from titm_rules.rules.schema import Faults
from titm_rules.syntax.declarations import Declaration, QuestionDecl, ReadingDecl, RecordDecl
from titm_rules.syntax.tree import Extend, Limit, SourceFile


class Declared:
    """Declarations by the file that holds them."""

    def __init__(self, faults: Faults, vocabulary: Iterable[SourceFile]) -> None:
        self.faults = faults
        self.by_path = {file.path: list(file.decls) for file in vocabulary}

    def __iter__(self) -> Iterator[Declaration]:
        return (decl for decls in self.by_path.values() for decl in decls)

    def take(self, file: SourceFile) -> None:
        """Bring in the declarations of a file."""
        self.by_path[file.path] = list(file.decls)

    def take_new(self, files: Iterable[SourceFile]) -> None:
        """Bring in the declarations of files whose names are not declared yet."""
        declared = {decl.name.text for decl in self}
        for file in files:
            new = [decl for decl in file.decls if decl.name.text not in declared]
            self.by_path.setdefault(file.path, []).extend(new)

    def keep_readings(self, asked: Collection[str]) -> None:
        """Leave out the readings that nothing asks for."""
        for path, decls in self.by_path.items():
            self.by_path[path] = [
                decl for decl in decls if not isinstance(decl, ReadingDecl) or decl.name.text in asked
            ]

    def of(self, path: str) -> tuple[Declaration, ...]:
        """Give the declarations of a file."""
        return tuple(self.by_path.get(path, ()))

    def limit(self, ruling: Limit) -> None:
        """Leave a reading with the choices that a ruling names."""
        name, known = ruling.reading, []
        for decls, index, decl in self._places():
            if isinstance(decl, ReadingDecl):
                known.append(decl.name.text)
                if decl.name.text == name.text:
                    decls[index] = self._limited(decl, ruling)
                    return
        self.faults.add(
            f"unknown reading `{name.text}`", name.span, "only a declared reading can be limited",
            did_you_mean(name.text, known),
        )  # fmt: skip

    def extend(self, more: Extend) -> None:
        """Give a record, or the input of a question, more fields."""
        name, known = more.record, []
        for decls, index, decl in self._places():
            if isinstance(decl, RecordDecl | QuestionDecl) and decl.fields:
                known.append(decl.name.text)
                if decl.name.text == name.text:
                    decls[index] = replace(decl, fields=(*decl.fields, *more.fields))
                    return
        self.faults.add(
            f"unknown record `{name.text}`", name.span, "only what has fields can be extended",
            did_you_mean(name.text, known),
        )  # fmt: skip

    def _places(self) -> Iterator[tuple[list[Declaration], int, Declaration]]:
        for decls in self.by_path.values():
            for index, decl in enumerate(decls):
                yield decls, index, decl

    def _limited(self, decl: ReadingDecl, ruling: Limit) -> ReadingDecl:
        choices = [choice.name.text for choice in decl.choices]
        for word in ruling.offered:
            if word.text not in choices:
                self.faults.add(
                    f"{decl.name.text} has no reading `{word.text}`", word.span, decl.question,
                    did_you_mean(word.text, choices), (decl.name.span,),
                )  # fmt: skip
                return decl
        if len(ruling.defaults) != 1:
            self.faults.add(
                f"reading `{decl.name.text}` is left with {len(ruling.defaults)} defaults", ruling.reading.span,
                "a ruling picks one reading", "write `default` behind one of them",
            )  # fmt: skip
            return decl
        offered = tuple(word.text for word in ruling.offered)
        ruled = tuple(replace(one, is_default=one.name.text == ruling.defaults[0]) for one in decl.choices)
        return replace(decl, choices=ruled, offered=offered, because=ruling.because or decl.because)
