"""The smallest situations in which two editions differ, by exhaustive search in growing size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from titm_rules.compare.answers import side_by_side
from titm_rules.compare.focus import derived_inputs, focused, likely
from titm_rules.compare.grades import grades_of
from titm_rules.compare.inquiry import Ground, Inquiry
from titm_rules.compare.proof import EVERY_CASE, SAME_CLAUSES, every_case
from titm_rules.compare.reads import SentenceReads, reads_beside, reads_of
from titm_rules.compare.results import LIKE, NOT_SEARCHED, PROVED, SEARCHED, QuestionResult
from titm_rules.compare.rules import ModelPair
from titm_rules.compare.worlds import Worlds
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.games import game_folder
from titm_rules.engines.asked import find_question
from titm_rules.formats.jsonin import read_data
from titm_rules.formats.search import Hunt, SearchFile, check_search
from titm_rules.rules.model import Question

SEARCH_FILE = "search.yaml"
# How kinds of question about one form cover each other: what lists covers what checks.
COVERS = {"cost": "ends", "choice": "choices"}
BUDGET = 1_500  # situations that are asked of derived worlds; a size that is only begun does not count as searched
WANTED = 6  # times as many of those that the search file wants
MOST = 40
DRAWN = 3  # one at random, for each clause and kind of worlds, for so many that may be listed
DERIVED = "derived from the clauses"
Tell = Callable[[str, int], None]


def read_search(game: str = "") -> SearchFile:
    """Read which small worlds a rule set wants searched.

    Raises:
        InputError: for a rule set without a search file, or a file with faults.
    """
    path = game_folder(game) / SEARCH_FILE
    found = check_search(read_data(path), str(path))
    named = (hunt.world for hunt in found.find), (survey.world for survey in found.atlas), found.grounds.values()
    for name in (name for names in named for name in names):
        if name not in found.worlds:
            raise InputError([Fault(f"unknown world `{name}`", str(path), "", did_you_mean(name, found.worlds))])
    return found


def find_differences(
    pair: ModelPair, search: SearchFile, names: Sequence[str] = (), tell: Tell = lambda _name, _count: None,
    each: bool = False, budget: int = BUDGET,
) -> Iterator[QuestionResult]:  # fmt: skip
    """Say for every kind of question how two editions differ, with the smallest situations.

    Args:
        pair: the two editions.
        search: what to search besides what the clauses call for.
        names: only these questions; default: all.
        tell: is told the question that is searched and how many situations were asked.
        each: search each question by itself, also one that another covers.
        budget: ask at most so many situations of worlds that are derived, and some times as many of others.

    Raises:
        InputError: for an unknown question, or worlds that the rule set cannot read.
    """
    for name in names:
        find_question(pair.second, name, "--query")
    finder = PairSearch(pair, search, tell, each, budget)
    for question in pair.second.questions.values():
        if not names or question.name in names:
            yield finder.result(question)


class PairSearch:
    """Searches for one pair of editions; each question is searched once."""

    def __init__(
        self, pair: ModelPair, search: SearchFile, tell: Tell = lambda _name, _count: None, each: bool = False,
        budget: int = BUDGET,
    ) -> None:  # fmt: skip
        self.pair = side_by_side(pair)
        self.search, self.tell, self.each, self.budget = search, tell, each, budget
        self.known: dict[str, QuestionResult] = {}

    def result(self, question: Question) -> QuestionResult:
        """Say how the editions differ in one kind of question."""
        if question.name not in self.known:
            found = self._result(question)
            found.grades = grades_of(self.pair, question)
            found.apart = self.pair.apart_in(question.situation)
            self.known[question.name] = found
        return self.known[question.name]

    def _result(self, question: Question) -> QuestionResult:
        clauses = self.pair.changed_for(question)
        if not clauses:
            return QuestionResult(question.name, PROVED, proof=SAME_CLAUSES)
        covering = None if self.each else self._covering(question)
        if covering is not None:
            like = self.result(covering)
            return QuestionResult(
                question.name, LIKE, like.relation, like.proof, covering.name, clauses, evidence=like.evidence
            )
        result = QuestionResult(question.name, SEARCHED, clauses=clauses)
        cases = every_case(self.pair, question)
        if cases is not None:
            return self._proved(result, question, cases)
        grounds = list(self.grounds(question))
        if not grounds:
            result.how = NOT_SEARCHED
            return result
        inquiry = Inquiry(self.pair, question, result, self.tell)
        for ground in grounds:
            inquiry.search(ground)
        result.evidence = inquiry.tally.evidence()
        return result

    def _covering(self, question: Question) -> Question | None:
        """Find the question that lists what this one checks, if the same clauses bear on both."""
        clauses = self.pair.changed_for(question)
        for other in self.pair.second.questions.values():
            if other.form == question.form and COVERS.get(question.ask) == other.ask:
                return other if self.pair.changed_for(other) == clauses else None
        return None

    # ------------------------------------------------------------------ where to look
    def grounds(self, question: Question) -> Iterator[Ground]:
        """Yield what to search: worlds in which what the clauses look at varies, then those that are wanted besides."""
        clauses, heads = self.pair.changed_for(question), self.pair.heads_of(question)
        reads = reads_of(self.pair, clauses, heads)
        hunts = [hunt for hunt in self.search.find if hunt.question == question.name]
        derived = hunts or list(self._own_hunts(question, reads))
        for hunt in derived:
            spec = focused(self.search.worlds[hunt.world], self.pair.second, reads)
            yield Ground(f"{hunt.world}, {DERIVED}", Worlds(spec, hunt.takes), MOST, self.budget)
        for clause in clauses:
            yield from self._aimed(question, derived, clause)
        for hunt in hunts:
            worlds = Worlds(self.search.worlds[hunt.world], hunt.takes)
            yield Ground(hunt.world, worlds, hunt.most, WANTED * self.budget)

    def _aimed(self, question: Question, hunts: Sequence[Hunt], clause: str) -> Iterator[Ground]:
        """Yield worlds to draw from for one clause: what it looks at varies, then what others do that may hinder it."""
        heads, model = self.pair.heads_of(question), self.pair.second
        reads = reads_of(self.pair, [clause], heads)
        wider = reads.besides(reads_beside(self.pair, [clause], heads))
        for hunt, one in ((hunt, one) for one in (reads, wider) for hunt in hunts):
            spec = focused(self.search.worlds[hunt.world], model, one, others=one is wider)
            takes = derived_inputs(spec, model, question, one.numbers, hunt.takes) if one is wider else None
            often = likely(model, spec.situation, one)
            worlds = Worlds(spec, takes or hunt.takes)
            yield Ground(hunt.world, worlds, MOST, 0, self.budget // DRAWN, clause, often)

    def _own_hunts(self, question: Question, reads: SentenceReads) -> Iterator[Hunt]:
        """Yield a hunt for a question that the search file does not name, if what it takes can be listed."""
        ground = self.search.grounds.get(question.situation)
        if ground is not None:
            takes = derived_inputs(self.search.worlds[ground], self.pair.second, question, reads.numbers)
            if takes is not None:
                yield Hunt(question=question.name, world=ground, takes=takes, most=0)

    def _proved(self, result: QuestionResult, question: Question, cases: Sequence[Mapping[str, Any]]) -> QuestionResult:
        """Ask all cases there are."""
        inquiry = Inquiry(self.pair, question, result, self.tell)
        inquiry.ask_cases(cases)
        result.evidence = inquiry.tally.evidence()
        result.how, result.proof = PROVED, EVERY_CASE
        return result
