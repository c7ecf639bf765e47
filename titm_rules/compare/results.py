"""Compare answers, and report the verdict, coverage and attestation of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Generic, TypeVar

from titm_rules.compare.rule_pair import DecidingSets, Difference, ModelPair, Sentence, difference
from titm_rules.diagnostics import TitmError, Undecided
from titm_rules.editions.clause_index import natural_key
from titm_rules.engines.engine import line
from titm_rules.engines.factory import make_engine, make_watched
from titm_rules.engines.query import HASHED, BoundQuestion
from titm_rules.formats.values import check_input
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.derived import Derived
from titm_rules.ir.model import ATTESTED, CARRIED_BACK, REVISED, Model, Question
from titm_rules.play.machine import Machine, MakeEngine, resolve
from titm_rules.world.evaluate import is_possible
from titm_rules.world.world import World

# ---------------------------------------------------------------------- answers
EQUIVALENT, WIDER, NARROWER, INCOMPARABLE = "equivalent", "wider", "narrower", "incomparable"
UNKNOWN, NO_EVIDENCE = "unknown", "no evidence"
CHOICES, COSTS = "choices", ("ends", "cost", "path")
UNDECIDED = "undecided"
Data = Mapping[str, Any]
Json = dict[str, Any]


@dataclass
class QuestionRunner:
    """One situation, to be asked under several rules.

    Rules that share their records share the situation too: its records hold what the engine that
    was made last has worked out.

    Attributes:
        data: the situation as JSON values, checked.
    """

    situation: str
    data: Data
    engine: str = "compiled"
    _worlds: dict[Derived, World] = field(default_factory=dict)
    _last: tuple[Model | None, Any] = (None, None)

    def answer(self, model: Model, question: Question, inputs: Data, make: MakeEngine | None = None) -> Any:
        """Answer a question under some rules: a set of lines where it lists choices, else a JSON value.

        `inputs` are checked; `make` makes the engine that answers, in place of the one that the runner names.

        Raises:
            InputError: for an input that names what the situation does not have.
        """
        engine = self._engine(model) if make is None else make(self._world(model))
        asked = BoundQuestion(model, question, engine, engine.world, inputs, "$")
        try:
            if question.ask != CHOICES:
                return asked.answer()
            form, given = asked.choice_form()
            found = frozenset(line(form, one) for one in islice(engine.choices(form, given), HASHED + 1))
            return found if len(found) <= HASHED else {"count": engine.count(form, given)}
        except Undecided as error:
            return {UNDECIDED: error.faults[0].what}

    def difference(self, pair: ModelPair, question: Question, inputs: Data) -> Difference | None:
        """Compare the answers of two editions; nothing if they are the same.

        Raises:
            InputError: as `answer`.
        """
        return difference(pair, question, lambda model: self.answer(model, question, inputs))

    def is_possible(self, model: Model) -> bool:
        """Whether the situation is as some rules say that it always is."""
        return is_possible(self._world(model), model)

    def _engine(self, model: Model) -> Any:
        if self._last[0] is not model:
            self._last = model, make_engine(self.engine, model, self._world(model))
        return self._last[1]

    def _world(self, model: Model) -> World:
        if model.by_vocabulary not in self._worlds:
            self._worlds[model.by_vocabulary] = World(model, self.situation, self.data, f"$.{self.situation}")
        return self._worlds[model.by_vocabulary]


def checked_runner(model: Model, question: Question, data: Data, inputs: Data) -> tuple[QuestionRunner, Json]:
    """Check a situation and the inputs of a question about it.

    Raises:
        InputError: for values that do not fit the schema of the question.
    """
    raw = check_input(model, question, {**inputs, question.situation: data}, "$")
    return QuestionRunner(question.situation, raw.pop(question.situation)), raw


def machine_of(
    model: Model, situation: str, data: Data, make: MakeEngine | None = None, engine: str = "compiled"
) -> Machine:
    """Make the machine of a situation under some rules; `make` makes its engines, in place of one by name."""
    return Machine(
        model, resolve(model, situation, dict(data)), make or (lambda world: make_engine(engine, model, world))
    )


def side_by_side(pair: ModelPair) -> ModelPair:
    """Give the same two rules; if their records are equal they share them, so that a situation is read once."""
    first, second = on_one_vocabulary([pair.first, pair.second])
    return ModelPair(first, second, pair.known)


def on_one_vocabulary(models: Sequence[Model]) -> list[Model]:
    """Give the same rules; those whose records are equal share them."""
    found: list[Model] = []
    for model in models:
        same = next((one for one in found if one.records == model.records and one.enums == model.enums), model)
        found.append(replace(model, records=same.records, enums=same.enums, by_vocabulary=same.by_vocabulary))
    return found


def compare(question: Question, first: object, second: object) -> tuple[bool, bool]:
    """Say whether the first answer allows something that the second does not, and the reverse.

    A choice, a true flag, a place or a piece allows; of numbers the higher allows more, of the
    costs of a way the lower; of a roll only the last die that succeeds counts. Values that
    have no order differ both ways.
    """
    if question.ask == "roll" and isinstance(first, dict) and isinstance(second, dict):
        lower = "lowest" in first
        first, second = (answer.get("lowest" if lower else "highest", answer) for answer in (first, second))
        return _compare(first, second, lower)
    return _compare(first, second, question.ask in COSTS)


def _compare(first: object, second: object, lower: bool) -> tuple[bool, bool]:
    if first == second:
        return False, False
    match first, second:
        case None, _:
            return False, True
        case _, None:
            return True, False
        case bool(), bool():
            return first, second
        case int(), int():
            return (first > second) != lower, (first < second) != lower
        case (frozenset() | list(), frozenset() | list()):
            return bool(_items(first) - _items(second)), bool(_items(second) - _items(first))
        case dict(), dict() if UNDECIDED not in (*first, *second):
            keys = {**first, **second}
            parts = [_compare(first.get(key) or None, second.get(key) or None, lower) for key in keys]
            return any(one for one, _ in parts), any(other for _, other in parts)
    return True, True


def _items(found: Iterable[object]) -> frozenset[str]:
    return frozenset(map(str, found))


def relation(more: bool, less: bool) -> str:
    """Name how the second of two editions stands to the first.

    Args:
        more: whether the second allows something, somewhere, that the first does not.
        less: whether the first allows something that the second does not.
    """
    if more and less:
        return INCOMPARABLE
    return WIDER if more else NARROWER if less else EQUIVALENT


def split_by_answer(first: object, second: object) -> tuple[Any, Any]:
    """Leave out of two answers what they have in common."""
    match first, second:
        case (frozenset() | list(), frozenset() | list()):
            one, other = _items(first), _items(second)
            return sorted(one - other), sorted(other - one)
        case dict(), dict() if UNDECIDED not in (*first, *second):
            kept = [key for key in {**first, **second} if first.get(key, ...) != second.get(key, ...)]
            parts = {key: split_by_answer(first.get(key), second.get(key)) for key in kept}
            return {key: one for key, (one, _) in parts.items()}, {key: other for key, (_, other) in parts.items()}
    return first, second


# ---------------------------------------------------------------------- grades
@dataclass(frozen=True)
class Grade:
    """The clauses behind an answer that its edition does not attest.

    Attributes:
        carried: clauses that no document of the time shows and no sheet is known to have changed since.
        revised: clauses that a later sheet restates, each with that sheet: their words of the time are lost.
    """

    carried: tuple[str, ...] = ()
    revised: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name the worst grade among the clauses."""
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
    """Grade the clauses that a question, or some heads, depend on in each of two editions."""
    first, second = (grade_of(model, asked) for model in pair.models)
    return first, second


