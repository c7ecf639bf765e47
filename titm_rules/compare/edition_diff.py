"""Compare two editions clause by clause, and by their answers in one situation."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from titm_rules.compare import rule_pair
from titm_rules.compare.counterexamples import COVERS, read_search
from titm_rules.compare.results import Grade, grades_of
from titm_rules.compare.rule_pair import Data, DecidingSets, ModelPair, QuestionRunner
from titm_rules.diagnostics import InputError
from titm_rules.editions.clause_index import formal_text, natural_key, printed_number
from titm_rules.editions.registry import default_edition, edition_on
from titm_rules.formats.file_schemas import SearchFile
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import check_input
from titm_rules.ir.model import ClauseInfo, FieldSpec, Model, Question
from titm_rules.oracle.all_editions import Subject
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

# ---------------------------------------------------------------------- clauses
ADDED, REMOVED, CHANGED, READ, RENUMBERED = "added", "removed", "changed", "read otherwise", "renumbered"
REWORDED = "reworded"  # by a sheet that is preserved; the older words are lost
_WORDS = re.compile(r"\S+")
# A run of words: which edition has it (`-` the first, `+` the second, empty: both), and the words.
Run = tuple[str, str]


@dataclass(frozen=True)
class ClauseDifference:
    """A clause that is not the same in two editions; its texts are word against word."""

    clause: str
    how: str  # one of the kinds above
    numbers: tuple[str | None, str | None]  # in each edition; nothing where it is not in force
    title: tuple[Run, ...]
    words: tuple[Run, ...]
    form: tuple[Run, ...]
    readings: tuple[str, ...] = ()  # those that hold in one edition only, where the clause asks for them
    grades: tuple[str | None, str | None] = (None, None)  # how well each edition attests it


@dataclass(frozen=True)
class ReadingDifference:
    """An ambiguity that two editions leave open, or settle, otherwise; nothing where it does not exist."""

    name: str
    question: str
    defaults: tuple[str | None, str | None]
    offered: tuple[tuple[str, ...], tuple[str, ...]]


def clause_differences(pair: ModelPair) -> list[ClauseDifference]:
    decides = set(pair.changed())
    both = sorted({**pair.first.clauses, **pair.second.clauses}, key=natural_key)
    return [found for clause in both if (found := _clause_difference(pair, clause, clause in decides)) is not None]


def _clause_difference(pair: ModelPair, clause: str, decides: bool) -> ClauseDifference | None:
    first, second = pair.first.clauses.get(clause), pair.second.clauses.get(clause)
    title = runs(first.title if first else "", second.title if second else "")
    words = runs(first.says if first else "", second.says if second else "")
    form = form_runs(formal_body(first), formal_body(second))
    numbers = _number(first), _number(second)
    how = _how(first, second, (title, words, form), decides)
    if not how:
        return None
    readings = tuple(_readings(pair, formal_body(first) + formal_body(second))) if decides else ()
    grades = first.grade if first else None, second.grade if second else None
    return ClauseDifference(clause, how, numbers, title, words, form, readings, grades)


def _how(first: ClauseInfo | None, second: ClauseInfo | None, parts: tuple[tuple[Run, ...], ...], decides: bool) -> str:
    if first is None or second is None:
        return ADDED if first is None else REMOVED
    if any(sign for part in parts for sign, _ in part):
        return CHANGED
    if decides:
        return READ
    if first.revised and first.revised != second.revised:
        return REWORDED
    return RENUMBERED if _number(first) != _number(second) else ""


def _number(info: ClauseInfo | None) -> str | None:
    """Give the number at the time: the one that the edition gives, else the clause's own."""
    return None if info is None else printed_number(info)


def _readings(pair: ModelPair, text: str) -> Iterator[str]:
    named = set(re.findall(r"[\w.-]+", text))
    known = {**pair.first.readings, **pair.second.readings}
    for one in reading_differences(pair):
        first, second = one.defaults
        if named & {one.name, known[one.name].alias} and first != second:
            yield f"{one.name}: {first or 'not asked'}, then {second or 'not asked'}"


def reading_differences(pair: ModelPair) -> list[ReadingDifference]:
    found = []
    for name in sorted({**pair.first.readings, **pair.second.readings}, key=natural_key):
        models = [model if name in model.readings else None for model in (pair.first, pair.second)]
        first, second = (None if model is None else model.reading(name) for model in models)
        one, other = (() if model is None else model.readings[name].offered for model in models)
        if (first, one) != (second, other):
            question = next(model.readings[name].question for model in models if model is not None)
            found.append(ReadingDifference(name, question, (first, second), (one, other)))
    return found


def formal_body(info: ClauseInfo | None) -> str:
    """Give the formal sentences of a clause, without number, title and restatement; empty without a clause."""
    if info is None:
        return ""
    text = formal_text(info.span)
    quotes = [match.end() for match in re.finditer(r'(?<!\\)"', text)][:4]
    return " ".join(text[quotes[-1] :].split()) if len(quotes) == 4 else " ".join(text.split())


