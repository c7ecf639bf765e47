"""The results of comparisons: verdict, attestation, evidence and counterexamples, and their pages of Markdown."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Generic, TypeVar

from titm_rules.compare.rule_pair import (
    EQUIVALENT,
    INCOMPARABLE,
    NARROWER,
    OTHERWISE,
    WIDER,
    Data,
    DecidingSets,
    HeadSentence,
    Json,
    ModelPair,
    relation,
)
from titm_rules.diagnostics import TitmError
from titm_rules.editions.clause_index import natural_key
from titm_rules.engines.factory import make_watched
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import ATTESTED, CARRIED_BACK, REVISED, Model, Question
from titm_rules.play.machine import MakeEngine
from titm_rules.world.records import join_words


# ---------------------------------------------------------------------- grades
@dataclass(frozen=True)
class Grade:
    """The clauses behind an answer that its edition does not attest."""

    carried: tuple[str, ...] = ()  # no document of the time shows them, and no sheet is known to have changed them
    revised: Mapping[str, str] = field(default_factory=dict)  # a later sheet restates them: their words are lost

    @property
    def name(self) -> str:
        return REVISED if self.revised else CARRIED_BACK if self.carried else ATTESTED

    def __str__(self) -> str:
        told = []
        if self.carried:
            told.append(f"{len(self.carried)} clauses {CARRIED_BACK}")
        if self.revised:
            told.append(f"{REVISED}: {', '.join(f'{clause} ({sheet})' for clause, sheet in self.revised.items())}")
        return "; ".join(told) or ATTESTED


def grade_of(model: Model, asked: Question | frozenset[str]) -> Grade:
    """Grade the clauses that a question depends on in an edition, or some heads as far as the edition has them."""
    known = dependencies_of(model)
    basis = known.of_heads(asked & model.heads.keys()) if isinstance(asked, frozenset) else known.of_question(asked)
    infos = {one: model.clauses[one] for one in sorted(basis.clauses, key=natural_key) if one in model.clauses}
    carried = tuple(clause for clause, info in infos.items() if info.grade == CARRIED_BACK)
    return Grade(carried, {clause: info.revised for clause, info in infos.items() if info.grade == REVISED})


def grades_of(pair: ModelPair, asked: Question | frozenset[str]) -> tuple[Grade, Grade]:
    first, second = (grade_of(model, asked) for model in pair.models)
    return first, second


# ---------------------------------------------------------------------- evidence
Kept = TypeVar("Kept")
DECIDED, HELD, IDLE = "decided", "held", "never held"


@dataclass(frozen=True)
class Evidence:
    """The evidence of a search about one clause."""

    clause: str  # its number, with a sign as in a cause
    decided: int  # in how many situations it was among the clauses that made the difference
    held: bool  # whether a sentence of it that differs counted somewhere, with or without making a difference
    looked: int = 0  # if it never held, in how many situations that was looked for

    @property
    def grade(self) -> str:
        return DECIDED if self.decided else HELD if self.held else IDLE


@dataclass
class Sample(Generic[Kept]):
    """Some of many situations, evenly."""

    most: int
    kept: list[Kept] = field(default_factory=list)
    stride: int = 1
    seen: int = 0

    def keep(self, one: Kept) -> None:
        if self.seen % self.stride == 0:
            self.kept.append(one)
            if len(self.kept) > self.most:
                self.kept = self.kept[::2]
                self.stride *= 2
        self.seen += 1


@dataclass
class EvidenceTally:
    """Counts, over the situations of a search, which clauses decided about some heads."""

    pair: ModelPair
    clauses: Sequence[str]
    heads: frozenset[str]
    decided: Counter[str] = field(default_factory=Counter)  # by clause, in how many situations

    @property
    def undecided(self) -> list[str]:
        return [clause for clause in self.clauses if clause not in self.decided]

    def sides(self, clauses: Iterable[str]) -> list[tuple[Model, list[HeadSentence]]]:
        sides = zip(self.pair.models, self.pair.differing(clauses, self.heads), strict=True)
        return [(model, [sentence for _, sentence in sentences]) for model, sentences in sides]

    def evidence(self, held: Collection[str], looked: int) -> list[Evidence]:
        """Say of each clause in how many situations it decided, or whether it held in any of those looked at."""
        return [
            Evidence(self.pair.sign(one, self.heads) + one, self.decided[one], True)
            if one in self.decided or one in held
            else Evidence(self.pair.sign(one, self.heads) + one, 0, False, looked)
            for one in self.clauses
        ]


def held_in(model: Model, watched: Mapping[int, str], ask: Callable[[MakeEngine], Any]) -> set[str]:
    """Name the clauses of `watched` sentences (by identity) that hold while `ask` is called with a maker of engines."""
    seen: set[str] = set()
    with suppress(TitmError):  # where the rules decide nothing, what was looked at until then still counts
        ask(lambda world: make_watched(model, world, watched, seen))
    return seen


# ---------------------------------------------------------------------- results
UNKNOWN, NO_EVIDENCE = "unknown", "no evidence"
NOT_FOUND = "no difference found"  # of a question whose clauses had a say in what was searched, which proves nothing
PROVED, SEARCHED, LIKE, NOT_SEARCHED = "proved", "searched", "like", "not searched"
PLAY = "play"  # the course of a game, where other names are questions
OTHERS = "situations found for other questions"
ALIKE, DIFFERENT, OPEN = 0, 1, 3  # exit codes


@dataclass(frozen=True)
class Counterexample:
    """A situation in which two editions answer differently: the first of its cause in the order of search."""

    situation: str  # its name; `data` its values
    data: Mapping[str, Any]
    inputs: Mapping[str, Any]  # what the question takes besides
    size: int  # how much of the situation varies
    number: int  # how many situations were asked up to this one, itself among them
    first: Any  # what only the first edition allows or answers; `second`: what only the second does
    second: Any
    cause: DecidingSets
    worlds: str = ""  # which small worlds it is one of
    line: Sequence[str] = ()  # the actions that lead from the situation to the difference, in the course of a game

    @property
    def length(self) -> int:
        """How many values it is written with."""
        return _length([self.data, self.inputs, self.line])


def _length(value: object) -> int:
    match value:
        case Mapping():
            return sum(map(_length, value.values()))
        case list() | tuple():
            return sum(map(_length, value))
    return 1


@dataclass(frozen=True)
class Search:
    """The extent of a search through worlds: all of a size up to `size`, or some that were drawn; `asked` in all.

    The size is -1 if no size was finished that has any worlds. What was `given` was neither listed nor drawn.
    """

    worlds: str
    size: int | None
    asked: int
    given: bool = False

    def __str__(self) -> str:
        if self.given:
            return self.worlds
        if self.size is None:
            return f"{self.worlds}: drawn at random"
        return f"{self.worlds}: " + (f"up to size {self.size}" if self.is_finished else "no size finished")

    @property
    def is_finished(self) -> bool:
        """Whether all worlds of at least one size were asked."""
        return self.size is not None and self.size >= 0


@dataclass
class QuestionResult:
    """The result of a comparison for one question."""

    question: str
    how: str
    relation: str = EQUIVALENT  # of the second edition to the first in what was asked
    proof: str = ""  # why it holds at any size; empty if it does not
    like: str = ""  # the question that this one follows
    clauses: Sequence[str] = ()  # those that differ on something that the answer depends on
    searches: list[Search] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    grades: tuple[Grade, Grade] = (Grade(), Grade())
    found: list[Counterexample] = field(default_factory=list)  # the first for each cause
    directions: tuple[bool, bool] = (False, False)
    apart: tuple[str, ...] = ()  # where one edition alone says what always holds: what it refuses is not asked

    @property
    def verdict(self) -> str:
        """The relation of the second edition to the first, as far as the evidence shows it.

        A question is not equivalent if its answer depends on clauses which never held or on lost words, nor if
        only one edition takes some positions for possible.
        """
        if self.relation != EQUIVALENT:
            return self.relation
        if self.apart or self.how == NOT_SEARCHED or self._idle:
            return NO_EVIDENCE
        return EQUIVALENT if self.grade == ATTESTED else UNKNOWN

    @property
    def _idle(self) -> list[Evidence]:
        """The clauses that never held, where that leaves the result without evidence."""
        return [one for one in self.evidence if not (one.held or self.proof)]

    @property
    def grade(self) -> str:
        return max((one.name for one in self.grades), key=(ATTESTED, CARRIED_BACK, REVISED).index)

    @property
    def asked(self) -> int:
        return sum(one.asked for one in self.searches)

    def why(self) -> str:
        told = [self.proof] if self.proof else []
        if self.how == NOT_SEARCHED:
            told.append("no worlds are known in which it could be asked")
        if self.apart:
            told.append(f"positions that only one of them refuses were not compared ({', '.join(self.apart)})")
        if self.how == LIKE:
            told.append(f"as {self.like}")
        told += [f"{one.clause} never held in {one.looked} situations" for one in self._idle]
        if self.verdict == UNKNOWN:
            told.append(next(str(one) for one in self.grades if one.name == self.grade))
        return "; ".join(told)

    def turn(self, more: bool, less: bool) -> None:
        """Note a situation in which they differ: the second edition allows more, or less, or both, or neither."""
        self.directions = self.directions[0] or more, self.directions[1] or less
        self.relation = relation(*self.directions, differ=True)

    def record(self) -> Json:
        found = [asdict(one) | {"cause": one.cause.listed} for one in self.found]
        return asdict(self) | {"verdict": self.verdict, "why": self.why(), "asked": self.asked, "found": found}


def read_result(record: Mapping[str, Any]) -> QuestionResult:
    found = [
        Counterexample(**{**one, "cause": DecidingSets(tuple(map(tuple, one["cause"])))}) for one in record["found"]
    ]
    first, second = (Grade(tuple(one["carried"]), one["revised"]) for one in record["grades"])
    return QuestionResult(
        record["question"], record["how"], record["relation"], record["proof"], record["like"], record["clauses"],
        [Search(**one) for one in record["searches"]], [Evidence(**one) for one in record["evidence"]],
        (first, second), found, tuple(record["directions"]), tuple(record["apart"]),
    )  # fmt: skip


def joined(results: Sequence[QuestionResult]) -> QuestionResult:
    """Put together what several searches say of one matter; of each cause the shortest line stays."""
    first = results[0]
    whole = replace(first, searches=[], evidence=[], found=[], relation=EQUIVALENT, directions=(False, False))
    for one in results:
        if one.relation != EQUIVALENT:
            whole.turn(*one.directions)
        whole.searches += one.searches
        whole.found += one.found
    kept: dict[DecidingSets, Counterexample] = {}
    for found in sorted(whole.found, key=lambda one: len(one.line)):
        kept.setdefault(found.cause, found)
    whole.found = list(kept.values())
    for same in zip(*(one.evidence for one in results), strict=True):
        held, looked = any(one.held for one in same), sum(one.looked for one in same)
        decided = sum(one.decided for one in same)
        whole.evidence.append(Evidence(same[0].clause, decided, held, 0 if held else looked))
    return whole


def exit_code(results: Iterable[QuestionResult]) -> int:
    """Give the exit code: 1 if anything differs, else 3 if anything is unknown or without evidence, else 0."""
    found = list(results)
    if any(one.found or one.relation != EQUIVALENT for one in found):
        return DIFFERENT
    return OPEN if any(one.verdict != EQUIVALENT for one in found) else ALIKE


# ---------------------------------------------------------------------- text
SIGNS = (
    "A difference is put down to the clauses that turn the answer of the older edition into that of the newer when "
    "they alone are taken over: `+` a clause that comes in, `-` one that goes, no sign one that says something else."
)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "/") for cell in line) + " |" for line in lines)


def brief(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case dict():
            return ", ".join(f"{name} {brief(one)}" for name, one in value.items()) or "none"
        case list() | tuple():
            return "; ".join(brief(one) for one in value) or "none"
    return str(value)


def told_outcome(value: Any) -> str:
    """Write in sentences what only one edition makes of an action: legal actions, or what is so after it."""
    if not isinstance(value, dict):
        return brief(value) if value else "nothing"
    return "; ".join(_told_field(name.replace("_", " "), one) for name, one in value.items()) or "nothing else"


def _told_field(name: str, value: object) -> str:
    match value:
        case dict() if any(isinstance(one, dict) for one in value.values()):  # a list of records, by id
            return "; ".join(_told_record(key, one) for key, one in value.items())
        case None | []:
            return f"no {name}"
        case bool() | dict():
            return f"{name}: {brief(value)}"
        case list():
            return f"{name}: {join_words(list(map(brief, value)))}"
    return f"{name} is {brief(value)}"


def _told_record(key: str, fields: Mapping[str, Any] | None) -> str:
    """Say of a record what is so: its flags, then its other values."""
    if fields is None:
        return f"no {key}"
    named = {name.replace("_", " "): one for name, one in fields.items()}
    marks, unmarked = ([name for name, one in named.items() if one is flag] for flag in (True, False))
    others = [
        f"no {name}" if one is None or one == [] else f"{name} {brief(one)}"
        for name, one in named.items() if not isinstance(one, bool)
    ]  # fmt: skip
    told = [
        *([f"is marked as {join_words(marks)}"] if marks else []),
        *([f"is not marked as {' or '.join(unmarked)}"] if unmarked else []),
        *([f"has {join_words(others)}"] if others else []),
    ]
    return f"{key} {join_words(told)}" if told else key


def record(one: Data) -> str:
    if "id" not in one:
        return brief(dict(one))
    rest = {name: value for name, value in one.items() if name != "id" and value not in (None, False)}
    return f"{one['id']} ({brief(rest)})" if rest else str(one["id"])


def situation(data: Data) -> list[str]:
    """Write a situation, part by part: its lists record by record, and its other values; what is plain is left out."""
    told = []
    for name, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            told.append(f"{name}: {', '.join(map(record, value))}")
        elif value not in (None, False, []):
            told.append(f"{name}: {record(value) if isinstance(value, dict) else brief(value)}")
    return told


# ---------------------------------------------------------------------- pages of differences
MARKS = {
    EQUIVALENT: "=", WIDER: ">", NARROWER: "<", INCOMPARABLE: "<>", OTHERWISE: "!=", UNKNOWN: "?", NO_EVIDENCE: "0",
}  # fmt: skip
MEANINGS = {
    EQUIVALENT: "no difference: proved, or searched with every differing clause at work",
    WIDER: "the newer edition allows (or gives) more, and nothing less was found",
    NARROWER: "it allows less, and nothing more was found",
    INCOMPARABLE: "it allows more here and less there",
    OTHERWISE: "play goes on otherwise, and neither was seen to allow more",
    UNKNOWN: "no difference is known, but the answer rests on clauses that one of the two does not attest; "
    "`??` where a later sheet is known to have changed one of them",
    NO_EVIDENCE: "clauses differ that never held in what was searched",
}


def mark(one: QuestionResult) -> str:
    return "??" if one.verdict == UNKNOWN and one.grade == REVISED else MARKS[one.verdict]


def verdict_table(results: Mapping[tuple[str, str], Sequence[QuestionResult]]) -> str:
    """Write the verdicts of all questions and pairs as one table; the questions are numbered under it."""
    questions = [one.question for one in next(iter(results.values()))]
    rows = [(older, newer, *(f"`{mark(one)}`" for one in found)) for (older, newer), found in results.items()]
    head = ("older", "newer", *range(1, len(questions) + 1))
    numbered = ", ".join(f"{number} {name}" for number, name in enumerate(questions, 1))
    legend = "\n".join(f"- `{MARKS[name]}` {name}: {text}." for name, text in MEANINGS.items())
    return f"{legend}\n\n{table(head, rows)}\n\n{numbered}.\n"


PAGE_HEAD = """\
# Differences between editions, and what is known of them