# ---------------------------------------------------------------------- evidence
Kept = TypeVar("Kept")
DECIDED, HELD, IDLE = "decided", "held", "never held"


@dataclass(frozen=True)
class Evidence:
    """The evidence of a search about one clause.

    Attributes:
        clause: its number, with a sign as in a cause.
        decided: in how many situations it was among the clauses that made the difference.
        held: whether a sentence of it that differs counted somewhere, with or without making a difference.
        looked: if it never held, in how many situations that was looked for.
    """

    clause: str
    decided: int
    held: bool
    looked: int = 0

    @property
    def grade(self) -> str:
        """Say it in a word or two."""
        return DECIDED if self.decided else HELD if self.held else IDLE


@dataclass
class Sample(Generic[Kept]):
    """Some of many situations, evenly."""

    most: int
    kept: list[Kept] = field(default_factory=list)
    stride: int = 1
    seen: int = 0

    def keep(self, one: Kept) -> None:
        """Keep one if its turn has come."""
        if self.seen % self.stride == 0:
            self.kept.append(one)
            if len(self.kept) > self.most:
                self.kept = self.kept[::2]
                self.stride *= 2
        self.seen += 1


@dataclass
class EvidenceTally:
    """Counts, over the situations of a search, which clauses decided about some heads.

    Attributes:
        decided: by clause, in how many situations.
    """

    pair: ModelPair
    clauses: Sequence[str]
    heads: frozenset[str]
    decided: Counter[str] = field(default_factory=Counter)

    @property
    def undecided(self) -> list[str]:
        """The clauses that have decided nothing."""
        return [clause for clause in self.clauses if clause not in self.decided]

    def sides(self, clauses: Iterable[str]) -> list[tuple[Model, list[Sentence]]]:
        """List for both rules the sentences with which clauses say other things."""
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
    """Name the clauses of which a watched sentence holds while something is asked.

    Args:
        model: the rules.
        watched: clauses by the identity of their sentences in these rules.
        ask: asks engines of these rules that its argument makes.
    """
    seen: set[str] = set()
    with suppress(TitmError):  # where the rules decide nothing, what was looked at until then still counts
        ask(lambda world: make_watched(model, world, watched, seen))
    return seen


