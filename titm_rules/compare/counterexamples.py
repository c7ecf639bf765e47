"""Search for the smallest situations in which two editions differ."""

from __future__ import annotations

import itertools
import math
import random
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from titm_rules.catalog import game_folder
from titm_rules.compare import results, rule_pair, small_worlds
from titm_rules.compare.results import QuestionResult
from titm_rules.compare.rule_pair import Data, Json, ModelPair, QuestionRunner
from titm_rules.compare.shrink import shrink
from titm_rules.compare.small_worlds import DeclaredWorlds, SentenceReads, Worlds, WorldSampler
from titm_rules.compare.varied_cases import CaseSampler, KnownCase
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.formats.file_schemas import Hunt, SearchFile
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import read_data
from titm_rules.ir.dependencies import dependencies_of, head_terms
from titm_rules.ir.model import FieldSpec, Model, Question
from titm_rules.ir.terms import Call, Compare, Const, Term, Var, children, subterms, terms_in

# ---------------------------------------------------------------------- proof
SAME_CLAUSES = "the same clauses: nothing that the answer rests on says anything else"
EVERY_CASE = (
    "every case was asked: the answer rests on no situation, and on numbers only as they compare with "
    "numbers that the clauses name, so that each of these and its neighbours stand for all"
)
MOST_CASES = 20_000


def every_case(pair: ModelPair, question: Question) -> list[dict[str, Any]] | None:
    """List inputs of which each possible input is like one; nothing if no such list exists.

    It exists where a question is not about a situation, and its numbers are only ever compared
    with constants: two numbers between which no constant lies are answered alike.
    """
    if question.situation or any(spec.type.kind not in ("number", "flag", "enum") for spec in question.inputs):
        return None
    behind = [model.heads[key] for model in pair.models for key in dependencies_of(model).of_question(question).heads]
    terms = [*terms_in(question.answers), *(term for head in behind for term in head_terms(head))]
    if any(_counts_freely(term) for term in terms):
        return None
    numbers = {part.value for term in terms for part in subterms(term) if isinstance(part, Const)}
    values = [_values(pair.second, spec, {n for n in numbers if type(n) is int}) for spec in question.inputs]
    if math.prod(map(len, values)) > MOST_CASES:
        return None
    names = [spec.json for spec in question.inputs]
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*values)]


def _counts_freely(term: Term) -> bool:
    """Whether a number that is not known beforehand is used otherwise than compared with a constant, or passed on."""
    match term:
        case Compare(left=left, right=right) if isinstance(left, Const) or isinstance(right, Const):
            return any(not isinstance(side, Const | Var) and _counts_freely(side) for side in (left, right))
        case Call(args=args):
            return any(not isinstance(arg, Var) and _counts_freely(arg) for arg in args)
        case Var(type=kind):
            return kind.kind == "number"
    return any(_counts_freely(part) for part in children(term))


def _values(model: Model, spec: FieldSpec, numbers: set[int]) -> list[Any]:
    if spec.type.kind == "flag":
        return [False, True]
    if spec.type.kind == "enum":
        return list(model.enums[spec.type.name].texts)
    low, high = spec.type.low or 0, spec.type.high if spec.type.high is not None else 10**9
    about = {low, high, *(number + step for number in numbers for step in (-1, 0, 1))}
    return sorted(number for number in about if low <= number <= high)


# ---------------------------------------------------------------------- one question
REFUSED = 2  # times as many may be drawn as wanted, as a question makes no sense in some of them
SIMPLER = 200  # drafts that are tried to make one simpler
ASKED_ABOUT = 100  # what is asked about one situation that was found for other questions
LOOKED = 150  # situations of one kind of worlds in which it is looked which clauses hold; the reference engine is slow
Drawn = TypeVar("Drawn")
TellSearched = Callable[[str, int], None]
PosedQuestion = tuple[QuestionRunner, Json]  # a situation, and the checked inputs of the question about it


def silent(*_: object) -> None:
    """Report no progress."""


class Sampler(Protocol[Drawn]):
    """Draws drafts of situations with the inputs of a question.

    It may learn from the answer to a draft, and from that without the clause that is looked for.
    """

    def draw(self, rng: random.Random) -> Drawn: ...
    def learn(self, draft: Drawn, answers: Iterable[Callable[[], object]]) -> None: ...
    def made(self, draft: Drawn) -> tuple[Json, Json]: ...
    def size(self, draft: Drawn) -> int: ...
    def simpler(self, draft: Drawn) -> Iterator[Drawn]: ...