<!-- Made by `titm diff --find --all-questions`; for two editions: `titm diff A B --find --all-questions`. -->

Every question that the rules answer, and the course of play, for every pair of editions under their default readings.
No known difference is given to the search. Where clauses differ, everything that they look at varies: in small worlds,
taken in growing size; then, for each clause that has decided nothing yet, in worlds drawn at random. The worlds are
made of the declarations of the rules, and of those in the game's `search.yaml`. Games are played from small positions
by all editions at once, as long as two of them agree. The size of a world is the number of its records that may vary,
and one more for each value that is not the plain one. A situation of a question is shown as simple as the difference
allows, with the size at which it was found.
[What changed](changes.md) has situations that people chose.

## Verdicts
"""


def differences_page(results: Mapping[tuple[str, str], Sequence[QuestionResult]], proved: str = "") -> str:
    """Write the page of all pairs: a table of verdicts, what is `proved`, a section for each edition with the next."""
    editions = list(dict.fromkeys(name for pair in results for name in pair))
    sections = [pair_section(*pair, results[pair]) for pair in itertools.pairwise(editions)]
    return "\n".join([PAGE_HEAD, verdict_table(results), *([proved] if proved else []), SIGNS + "\n", *sections])


def pair_section(first: str, second: str, results: Sequence[QuestionResult]) -> str:
    """Write what is known of two editions: a verdict for each question, its evidence, and the first situations."""
    alike = [one.question for one in results if one.verdict == EQUIVALENT and one.how == PROVED]
    unknown = [one for one in results if one.verdict == UNKNOWN and one.how == PROVED]
    parts = [f"## {first} to {second}"]
    if alike:
        parts.append(f"Answered alike at any size, by the same clauses: {', '.join(alike)}.")
    if unknown:
        parts.append(_unknown(unknown))
    told = [one for one in results if one not in unknown and one.question not in alike]
    if told:
        lines = [(one.question, one.verdict, extent(one), evidence(one)) for one in told]
        parts.append(table(("question", f"{second} is", "searched", "evidence"), lines))
    rows = [
        (
            one.question, found.cause, found.size, _shown_situation(found),
            *map(told_outcome if one.question == PLAY else brief, (found.first, found.second)),
        )
        for one in results
        for found in one.found
    ]  # fmt: skip
    if rows:
        head = ("question", "clauses", "size", "first situation", f"only {first}", f"only {second}")
        parts.append(table(head, rows))
    return "\n\n".join(parts) + "\n"


def _unknown(results: Sequence[QuestionResult]) -> str:
    revised = [one.question for one in results if one.grade == REVISED]
    carried = [one.question for one in results if one.grade != REVISED]
    lost = {clause: sheet for one in results for grade in one.grades for clause, sheet in grade.revised.items()}
    told = []
    if carried:
        told.append(f"No difference is known, but clauses behind them are carried back: {', '.join(carried)}.")
    if revised:
        named = ", ".join(f"{clause} ({sheet})" for clause, sheet in lost.items())
        told.append(f"Not known, for a later sheet has changed clauses behind them: {', '.join(revised)}; {named}.")
    return " ".join(told)


def extent(one: QuestionResult) -> str:
    if one.proof:
        return f"at any size: {one.proof}"
    if one.how == LIKE:
        return f"as {one.like}"
    if one.how == NOT_SEARCHED:
        return NOT_SEARCHED
    return "; ".join(f"{search}, {search.asked:,} asked" for search in one.searches)


def evidence(one: QuestionResult) -> str:
    """Say which of the clauses that differ decided how often, which held without deciding, and which never held."""
    told = [f"{it.clause} {it.grade}" + (f" in {it.decided:,}" if it.decided else "") for it in one.evidence]
    if one.verdict == UNKNOWN:
        told += [str(grade) for grade in one.grades if grade.name == one.grade][:1]
    return "; ".join(told)


def _shown_situation(found: Counterexample) -> str:
    inputs = f"; asked: {brief(found.inputs)}" if found.inputs else ""
    line = f"; played: {', '.join(found.line)}" if found.line else ""
    return "; ".join(situation(found.data)) + inputs + line


# ---------------------------------------------------------------------- the atlas
def atlas_page(atlas: Data) -> str:
    """Write an atlas: how many situations differ between any two editions, and by which clauses."""
    size = "x".join(map(str, atlas["most"]))
    parts = [
        f"# Where editions differ, up to {size}",
        SIGNS + " More: the newer edition allows something that the older does not; less: the reverse. Of every kind "
        "the smallest situation is shown.",
    ]
    for survey in atlas["surveys"]:
        parts += [f"## {survey['says']}", f"`{survey['question']}`: {survey['asked']:,} situations."]
        parts += [_classes(survey), *_survey(survey, atlas["editions"])]
    return "\n\n".join(parts) + "\n"


def _classes(survey: Data) -> str:
    lines = [f"{number}. {', '.join(names)}" for number, names in enumerate(survey["classes"], 1)]
    grades = [f"- {name}: {grade}" for name, grade in survey["grades"].items()]
    return "\n\n".join([
        "Editions whose clauses on this question say the same:", "\n".join(lines),
        "What these clauses rest on in each:", "\n".join(grades),
    ])  # fmt: skip


def _survey(survey: Data, editions: Sequence[str]) -> list[str]:
    number = {name: at for at, names in enumerate(survey["classes"]) for name in names}
    counts: Counter[frozenset[int]] = Counter()
    for row in survey["differences"]:
        counts[frozenset(row["classes"])] += row["count"]
    rows = [
        [older, *[""] * at, *(f"{counts[frozenset((number[older], number[one]))]:,}" for one in editions[at + 1 :])]
        for at, older in enumerate(editions[:-1])
    ]
    head = "Situations that differ between two editions:"
    parts = [f"{head}\n\n{table(['', *editions[1:]], rows)}"] if len(survey["classes"]) > 1 else []
    for pair in itertools.combinations(range(len(survey["classes"])), 2):
        found = [row for row in survey["differences"] if tuple(row["classes"]) == pair]
        if found:
            older, newer = (survey["classes"][at] for at in pair)
            parts += [f"### {older[-1]} to {newer[0]}", _differences(found)]
    return parts


def _differences(rows: Sequence[Data]) -> str:
    head = ("asked", "clauses", "situations", "more", "less", "smallest", "only the older", "only the newer")
    return table(head, ([
        brief(row["inputs"]), DecidingSets(row["cause"]), f"{row['count']:,}", f"{row['more']:,}", f"{row['less']:,}",
        _smallest(row["example"]), brief(row["example"]["first"]), brief(row["example"]["second"]),
    ] for row in rows))  # fmt: skip


def _smallest(example: Data) -> str:
    [data] = [value for name, value in example.items() if name not in ("first", "second")]
    return "; ".join(situation(data))
