"""Play short games under several editions side by side."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from titm_rules.compare import results, rule_pair
from titm_rules.compare.counterexamples import SAME_CLAUSES, TellSearched, silent
from titm_rules.compare.rule_pair import Data, DecidingSets, Json, ModelPair
from titm_rules.compare.shrink import shrink
from titm_rules.compare.small_worlds import (
    RandomWorld,
    SentenceReads,
    Worlds,
    WorldSampler,
    at_each_time,
    declared,
    focused,
    likely,
    reads_around,
)
from titm_rules.diagnostics import TitmError, Undecided
from titm_rules.formats.file_schemas import PlayedCourse, SearchFile
from titm_rules.formats.validate import check_situation, with_defaults, without_defaults
from titm_rules.ir.model import BEGIN, Model, Question, head_key
from titm_rules.oracle.batch import Draft
from titm_rules.play.action import Action, Dice, Fell
from titm_rules.play.machine import Machine, MakeEngine
from titm_rules.play.options import Option

# ---------------------------------------------------------------------- one edition
LONGEST = 200  # automatic events in a row


@dataclass
class Playout:
    """One edition at one situation."""

    model: Model
    situation: str
    data: Json

    @property
    def can_begin(self) -> bool:
        key = head_key(self.situation, BEGIN)
        return key not in self.model.heads or not self._machine.engine.decide(key, {})

    @cached_property
    def legal(self) -> dict[str, Dice | None]:
        return {name: option.dice for name, option in self._options.items()}

    def outcome(self, action: str, fell: Fell) -> Json | None:
        """Return the situation after an action and the automatic events that follow it; nothing if it is not legal."""
        option = self._options.get(action)
        return None if option is None else self._after(option, fell)

    def outcomes(self, action: Action) -> list[Json]:
        """List the situations after one action, by how its dice fall; nothing if it is not legal."""
        try:
            option = self._machine.options.find(action)  # without a list of all others
        except Undecided:
            return []
        return [] if option is None else [self._after(option, fell) for fell in outcomes(option.dice)]

    def _after(self, option: Option, fell: Fell) -> Json:
        try:
            return Playout(self.model, self.situation, self._machine.after(option, fell)[0]).following()
        except Undecided as error:
            return {rule_pair.UNDECIDED: error.faults[0].what}

    def following(self) -> Json:
        """Return the situation after all automatic events, without what is the default anyway.

        Raises `Undecided` on contradictions and endless games.
        """
        data, machine = self.data, self._machine
        for _ in range(LONGEST):
            event = machine.next_automatic()
            if event is None:
                return without_defaults(self.model, self.situation, data)
            data = machine.after(event)[0]
            machine = rule_pair.machine_of(self.model, self.situation, data)
        raise Undecided.of("play", [])

    def look_at_everything(self, make: MakeEngine) -> None:
        """Look at all options, and at what comes of each, so that every clause that has a say is asked."""
        machine = rule_pair.machine_of(self.model, self.situation, self.data, make)
        for option in [*machine.options.listed(), *machine.options.automatic()]:
            for fell in outcomes(option.dice):
                after = rule_pair.machine_of(self.model, self.situation, machine.after(option, fell)[0], make)
                event = after.next_automatic()
                if event is not None:
                    after.after(event)

    @cached_property
    def _machine(self) -> Machine:
        return rule_pair.machine_of(self.model, self.situation, self.data)

    @cached_property
    def _options(self) -> dict[str, Option]:
        try:
            return {str(one.action): one for one in self._machine.options.listed()}
        except Undecided:
            return {}


def kind_of(action: str) -> str:
    return action.partition(" ")[0]


def outcomes(dice: Dice | None) -> list[Fell]:
    """List how dice can fall: how many succeed, or the faces where these count; 0 without dice."""
    return [0] if dice is None else [fell for fell, _ in dice.outcomes()]


def visible_state(view: object) -> object:
    """Give what an edition makes of a situation as JSON values: actions with their dice, or the next situation."""
    if isinstance(view, frozenset):
        return sorted(f"{name} ({dice.lowest}-{dice.highest})" if dice else name for name, dice in view)
    return view


def directions(first: object, second: object) -> tuple[bool, bool]:
    """Say whether the second edition has actions that the first lacks, and the reverse; other dice are neither."""
    if not (isinstance(first, frozenset) and isinstance(second, frozenset)):
        return False, False  # what comes of an action
    here, there = ({action for action, _ in view} for view in (first, second))
    return bool(there - here), bool(here - there)


# ---------------------------------------------------------------------- two editions
TRIED = 20  # sets of clauses of one size that are tried; rules made of two editions take long to compile
TRACED = 40  # differences in one matter that are traced to clauses; of further ones only the direction is reported


@dataclass(frozen=True)
class Divergence:
    """One matter of comparison: the legal actions of one kind, or the outcome of an action."""

    name: str
    view: Callable[[Playout], Any]


FOLLOWING = Divergence("following", Playout.following)


@dataclass(frozen=True)
class PlayedSituation:
    """A situation in games that some editions have played alike so far."""

    data: Json  # its values
    line: tuple[str, ...]  # the actions that led to it from `start`
    start: Json
    size: int  # how much of the first situation varies
    editions: tuple[str, ...]  # for which it is the same

    def with_action(self, action: str) -> tuple[str, ...]:
        return (*self.line, action) if action else self.line


def _read_node(row: Json) -> PlayedSituation:
    return PlayedSituation(**{**row, "line": tuple(row["line"]), "editions": tuple(row["editions"])})


@dataclass
class PlayoutPair:
    """Two editions and the differences in their play."""

    pair: ModelPair
    situation: str
    course: str
    _traced: dict[str, list[DecidingSets]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        clauses = self.pair.changed(self.pair.played)
        self.tally = results.EvidenceTally(self.pair, clauses, self.pair.played)
        how, proof = (results.SEARCHED, "") if clauses else (results.PROVED, SAME_CLAUSES)
        grades, apart = results.grades_of(self.pair, self.pair.played), self.pair.apart_in(self.situation)
        self.result = results.QuestionResult(
            results.PLAY, how, proof=proof, clauses=clauses, grades=grades, apart=apart
        )

    def differ(
        self, node: PlayedSituation, action: str, matter: Divergence, answers: tuple[Any, Any], number: int
    ) -> None:
        """Note that the two make different things of a situation, and keep it if it is the shortest of its cause."""
        self.result.turn(*directions(*answers))
        traced = self._traced.setdefault(matter.name, [])
        if len(traced) == TRACED:
            return
        cause = self._cause(node.data, matter, answers[1], traced)
        traced.append(cause)
        self.tally.decided.update(cause.clauses)
        line = node.with_action(action)
        known = next((one for one in self.result.found if one.cause == cause), None)
        if known is not None and len(known.line) <= len(line):
            return
        filled = (
            with_defaults(self.pair.second, self.situation, one) if isinstance(one, dict) else visible_state(one)
            for one in answers
        )
        only = rule_pair.split_by_answer(*filled)
        found = results.Counterexample(
            self.situation, node.start, {}, node.size, number, *only, cause, self.course, line
        )
        self.result.found = [*(one for one in self.result.found if one is not known), found]

    def _cause(self, data: Json, matter: Divergence, wanted: object, traced: Sequence[DecidingSets]) -> DecidingSets:
        """Trace a difference; causes of others are tried first, the last one in the same matter before all."""

        def turns(names: Iterable[str]) -> bool:
            return bool(matter.view(Playout(self.pair.mixture(names), self.situation, data)) == wanted)

        for one in dict.fromkeys([*traced[-1:], *(found.cause for found in self.result.found)]):
            if one.sets and turns(DecidingSets(one.sets[:1]).clauses):
                return one
        return rule_pair.causes(self.pair, self.result.clauses, turns, self.pair.played, TRIED)

    @property
    def progress(self) -> Json:
        """What is found so far, as JSON values; `go_on` takes it."""
        traced = {name: [one.listed for one in causes] for name, causes in self._traced.items()}
        return {"result": self.result.record(), "decided": self.tally.decided, "traced": traced}

    def go_on(self, progress: Json) -> None:
        self.result = results.read_result(progress["result"])
        self.tally.decided = Counter(progress["decided"])
        traced = progress["traced"]
        self._traced = {key: [DecidingSets(tuple(map(tuple, one))) for one in traced[key]] for key in traced}

    def finish(self, extent: results.Search, held: Mapping[int, set[int]], looked: int) -> results.QuestionResult:
        """Say what came of it; `held` has, by the identity of rules, the sentences that held where it was looked."""
        if self.result.how == results.SEARCHED:
            sides = self.tally.sides(self.result.clauses)
            holding = {
                rule_pair.speaker(one) for model, some in sides for one in some if id(one) in held.get(id(model), ())
            }
            self.result.searches.append(extent)
            self.result.evidence = self.tally.evidence(holding, looked)
        return self.result


# ---------------------------------------------------------------------- several editions
NODES = 160  # situations of one course that are compared, besides those with which games begin
STARTS = 3  # situations to begin with for each clause and kind of worlds
SCREENED, LEAST = 240, 80  # drafts from which those are chosen, for all clauses together, and for each at least
WALKS, STEPS = 6, 25  # games at random after that, and actions in each
LOOKED = 30  # situations of one course in which it is looked which clauses hold
NamePair = tuple[str, str]


ACTIONS = 3  # of a game that begins in declared worlds


def with_courses(search: SearchFile, model: Model) -> SearchFile:
    """Let games be played from the declared worlds of each situation that has events, if the file names no others."""
    if search.play:
        return search
    worlds = {f"any {name}": declared(model, name) for name in {one.situation: 0 for one in model.events.values()}}
    courses = [PlayedCourse(world=name, actions=ACTIONS) for name in worlds]
    return search.model_copy(update={"worlds": {**search.worlds, **worlds}, "play": courses})


def play_result(
    pair: ModelPair, search: SearchFile, tell: TellSearched = silent, nodes: int = NODES
) -> results.QuestionResult:
    """Say how the course of a game differs between two editions, with the shortest line of play for each cause.

    In every situation the same actions must be legal, with the same dice, and have the same outcome.
    """
    pair = rule_pair.side_by_side(pair)
    models = {"first": pair.first, "second": pair.second}
    courses = search.play if pair.changed(pair.played) else search.play[:1]
    found = results.joined([Games(models, search, course, tell, nodes).play()["first", "second"] for course in courses])
    found.found = [_least(pair, one) for one in found.found]
    return found


def _least(pair: ModelPair, found: results.Counterexample) -> results.Counterexample:
    """Leave out of a situation in which other actions are legal what the clauses that decide there do not need.

    A line of play needs the situation from which it starts as it is.
    """
    if found.line or not all(isinstance(only, list) for only in (found.first, found.second)):
        return found
    name, clauses = found.situation, pair.changed(pair.played)
    matter = _legal(kind_of([*found.first, *found.second][0]))

    def sides_in(data: Json) -> list[Playout]:
        return [Playout(model, name, data) for model in (pair.first, pair.second)]

    def is_still(side: Playout) -> bool:
        return side.can_begin and side.following() == without_defaults(side.model, name, side.data)

    def show(simpler: Data, _: Data) -> results.Counterexample | None:
        with suppress(TitmError):  # something is not there, or the rules decide nothing
            data = check_situation(pair.second, name, dict(simpler), f"$.{name}")
            first, second = map(matter.view, sides_in(data))
            if first == second or directions(first, second) != wanted or not all(map(is_still, sides_in(data))):
                return None
            cause = rule_pair.causes(
                pair, clauses, lambda names: bool(matter.view(Playout(pair.mixture(names), name, data)) == second),
                pair.played, TRIED,
            )  # fmt: skip
            only = rule_pair.split_by_answer(*map(visible_state, (first, second)))
            return replace(found, data=data, first=only[0], second=only[1]) if cause == found.cause else None
        return None

    wanted = directions(*map(matter.view, sides_in(dict(found.data))))
    nothing = Question(results.PLAY, name, (), "answers", "", (), (), ())
    return shrink(pair.second, nothing, found.data, {}, show) or found


def legal_in(
    pair: ModelPair, situations: Iterable[results.Counterexample], known: results.QuestionResult | None = None
) -> results.QuestionResult:
    """Compare which actions are legal in the situations of some questions, whichever side moves there, in any phase.

    What is found is added to what is `known` of the course of play.
    """
    pair, asked, result = rule_pair.side_by_side(pair), 0, known
    for one in situations:
        match = PlayoutPair(pair, one.situation, results.OTHERS)
        result = match.result = result or match.result
        for data in at_each_time(pair.second, one.situation, one.data):
            with suppress(TitmError):  # the rules decide nothing there
                sides = [Playout(model, one.situation, data) for model in (pair.first, pair.second)]
                if not all(side.can_begin for side in sides):
                    continue
                asked += 1
                node = PlayedSituation(data, (), data, one.size, ())
                for kind in sorted({kind_of(action) for side in sides for action in side.legal}):
                    first, second = map(_legal(kind).view, sides)
                    if first != second:
                        match.differ(node, "", _legal(kind), (first, second), asked)
    assert result is not None, "there is a situation"
    result.searches += [results.Search(results.OTHERS, None, asked, given=True)] if asked else []
    return result


class Games:
    """Plays games of one course under several editions; those that make the same of a situation go on together."""

    def __init__(
        self, models: Mapping[str, Model], search: SearchFile, course: PlayedCourse,
        tell: TellSearched = silent, nodes: int = NODES,
    ) -> None:  # fmt: skip
        """Prepare games under `models`, on one vocabulary and the oldest first; compare at most `nodes` situations."""
        self.models, self.course, self.tell, self.nodes = models, course, tell, nodes
        self.spec = search.worlds[course.world]
        self.newest = list(models.values())[-1]
        self.matches = {
            (a, b): PlayoutPair(ModelPair(models[a], models[b]), self.spec.situation, course.world)
            for a, b in itertools.combinations(models, 2)
        }
        self.sample: results.Sample[PlayedSituation] = results.Sample(LOOKED)
        self.seen: dict[str, list[frozenset[str]]] = {}
        self.asked = 0
        self.drawn: dict[str, list[PlayedSituation]] = {}  # by clause
        self.starts: list[PlayedSituation] | None = None
        self.waiting = deque[PlayedSituation]()
        self.rng = random.Random(1)
        self.walks: list[int] | None = None  # the numbers of the starts of games at random that are left

    def play(self, draft: Draft | None = None) -> dict[NamePair, results.QuestionResult]:
        """Play every game up to a length, then some longer ones at random; say for every two how they differ.

        A draft keeps what is done; an interrupted run goes on from there, to the same results.
        """
        draft = draft or Draft(None)
        for row in draft.read():
            self._go_on(row)
        if self.starts is None:
            self._draw(draft)
            self.starts = [one for node in self._sorted() for one in self._begun(node)]
            self.waiting.extend(self.starts)
        while self.waiting and self._left:
            draft.keep(self._progress)
            node = self.waiting.popleft()
            self.waiting.extend(after for after in self._compared(node) if len(after.line) < self.course.actions)
        self._walk(self.starts, draft)
        extent = results.Search(f"{self.course.world}, games of {self.course.actions} actions", None, self.asked)
        held = self._held()
        return {names: match.finish(extent, held, len(self.sample.kept)) for names, match in self.matches.items()}

    @property
    def _left(self) -> int:
        return max(0, len(self.starts or ()) + self.nodes - self.asked)

    def _progress(self) -> list[Json]:
        def rows(nodes: Iterable[PlayedSituation]) -> list[Json]:
            return [asdict(node) for node in nodes]

        row = {
            "drawn": {clause: rows(nodes) for clause, nodes in self.drawn.items()} if self.starts is None else {},
            "starts": None if self.starts is None else rows(self.starts),
            "waiting": rows(itertools.islice(self.waiting, self._left)),
            "seen": {key: [sorted(one) for one in known] for key, known in self.seen.items()},
            "sample": [rows(self.sample.kept), self.sample.stride, self.sample.seen],
            "matches": [match.progress for match in self.matches.values()],
            "asked": self.asked, "walks": self.walks, "rng": self.rng.getstate(),
        }  # fmt: skip
        return [row]

    def _go_on(self, row: Json) -> None:
        def nodes(rows: Iterable[Json]) -> list[PlayedSituation]:
            return list(map(_read_node, rows))

        self.drawn = {clause: nodes(rows) for clause, rows in row["drawn"].items()}
        self.starts = None if row["starts"] is None else nodes(row["starts"])
        self.waiting = deque(nodes(row["waiting"]))
        self.seen = {key: [frozenset(one) for one in known] for key, known in row["seen"].items()}
        kept, stride, seen = row["sample"]
        self.sample = results.Sample(LOOKED, nodes(kept), stride, seen)
        for match, progress in zip(self.matches.values(), row["matches"], strict=True):
            match.go_on(progress)
        self.asked, self.walks = row["asked"], row["walks"]
        version, state, gauss = row["rng"]
        self.rng.setstate((version, tuple(state), gauss))

    # ------------------------------------------------------------------ where games begin
    def _draw(self, draft: Draft) -> None:
        """Draw situations to begin with: in those of a clause what it looks at varies."""
        looked_at = self._reads()
        many = max(LEAST, SCREENED // max(len(looked_at), 1))
        for clause, (pair, reads) in looked_at.items():
            if clause in self.drawn:
                continue
            rng, drawn = random.Random(f"{self.course.world} {clause}"), list[PlayedSituation]()
            for others, one in enumerate(reads):
                spec = focused(self.spec, self.newest, one, others=bool(others))
                drawing = WorldSampler(Worlds(spec, {}), likely(self.newest, spec.situation, one))
                drawn += self._chosen(drawing, [drawing.draw(rng) for _ in range(many)], pair, clause)
            self.drawn[clause] = drawn
            draft.keep(self._progress)

    def _sorted(self) -> list[PlayedSituation]:
        """List what was drawn, the smaller first."""
        return sorted((node for nodes in self.drawn.values() for node in nodes), key=lambda one: one.size)

    def _chosen(
        self, drawing: WorldSampler, drafts: Sequence[RandomWorld], pair: ModelPair, clause: str
    ) -> list[PlayedSituation]:
        """Choose drafts: first those in which a clause alone makes other actions legal, then where it could speak."""
        nodes = [PlayedSituation(drawing.made(draft)[0], (), {}, drawing.size(draft), ()) for draft in drafts]
        alone, kinds = pair.mixture([clause]), pair.events_of(clause)
        return sorted(nodes, key=lambda node: self._rank(node.data, pair.first, alone, kinds))[:STARTS]

    def _rank(self, data: Json, first: Model, second: Model, kinds: frozenset[str]) -> int:
        """Rank a situation: other actions are legal, or some of these kinds, or neither, or no game begins there."""
        try:
            one, other = (Playout(model, self.spec.situation, self._checked(data)) for model in (first, second))
            if not (one.can_begin and other.can_begin):
                return 3
            return 0 if one.legal != other.legal else 1 if kinds & set(map(kind_of, other.legal)) else 2
        except TitmError:
            return 3

    def _checked(self, data: Json) -> Json:
        return check_situation(self.newest, self.spec.situation, data, f"$.{self.spec.situation}")

    def _reads(self) -> dict[str, tuple[ModelPair, tuple[SentenceReads, SentenceReads]]]:
        """Collect for each clause two editions that differ in it, what it looks at, and what others do beside it."""
        nothing = SentenceReads()
        found: dict[str, tuple[ModelPair, tuple[SentenceReads, SentenceReads]]] = {}
        for names in itertools.pairwise(self.models):
            for clause in self.matches[names].result.clauses:
                pair = self.matches[names].pair
                own, beside = reads_around(pair, clause, pair.played, pair.events_of(clause))
                first, (near, wide) = found.get(clause, (pair, (nothing, nothing)))
                found[clause] = first, (near.besides(own), wide.besides(beside))
        return found

    def _begun(self, node: PlayedSituation) -> Iterator[PlayedSituation]:
        """Apply automatic events; editions with the same result go on together."""
        try:
            data = self._checked(node.data)
            first = replace(node, data=data, start=data, editions=tuple(self.models))
            sides = {name: side for name, side in self._sides(first).items() if side.can_begin}
            yield from self._parted(first, "", sides, FOLLOWING)
        except TitmError:
            return  # what a situation names is not there, or the rules decide nothing

    def _walk(self, starts: Sequence[PlayedSituation], draft: Draft) -> None:
        if self.walks is None:
            self.walks = self.rng.sample(range(len(starts)), min(WALKS, len(starts), self.nodes // 10))
        while self.walks:
            draft.keep(self._progress)
            node = starts[self.walks.pop(0)]
            for _ in range(STEPS):
                after = list(self._compared(node, at_random=self.rng))
                if not after:
                    break
                node = self.rng.choice(after)

    # ------------------------------------------------------------------ one situation
    def _sides(self, node: PlayedSituation) -> dict[str, Playout]:
        return {name: Playout(self.models[name], self.spec.situation, node.data) for name in node.editions}

    def _compared(self, node: PlayedSituation, at_random: random.Random | None = None) -> Iterator[PlayedSituation]:
        """Compare what editions make of a situation; yield the situations after it that two or more share."""
        self.asked += 1
        if self.asked % 20 == 0:
            self.tell(results.PLAY, self.asked)
        self.sample.keep(node)
        sides = self._sides(node)
        actions = sorted({action for side in sides.values() for action in side.legal})
        for kind in sorted(set(map(kind_of, actions))):
            self._differ(node, "", sides, _legal(kind))
        if at_random is not None and actions:
            actions = [at_random.choice(actions)]
        for action in actions:
            yield from self._after(node, action, sides, at_random is not None)

    def _after(
        self, node: PlayedSituation, action: str, sides: Mapping[str, Playout], again: bool
    ) -> Iterator[PlayedSituation]:
        takers = {name: side for name, side in sides.items() if action in side.legal}
        for dice in {side.legal[action]: None for side in takers.values()}:
            able = {name: side for name, side in takers.items() if side.legal[action] == dice}
            for fell in outcomes(dice) if len(able) > 1 else ():
                thrown = f"{fell} successes" if isinstance(fell, int) else f"dice {' '.join(map(str, fell))}"
                taken = f"{action} ({thrown})" if fell else action
                yield from self._parted(node, taken, able, _after(action, fell), again)

    def _parted(
        self, node: PlayedSituation, action: str, sides: Mapping[str, Playout], matter: Divergence, again: bool = False
    ) -> Iterator[PlayedSituation]:
        """Note which editions differ in the next situation; yield it for those that share it, if it is new."""
        found = self._differ(node, action, sides, matter)
        groups: dict[str, list[str]] = {}
        for name, data in found.items():
            if data is not None and rule_pair.UNDECIDED not in data:
                text = json.dumps(data, sort_keys=True).encode()
                groups.setdefault(hashlib.blake2b(text, digest_size=16).hexdigest(), []).append(name)
        for key, names in groups.items():
            if len(names) > 1 and (self._is_new(key, frozenset(names)) or again):
                yield replace(node, data=found[names[0]], line=node.with_action(action), editions=tuple(names))

    def _is_new(self, key: str, editions: frozenset[str]) -> bool:
        known = self.seen.setdefault(key, [])
        new = not any(editions <= one for one in known)
        known.append(editions)
        return new

    def _differ(
        self, node: PlayedSituation, action: str, sides: Mapping[str, Playout], matter: Divergence
    ) -> dict[str, Any]:
        found = {name: matter.view(side) for name, side in sides.items()}
        for one, other in itertools.combinations(found, 2):
            if found[one] != found[other]:
                self.matches[one, other].differ(node, action, matter, (found[one], found[other]), self.asked)
        return found

    def _held(self) -> dict[int, set[int]]:
        """Look in the situations that were kept which sentences hold, of clauses that decided nothing."""
        wanted: dict[int, tuple[Model, set[int]]] = {}
        for match in self.matches.values():
            for model, sentences in match.tally.sides(match.tally.undecided):
                wanted.setdefault(id(model), (model, set()))[1].update(map(id, sentences))
        found: dict[int, set[int]] = {key: set() for key in wanted}
        for node in reversed(self.sample.kept):
            for key, (model, watched) in wanted.items():
                left = {one: str(one) for one in watched - found[key]}
                if left:
                    look = Playout(model, self.spec.situation, node.data).look_at_everything
                    found[key] |= set(map(int, results.held_in(model, left, look)))
        return found


def _legal(kind: str) -> Divergence:
    return Divergence(
        f"legal {kind}", lambda side: frozenset(one for one in side.legal.items() if kind_of(one[0]) == kind)
    )


def _after(action: str, fell: Fell) -> Divergence:
    return Divergence(f"after {kind_of(action)}", lambda side: side.outcome(action, fell))