@dataclass(frozen=True)
class WorldSource:
    """Worlds of one kind to put a question to."""

    name: str
    worlds: Worlds | None = None  # to be listed
    most: int = 0  # the largest size that is listed
    listed: int = 0  # list at most so many in growing size
    sampler: Sampler[Any] | None = None
    drawn: int = 0  # draw at most so many at random besides, until the clause that is `aimed_at` decides
    aimed_at: str = ""


@dataclass(frozen=True)
class Known:
    """What need not be searched for any more of a question.

    Whether it is known that the second edition allows more, and less, or that it never does; and clauses that decide.
    """

    more: bool = False
    less: bool = False
    clauses: frozenset[str] = frozenset()

    def is_all(self, clauses: Collection[str]) -> bool:
        """Whether nothing is left to find of a question on which some clauses differ."""
        return self.more and self.less and self.clauses.issuperset(clauses)


class SearchSession:
    """Puts one question to two editions and collects the differences in `result`, as far as they are not `known`."""

    def __init__(
        self, pair: ModelPair, question: Question, result: QuestionResult, tell: TellSearched, known: Known = Known()
    ) -> None:
        self.pair, self.question, self.result, self.tell, self.known = pair, question, result, tell, known
        self.until = math.inf  # no more worlds are asked after this time
        self.tally = results.EvidenceTally(pair, result.clauses, pair.heads_of(question))
        # Situations that were asked: each kind has its own sample, so that a large one leaves room for a small one.
        self.samples: dict[str, results.Sample[tuple[Data, Data]]] = {}
        self.asked = 0

    @property
    def settled(self) -> bool:
        """Whether nothing is left to find: each edition allows what the other does not, by every clause."""
        more, less = self.result.directions
        known = Known(more or self.known.more, less or self.known.less, self.known.clauses)
        return known.is_all(self.tally.undecided)

    def ask_cases(self, cases: Sequence[Data]) -> None:
        for inputs in cases:
            self._ask((QuestionRunner(self.question.situation, {}), dict(inputs)), 0, "all cases")
        self.result.searches.append(results.Search("all cases", 0, len(cases)))

    def search(self, ground: WorldSource) -> None:
        """Ask the worlds of a ground in growing size, then some at random; no more once all is settled."""
        before = self.asked
        if ground.worlds is not None and ground.listed and not self.settled:
            size = self._list(ground, ground.worlds)
            self.result.searches.append(results.Search(ground.name, size, self.asked - before))
        if ground.sampler is not None and not self._is_done(ground):
            self._draw(ground, ground.sampler)

    def _list(self, ground: WorldSource, worlds: Worlds) -> int:
        """Ask worlds in growing size; give the largest size of which all were asked, -1 if all of none were."""
        before, most = self.asked, min(ground.most, worlds.largest)
        for size in range(most + 1):
            last, runner = None, QuestionRunner("", {})
            for data, inputs in worlds.of_size(size):
                if self.asked - before == ground.listed or self.settled or time.monotonic() > self.until:
                    return worlds.finished(size - 1)
                checked, raw = self._checked(data, inputs)
                if data is not last:
                    last, runner = data, checked
                self._ask((runner, raw), size, ground.name)
        return worlds.finished(most)

    def ask_about(self, situations: Iterable[results.Counterexample]) -> None:
        """Ask about situations of other questions, whatever can be asked about them."""
        before, reads = self.asked, DeclaredWorlds(self.pair, self.question).reads
        for one in situations:
            for inputs in small_worlds.inputs_in(self.pair.second, self.question, one.data, reads, ASKED_ABOUT):
                if self.settled:
                    break
                with suppress(InputError):
                    self._ask(self._checked(one.data, inputs), one.size, results.OTHERS)
        if self.asked > before:
            self.result.searches.append(results.Search(results.OTHERS, None, self.asked - before, given=True))

    def _is_done(self, ground: WorldSource) -> bool:
        return ground.aimed_at in self.tally.decided or self.settled

    def _checked(self, data: Data, inputs: Data) -> PosedQuestion:
        return rule_pair.checked_runner(self.pair.second, self.question, data, inputs)

    def _draw(self, ground: WorldSource, drawing: Sampler[Any]) -> None:
        rng, before = random.Random(ground.aimed_at), self.asked
        models = self.pair.second, self.pair.second.without_clause(ground.aimed_at)
        name, answered = f"{ground.name}, drawn", 0
        for _ in range(REFUSED * ground.drawn):
            if answered == ground.drawn or self._is_done(ground) or time.monotonic() > self.until:
                break
            draft, known = drawing.draw(rng), len(self.result.found)
            with suppress(InputError):  # a situation that is not one
                runner, raw = self._checked(*drawing.made(draft))
                has_sense = self._ask((runner, raw), drawing.size(draft), name)
                answered += has_sense
                if has_sense:
                    drawing.learn(draft, (partial(runner.answer, model, self.question, raw) for model in models))
            if len(self.result.found) > known:
                self._simplify(drawing, draft, name)
        searches = self.result.searches
        drawn = next((one for one in searches if (one.worlds, one.size) == (ground.name, None)), None)
        asked = self.asked - before + (drawn.asked if drawn else 0)
        self.result.searches = [
            *(one for one in searches if one is not drawn),
            results.Search(ground.name, None, asked),
        ]

    def _simplify(self, drawing: Sampler[Drawn], draft: Drawn, name: str) -> None:
        """Put in place of the last situation found the simplest that can be had from it for the same cause."""
        found = self.result.found.pop()
        tried = 0
        simpler = drawing.simpler(draft)
        while tried < SIMPLER and (one := next(simpler, None)) is not None:
            tried += 1
            with suppress(InputError):  # of what is left away something may be asked about
                asked = self._checked(*drawing.made(one))
                different = self._difference(asked)
                if different is None or different.cause != found.cause:
                    continue
                simpler = drawing.simpler(one)
                found = _found(asked, drawing.size(one), found.number, name, different)
        self.result.found.append(found)

    def _ask(self, asked: PosedQuestion, size: int, worlds: str) -> bool:
        """Ask both editions; return whether the question makes sense there."""
        self.asked += 1
        if self.asked % 100 == 0:
            self.tell(self.question.name, self.asked)
        try:
            different = self._difference(asked)
        except InputError:
            return False  # what is asked about is not there
        self.samples.setdefault(worlds, results.Sample(LOOKED)).keep((asked[0].data, asked[1]))
        if different is None:
            return True
        less, more = rule_pair.compare(self.question, different.first, different.second)
        self.result.turn(more, less)
        self.tally.decided.update(different.cause.clauses)
        found = _found(asked, size, self.asked, worlds, different)
        at = next((at for at, one in enumerate(self.result.found) if one.cause == found.cause), None)
        if at is None:
            self.result.found.append(found)
        elif size < self.result.found[at].size:
            self.result.found[at] = found
        return True

    def _difference(self, asked: PosedQuestion) -> rule_pair.AnswerDifference | None:
        runner, inputs = asked
        if not (runner.is_possible(self.pair.first) and runner.is_possible(self.pair.second)):
            return None
        return rule_pair.difference(
            self.pair, self.question, partial(runner.answer, question=self.question, inputs=inputs)
        )

    def shrink(self) -> None:
        """Leave out of each situation found what the clauses that decide in it do not need."""
        self.result.found = [self._least(one) for one in self.result.found]

    def _least(self, found: results.Counterexample) -> results.Counterexample:
        def compared(data: Data, inputs: Data) -> tuple[PosedQuestion, rule_pair.AnswerDifference] | None:
            with suppress(InputError):  # of what is left out something may be asked
                asked = self._checked(data, inputs)
                different = self._difference(asked)
                return None if different is None or different.cause != found.cause else (asked, different)
            return None

        def way(different: rule_pair.AnswerDifference) -> tuple[bool, bool]:
            return rule_pair.compare(self.question, different.first, different.second)

        def show(data: Data, inputs: Data) -> results.Counterexample | None:
            there = compared(data, inputs)
            if there is None or way(there[1]) != wanted:
                return None
            return _found(there[0], found.size, found.number, found.worlds, there[1])

        first = compared(found.data, found.inputs)
        if first is None:
            return found
        wanted = way(first[1])
        return shrink(self.pair.second, self.question, found.data, found.inputs, show) or found

    def finish(self) -> QuestionResult:
        """Add the evidence: which clauses decided, and which of the others held in situations that were kept."""
        kept = [one for sample in self.samples.values() for one in sample.kept]
        wanted, found = set(self.tally.undecided), set[str]()
        sides = self.tally.sides(self.tally.undecided)
        for data, inputs in reversed(kept):  # the larger of each kind come first: more is going on there
            if found >= wanted:
                break
            for model, sentences in sides:
                watched = {id(one): rule_pair.speaker(one) for one in sentences if rule_pair.speaker(one) not in found}
                if watched:
                    runner = QuestionRunner(self.question.situation, data)
                    found |= results.held_in(model, watched, partial(runner.answer, model, self.question, inputs))
        self.result.evidence = self.tally.evidence(found, len(kept))
        return self.result


