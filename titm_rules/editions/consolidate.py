"""Consolidate dated documents into the clauses in force, as statutes are consolidated.

A book gives every clause; a sheet amends the rules before it. This works on syntax trees only.
INVARIANT: a clause keeps its id while its printed number changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TypeVar

from titm_rules.checker.schema import Faults
from titm_rules.diagnostics import RulesetError, Span, did_you_mean
from titm_rules.syntax import ast

D = TypeVar("D", bound=ast.Declaration)


class Declared:
    """Declarations by the file that holds them."""

    def __init__(self, faults: Faults, vocabulary: Iterable[ast.SourceFile]) -> None:
        self.faults = faults
        self.by_path = {file.path: list(file.decls) for file in vocabulary}

    def __iter__(self) -> Iterator[ast.Declaration]:
        return (decl for decls in self.by_path.values() for decl in decls)

    def add_new(self, files: Iterable[ast.SourceFile]) -> None:
        """Add the declarations of files whose names are not declared yet."""
        declared = {decl.name.text for decl in self}
        for file in files:
            new = [decl for decl in file.decls if decl.name.text not in declared]
            self.by_path.setdefault(file.path, []).extend(new)

    def keep_readings(self, asked: Collection[str]) -> None:
        """Remove the readings that nothing uses."""
        for path, decls in self.by_path.items():
            self.by_path[path] = [
                decl for decl in decls if not isinstance(decl, ast.ReadingDecl) or decl.names & set(asked)
            ]

    def limit(self, ruling: ast.Limit) -> None:
        readings = [decl for decl in self if isinstance(decl, ast.ReadingDecl)]
        decl = self._find("reading", ruling.reading, readings, "only a declared reading can be limited")
        if decl is not None:
            self._replace(decl, self._limited(decl, ruling))

    def extend(self, more: ast.Extend) -> None:
        records = [decl for decl in self if isinstance(decl, ast.RecordDecl | ast.QuestionDecl) and decl.fields]
        decl = self._find("record", more.record, records, "only a declaration with fields can be extended")
        if decl is not None:
            self._replace(decl, replace(decl, fields=(*decl.fields, *more.fields)))

    def _find(self, kind: str, name: ast.Word, among: Sequence[D], why: str) -> D | None:
        found = next((decl for decl in among if decl.name.text == name.text), None)
        if found is None:
            fix = did_you_mean(name.text, (decl.name.text for decl in among))
            self.faults.add(f"unknown {kind} `{name.text}`", name.span, why, fix)
        return found

    def _replace(self, old: ast.Declaration, new: ast.Declaration) -> None:
        for path, decls in self.by_path.items():
            self.by_path[path] = [new if decl is old else decl for decl in decls]

    def _limited(self, decl: ast.ReadingDecl, ruling: ast.Limit) -> ast.ReadingDecl:
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
        ruled = tuple(replace(choice, is_default=choice.name.text == ruling.defaults[0]) for choice in decl.choices)
        return replace(decl, choices=ruled, offered=offered, because=ruling.because or decl.because)


# ---------------------------------------------------------------------- consolidate
BOOK, CARRIED, SHEET, OVERLAY = "book", "carried back", "sheet", "overlay"


@dataclass(frozen=True, slots=True)
class Layer:
    """A document: its files, with the name that verdicts cite."""

    name: str
    kind: str  # book, carried back (a later book used for older rules), sheet or overlay (amends those before it)
    files: tuple[ast.SourceFile, ...]
    whole: Consolidated | None = None  # of a sheet applied without an earlier one: the rules with all


@dataclass(frozen=True, slots=True)
class ClauseStanding:
    """A clause in force."""

    clause: ast.Clause
    path: str  # the file that holds its text
    worded: str  # the document that has this text
    attested: bool  # whether a document of this date or before shows it
    number: str = ""  # its printed number; empty: its id
    how: str = ""  # the act of the last document that named it
    span: Span | None = None  # the place of that act
    revised: str = ""  # the later sheet that rewords it; empty if there is none, or if it is attested


@dataclass(frozen=True)
class Library:
    """Every text of each clause in any document, oldest first, by id."""

    texts: Mapping[str, Sequence[tuple[str, str, ast.Clause]]] = field(default_factory=dict)
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, layers: Iterable[Layer]) -> Library:
        """Collect the texts of documents, oldest first."""
        texts: dict[str, list[tuple[str, str, ast.Clause]]] = {}
        lines = {}
        for layer in layers:
            for file in layer.files:
                lines[file.path] = file.lines
                for clause in _clauses_of(file):
                    texts.setdefault(clause.id.text, []).append((layer.name, file.path, clause))
        return cls(texts, lines)

    def first(self, ref: str) -> tuple[str, str, ast.Clause] | None:
        return next(iter(self.texts.get(ref, ())), None)


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The rules in force: files reduced to them, and the standing of each clause."""

    files: tuple[ast.SourceFile, ...]
    standing: Mapping[str, ClauseStanding]

    def number_of(self, ref: str) -> str:
        return self.standing[ref].number or ref

    def with_revisions(self, revised: Mapping[str, str]) -> Consolidated:
        """Record the later sheet that rewords each clause that no document attests."""
        standing = {
            ref: known if known.attested else replace(known, revised=revised.get(ref, ""))
            for ref, known in self.standing.items()
        }
        return replace(self, standing=standing)