# ---------------------------------------------------------------------- results
PROVED, SEARCHED, LIKE, NOT_SEARCHED = "proved", "searched", "like", "not searched"
PLAY = "play"  # the course of a game, where other names are questions
ALIKE, DIFFERENT, OPEN = 0, 1, 3  # exit codes


@dataclass(frozen=True)
class Counterexample:
    """A situation in which two editions answer differently: the first of its cause in the order of search.

    Attributes:
        situation: its name; `data` its values.
        inputs: what the question takes besides.
        size: how much of the situation varies.
        number: how many situations were asked up to this one, itself among them.
        first: what only the first edition allows or answers; `second`: what only the second does.
        worlds: which small worlds it is one of.
        line: the actions that lead from the situation to the difference, in the course of a game.
    """

    situation: str
    data: Mapping[str, Any]
    inputs: Mapping[str, Any]
    size: int
    number: int
    first: Any
    second: Any
    cause: DecidingSets
    worlds: str = ""
    line: Sequence[str] = ()


@dataclass(frozen=True)
class Search:
    """The extent of a search through worlds: all of a size up to `size`, or some that were drawn; `asked` in all."""

    worlds: str
    size: int | None
    asked: int

    def __str__(self) -> str:
        if self.size is None:
            return f"{self.worlds}: drawn at random"
        return f"{self.worlds}: " + (f"up to size {self.size}" if self.size >= 0 else "not all of the smallest")


@dataclass
class QuestionResult:
    """The result of a comparison for one question.

    Attributes:
        how: proved, searched, like (as another question says) or not searched.
        relation: how the second edition stands to the first in what was asked.
        proof: why it holds at any size; empty if it does not.
        like: the question that this one follows.
        clauses: the clauses that differ on something that the answer depends on.
        searches: what was searched.
        evidence: what the situations showed of each of the clauses.
        grades: how well each edition attests the clauses that the answer depends on.
        apart: where one edition alone says what always holds: what it refuses is not asked.
        found: the first situation for each cause.
    """

    question: str
    how: str
    relation: str = EQUIVALENT
    proof: str = ""
    like: str = ""
    clauses: Sequence[str] = ()
    searches: list[Search] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    grades: tuple[Grade, Grade] = (Grade(), Grade())
    found: list[Counterexample] = field(default_factory=list)
    directions: tuple[bool, bool] = (False, False)
    apart: tuple[str, ...] = ()

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
        """The worse of the two grades."""
        return max((one.name for one in self.grades), key=(ATTESTED, CARRIED_BACK, REVISED).index)

    @property
    def asked(self) -> int:
        """The number of situations asked."""
        return sum(one.asked for one in self.searches)

    def why(self) -> str:
        """Say in a sentence which evidence a verdict has, or lacks."""
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
        """Note a situation in which the second edition allows more, or less, or both."""
        self.directions = self.directions[0] or more, self.directions[1] or less
        self.relation = relation(*self.directions)

    def record(self) -> Json:
        """Give it as JSON values."""
        found = [asdict(one) | {"cause": one.cause.listed} for one in self.found]
        return asdict(self) | {"verdict": self.verdict, "why": self.why(), "asked": self.asked, "found": found}


def read_result(record: Mapping[str, Any]) -> QuestionResult:
    """Read back what `record` gave."""
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