def _found(
    asked: PosedQuestion, size: int, number: int, worlds: str, different: rule_pair.AnswerDifference
) -> results.Counterexample:
    runner, inputs = asked
    only = rule_pair.split_by_answer(different.first, different.second)
    return results.Counterexample(runner.situation, runner.data, inputs, size, number, *only, different.cause, worlds)


# ---------------------------------------------------------------------- all questions
SEARCH_FILE = "search.yaml"
# How kinds of question about one form cover each other: what lists covers what checks.
COVERS = {"cost": "ends", "choice": "choices"}
BUDGET = 1_500  # situations that are asked of derived worlds; a size that is only begun does not count as searched
WANTED = 6  # times as many of those that the search file wants
MOST = 40
DRAWN = 3  # one at random, for each clause and kind of worlds, for so many that may be listed
DERIVED = "derived from the clauses"
DECLARED = "declared"
KNOWN = "like known cases"
NEAR = 6  # times as many as of derived worlds are drawn like known cases
ALIKE = 0.5  # the share of definitions that two questions depend on, from which one may borrow worlds of the other


def read_search(game: str = "") -> SearchFile:
    """Read which small worlds a rule set wants searched; none without a file. Raises `InputError` for its faults."""
    path = game_folder(game) / SEARCH_FILE
    if not path.exists():
        return SearchFile(format=1)
    found = validate_as(SearchFile, read_data(path), str(path))
    named = (hunt.world for hunt in found.find), (survey.world for survey in found.atlas)
    for name in (name for names in named for name in names):
        if name not in found.worlds:
            raise InputError([Fault(f"unknown world `{name}`", str(path), "", did_you_mean(name, found.worlds))])
    return found


