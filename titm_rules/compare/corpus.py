"""Put two editions to a corpus: cases of questions, positions, scenarios and recorded games of a game.

A case is asked under both editions, whatever edition it was made for. What depends on no clause that differs is not
asked: its answer is proved to be the same.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from titm_rules.catalog import files_of
from titm_rules.compare import playout, rule_pair
from titm_rules.compare.edition_diff import Compared, compare_file
from titm_rules.compare.playout import Playout
from titm_rules.compare.results import PLAY, brief, told_outcome
from titm_rules.compare.rule_pair import DecidingSets, Json, ModelPair, QuestionRunner
from titm_rules.diagnostics import TitmError
from titm_rules.editions.house_rules import Overlay
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.headline import headline, restated
from titm_rules.files import find_files, read_text
from titm_rules.formats import case_files
from titm_rules.formats.case_files import (
    CHANGES_FILE,
    DECIDING_FILE,
    REPLAY,
    SUFFIXES,
    conformance_cases,
    is_scenario,
    read_case_file,
    read_cases,
    shipped_cases,
)
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import with_defaults, without_defaults
from titm_rules.ir.model import Model, Question
from titm_rules.oracle.all_editions import Subject
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import open_recorded_start, rules_of_record
from titm_rules.oracle.position import Position
from titm_rules.oracle.testing import VERBS, RuleTest, load_tests
from titm_rules.play.action import Action, Dice
from titm_rules.syntax.game_record import GameRecord, RecordedAction, read_record

CASE, DECIDING, CHANGE, SITUATION, SCENARIO, GAME, TEST = (
    "conformance case", "deciding case", "known change", "position", "scenario", "recorded game", "test",
)  # fmt: skip
KINDS = (CASE, DECIDING, CHANGE, SITUATION, SCENARIO, GAME, TEST)
CHANGED, ALIKE, SAME, NOT_ASKED = "changed", "the same answer", "proved unaffected", "cannot be asked"
GAME_FILES, RECORD_SUFFIX = "games/*.txt", ".txt"
ONLY_THERE = "nothing is legal only here"
TRIED = 60  # sets of clauses of one size that are tried for one difference
FirstT = TypeVar("FirstT")
SecondT = TypeVar("SecondT")


# ---------------------------------------------------------------------- cases
@dataclass(frozen=True)
class CorpusCase:
    """A case: a question with its input, the file of a situation, a recorded game, or a test of rules."""

    kind: str
    name: str
    query: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    readings: tuple[tuple[str, str], ...] = ()
    overlays: tuple[str, ...] = ()  # special rules of a scenario, over which it is asked
    path: Path | None = None
    record: GameRecord | None = None
    test: RuleTest | None = None
    clauses: tuple[str, ...] = ()  # those that it is about
    opens: str = ""  # the name under which commands open it; empty if there is none

    @property
    def key(self) -> str:
        """The same for cases that ask the same."""
        if self.query:
            return json.dumps([self.query, self.inputs, self.readings, self.overlays], sort_keys=True, default=str)
        return f"{self.kind} {self.name if self.test is None else self.test.text.where}"


def listed_cases(game: str = "") -> list[CorpusCase]:
    """Read the lists of cases of a game: those in which clauses decide, known changes, then the conformance cases."""
    lists = {
        DECIDING: case_files.listed_cases(game, DECIDING_FILE), CHANGE: case_files.listed_cases(game, CHANGES_FILE),
        CASE: conformance_cases(game),
    }  # fmt: skip
    return [_listed(kind, case) for kind, cases in lists.items() for case in cases]


def read_corpus(game: str = "", folders: Sequence[Path] = ()) -> list[CorpusCase]:
    """Read all cases of a game, and those in folders of one's own; of cases that ask the same the first stays.

    Raises `InputError` for a file that cannot be read, and for a folder without any case.
    """
    found = sorted(listed_cases(game), key=lambda case: KINDS.index(case.kind))
    found += [replace(_situation(name, path), opens=name) for name, path in shipped_cases(game).items()]
    found += [_recorded(path) for path in files_of(game, GAME_FILES)]
    for folder in folders:
        own = [case for path in find_files(folder, "**/*") for case in _own(path, game)]
        if not own:
            what, fix = "the folder has no case", "put lists of cases, positions, tests or records into it"
            raise bad(what, str(folder), fix, "no-case")
        found += own
    return list({case.key: case for case in reversed(found)}.values())[::-1]


def _own(path: Path, game: str) -> Iterator[CorpusCase]:
    if path.suffix == ".jsonl":
        yield from (_listed(CASE, case) for case in read_cases(path))
    elif path.suffix in SUFFIXES and "tests" in read_case_file(path):
        yield from (case_of_test(test, CASE) for test in load_tests(path, game))
    elif path.suffix in SUFFIXES:
        yield _situation(path.stem, path)
    elif path.suffix == RECORD_SUFFIX:
        yield _recorded(path)


def case_of_test(test: RuleTest, kind: str = TEST) -> CorpusCase:
    return CorpusCase(kind, str(test), test=test, clauses=(test.text.clause,))


def special_rules(test: RuleTest, two: Compared) -> tuple[Overlay, ...]:
    """List the special rules of a test besides the sheet that is compared."""
    sheet = {Path(str(one)).name for one in two.second.overlays}
    return tuple(one for one in test.rules().overlays if Path(str(one)).name not in sheet)


def _listed(kind: str, case: Mapping[str, Any]) -> CorpusCase:
    name = " ".join(str(case.get(part, "")) for part in ("number", "title")).strip() or str(case["id"])
    readings, overlays = tuple(sorted(case.get("readings", {}).items())), tuple(case.get("overlays", ()))
    clauses = tuple(case.get("clauses", ())) or (str(case.get("clause", "")),)
    key = str(case.get("clause") or case["id"])  # under which a command opens it
    if case["query"] == REPLAY:
        record = replace(read_record(str(case["input"].get("record", "")), key), digest="")
        return CorpusCase(CHANGE if kind == CHANGE else GAME, name, record=record, clauses=clauses)
    return CorpusCase(kind, name, str(case["query"]), case["input"], readings, overlays, clauses=clauses, opens=key)


def _situation(name: str, path: Path) -> CorpusCase:
    return CorpusCase(SCENARIO if is_scenario(read_case_file(path)) else SITUATION, name, path=path)


def _recorded(path: Path) -> CorpusCase:
    return CorpusCase(GAME, path.stem, record=replace(read_record(read_text(path, "record"), str(path)), digest=""))


# ---------------------------------------------------------------------- differences
@dataclass(frozen=True)
class CaseChange:
    """A case to which two editions answer differently."""

    kind: str
    name: str
    question: str  # its name; `play` for legal actions and for games
    asked: str  # what was asked, in words
    before: str
    after: str
    first: Any  # what only the first edition allows or answers; `second`: what only the second does
    second: Any
    cause: DecidingSets
    more: bool  # whether the second edition allows more here, and `less` whether less
    less: bool
    opens: str = ""  # the name under which commands open it; empty if there is none

    def record(self) -> Json:
        told = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return told | {"cause": self.cause.listed}


@dataclass
class CorpusRun:
    """Asks both editions; counts what was asked, by kind of case and what came of it."""

    two: Compared
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    changes: list[CaseChange] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)  # cases that neither edition can be asked, and why
    visited: list[_Visited] = field(default_factory=list)  # situations of recorded games, alike in both editions
    _pairs: dict[tuple[Any, ...], _Sides] = field(default_factory=dict)
    _causes: dict[str, list[DecidingSets]] = field(default_factory=dict)
    _starts: dict[tuple[Any, ...], tuple[_Sides, Sequence[Position]]] = field(default_factory=dict)

    def ask_all(self, cases: Iterable[CorpusCase]) -> None:
        """Ask cases; games are replayed here, where a search finds the situations that were visited."""
        cases = list(cases)

        def results(games: bool) -> list[_CaseResult]:
            return [self._result(case) for case in cases if (case.record is not None) == games]

        replayed, asked = map(iter, at_once(lambda: results(True), lambda: results(False)))
        for case in cases:
            outcome, changes, refused = next(asked if case.record is None else replayed)
            self.asked[case.kind, CHANGED if changes else outcome] += 1
            self.changes += changes
            self.refused.update({case.name: refused} if refused else {})

    def _result(self, case: CorpusCase) -> _CaseResult:
        found: list[CaseChange] = []
        try:
            return _CaseResult(self._ask(case, found), found)
        except TitmError as error:
            return _CaseResult(NOT_ASKED, found, error.faults[0].what)

    def _ask(self, case: CorpusCase, found: list[CaseChange]) -> str:
        """Ask a case; add what differs, or say why nothing does. Raises `TitmError` for one that cannot be asked."""
        if case.record is not None:
            return self._play(case, case.record, found)
        if case.path is not None:
            return self._look(case, case.path, found)
        if case.test is not None:
            return self._try(case, replace(case.test, edition=self.two.second.date), found)
        sides = self._sides(case.readings, case.overlays)
        question = sides.pair.second.questions.get(case.query)
        if question is None or case.query not in sides.pair.first.questions:
            raise bad(f"the rules have no question `{case.query}`", "query", "ask another edition", "unknown-name")
        if sides.pair.is_same_for(question):
            return SAME
        try:
            asked = sides.second.ask(case.query, case.inputs)
        except TitmError as error:
            sides.first.ask(case.query, case.inputs)  # a case that neither takes says nothing
            found.append(self._refused(case, error))
            return CHANGED
        found += self._difference(case, sides, asked)
        return ALIKE

    def _sides(self, readings: tuple[tuple[str, str], ...] = (), overlays: tuple[str, ...] = ()) -> _Sides:
        """Give both editions with special rules under them, and with the readings that both leave open."""
        key = readings, overlays
        if key not in self._pairs:
            first, second = (
                replace(one, overlays=(*overlays, *(it for it in one.overlays if it not in overlays)))
                for one in self.two.editions
            )
            chosen = {name: choice for name, choice in readings if _offers(first, name, choice)}
            chosen = {name: choice for name, choice in chosen.items() if _offers(second, name, choice)}
            self._pairs[key] = _Sides(first.with_readings(chosen), second.with_readings(chosen))
        return self._pairs[key]

    # ------------------------------------------------------------------ questions
    def _difference(self, case: CorpusCase, sides: _Sides, asked: BoundQuestion) -> Iterator[CaseChange]:
        question = asked.question
        runner = QuestionRunner(question.situation, asked.world.data)
        answer = partial(runner.answer, question=question, inputs=asked.raw)
        first, second = answer(sides.pair.first), answer(sides.pair.second)
        if first == second:
            return
        cause = self._cause(
            sides.pair, question.name, sides.pair.changed_for(question), sides.pair.heads_of(question),
            lambda names: bool(answer(sides.pair.mixture_for(question, names)) == second),
        )  # fmt: skip
        before, after = (_told(one, question, asked) for one in (sides.first, sides.second))
        less, more = rule_pair.compare(question, first, second)
        one, other = rule_pair.split_by_answer(first, second)
        if before == after:
            before, after = (f"only here: {brief(part)}" for part in (one, other))
        told = restated(asked)
        yield CaseChange(
            case.kind, case.name, question.name, told, before, after, one, other, cause, more, less, case.opens
        )

    def _refused(self, case: CorpusCase, error: TitmError) -> CaseChange:
        told = f"cannot be asked: {error.faults[0].what}"
        return CaseChange(
            case.kind, case.name, case.query, case.query, "is answered", told, None, None, DecidingSets(()), False, True
        )

    def _cause(
        self, pair: ModelPair, matter: str, clauses: Sequence[str], heads: frozenset[str],
        turns: Callable[[Collection[str]], bool],
    ) -> DecidingSets:  # fmt: skip
        """Find the clauses that make a difference; those of earlier ones in the same matter are tried first."""
        known = self._causes.setdefault(matter, [])
        same = next((one for one in known if one.sets and turns(DecidingSets(one.sets[:1]).clauses)), None)
        among = [clause for clause in clauses if clause in same.clauses] if same is not None else clauses
        found = rule_pair.causes(pair, among, turns, heads, TRIED)
        known += [] if found in known else [found]
        return found

    # ------------------------------------------------------------------ situations
    def _look(self, case: CorpusCase, path: Path, found: list[CaseChange]) -> str:
        """Ask the question of a file; of a position to play from ask what is legal, of others ask every question."""
        opened = Subject(path).open(Rules.of_edition(self.two.second))
        special = tuple(str(one) for one in opened.edition.overlays if one not in self.two.second.overlays)
        sides = self._sides(tuple(sorted(opened.edition.readings.items())), special)
        if opened.query:
            inputs = opened.full_input(opened.query)
            asked = replace(case, path=None, query=opened.query, inputs=inputs, overlays=special)
            return self._ask(asked, found)
        if any(event.situation == opened.situation for event in sides.pair.second.events.values()):
            return self._play_from(case, sides, opened.situation, opened.data, found)
        asked_about = (one for one in sides.pair.second.questions.values() if one.situation == opened.situation)
        if all(sides.pair.is_same_for(one) for one in asked_about):
            return SAME
        for one in compare_file(self.two, Subject(path)).found:
            words = f"{one.question} {brief(dict(one.inputs))}"
            less, more = rule_pair.compare(sides.pair.second.questions[one.question], one.first, one.second)
            before, after = brief(one.first), brief(one.second)
            found.append(
                CaseChange(
                    case.kind, case.name, one.question, words, before, after, one.first, one.second, one.cause, more,
                    less, case.opens,
                )
            )  # fmt: skip
        return ALIKE

    def _try(self, case: CorpusCase, test: RuleTest, found: list[CaseChange]) -> str:
        """Ask the question of a test; of one that has actions instead ask what is legal where they begin."""
        readings = tuple(sorted(test.rules().readings.items()))
        special = tuple(map(str, special_rules(test, self.two)))
        if test.query not in VERBS:
            asked = replace(case, test=None, query=test.query, inputs=test.input, readings=readings, overlays=special)
            return self._ask(asked, found)
        return self._play_from(case, self._sides(readings, special), test.case.situation, test.data, found)

    def _play_from(
        self, case: CorpusCase, sides: _Sides, situation: str, raw: Mapping[str, Any], found: list[CaseChange]
    ) -> str:
        if not sides.pair.changed(sides.pair.played):
            return SAME
        data = Position.from_dict(raw, sides.second, situation).world.data
        found += self._actions(case, sides, situation, dict(data))
        return ALIKE

    def _actions(
        self, case: CorpusCase, sides: _Sides, situation: str, data: Json, asked: str = "What is legal at first?"
    ) -> Iterator[CaseChange]:
        def legal(model: Model) -> frozenset[tuple[str, Dice | None]]:
            return frozenset(Playout(model, situation, data).legal.items())

        first, second = legal(sides.pair.first), legal(sides.pair.second)
        if first != second:
            cause = self._played_cause(sides.pair, lambda model: legal(model) == second)
            one, other = rule_pair.split_by_answer(*map(playout.visible_state, (first, second)))
            before, after = (f"legal only here: {told_outcome(part)}" if part else ONLY_THERE for part in (one, other))
            more, less = playout.directions(first, second)
            yield CaseChange(
                case.kind, case.name, PLAY, asked, before, after, one, other, cause, more, less, case.opens
            )

    def _played_cause(self, pair: ModelPair, turns: Callable[[Model], bool]) -> DecidingSets:
        clauses = pair.changed(pair.played)
        return self._cause(pair, PLAY, clauses, pair.played, lambda names: turns(pair.mixture(names)))

    # ------------------------------------------------------------------ games
    def _play(self, case: CorpusCase, record: GameRecord, found: list[CaseChange]) -> str:
        """Replay a record under both editions up to the first line that differs, or that neither allows."""
        key = record.start, record.readings, record.overlays
        if key not in self._starts:
            self._starts[key] = self._start(case, record)
        sides, starts = self._starts[key]
        if not starts:
            return SAME
        one, other = starts
        for line in record.actions:
            self.visited.append(_Visited(case, sides, one, line.line))
            steps = [_step(position, line) for position in (one, other)]
            if steps[0].text != steps[1].text or steps[0].data != steps[1].data:
                found.append(self._line(case, sides, line, one, steps))
                return CHANGED
            if steps[0].after is None or steps[1].after is None:
                break
            one, other = steps[0].after, steps[1].after
        return ALIKE

    def _start(self, case: CorpusCase, record: GameRecord) -> tuple[_Sides, Sequence[Position]]:
        """Open the first position of a record under both editions; no positions if no play from it differs."""
        record = replace(record, edition=self.two.second.date)
        rules = replace(rules_of_record(record, Rules(game=self.two.second.game)), edition=None, readings={})
        editions = (replace(one, overlays=(*rules.overlays, *one.overlays)) for one in self.two.editions)
        starts = [open_recorded_start(record, replace(rules, exactly=one), case.name) for one in editions]
        special = tuple(str(one) for one in starts[1].edition.overlays if one not in self.two.second.overlays)
        sides = self._sides(record.readings, special)
        if not sides.pair.changed(sides.pair.played):
            return sides, ()
        return sides, [
            (one if one.edition == edition else Position.from_dict(one.to_dict(), edition, one.situation)).settled
            for one, edition in zip(starts, (sides.first, sides.second), strict=True)
        ]

    def look_round(self, number: int, among: int) -> None:
        """Compare all legal actions in one of so many situations of recorded games."""
        at = number * len(self.visited) // among
        if at == (number - 1) * len(self.visited) // among:
            return  # there are fewer situations
        here = self.visited[at]
        asked = f"What is legal before line {here.line}?"
        data = dict(here.position.world.data)
        self.changes += self._actions(here.case, here.sides, here.position.situation, data, asked)

    def _line(
        self, case: CorpusCase, sides: _Sides, line: RecordedAction, at: Position, steps: Sequence[_Step]
    ) -> CaseChange:
        """Tell of the first line of a record that differs; `at` is the position before it."""
        data, first, second = dict(at.world.data), *steps
        action = next((step.action for step in steps if step.action), None)

        def after(model: Model) -> object:
            return [] if action is None else Playout(model, at.situation, data).outcomes(action)

        if bool(first.after) != bool(second.after):
            wanted = second.after is not None
            cause = self._played_cause(sides.pair, lambda model: bool(after(model)) == wanted)
        else:
            result = after(sides.pair.second)
            cause = self._played_cause(sides.pair, lambda model: after(model) == result)
        where = f"line {line.line}: {line}"
        told = [step.text or "legal" for step in steps]
        more, less = (bool(one.after) and not other.after for one, other in ((second, first), (first, second)))
        if first.after and second.after:
            told = [f"afterwards {told_outcome(one)}" for one in _outcomes(first, second)]
        return CaseChange(case.kind, case.name, PLAY, where, told[0], told[1], None, None, cause, more, less)


class _CaseResult(NamedTuple):
    """What came of a case, what changes, and why it cannot be asked."""

    outcome: str
    changes: list[CaseChange]
    refused: str = ""


@dataclass(frozen=True)
class _Sides:
    """Both editions as one case is asked, and their models as a pair."""

    first: Edition
    second: Edition

    def __post_init__(self) -> None:
        pair = rule_pair.side_by_side(ModelPair(self.first.model, self.second.model))
        object.__setattr__(self, "pair", pair)

    pair: ModelPair = field(init=False, repr=False)


@dataclass(frozen=True)
class _Visited:
    """A situation of a recorded game before one of its lines, to which both editions have led alike."""

    case: CorpusCase
    sides: _Sides
    position: Position
    line: int


def _offers(edition: Edition, name: str, choice: str) -> bool:
    reading = edition.model.readings.get(name)
    return reading is not None and choice in reading.offered


def _told(edition: Edition, question: Question, asked: BoundQuestion) -> str:
    """Say in a sentence what an edition answers; what it cannot decide is said by its fault."""
    try:
        put = edition.put(question, asked.world.data, asked.raw, "$")
        return headline(put, put.answer()).removeprefix(restated(put)).strip()
    except TitmError as error:
        return error.faults[0].what


@dataclass(frozen=True)
class _Step:
    """What an edition makes of a line: the position after it, or why there is none."""

    text: str  # why it is not legal; empty if it is
    action: Action | None = None
    after: Position | None = None

    @property
    def data(self) -> object:
        if self.after is None:
            return None
        return without_defaults(self.after.edition.model, self.after.situation, self.after.world.data)


def _step(position: Position, line: RecordedAction) -> _Step:
    try:
        action = position.read(line.kind, line.by, line.words, "$")
    except TitmError as error:
        return _Step(f"not legal: {error.faults[0].what}")
    if not position.is_legal(action):
        findings = {one.clause: one.message for one in position.judge(action).failing}
        reasons = "; ".join(f"{clause} {message}" for clause, message in itertools.islice(findings.items(), 2))
        return _Step(f"not legal: {reasons}" if reasons else "not legal", action)
    try:
        return _Step("", action, position.apply(action, line.dice))
    except TitmError as error:
        return _Step(f"legal, but {error.faults[0].what}", action)


def _outcomes(first: _Step, second: _Step) -> tuple[Any, Any]:
    assert first.after is not None
    assert second.after is not None
    positions = first.after, second.after
    return rule_pair.split_by_answer(
        *(with_defaults(one.edition.model, one.situation, one.world.data) for one in positions)
    )


# ---------------------------------------------------------------------- two works at once
def at_once(here: Callable[[], FirstT], beside: Callable[[], SecondT]) -> tuple[FirstT, SecondT]:
    """Do two works, the second in a fork of this process, whose result must pickle; its exceptions are raised here.

    Where no fork is safe, as beside other threads, and where it ends without a result, the second is done afterwards.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return here(), beside()
    import multiprocessing  # which a browser's Python lacks

    if multiprocessing.current_process().daemon:
        return here(), beside()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work() -> None:
        receiver.close()
        try:
            sender.send((beside(), None))
        except Exception as error:
            sender.send((None, error))

    process = context.Process(target=work, daemon=True)
    process.start()
    sender.close()
    try:
        first = here()
        second, error = receiver.recv()
    except EOFError:
        return first, beside()
    finally:
        process.kill()
        process.join()
        receiver.close()
    if error is not None:
        raise error
    return first, second
