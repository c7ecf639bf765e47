"""Compare two editions clause by clause, and ask a file of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from titm_rules.compare.counterexamples import read_search
from titm_rules.compare.results import QuestionRunner
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.compare.situation_diff import SituationDiff, clauses_lost_between, difference, differences_in, not_asked
from titm_rules.editions.clause_index import formal_text, natural_key
from titm_rules.editions.registry import edition_on
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import ClauseInfo
from titm_rules.oracle.all_editions import Subject
from titm_rules.oracle.case import Case, Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

# ---------------------------------------------------------------------- text
ADDED, REMOVED, CHANGED, READ, RENUMBERED = "added", "removed", "changed", "read otherwise", "renumbered"
REWORDED = "reworded"  # by a sheet that is preserved; the older words are lost
_WORDS = re.compile(r"\S+")
# A run of words: which edition has it (`-` the first, `+` the second, empty: both), and the words.
Run = tuple[str, str]


@dataclass(frozen=True)
class ClauseDifference:
    """A clause that is not the same in two editions.

    Attributes:
        how: added, removed, changed (in words or in form), read otherwise (the same text, but
            another reading of it holds), reworded (the older words are lost) or renumbered.
        numbers: the number that it bears in each edition; nothing where it is not in force.
        title, words, form: its title, restatement and formal sentences, word against word.
        readings: readings that hold in one edition and not in the other, where the clause asks for them.
        grades: how well each edition attests it; nothing where it is not in force.
    """

    clause: str
    how: str
    numbers: tuple[str | None, str | None]
    title: tuple[Run, ...]
    words: tuple[Run, ...]
    form: tuple[Run, ...]
    readings: tuple[str, ...] = ()
    grades: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True)
class ReadingDifference:
    """An ambiguity that two editions leave open, or settle, otherwise; nothing where it does not exist."""

    name: str
    question: str
    defaults: tuple[str | None, str | None]
    offered: tuple[tuple[str, ...], tuple[str, ...]]


def clause_differences(pair: ModelPair) -> list[ClauseDifference]:
    """List the clauses that differ, by number."""
    decides = set(pair.changed())
    both = {**pair.first.clauses, **pair.second.clauses}
    found = (_difference(pair, clause, clause in decides) for clause in sorted(both, key=natural_key))
    return [one for one in found if one is not None]


def _difference(pair: ModelPair, clause: str, decides: bool) -> ClauseDifference | None:
    first, second = pair.first.clauses.get(clause), pair.second.clauses.get(clause)
    title = runs(first.title if first else "", second.title if second else "")
    words = runs(first.says if first else "", second.says if second else "")
    form = runs(formal_body(first), formal_body(second))
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
    return None if info is None else info.number or info.id.split(":")[-1]


def _readings(pair: ModelPair, text: str) -> Iterator[str]:
    named = set(re.findall(r"[\w.-]+", text))
    for one in reading_differences(pair):
        first, second = one.defaults
        if one.name in named and first != second:
            yield f"{one.name}: {_or_none(first)}, then {_or_none(second)}"


def _or_none(choice: str | None) -> str:
    return choice or "not asked"


def reading_differences(pair: ModelPair) -> list[ReadingDifference]:
    """List the ambiguities whose reading or choice of readings differs, by name."""
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
    """Compare two texts word by word."""
    one, other = _WORDS.findall(first), _WORDS.findall(second)
    found: list[Run] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(("", " ".join(one[a:b])))
        else:
            found += [(sign, " ".join(part)) for sign, part in (("-", one[a:b]), ("+", other[c:d])) if part]
    return tuple(found)


def counts(differences: list[ClauseDifference]) -> Mapping[str, int]:
    """Count differences by how the clause differs."""
    kinds = (ADDED, REMOVED, CHANGED, READ, REWORDED, RENUMBERED)
    return {kind: sum(one.how == kind for one in differences) for kind in kinds}


# ---------------------------------------------------------------------- two
@dataclass(frozen=True)
class Compared:
    """Two editions that are compared, or an edition and what house rules make of one."""

    first: Edition
    second: Edition

    @property
    def pair(self) -> ModelPair:
        """Their rules."""
        return ModelPair(self.first.model, self.second.model)

    @property
    def labels(self) -> tuple[str, str]:
        """The labels by which the editions are cited."""
        return self.first.label, self.second.label


def compared(first: str, second: str, overlays: Sequence[str] = (), game: str = "") -> Compared:
    """Take the rules of a game in force on two dates; house rules are added to the second.

    Raises:
        InputError: for a missing edition, a date before all editions, or an unknown overlay.
    """
    if not (first and second):
        fix = "name them, or give --find --all-questions to compare all"
        raise bad("two editions are compared", "A B", fix, "missing-field")
    one, other = (edition_on(date, game) for date in (first, second))
    return Compared(Edition(one, game=game), Edition(other, game=game, overlays=tuple(overlays)))


@dataclass(frozen=True)
class FileCompared:
    """The differences between two editions in the situation of a file.

    Attributes:
        two: the editions, with the special rules of a scenario on both.
        found: where they differ.
        not_asked: questions whose input cannot be listed here.
        lost: by question, the clauses behind it whose older words are lost, each with the sheet that restates it.
    """

    two: Compared
    found: tuple[SituationDiff, ...]
    not_asked: tuple[str, ...] = ()
    lost: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def compare_file(two: Compared, subject: Subject, names: Sequence[str] = ()) -> FileCompared:
    """Compare two editions in the situation of a file, in all questions or in those that are named.

    A file that asks a question of its own is compared on that question alone.

    Raises:
        InputError: for a file that cannot be used in either edition.
    """
    case = subject.open(Rules(two.second.date, overlays=two.second.overlays, game=two.second.game))
    two = _with_special_rules(two, case)
    if case.query and not names:
        lost = clauses_lost_between(two.pair, case.situation, [case.query])
        return FileCompared(two, tuple(_one_question(two, case)), lost=lost)
    data = Position.from_dict(case.data, case.edition, case.situation).world.data
    search = read_search(two.second.game)
    found = tuple(differences_in(two.pair, case.situation, data, search, names))
    left = tuple(not_asked(two.pair, case.situation, data, search, names))
    return FileCompared(two, found, left, clauses_lost_between(two.pair, case.situation, names))


def _with_special_rules(two: Compared, case: Case) -> Compared:
    """Lay the special rules of a scenario over both editions; house rules are added to the second."""
    special = case.edition.overlays[: len(case.edition.overlays) - len(two.second.overlays)]
    return Compared(replace(two.first, overlays=special), case.edition) if special else two


def _one_question(two: Compared, case: Case) -> Iterator[SituationDiff]:
    inputs = case.full_input(case.query)
    asked = case.edition.ask(case.query, inputs)
    found = difference(two.pair, QuestionRunner(case.situation, asked.world.data), asked.question, asked.raw)
    if found is not None:
        yield found
