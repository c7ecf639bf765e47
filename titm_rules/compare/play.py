"""Differences that only show in play: short games under several editions side by side, from small situations."""

from __future__ import annotations

import itertools
import json
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from titm_rules.compare.answers import UNDECIDED, EngineFor, side_by_side
from titm_rules.compare.drawn import Draft, Drawing
from titm_rules.compare.evidence import Sample, held_in
from titm_rules.compare.focus import focused, likely
from titm_rules.compare.match import Matter, PlayedPair, PlayedSituation
from titm_rules.compare.reads import SentenceReads, reads_beside, reads_of
from titm_rules.compare.results import PLAY, QuestionResult, Search, joined
from titm_rules.compare.rules import ModelPair
from titm_rules.compare.side import Side, kind_of, outcomes
from titm_rules.compare.worlds import Worlds
from titm_rules.diagnostics import TitmError
from titm_rules.formats.search import PlayedCourse, SearchFile
from titm_rules.formats.values import check_situation
from titm_rules.play.chance import Fell
from titm_rules.rules.model import Model

NODES = 160  # situations of one course that are compared, besides those with which games begin
STARTS = 3  # situations to begin with for each clause and kind of worlds
SCREENED, LEAST = 240, 80  # drafts from which those are chosen, for all clauses together, and for each at least
WALKS, STEPS = 6, 25  # games at random after that, and actions in each
LOOKED = 30  # situations of one course in which it is looked which clauses hold
FOLLOWING = Matter("following", lambda side: side.following())
Json = dict[str, Any]
Tell = Callable[[str, int], None]
NamePair = tuple[str, str]


def play_result(
    pair: ModelPair, search: SearchFile, tell: Tell = lambda _name, _count: None, nodes: int = NODES
) -> QuestionResult:
    """Say how the course of a game differs between two editions, with the shortest line of play for each cause.

    In every situation the same actions must be legal, with the same dice, and have the same outcome. Games are
    played in growing length from the situations that the search file names, then at random.

    Args:
        pair: the two editions.
        search: names where games begin.
        tell: is told how many situations were compared.
        nodes: compare at most so many for each kind of beginning, besides those with which games begin.
    """
    pair = side_by_side(pair)
    models = {"first": pair.first, "second": pair.second}
    courses = search.play if pair.changed(pair.played()) else search.play[:1]
    return joined([played(models, search, course, tell, nodes)["first", "second"] for course in courses])


def played(
    models: Mapping[str, Model], search: SearchFile, course: PlayedCourse,
    tell: Tell = lambda _name, _count: None, nodes: int = NODES,
) -> dict[NamePair, QuestionResult]:  # fmt: skip
    """Play the games of one course under several editions at once; say for every two how they differ.

    Args:
        models: the editions by name, on one vocabulary, the oldest first.
        search: names where games begin.
        course: where these begin.
        tell: is told how many situations were compared.
        nodes: compare at most so many, besides those with which games begin and games at random.
    """
    return _Games(models, search, course, tell, nodes).play()