def runs(first: str, second: str) -> tuple[Run, ...]:
    one, other = _WORDS.findall(first), _WORDS.findall(second)
    found: list[Run] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(("", " ".join(one[a:b])))
        else:
            found += [(sign, " ".join(part)) for sign, part in (("-", one[a:b]), ("+", other[c:d])) if part]
    return tuple(found)


def both_texts(found: Iterable[Run]) -> tuple[str, str]:
    """Give back the two texts that were compared."""
    listed = list(found)
    old, new = (" ".join(words for sign, words in listed if sign != other) for other in "+-")
    return old, new


LEAST_SAME = 0.5  # of a text that is compared word by word; one with less in common is given as a whole


def whole_if_unlike(found: Sequence[Run]) -> tuple[Run, ...]:
    """Give two texts that have little in common one behind the other."""
    same = sum(len(words) for sign, words in found if not sign)
    old, new = both_texts(found)
    return tuple(found) if LEAST_SAME * len(new) <= same or not (old and new) else (("-", old), ("+", new))


_SENTENCE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^."]|\.(?!\s|$))+\.?')
KIND_WORDS = 2  # by which sentences are of one kind: `move costs`, `move may`


def form_runs(first: str, second: str) -> tuple[Run, ...]:
    """Compare formal sentences: words are compared only between sentences of one kind, others come or go whole."""
    one, other = ([part.strip() for part in _SENTENCE.findall(text) if part.strip()] for text in (first, second))
    kinds = [[" ".join(sentence.split()[:KIND_WORDS]) for sentence in some] for some in (one, other)]
    found: list[Run] = []
    for how, a, b, c, d in SequenceMatcher(None, kinds[0], kinds[1], autojunk=False).get_opcodes():
        if how == "equal":
            for old, new in zip(one[a:b], other[c:d], strict=True):
                found += runs(old, new)
        else:
            found += [("-", sentence) for sentence in one[a:b]]
            found += [("+", sentence) for sentence in other[c:d]]
    return tuple(found)


def counts(differences: list[ClauseDifference]) -> Mapping[str, int]:
    found = Counter(one.how for one in differences)
    return {kind: found[kind] for kind in (ADDED, REMOVED, CHANGED, READ, REWORDED, RENUMBERED)}


def offered_text(default: str | None, offered: Sequence[str]) -> str:
    """Write the choices of a reading, first the one that holds."""
    others = [choice for choice in offered if choice != default]
    tail = f" (or {', '.join(others)})" if others else ""
    return f"{default or 'not asked'}{tail}"


@dataclass(frozen=True)
class Compared:
    """Two editions that are compared, or an edition and what house rules make of one."""

    first: Edition
    second: Edition

    @property
    def editions(self) -> tuple[Edition, Edition]:
        return self.first, self.second

    @property
    def pair(self) -> ModelPair:
        return ModelPair(self.first.model, self.second.model)

    @property
    def labels(self) -> tuple[str, str]:
        return self.first.label, self.second.label

    @property
    def title(self) -> str:
        """Both editions, or the one that house rules amend, with them."""
        first, second = self.labels
        return second if self.first.date == self.second.date and first != second else f"{first} to {second}"


def compared(first: str, second: str, overlays: Sequence[str] = (), game: str = "") -> Compared:
    """Take the rules in force on two dates; house rules go to the second. Raises `InputError` for missing ones.

    With house rules one edition, or the default one, is compared with what they make of it.
    """
    if overlays:
        first = first or default_edition(game)
        second = second or first
    if not (first and second):
        fix = "name them, or give --find --all-questions to compare all"
        raise bad("two editions are compared", "A B", fix, "missing-field")
    one, other = (edition_on(date, game) for date in (first, second))
    return Compared(Edition(one, game=game), Edition(other, game=game, overlays=tuple(overlays)))


# ---------------------------------------------------------------------- one situation
MOST_INPUTS = 20_000
LISTED = frozenset({"flag", "enum", "record", "set", "place"})  # types of inputs all of whose values can be listed


@dataclass(frozen=True)
class SituationDiff:
    """A question that two editions answer differently in a situation."""

    question: str  # its name; empty for the list of legal actions
    inputs: Data
    first: Any  # what only the first edition allows or answers; `second`: what only the second does
    second: Any
    cause: DecidingSets
    grades: tuple[Grade, Grade] = (Grade(), Grade())  # of the clauses that the answer depends on


@dataclass(frozen=True)
class FileCompared:
    """The differences between two editions in the situation of a file."""

    two: Compared  # with the special rules of a scenario on both
    found: tuple[SituationDiff, ...]
    not_asked: tuple[str, ...] = ()  # questions whose input cannot be listed here
    lost: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by question