class PairRun:
    """Searches for one pair of editions; each question is searched once."""

    def __init__(
        self, pair: ModelPair, search: SearchFile, tell: TellSearched = silent, each: bool = False,
        budget: int = BUDGET, known: Mapping[str, Known] | None = None, cases: Sequence[KnownCase] = (),
    ) -> None:  # fmt: skip
        self.pair = rule_pair.side_by_side(pair)
        self.search, self.tell, self.each, self.budget, self.before = search, tell, each, budget, known or {}
        self.cases = cases
        self.known: dict[str, QuestionResult] = {}

    def result(self, question: Question) -> QuestionResult:
        if question.name not in self.known:
            found = self._result(question)
            found.grades = results.grades_of(self.pair, question)
            found.apart = self.pair.apart_in(question.situation)
            self.known[question.name] = found
        return self.known[question.name]

    def _result(self, question: Question) -> QuestionResult:
        clauses = self.pair.changed_for(question)
        if not clauses:
            return QuestionResult(question.name, results.PROVED, proof=SAME_CLAUSES)
        covering = None if self.each else self._covering(question)
        if covering is not None:
            like = self.result(covering)
            return QuestionResult(
                question.name, results.LIKE, like.relation, like.proof, covering.name, clauses, evidence=like.evidence
            )
        result = QuestionResult(question.name, results.SEARCHED, clauses=clauses)
        known = self.before.get(question.name)
        session = SearchSession(self.pair, question, result, self.tell, known or Known())
        cases = every_case(self.pair, question)
        if cases is not None:
            session.ask_cases(cases)
            result.how, result.proof = results.PROVED, EVERY_CASE
            return session.finish()
        grounds = list(self.grounds(question))
        if not grounds:
            result.how = results.NOT_SEARCHED
            return result
        for ground in grounds:
            session.search(ground)
        session.shrink()
        if known is not None and any((*result.directions, known.more, known.less)):
            return result  # which needs no evidence
        return session.finish()

    def _covering(self, question: Question) -> Question | None:
        """Find the question that lists what this one checks, if the same clauses bear on both."""
        clauses = self.pair.changed_for(question)
        for other in self.pair.second.questions.values():
            if other.form == question.form and COVERS.get(question.ask) == other.ask:
                is_asked = other.name in self.before or not self.before
                return other if is_asked and self.pair.changed_for(other) == clauses else None
        return None

    def ask_about(self, result: QuestionResult, situations: Iterable[results.Counterexample]) -> None:
        """Ask the question of a result about situations that were found for others, and add what differs."""
        question = self.pair.second.questions[result.question]
        known = self.before.get(question.name, Known())
        session = SearchSession(self.pair, question, result, self.tell, known)
        session.ask_about(situations)
        session.shrink()

    def exhaust(self, question: Question, seconds: float) -> QuestionResult:
        """List worlds in growing size for half of the time, an equal share for each kind, then draw some at random.

        The first worlds of a size that takes too long are much alike, and those that are drawn are not.
        """
        result = QuestionResult(question.name, results.SEARCHED, clauses=self.pair.changed_for(question))
        session, grounds = SearchSession(self.pair, question, result, self.tell), list(self.grounds(question))
        listed = [replace(one, most=MOST, listed=sys.maxsize, sampler=None) for one in grounds if one.listed]
        drawn = [replace(one, drawn=sys.maxsize, aimed_at="") for one in grounds if one.sampler is not None]
        for some in (listed, drawn):
            for ground in some:
                session.until = time.monotonic() + seconds / 2 / len(some)
                session.search(ground)
        session.shrink()
        return result

    # ------------------------------------------------------------------ where to look
    def grounds(self, question: Question) -> Iterator[WorldSource]:
        """Yield what to search: worlds in which what the clauses look at varies, then those that are wanted besides.

        They are made of worlds of the search file, for this question or one much like it, and of the declarations.
        """
        clauses, heads = self.pair.changed_for(question), self.pair.heads_of(question)
        reads, model = small_worlds.reads_of(self.pair, clauses, heads), self.pair.second
        declared = DeclaredWorlds(self.pair, question)
        hunts = [hunt for hunt in self.search.find if hunt.question == question.name]
        for hunt in hunts:
            spec = small_worlds.focused(self.search.worlds[hunt.world], model, reads)
            yield WorldSource(f"{hunt.world}, {DERIVED}", Worlds(spec, hunt.takes), MOST, self.budget)
        if not hunts and (worlds := declared.worlds(reads)) is not None:
            yield WorldSource(DECLARED, worlds, MOST, self.budget)
        for clause in clauses:
            around = small_worlds.reads_around(self.pair, clause, heads)
            for one, hunt in itertools.product(around, hunts or self._like(question)):
                wide = one is around[1]
                spec = small_worlds.focused(self.search.worlds[hunt.world], model, one, others=wide)
                known = hunt.takes if hunt in hunts else {}
                takes = known if known and not wide else small_worlds.derived_inputs(spec, model, question, one, known)
                yield self._aimed(hunt.world, Worlds(spec, takes or known), clause, one)
            for one in (around[0], around[0].besides(declared.reads)):
                if (worlds := declared.worlds(one, others=one is not around[0])) is not None:
                    yield self._aimed(DECLARED, worlds, clause, one)
            kinds = self._kinds_of_cases(question, clause)
            if kinds:
                sampler = CaseSampler(model, question, kinds, (*around, around[0].besides(declared.reads)))
                yield WorldSource(KNOWN, sampler=sampler, drawn=NEAR * self.budget // len(clauses), aimed_at=clause)
        for hunt in hunts:
            worlds = Worlds(self.search.worlds[hunt.world], hunt.takes)
            yield WorldSource(hunt.world, worlds, hunt.most, WANTED * self.budget)

    def _kinds_of_cases(self, question: Question, clause: str) -> list[list[Data]]:
        """List what is asked in cases about a clause, in others of a question, and about other such situations."""
        kinds: list[list[Data]] = [[], [], []]
        for case in self.cases:
            if question.situation in case.inputs:
                kinds[0 if clause in case.clauses else 1 if case.query == question.name else 2].append(case.inputs)
        return [cases for cases in kinds if cases]

    def _like(self, question: Question) -> list[Hunt]:
        """List the hunts of the search file for the question that depends most on the same, if any is much alike."""
        heads, known = self.pair.heads_of(question), self.pair.second.questions
        others = (known[hunt.question] for hunt in self.search.find if hunt.question in known)
        alike = {
            other.name: len(heads & self.pair.heads_of(other)) / len(heads | self.pair.heads_of(other))
            for other in others
            if other.situation == question.situation
        }
        best = max(alike, key=lambda name: alike[name], default="")
        return [hunt for hunt in self.search.find if hunt.question == best and alike[best] >= ALIKE]

    def _aimed(self, name: str, worlds: Worlds, clause: str, reads: SentenceReads) -> WorldSource:
        often = small_worlds.likely(self.pair.second, worlds.spec.situation, reads)
        return WorldSource(name, None, MOST, 0, WorldSampler(worlds, often), self.budget // DRAWN, clause)