def consolidate(
    vocabulary: Sequence[ast.SourceFile], layers: Sequence[Layer], library: Library | None = None
) -> Consolidated:
    """Apply documents, oldest first.

    `vocabulary` are the files with the declarations of all; `library` has texts that may be added by number alone
    (default: those of `layers`). Raises `RulesetError` with every amendment that is dangling, double or contradictory.
    """
    files = [*vocabulary, *(file for layer in layers for file in layer.files)]
    library = Library.of(layers) if library is None else library
    faults = Faults({**library.lines, **{file.path: file.lines for file in files}})
    work = _Work(faults, library, list(vocabulary))
    for layer in layers:
        work.apply(layer)
    work.drop_idle()
    work.check_references()
    if faults.found:
        raise RulesetError(faults.found)
    return Consolidated(work.files(), work.standing)


class _Work:
    """The rules during consolidation."""

    def __init__(self, faults: Faults, library: Library, vocabulary: list[ast.SourceFile]) -> None:
        self.faults, self.library = faults, library
        self.sources = {file.path: file for file in vocabulary}
        self.declared = Declared(faults, vocabulary)
        self.courses: dict[str, tuple[str, ast.Course]] = {}  # sections of the course of play, each with its file
        for file in vocabulary:
            self._add_courses(file)
        self.standing: dict[str, ClauseStanding] = {}
        self.deleted: dict[str, Span] = {}
        self.layer = Layer("", BOOK, ())
        self.path = ""
        self.changed: dict[tuple[str, str], Span] = {}
        self.has_gaps = False

    def apply(self, layer: Layer) -> None:
        self.layer, self.changed = layer, {}
        if layer.whole is not None:
            self._take_over(layer, layer.whole)
            return
        if layer.kind == OVERLAY:
            self.layer = layer = self._fitted(layer)
        for file in layer.files:
            self.sources[file.path] = file
            self.declared.by_path[file.path] = list(file.decls)
        for file in layer.files:
            for clause in file.clauses:
                self._add_text(clause, file.path, "gives")
            self._add_courses(file)
        for file in layer.files:
            self.path = file.path
            for amendment in file.amendments:
                self._amend(amendment)

    # ------------------------------------------------------------------ sheets without those before them
    def _take_over(self, layer: Layer, whole: Consolidated) -> None:
        """Copy the clauses that a sheet touches from the rules with all sheets, since it gives each of them in full.

        Other changes of the missing sheets are not made. Their declarations are added, since the copied
        clauses may use them; a reading is limited by this sheet alone.
        """
        named = {word.text for file in layer.files for word in _named(file)}
        numbers = {whole.number_of(ref) for ref in named if ref in whole.standing}
        here = Consolidated((), self.standing)
        for ref in [ref for ref in self.standing if ref in named or here.number_of(ref) in numbers]:
            if ref not in whole.standing:
                del self.standing[ref]
        touched = [ref for ref in whole.standing if ref in named or whole.number_of(ref) in numbers]
        self.standing.update({ref: whole.standing[ref] for ref in touched})
        self.declared.add_new(whole.files)
        for file in whole.files:
            self.sources.setdefault(file.path, file)
            for course in file.courses:
                self.courses.setdefault(course.name.text, (file.path, course))
        for file in layer.files:
            for amendment in file.amendments:
                if isinstance(amendment, ast.Limit | ast.Extend):
                    self._amend_declared(amendment)
        self.has_gaps = True

    def drop_idle(self) -> None:
        """Remove exceptions to clauses that only missing sheets have, and readings that nothing uses."""
        if not self.has_gaps:
            return
        absent = self.library.texts.keys() - self.standing.keys()
        for ref, standing in self.standing.items():
            self.standing[ref] = replace(standing, clause=_clause_without(standing.clause, absent))
        clauses = tuple(standing.clause for standing in self.standing.values())
        decls = tuple(decl for decl in self.declared if not isinstance(decl, ast.ReadingDecl | ast.ClaimDecl))
        self.declared.keep_readings({*_texts(clauses), *_texts(decls), *_texts(tuple(self.courses.values()))})

    def _fitted(self, layer: Layer) -> Layer:
        """Remove from an overlay the exceptions to clauses that only other editions have."""
        own = [clause.id.text for file in layer.files for clause in _clauses_of(file)]
        absent = self.library.texts.keys() - self.standing.keys() - set(own)
        return replace(layer, files=tuple(_without(file, absent) for file in layer.files))

    # ------------------------------------------------------------------ amendments
    def _amend(self, amendment: ast.Amendment) -> None:
        match amendment:
            case ast.AddClause(clause=clause):
                if self._once(clause.id, "text"):
                    self._add_text(clause, self.path, "adds")
            case ast.AddKnown():
                self._add_known(amendment)
            case ast.ReplaceClauses():
                self._replace(amendment)
            case ast.DeleteClauses(refs=refs):
                for ref in refs:
                    self._delete(ref)
            case ast.DeleteSection(section=section):
                self._delete_section(section)
            case ast.Limit() | ast.Extend():
                self._amend_declared(amendment)
            case ast.AddCourse(course=course):
                self._add_course(course, self.path)
            case ast.ReplaceCourse(course=course):
                if self._once(course.name, "course") and self._is_current_course(course.name):
                    self.courses[course.name.text] = (self.path, course)
            case ast.DeleteCourse(name=name):
                if self._once(name, "course") and self._is_current_course(name):
                    del self.courses[name.text]
            case ast.Restate() | ast.Attest() | ast.Renumber():
                self._mark(amendment)

    def _amend_declared(self, amendment: ast.Limit | ast.Extend) -> None:
        if isinstance(amendment, ast.Extend):
            self.declared.extend(amendment)
        elif self._once(amendment.reading, "limit"):
            self.declared.limit(amendment)

    def _add_known(self, amendment: ast.AddKnown) -> None:
        for ref in amendment.refs:
            text = self.library.first(ref.text)
            if text is None:
                self.faults.add(
                    f"no document has the text of clause {ref.text}", ref.span,
                    "a clause is added with its text, or from another document",
                    did_you_mean(ref.text, self.library.texts),
                )  # fmt: skip
            elif self._once(ref, "text") and self._may_add(ref):
                worded, path, clause = text
                attested = self.layer.kind != CARRIED
                self.standing[ref.text] = ClauseStanding(
                    clause, path, self.layer.name if attested else worded, attested, amendment.number, "adds", ref.span
                )

    def _replace(self, amendment: ast.ReplaceClauses) -> None:
        clause = amendment.clause
        for ref in amendment.refs:
            if ref.text != clause.id.text:
                self._delete(ref)
            elif self._once(ref, "text") and self._is_current(ref):
                self._put_in_force(clause, self.path, "replaces")
        if clause.id.text not in [ref.text for ref in amendment.refs] and self._once(clause.id, "text"):
            self._add_text(clause, self.path, "adds")

    def _mark(self, amendment: ast.Restate | ast.Attest | ast.Renumber) -> None:
        aspect = {ast.Restate: "text", ast.Attest: "attest", ast.Renumber: "number"}[type(amendment)]
        for ref in amendment.refs:
            if self._once(ref, aspect) and self._is_current(ref):
                was, here = replace(self.standing[ref.text], span=ref.span), self.layer.name
                match amendment:
                    case ast.Restate(number=number):
                        now = replace(was, worded=here, attested=True, number=number or was.number, how="restates")
                    case ast.Attest(by=evidence):
                        now = replace(was, attested=True, how=f"shows ({evidence})")
                    case ast.Renumber(number=number):
                        now = replace(was, number=number, how=was.how if was.worded == here else "renumbers")
                self.standing[ref.text] = now

    def _delete_section(self, section: ast.Word) -> None:
        numbers = [number for number in self.standing if number.startswith(f"{section.text}.")]
        if not numbers:
            what = f"no clause of section {section.text} is in force"
            self.faults.add(what, section.span, "only a clause in force can be deleted")
        for number in numbers:
            self._delete(ast.Word(number, section.span))

    # ------------------------------------------------------------------ one clause
    def _add_text(self, clause: ast.Clause, path: str, how: str) -> None:
        """Add the text of a clause that is not in force, or only carried back."""
        if self._may_add(clause.id):
            self._put_in_force(clause, path, how)

    def _put_in_force(self, clause: ast.Clause, path: str, how: str) -> None:
        attested, ref = self.layer.kind != CARRIED, clause.id
        self.standing[ref.text] = ClauseStanding(clause, path, self.layer.name, attested, clause.number, how, ref.span)
        self.deleted.pop(ref.text, None)

    def _delete(self, ref: ast.Word) -> None:
        if self._once(ref, "text") and self._is_current(ref):
            del self.standing[ref.text]
            self.deleted[ref.text] = ref.span

    def _may_add(self, ref: ast.Word) -> bool:
        was = self.standing.get(ref.text)
        if was is None or (not was.attested and self.layer.kind != CARRIED):
            return True
        also = was.span or was.clause.id.span
        self.faults.add(
            f"clause {ref.text} is in force already", ref.span, "a clause has one text on a date",
            "replace it, restate it, or delete it first", (also,),
        )  # fmt: skip
        return False

    def _is_current(self, ref: ast.Word) -> bool:
        if ref.text in self.standing:
            return True
        gone = self.deleted.get(ref.text)
        why = "it was deleted before" if gone is not None else "no document up to this one has it"
        self.faults.add(
            f"clause {ref.text} is not in force", ref.span, why, did_you_mean(ref.text, self.standing),
            (gone,) if gone is not None else (),
        )  # fmt: skip
        return False

    def _once(self, ref: ast.Word, aspect: str) -> bool:
        also = self.changed.setdefault((ref.text, aspect), ref.span)
        if also == ref.span:
            return True
        self.faults.add(
            f"{ref.text} is amended twice", ref.span, f"both amendments are of {self.layer.name}",
            "write one amendment", (also,),
        )  # fmt: skip
        return False

    # ------------------------------------------------------------------ sections of the course of play
    def _add_courses(self, file: ast.SourceFile) -> None:
        for course in file.courses:
            self._add_course(course, file.path)

    def _add_course(self, course: ast.Course, path: str) -> None:
        _, was = self.courses.setdefault(course.name.text, (path, course))
        if was is not course:
            self.faults.add(
                f"the course `{course.name.text}` is in force already", course.name.span,
                "a section has one text on a date", "replace it, or take another name", (was.name.span,),
            )  # fmt: skip

    def _is_current_course(self, name: ast.Word) -> bool:
        if name.text not in self.courses:
            self.faults.add(
                f"the course `{name.text}` is not in force", name.span, "only a section in force can be changed",
                did_you_mean(name.text, self.courses),
            )  # fmt: skip
        return name.text in self.courses

    def check_references(self) -> None:
        texts: list[tuple[str, str, ast.Clause | ast.Course]] = [
            *((f"clause {held.clause.id.text}", "clause", held.clause) for held in self.standing.values()),
            *((f"the course `{name}`", "section", course) for name, (_, course) in self.courses.items()),
        ]
        for referrer, kind, text in texts:
            for ref in (ref for sentence in text.sentences for ref in sentence.refs):
                if ref.text in self.deleted and ref.text not in self.standing:
                    self.faults.add(
                        f"{referrer} names {ref.text}, which was deleted", self.deleted[ref.text],
                        "it would refer to nothing", f"replace this {kind} in the sheet too, without the reference",
                        (ref.span,),
                    )  # fmt: skip

    def files(self) -> tuple[ast.SourceFile, ...]:
        """Reduce the files to the rules in force, in the order of the documents."""
        clauses: dict[str, list[ast.Clause]] = {path: [] for path in self.sources}
        for standing in self.standing.values():
            clauses.setdefault(standing.path, []).append(standing.clause)
        courses: dict[str, list[ast.Course]] = {}
        for path, course in self.courses.values():
            courses.setdefault(path, []).append(course)
            clauses.setdefault(path, [])
        decls, lines = self.declared.by_path, self.faults.lines
        return tuple(
            ast.SourceFile(
                path, tuple(decls.get(path, ())), tuple(own), (), tuple(courses.get(path, ())), lines.get(path, ())
            )
            for path, own in clauses.items()
        )