def compare_file(two: Compared, subject: Subject, names: Sequence[str] = ()) -> FileCompared:
    """Compare two editions in a situation, in all questions or some; a question of the file's own is asked alone."""
    case = subject.open(Rules(two.second.date, overlays=two.second.overlays, game=two.second.game))
    special = case.edition.overlays[: len(case.edition.overlays) - len(two.second.overlays)]
    if special:  # the special rules of a scenario, for both editions; house rules are added to the second
        two = Compared(replace(two.first, overlays=special), case.edition)
    pair = two.pair
    if case.query and not names:
        asked = case.edition.ask(case.query, case.full_input(case.query))
        runner = QuestionRunner(case.situation, asked.world.data)
        found = tuple(_differences(pair, runner, asked.question, asked.raw))
        return FileCompared(two, found, lost=_lost_between(pair, case.situation, [case.query]))
    data = Position.from_dict(case.data, case.edition, case.situation).world.data
    here = _Situation(pair, QuestionRunner(case.situation, data), read_search(two.second.game))
    return FileCompared(two, *here.compare(names), _lost_between(pair, case.situation, names))


def _differences(pair: ModelPair, runner: QuestionRunner, question: Question, raw: Data) -> Iterator[SituationDiff]:
    found = rule_pair.difference(pair, question, partial(runner.answer, question=question, inputs=raw))
    if found is not None:
        only = rule_pair.split_by_answer(found.first, found.second)
        yield SituationDiff(question.name, raw, *only, found.cause, grades_of(pair, question))


def _lost_between(pair: ModelPair, situation: str, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Name by question the clauses whose words in the first edition are lost, with the sheet that restates them."""
    found: dict[str, dict[str, str]] = {}
    for question in pair.second.questions.values():
        if question.situation == situation and (not names or question.name in names):
            first, second = grades_of(pair, question)
            lost = {clause: sheet for clause, sheet in first.revised.items() if second.revised.get(clause) != sheet}
            found.update({question.name: lost} if lost else {})
    return found


@dataclass(frozen=True)
class _Situation:
    """One situation, and what is asked about it; `search` names inputs where every value would be too many."""

    pair: ModelPair
    runner: QuestionRunner
    search: SearchFile

    def compare(self, names: Sequence[str]) -> tuple[tuple[SituationDiff, ...], tuple[str, ...]]:
        """Compare questions and legal actions; give differences, and the questions whose inputs cannot be listed."""
        found: list[SituationDiff] = []
        left: list[str] = []
        for question in self._questions(names):
            choices = self._choices(question)
            if choices is None:
                left.append(question.name)
            for row in itertools.product(*choices) if choices is not None else ():
                given = {spec.json: one for spec, one in zip(question.inputs, row, strict=True) if one is not ...}
                with suppress(InputError):  # inputs that do not go together, such as pieces that stand apart
                    asked = {**given, question.situation: self.runner.data}
                    raw = check_input(self.pair.second, question, asked, "$")
                    del raw[question.situation]
                    found += _differences(self.pair, self.runner, question, raw)
        events = self.pair.first.events.values()
        if not names and any(event.situation == self.runner.situation for event in events):
            found += self._actions()
        return tuple(found), tuple(left)

    def _questions(self, names: Sequence[str]) -> list[Question]:
        """List the questions that may differ here; those that another one covers are left out, unless named."""
        situation = self.runner.situation
        asked = (q for q in self.pair.second.questions.values() if q.situation == situation)
        questions = [question for question in asked if self.pair.changed_for(question)]
        if names:
            return [question for question in questions if question.name in names]
        listing = {(question.form, question.ask) for question in questions}
        return [q for q in questions if (q.form, COVERS.get(q.ask)) not in listing]

    def _choices(self, question: Question) -> list[list[Any]] | None:
        """List the values of each input; nothing if they cannot be listed, or go together in too many ways."""
        given = self.search.asked.get(question.name, {})
        if any(one.type.kind not in LISTED and not one.same_as and one.json not in given for one in question.inputs):
            return None
        values = [given.get(spec.json) or self._values(spec) for spec in question.inputs]
        return values if math.prod(map(len, values)) <= MOST_INPUTS else None

    def _values(self, spec: FieldSpec) -> list[Any]:
        """List the values of an input: a list is asked with each record alone; `...` leaves the input out."""
        kind = spec.type.kind
        if spec.same_as:
            return [...]
        if kind == "flag":
            return [False, True]
        if kind == "enum":
            return list(self.pair.second.enums[spec.type.name].texts)
        ids = self._ids(spec.type.name if kind in ("record", "set") else kind)
        return [[one] for one in ids] if kind == "set" else ids

    def _ids(self, wanted: str) -> list[str]:
        """List the ids of the records of one kind, or of all places."""
        records, found = self.pair.second.records, []
        for spec in records[self.runner.situation].fields:
            record = records.get(spec.type.name)
            if spec.owns and record is not None and wanted in (record.name, record.role):
                rows = self.runner.data.get(spec.json, [])
                found += [one["id"] for one in rows if isinstance(one, Mapping) and "id" in one]
        return found

    def _actions(self) -> Iterator[SituationDiff]:

        def legal(model: Model) -> frozenset[str]:
            machine = rule_pair.machine_of(model, self.runner.situation, self.runner.data)
            return frozenset(str(option.action) for option in machine.options.listed())

        first, second = legal(self.pair.first), legal(self.pair.second)
        if first != second:
            sets = rule_pair.causes(
                self.pair, self.pair.changed(), lambda some: legal(self.pair.mixture(some)) == second
            )
            yield SituationDiff("", {}, *rule_pair.split_by_answer(first, second), sets)