class _Games:
    """Plays games of one course under several editions; those that make the same of a situation go on together."""

    def __init__(
        self, models: Mapping[str, Model], search: SearchFile, course: PlayedCourse, tell: Tell, nodes: int
    ) -> None:
        self.models, self.search, self.course, self.tell, self.nodes = models, search, course, tell, nodes
        self.spec = search.worlds[course.world]
        self.newest = list(models.values())[-1]
        self.matches = {
            (a, b): PlayedPair(ModelPair(models[a], models[b]), self.spec.situation, course.world)
            for a, b in itertools.combinations(models, 2)
        }
        self.sample: Sample[PlayedSituation] = Sample(LOOKED)
        self.seen: dict[str, list[frozenset[str]]] = {}
        self.asked = 0

    def play(self) -> dict[NamePair, QuestionResult]:
        """Play every game up to a length, then some longer ones at random."""
        starts = list(self._starts())
        waiting = deque(starts)
        while waiting and self.asked < len(starts) + self.nodes:
            node = waiting.popleft()
            waiting.extend(after for after in self._compared(node) if len(after.line) < self.course.actions)
        self._walk(starts)
        extent = Search(f"{self.course.world}, games of {self.course.actions} actions", None, self.asked)
        held = self._held()
        return {names: match.finish(extent, held, len(self.sample.kept)) for names, match in self.matches.items()}

    # ------------------------------------------------------------------ where games begin
    def _starts(self) -> Iterator[PlayedSituation]:
        """Yield situations to begin with: in those of a clause what it looks at varies, the smaller first."""
        drawn: list[PlayedSituation] = []
        looked_at = self._reads()
        many = max(LEAST, SCREENED // max(len(looked_at), 1))
        for clause, (pair, reads) in looked_at.items():
            rng = random.Random(f"{self.course.world} {clause}")
            for others, one in enumerate(reads):
                spec = focused(self.spec, self.newest, one, others=bool(others))
                drawing = Drawing(Worlds(spec, {}), likely(self.newest, spec.situation, one))
                drawn += self._chosen(drawing, [drawing.draw(rng) for _ in range(many)], pair, clause)
        for node in sorted(drawn, key=lambda one: one.size):
            yield from self._begun(node)

    def _chosen(self, drawing: Drawing, drafts: Sequence[Draft], pair: ModelPair, clause: str) -> list[PlayedSituation]:
        """Choose drafts: first those in which a clause alone makes other actions legal, then where it could speak."""
        nodes = [PlayedSituation(drawing.made(draft)[0], (), {}, drawing.size(draft), ()) for draft in drafts]
        alone, kinds = pair.mixture([clause]), pair.events_of(clause)
        return sorted(nodes, key=lambda node: self._rank(node.data, pair.first, alone, kinds))[:STARTS]

    def _rank(self, data: Json, first: Model, second: Model, kinds: frozenset[str]) -> int:
        """Rank a situation: other actions are legal, or some of these kinds, or neither, or no game begins there."""
        try:
            one, other = (Side(model, self.spec.situation, self._checked(data)) for model in (first, second))
            if not (one.can_begin and other.can_begin):
                return 3
            return 0 if one.legal != other.legal else 1 if kinds & set(map(kind_of, other.legal)) else 2
        except TitmError:
            return 3

    def _checked(self, data: Json) -> Json:
        return check_situation(self.newest, self.spec.situation, data, f"$.{self.spec.situation}")

    def _reads(self) -> dict[str, tuple[ModelPair, tuple[SentenceReads, SentenceReads]]]:
        """Collect for each clause two editions that differ in it, what it looks at, and what others do beside it."""
        nothing = SentenceReads(frozenset(), frozenset())
        found: dict[str, tuple[ModelPair, tuple[SentenceReads, SentenceReads]]] = {}
        for names in itertools.pairwise(self.models):
            match = self.matches[names]
            for clause in match.result.clauses:
                own = reads_of(match.pair, [clause], match.heads)
                events = match.pair.events_of(clause)
                beside = own.besides(reads_beside(match.pair, [clause], match.heads, events))
                pair, (near, wide) = found.get(clause, (match.pair, (nothing, nothing)))
                found[clause] = pair, (near.besides(own), wide.besides(beside))
        return found

    def _begun(self, node: PlayedSituation) -> Iterator[PlayedSituation]:
        """Let happen what happens by itself; those editions go on together that make the same of it."""
        try:
            data = self._checked(node.data)
            first = replace(node, data=data, start=data, editions=tuple(self.models))
            sides = {name: side for name, side in self._sides(first).items() if side.can_begin}
            yield from self._parted(first, "", sides, FOLLOWING)
        except TitmError:
            return  # what a situation names is not there, or the rules decide nothing

    def _walk(self, starts: Sequence[PlayedSituation]) -> None:
        rng = random.Random(1)
        for start in rng.sample(starts, min(WALKS, len(starts), self.nodes // 10)):
            node = start
            for _ in range(STEPS):
                after = list(self._compared(node, at_random=rng))
                if not after:
                    break
                node = rng.choice(after)

    # ------------------------------------------------------------------ one situation
    def _sides(self, node: PlayedSituation) -> dict[str, Side]:
        return {name: Side(self.models[name], self.spec.situation, node.data) for name in node.editions}

    def _compared(self, node: PlayedSituation, at_random: random.Random | None = None) -> Iterator[PlayedSituation]:
        """Compare what editions make of a situation; yield the situations after it that two or more share."""
        self.asked += 1
        if self.asked % 20 == 0:
            self.tell(PLAY, self.asked)
        self.sample.keep(node)
        sides = self._sides(node)
        for kind in sorted({kind_of(action) for side in sides.values() for action in side.legal}):
            self._differ(node, "", {name: side.legal_of(kind) for name, side in sides.items()}, _legal(kind))
        common = sorted({action for side in sides.values() for action in side.legal})
        if at_random is not None and common:
            common = [at_random.choice(common)]
        for action in common:
            yield from self._after(node, action, sides, at_random is not None)

    def _after(
        self, node: PlayedSituation, action: str, sides: Mapping[str, Side], again: bool
    ) -> Iterator[PlayedSituation]:
        """Yield the situations after an action, for the editions in which it is legal with the same dice."""
        takers = {name: side for name, side in sides.items() if action in side.legal}
        for dice in {side.legal[action]: None for side in takers.values()}:
            able = {name: side for name, side in takers.items() if side.legal[action] == dice}
            for fell in outcomes(dice) if len(able) > 1 else ():
                told = f"{action} ({_told(fell)})" if fell else action
                yield from self._parted(node, told, able, _after(action, fell), again)

    def _parted(
        self, node: PlayedSituation, action: str, sides: Mapping[str, Side], matter: Matter, again: bool = False
    ) -> Iterator[PlayedSituation]:
        """Note which editions differ in the next situation; yield it for those that share it, if it is new."""
        found = {name: matter.view(side) for name, side in sides.items()}
        self._differ(node, action, found, matter)
        groups: dict[str, list[str]] = {}
        for name, data in found.items():
            if data is not None and UNDECIDED not in data:
                groups.setdefault(json.dumps(data, sort_keys=True), []).append(name)
        for key, names in groups.items():
            if len(names) > 1 and (self._is_new(key, frozenset(names)) or again):
                line = (*node.line, *([action] if action else []))
                yield PlayedSituation(found[names[0]], line, node.start, node.size, tuple(names))

    def _is_new(self, key: str, editions: frozenset[str]) -> bool:
        known = self.seen.setdefault(key, [])
        new = not any(editions <= one for one in known)
        known.append(editions)
        return new

    def _differ(self, node: PlayedSituation, action: str, found: Mapping[str, Any], matter: Matter) -> None:
        for one, other in itertools.combinations(found, 2):
            if found[one] != found[other]:
                self.matches[one, other].differ(node, action, matter, (found[one], found[other]), self.asked)

    # ------------------------------------------------------------------ which clauses held
    def _held(self) -> dict[int, frozenset[int]]:
        """Look in the situations that were kept which sentences hold, of clauses that decided nothing."""
        wanted: dict[int, tuple[Model, set[int]]] = {}
        for match in self.matches.values():
            for model, sentences in match.undecided():
                wanted.setdefault(id(model), (model, set()))[1].update(sentences)
        found: dict[int, set[int]] = {key: set() for key in wanted}
        for node in reversed(self.sample.kept):
            for key, (model, watched) in wanted.items():
                found[key] |= self._held_at(node, model, watched - found[key])
        return {key: frozenset(one) for key, one in found.items()}

    def _held_at(self, node: PlayedSituation, model: Model, watched: set[int]) -> set[int]:
        side = Side(model, self.spec.situation, node.data)

        def look(_: Model, make: EngineFor) -> None:
            side.look_at_everything(make)

        return {int(one) for one in held_in(model, {one: str(one) for one in watched}, look)} if watched else set()


def _legal(kind: str) -> Matter:
    return Matter(f"legal {kind}", lambda side: side.legal_of(kind))


def _after(action: str, fell: Fell) -> Matter:
    return Matter(f"after {kind_of(action)}", lambda side: side.outcome(action, fell))


def _told(fell: Fell) -> str:
    """Tell how dice fell."""
    return f"{fell} successes" if isinstance(fell, int) else f"dice {' '.join(map(str, fell))}"