def _named(file: ast.SourceFile) -> Iterator[ast.Word]:
    yield from (clause.id for clause in file.clauses)
    for amendment in file.amendments:
        yield from ast.clauses_named(amendment)


def reworded_clauses(files: Iterable[ast.SourceFile]) -> Iterator[str]:
    """Name the clauses whose text a document contains: those that it restates, replaces or adds."""
    for file in files:
        for amendment in file.amendments:
            if isinstance(amendment, ast.AddClause | ast.AddKnown | ast.ReplaceClauses | ast.Restate):
                yield from (ref.text for ref in ast.clauses_named(amendment))


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _texts(part)
    elif is_dataclass(node):
        for part in fields(node):
            yield from _texts(getattr(node, part.name))


def _clauses_of(file: ast.SourceFile) -> list[ast.Clause]:
    amending = (ast.clause_in(amendment) for amendment in file.amendments)
    return [*file.clauses, *(clause for clause in amending if clause is not None)]


def _without(file: ast.SourceFile, absent: Collection[str]) -> ast.SourceFile:
    clauses = tuple(_clause_without(clause, absent) for clause in file.clauses)
    amendments = tuple(
        replace(amendment, clause=_clause_without(amendment.clause, absent))
        if isinstance(amendment, ast.AddClause | ast.ReplaceClauses)
        else amendment
        for amendment in file.amendments
    )
    return replace(file, clauses=clauses, amendments=amendments)


def _clause_without(clause: ast.Clause, absent: Collection[str]) -> ast.Clause:
    sentences: list[ast.Sentence] = []
    for sentence in clause.sentences:
        refs = tuple(ref for ref in sentence.refs if ref.text not in absent)
        if refs or not sentence.refs or not isinstance(sentence, ast.Lifts | ast.See):
            sentences.append(replace(sentence, refs=refs))
    idle = ast.Silent(clause.span, (), "these rules have none of the clauses that it names")
    return replace(clause, sentences=tuple(sentences) or (idle,))
