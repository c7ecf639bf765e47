"""The rule files that an editor has open, over those on disk: their faults, and what each name in them means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from titm_rules.catalog import game_folder, game_of_file, game_of_path, scenario_folder
from titm_rules.checker.expressions import FUNCTIONS
from titm_rules.checker.link import RuleSurvey, survey
from titm_rules.compare.corpus import read_corpus
from titm_rules.compare.plan import make_plan, open_sheet, open_text
from titm_rules.diagnostics import Fault, InputError, RulesetError, Span, TitmError
from titm_rules.editions.clause_index import rule_file
from titm_rules.editions.rule_files import (
    amended_edition,
    edition_of,
    gather,
    named_game,
    read_rules,
    refuse_empty_sheet,
)
from titm_rules.files import unsaved, within
from titm_rules.ir.model import Model
from titm_rules.ir.terms import Apply, Call, Const, Field, Root, Term, Var
from titm_rules.ir.types import Type, attribute, hyphenated
from titm_rules.syntax.ast import Expr
from titm_rules.syntax.parser import parse_sound, split_items
from titm_rules.syntax.references import ASKED, CLAUSE, DECLARED, OF_MEMBER, ROLES, Mention, mentions

# ---------------------------------------------------------------------- names
_NAMED_FIRST = ("name", "it", "of", "call", "call_bare", "result")
_ALONE = ("name", "it")
_WORDS = (("delete_section", 0), ("result", 0))
_OF_SITUATION = (("puts", 3), ("removes", 3), ("interruption", 4))
_NO_RULES = RuleSurvey(Model("", "", "", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), (), (), {})
_FORMS = (("able", 0), ("selects", 0), ("picking", 0), ("steps", 0), ("halts", 0), ("closes", 0), ("walk", 2))


@dataclass(frozen=True, slots=True)
class Symbol:
    """The meaning of a name."""

    kind: str  # name (of the game), field, value, choice (of a reading), role, local, clause or course
    name: str
    owner: str = ""  # the record, type, reading or declaration; of a local name, where it is bound


class Index:
    """The names of some files that are checked together."""

    def __init__(self, survey: RuleSurvey | None, texts: Mapping[str, str]) -> None:
        self.survey, self.texts = survey or _NO_RULES, texts
        self.mentions = {path: mentions(text, path) for path, text in texts.items()}
        self._alias: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self.readings: dict[str, tuple[str, ...]] = {}  # by each of its names, all names of a reading, the number first
        self._brings: defaultdict[str, list[str]] = defaultdict(list)
        self.declared: defaultdict[Symbol, list[Mention]] = defaultdict(list)
        for mention in self._all():
            match mention.part:
                case ("closing", 0) | ("interruption", 0):
                    self._alias[mention.text] = mention.about
                case ("table", 1):
                    self._keys[mention.about] = mention.text
                case ("reading", 0 | 1):
                    names = dict.fromkeys((mention.about, *self.readings.get(mention.about, ()), mention.text))
                    self.readings |= dict.fromkeys(names, tuple(names))
            if mention.part in _FORMS:
                self._brings[mention.about].append(mention.text)
            symbol = _declares(mention)
            if symbol is not None:
                self.declared[symbol].append(mention)

    @property
    def model(self) -> Model:
        return self.survey.model

    def _all(self) -> Iterator[Mention]:
        return chain.from_iterable(self.mentions.values())

    def at(self, path: str, line: int, column: int) -> tuple[Mention, Symbol] | None:
        """Find the name at a place, or right before it, and its meaning; None if there is none."""
        for mention in self.mentions.get(path, ()):
            if mention.span.line == line and mention.span.column <= column <= mention.span.end_column:
                symbol = self.meaning(mention)
                if symbol is not None:
                    return mention, symbol
        return None

    def uses(self, symbol: Symbol) -> list[Mention]:
        """List the mentions of a symbol; of a local name, also `it` and `its`."""
        return [mention for mention in self._all() if mention.name == symbol.name and self.meaning(mention) == symbol]

    def names_of(self, symbol: Symbol) -> list[Symbol]:
        """List the symbols of one thing, the given one first: a reading has a number and may have a name."""
        names = self.readings.get(symbol.name, ()) if symbol.kind == "name" else ()
        return list(dict.fromkeys((symbol, *(Symbol("name", name) for name in names))))

    # ------------------------------------------------------------------ the meaning of a mention
    def meaning(self, mention: Mention) -> Symbol | None:
        declares = _declares(mention)
        if declares is not None:
            return declares
        if mention.kind == CLAUSE:
            return None if mention.part in _WORDS else Symbol("clause", mention.text)
        if mention.bound is not None:
            return Symbol("local", mention.name, str(mention.bound))
        match mention.part:
            case part if part in ASKED:
                return self._asked(mention)
            case ("it" | "its", _):
                names = (term.name for _, term in self._terms_at(mention) if isinstance(term, Var))
                return self._role(mention.about, next(names, mention.name))
            case ("offer", 0):
                return self._known("choice", mention.text, self.readings.get(mention.about, (mention.about,))[0])
            case ("preferred", 0) | ("exemption", 1):
                return self._role(mention.about, mention.text)
            case ("row", 0) | ("bands", 1):
                return self._known("value", mention.text, self._keys.get(mention.about, ""))
            case ("binding", 0) | ("tally", 2) | ("refusal", 0) | ("result", 0):
                return self._role(mention.about, mention.text)
            case ("answer", 0) if "." not in mention.about:
                return self._known("field", mention.text, mention.about)
            case ("answer", 0):
                return self._known("field", mention.text, self._type_within(mention.about))
            case ("default_value", 0):
                return self._known("value", mention.text, self._type_within(mention.about))
            case part if part in _OF_SITUATION:
                return self._field(self._situations(mention.about), mention.text)
            case ("interruption", 2 | 3):
                return self._only("value", mention.text)
            case ("kept_fields", _):
                played = sorted({event.situation for event in self.model.events.values()})
                return self._field(played, mention.text) or self._only("field", mention.text)
            case ("picking", 1):
                return self._only("field", mention.text)
            case part if part in _WORDS or part[0] == "bars" or (part[0].startswith("ask_") and part[1] > 0):
                return None
        return self._known("name", mention.text)

    def _asked(self, mention: Mention) -> Symbol | None:
        """Resolve a name in an expression: by the term that the checker made of it, or else by its text."""
        for expr, term in self._terms_at(mention):
            if expr.args[:1] == (mention.text,) and (symbol := self._of_term(mention, term)) is not None:
                return symbol
        if mention.part in OF_MEMBER:
            return self._only("field", mention.text) or self._known("name", mention.text)
        return (
            self._known("name", mention.text) or self._role(mention.about, mention.text)
            or self._only("field", mention.text) or self._only("value", mention.text)
        )  # fmt: skip

    @cached_property
    def _terms(self) -> dict[tuple[str, int, int], list[tuple[Expr, Term]]]:
        """The checked terms of the expressions that begin with a name, by place."""
        terms: defaultdict[tuple[str, int, int], list[tuple[Expr, Term]]] = defaultdict(list)
        for expr, term in self.survey.notes:
            if expr.op in _NAMED_FIRST:
                terms[expr.span.path, expr.span.line, expr.span.column].append((expr, term))
        return dict(terms)

    def _terms_at(self, mention: Mention) -> Sequence[tuple[Expr, Term]]:
        return self._terms.get((mention.span.path, *mention.begins), ())

    def _of_term(self, mention: Mention, term: Term) -> Symbol | None:
        match term:
            case Var(type=Type(kind="reading")):
                return self._known("name", mention.text)
            case Var():
                return self._role(mention.about, mention.text)
            case Root(field=field):
                return self._field(self._situations(mention.about), hyphenated(field))
            case Field(base=base, field=field):
                return self._field(self.records_of(base.type), hyphenated(field))
            case Const(type=Type(kind="enum", name=name)):
                return self._known("value", mention.text, name)
            case Const(type=Type(kind="reading", name=name)):
                return self._known("choice", mention.text, name)
            case Call():
                return self._known("name", mention.text)
            case Apply(op=op) if op == mention.text and op in FUNCTIONS:
                return Symbol("function", op)
            case Apply(op="look-up", args=(source, *_)):
                return self._of_term(mention, source)
        return None

    # ------------------------------------------------------------------ declarations
    def _known(self, kind: str, name: str, owner: str = "") -> Symbol | None:
        symbol = Symbol(kind, name, owner)
        return symbol if symbol in self.declared else None

    def _only(self, kind: str, name: str) -> Symbol | None:
        """Find the symbol of a kind and a name, if there is exactly one."""
        symbols = [symbol for symbol in self.declared if symbol.kind == kind and symbol.name == name]
        return symbols[0] if len(symbols) == 1 else None

    def _role(self, owner: str, name: str) -> Symbol | None:
        """Find a name within a declaration: its role, a field that a question takes, or a role of a form it uses."""
        owner = self._alias.get(owner, owner)
        own = self._known("role", name, owner) or self._known("field", name, owner)
        if own is not None:
            return own
        lifted = self.model.clauses.get(owner)
        heads = (key.split(".")[0] for key in lifted.heads) if lifted is not None else ()
        brings = self._brings.get(owner, ())  # a walk brings its route
        names = (*heads, *brings, *(form for walk in brings for form in self._brings.get(walk, ())))
        brought = (self._known("role", name, self._alias.get(form, form)) for form in names)
        return next((symbol for symbol in brought if symbol is not None), None)

    def _type_within(self, about: str) -> str:
        """Name the type of a field that is written `OWNER.FIELD`."""
        owner, _, name = about.partition(".")
        ftype = self._type_of_field(Symbol("field", name, owner))
        return "" if ftype is None else ftype.name

    def _field(self, owners: list[str], name: str) -> Symbol | None:
        symbols = (self._known("field", name, owner) for owner in owners)
        return next((symbol for symbol in symbols if symbol is not None), None)

    def records_of(self, of: Type) -> list[str]:
        """Name the records of a type, or of the members of a list; those of places if the type has no record."""
        records = self.model.records
        if of.name in records and of.name != "place":
            return [of.name]
        return [name for name, record in records.items() if record.role == "place"]

    def _situations(self, about: str) -> list[str]:
        """Name the situation of a declaration, and after it all others."""
        model, about = self.model, self._alias.get(about, about)
        tables = (model.forms, model.events, model.questions, model.claims, model.views, model.heads)
        own = [table[about].situation for table in tables if about in table]
        return [about, *own, *(name for name, record in model.records.items() if record.role == "situation")]

    # ------------------------------------------------------------------ types
    def type_of(self, symbol: Symbol, mention: Mention) -> Type | None:
        if symbol.kind == "field":
            return self._type_of_field(symbol)
        if symbol.kind in ("role", "local"):
            for expr, term in self._terms_at(mention):
                if expr.op in _ALONE and isinstance(term, Var):
                    return term.type
            return self._type_of_role(symbol)
        head = self.model.heads.get(symbol.name)
        return head.type if head is not None and symbol.kind == "name" else None

    def _type_of_field(self, symbol: Symbol) -> Type | None:
        record, questions = self.model.records.get(symbol.owner), {**self.model.claims, **self.model.questions}
        question = questions.get(symbol.owner)
        specs = record.fields if record is not None else question.inputs if question is not None else ()
        return next((spec.type for spec in specs if spec.name == attribute(symbol.name)), None)

    def _type_of_role(self, symbol: Symbol) -> Type | None:
        if symbol.kind == "local":
            terms = (self._terms_at(mention) for mention in self.uses(symbol))
            return next(
                (term.type for expr, term in chain.from_iterable(terms) if expr.op in _ALONE and isinstance(term, Var)),
                None,
            )
        for key, head in self.model.heads.items():
            if key.split(".")[0] == symbol.owner and symbol.name in dict(head.params):
                return dict(head.params)[symbol.name]
        return None


def _declares(mention: Mention) -> Symbol | None:
    if mention.part in DECLARED:
        return Symbol("name", mention.text)
    if mention.part in ROLES:
        return Symbol("role", mention.text, mention.about)
    match mention.part:
        case ("field" | "choice" as kind, 0):
            return Symbol(kind, mention.text, mention.about)
        case ("type_value", 0):
            return Symbol("value", mention.text, mention.about)
        case ("clause" | "course" as kind, 0):
            return Symbol(kind, mention.text)
    return None


# ---------------------------------------------------------------------- files
MOST_TRIES = 3
MOST_FILES = 2_000
FileGroup = tuple[Path, str]


@dataclass(frozen=True)
class CheckedFiles:
    """A file and all the files that it is checked with."""

    faults: tuple[Fault, ...]  # those that `titm lint` shows
    survey: RuleSurvey | None = None  # the checked model of the items that can be read
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def index(self) -> Index:
        return Index(self.survey, self.texts)

    @cached_property
    def shown(self) -> Mapping[Path, str]:
        """The path that spans name, by file."""
        return {real_path(shown): shown for shown in self.texts}

    @property
    def paths(self) -> frozenset[Path]:
        """The files that were read, and those with faults."""
        shown = {*self.texts, *(fault.where.path for fault in self.faults if isinstance(fault.where, Span))}
        return frozenset(map(real_path, shown))


@dataclass(frozen=True)
class PlannedText:
    """What a sheet changes: in how many cases each changed clause decides, and how many cases change."""

    text: str
    decided: Mapping[str, int]
    changes: int

    def told(self, clause: str, text: str) -> str:
        """Say of a clause in how many cases it decides; `text` is that of the sheet now."""
        cases = self.decided.get(clause)
        before = "" if text == self.text else ", before the last edit"
        if cases is None:
            return f"decides nothing otherwise{before}"
        return f"decides in {cases or 'no known'} case{'s' * (cases != 1 and cases != 0)}{before}"


class Workspace:
    """The texts of open files, and the checks of their games, cached until a file changes."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self._checked: dict[FileGroup, CheckedFiles] = {}
        self._last: dict[FileGroup, CheckedFiles] = {}

    def put(self, path: Path, text: str) -> None:
        """Use a text in place of a file, saved or not; its lines may end in any way."""
        self.texts[path.resolve()] = plain_lines(text)
        self._checked.clear()

    def drop(self, path: Path) -> None:
        self.texts.pop(path.resolve(), None)
        self._checked.clear()

    def refresh(self) -> None:
        """Clear the cached checks, since a file on disk has changed."""
        self._checked.clear()

    def text(self, path: Path) -> str:
        """Return the current text of a file; empty if it cannot be read."""
        try:
            with unsaved(self.texts):
                return read_rules(path)
        except InputError:
            return ""

    def check(self, path: Path) -> CheckedFiles:
        """Check a file as `titm lint` does, with the files it belongs to; the files of an edition are checked once."""
        path = path.resolve()
        group = self._group(path)
        if group not in self._checked:
            self._checked[group] = self._last[group] = self._check(path, self._last.get(group))
        return self._checked[group]

    def _group(self, path: Path) -> FileGroup:
        """Return the key of the files that are checked together."""
        try:
            with unsaved(self.texts):
                folder, edition = edition_of(path)
        except TitmError:
            edition = ""
        return (folder, edition) if edition else (path, "")

    def _check(self, path: Path, before: CheckedFiles | None) -> CheckedFiles:
        faults, checked, texts = self._survey(path, self.texts)
        open_texts, newest = dict(self.texts), faults
        for _ in range(MOST_TRIES):  # blank the items that cannot be read, and check the rest
            if checked is not None or not self._blank_items(open_texts, newest):
                break
            newest, checked, texts = self._survey(path, open_texts)
        if checked is None and before is not None:
            return CheckedFiles(faults, before.survey, before.texts)
        return CheckedFiles(faults, checked, texts)

    def _survey(
        self, path: Path, open_texts: Mapping[Path, str]
    ) -> tuple[tuple[Fault, ...], RuleSurvey | None, dict[str, str]]:
        try:
            with unsaved(open_texts):
                sources = gather([path])
        except TitmError as error:
            return tuple(error.faults), None, {}
        checked = survey(sources)
        faults = checked.faults
        try:
            with unsaved(open_texts):
                refuse_empty_sheet([path])
        except TitmError as error:
            faults = tuple(error.faults)
        return faults, checked, {file.path: "\n".join(file.lines) for file in sources.files if file.lines}

    def _blank_items(self, open_texts: dict[Path, str], faults: Iterable[Fault]) -> bool:
        """Blank the items with faults; return whether that changes a text."""
        lines: dict[Path, set[int]] = {}
        for fault in faults:
            if isinstance(fault.where, Span):
                lines.setdefault(real_path(fault.where.path), set()).add(fault.where.line)
        before = dict(open_texts)
        for path, wrong in lines.items():
            open_texts[path] = without_items(open_texts.get(path) or self.text(path), wrong)
        return open_texts != before

    def plan(self, path: Path) -> PlannedText:
        """Plan a sheet without a search: one of a declared edition as it is saved, any other as its text is now.

        Raises `TitmError` for rules that are not a sheet, or have faults.
        """
        text = self.text(path)
        declared = edition_of(path)[1]
        if declared:
            sheet = open_sheet(str(path.parent))
        else:
            source = parse_sound(text, str(path))[0]
            game = game_of_file(path, named_game([source]))
            sheet = open_text(text, amended_edition([source], game), game)
        found = make_plan(sheet, read_corpus(sheet.two.second.game), search=False)
        decided = found.decided()
        return PlannedText(text, {clause: decided[clause] for clause in found.changed}, len(found.run.changes))

    def files_of_game(self, path: Path) -> list[Path]:
        """List the rule files of a file's game, open or on disk; the file alone if it belongs to no game."""
        try:
            game = game_of_path(path)
            folders = [game_folder(game), scenario_folder(game)] if game else []
        except InputError:
            folders = []
        files = {path.resolve()}
        for folder in folders:
            inside = [file for file in folder.rglob("*.rules") if within(folder, file.relative_to(folder)) is not None]
            files |= {file.resolve() for file in inside}
            files |= {file for file in self.texts if file.is_relative_to(folder.resolve()) and file.suffix == ".rules"}
        return sorted(files)[:MOST_FILES]

    def naming(self, path: Path, word: str) -> list[CheckedFiles]:
        """Check all files of the game that contain a word, first `path`, and no file twice."""
        groups, seen = [self.check(path)], set(self.check(path).paths)
        for other in self.files_of_game(path):
            if other not in seen and word in self.text(other):
                groups.append(self.check(other))
                seen |= {other, *groups[-1].paths}
        return groups


def real_path(shown: str) -> Path:
    return rule_file(shown).resolve()


def plain_lines(text: str) -> str:
    """End every line in a line feed, as files are read, and remove a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def without_items(text: str, lines: set[int]) -> str:
    """Blank the items that contain some lines, and all that cannot be read; every other item keeps its place."""
    try:
        _, faults = parse_sound(text, "")
    except RulesetError:
        return ""
    wrong = lines | {fault.where.line for fault in faults if isinstance(fault.where, Span)}
    items = split_items(text)
    kept = ["\n" * (items[0][0] - 1 if items else 0)]
    for first, item in items:
        count = item.count("\n")
        spoilt = any(first <= line <= first + count for line in wrong)
        kept.append("\n" * count if spoilt else item)
    return "".join(kept)
