"""Positions: situations under an edition, their questions, their legal actions, and the result of a game."""

from __future__ import annotations

import hashlib
import itertools
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from titm_rules.catalog import game_name
from titm_rules.diagnostics import Fault, InputError, TitmError, Undecided, cut, did_you_mean, moved_to
from titm_rules.engines.engine import Engine
from titm_rules.engines.query import AnswerEvaluator, BoundQuestion, find_question, see
from titm_rules.explain.explain import faults_to_begin, faults_to_end
from titm_rules.explain.verdict import ILLEGAL, Verdict
from titm_rules.formats.safe_json import bad, parse_json
from titm_rules.formats.validate import check_input, check_situation, without_defaults
from titm_rules.ir.model import RETURNS, STANDING, WINNER, EnumSpec, Event, Model
from titm_rules.ir.types import Type
from titm_rules.maps.expand import NO_MAP, Naming, open_situation
from titm_rules.oracle.edition import Edition
from titm_rules.play.action import Action, Dice, Fell, make_action, read_action, thrown
from titm_rules.play.effects import Change
from titm_rules.play.machine import Happened, LegalActions, Machine, resolve, resolve_after
from titm_rules.play.options import Option
from titm_rules.world.evaluate import need_possible, refuse_impossible
from titm_rules.world.records import to_json
from titm_rules.world.world import World

if TYPE_CHECKING:
    from titm_rules.oracle.odds import Odds, Plans
    from titm_rules.oracle.planning import FoundChoices


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game has ended.

    Attributes:
        winner: the side that has won; nothing for a draw, or if the rule set names none.
        returns: what that is worth, by side, in the units of the rule set; 1 and -1 where it counts none, 0 for a draw.
        result: the summary of the last position, such as its points and the level of victory.
    """

    winner: str | None
    returns: Mapping[str, int]
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Victory:
    """The result of a game in one situation, by side: what it is worth, and the standing if the rules give one."""

    winner: str | None
    returns: Mapping[str, int]
    standing: Mapping[str, int]


def victory_in(model: Model, situation: str, engine: Engine, sides: Sequence[str]) -> Victory:
    """Ask the rule set who has won in a situation, and what is worth how much to whom."""
    answers = AnswerEvaluator(model, engine).answers(model.victories.get(situation, ()), {})
    winner = answers.get(WINNER)
    worth = {side: 0 if winner is None else 1 if side == winner else -1 for side in sides}
    returns = answers.get(RETURNS) or worth
    return Victory(winner, returns, answers.get(STANDING, {}))


class IllegalAction(InputError):
    """An action that is not legal in its position; `verdict` says why."""

    def __init__(self, action: Action, verdict: Verdict) -> None:
        what, why = f"`{action}` is not legal here", verdict.sentence()
        fix = "; ".join(verdict.alternatives) or "choose a legal action"
        super().__init__([Fault(what, "$.action", why, fix, kind="illegal-action")])
        self.verdict = verdict


MAX_FOLLOWING = 1_000


def _to_json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """A situation under an edition; immutable, hashable, to and from JSON and YAML.

    Attributes:
        edition: the rules that judge it.
        situation: which situation of the rule set it is, such as `position`.
    """

    edition: Edition
    situation: str
    _data: Mapping[str, Any] = field(repr=False)
    _naming: Naming = field(default=NO_MAP, repr=False)
    _is_settled: bool = field(default=False, repr=False)
    _draw: ClassVar[Callable[[Position], str] | None] = None

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], edition: Edition | None = None, situation: str = "position", path: str = "$"
    ) -> Position:
        """Make a position from JSON values; what is the default anyway is left out, so that like positions are equal.

        `path` is the place of the situation in the input. Raises `InputError` with every fault of the data.
        """
        edition, where = edition or Edition(), f"{path}.{situation}"
        opened = open_situation(edition.model, situation, data, where)
        try:
            checked = check_situation(edition.model, situation, opened.data, where)
            lean = without_defaults(edition.model, situation, checked)
            return cls(edition, situation, lean, opened.naming)._resolved(where)
        except InputError as error:
            raise opened.as_given(error) from None

    @classmethod
    def from_notation(
        cls, text: str, edition: Edition | None = None, path: str = "$", situation: str = "position"
    ) -> Position:
        """Make a position from its notation on one line; the rules are those of the edition and no others.

        Raises `InputError` for a text that is not a notation, or unknown names in it.
        """
        from titm_rules.maps.notation import data_of_notation

        edition = edition or Edition()
        return cls.from_dict(data_of_notation(edition.model, situation, text, path), edition, situation)

    @property
    def notation(self) -> str:
        """The position on one line that may stand in a URL; `from_notation` reads it back."""
        from titm_rules.maps.notation import notation_of

        preferred = [str(overlay) for overlay in self.edition.overlays]
        return notation_of(self.edition.model, self.situation, self._data, self._naming.named, preferred)

    @classmethod
    def from_json(cls, text: str, edition: Edition | None = None, situation: str = "position") -> Position:
        """Make a position from JSON text; raises `InputError` for bad JSON or bad data."""
        return cls.from_dict(parse_json(text), edition, situation)

    @classmethod
    def from_file(cls, path: str | Path, edition: Edition | None = None) -> Position:
        """Read a position (or another situation) from a JSON or YAML file, or what ships under a name like `campaign`.

        The file holds a bare situation, a case with its question, a case built on another, or a scenario, which lays
        its special rules over those of the edition. Without one the rules are those that the file names. Raises
        `InputError` for a file that cannot be read, or bad data.
        """
        from titm_rules.oracle.case import Rules, open_case

        case = open_case(Path(path), Rules.of_edition(edition) if edition is not None else None)
        return cls.from_dict(case.data, case.edition, case.situation)

    def to_dict(self) -> dict[str, Any]:
        """Give JSON values that it can be made from; if it was made on a map, they name the map."""
        copied: dict[str, Any] = json.loads(self.to_json())
        return copied

    def to_json(self) -> str:
        """Write it as JSON, keys sorted; if it was made on a map, it names the map."""
        return _to_json({**self._naming.named, **self._naming.without_map(self._data)})

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: object) -> Position:
        return self

    def __reduce__(self) -> tuple[Callable[..., Position], tuple[object, ...]]:
        return Position.from_dict, (self.to_dict(), self.edition, self.situation)

    def to_yaml(self) -> str:
        """Write it as YAML."""
        import yaml

        text: str = yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)
        return text

    @property
    def summary_line(self) -> str:
        """The summary on one line, without values that are false or missing: `turn 3, impulse german`."""
        values = {name: value for name, value in self.summary.items() if value is not None and value is not False}
        return ", ".join(name if value is True else f"{name} {value}" for name, value in values.items())

    def __repr__(self) -> str:
        rules = f"{game_name(self.edition.game)} {self.edition.label}"
        try:
            when = self.summary_line
        except TitmError:
            when = "no game can continue from it"
        units = f"{len(self.units)} units" if self.units else ""
        return f"<{'; '.join(part for part in (f'{self.situation} of {rules}', when, units) if part)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Edition, str, str]:
        return self.edition, self.situation, self.to_json()

    @cached_property
    def world(self) -> World:
        """Its records, each reference resolved; they are to be looked at only."""
        return resolve(self.edition.model, self.situation, dict(self._data))

    def _resolved(self, where: str) -> Position:
        """Resolve its references now; `where` is its path in the input, for faults."""
        try:
            _ = self.world
        except InputError as error:
            raise moved_to(error, f"$.{self.situation}", where) from None
        refuse_impossible(self.world, where)
        return self

    def ask(self, query: str, **inputs: object) -> dict[str, Any]:
        """Answer a question of the protocol about this position; raises `InputError` for a bad question or input."""
        return self.asked(query, inputs).answer()

    def asked(self, query: str, inputs: Mapping[str, Any], path: str = "$.input", anew: bool = False) -> BoundQuestion:
        """Put a question about this position to an engine; raises `InputError` for a bad question or input.

        `inputs` is what it takes besides the situation, `path` its place, for errors; with `anew` the engine is a new
        one, so that the question can be put again under other rules.
        """
        question = find_question(self.edition.model, query)
        given = self._naming.input_ids(question.inputs, inputs)
        if question.situation != self.situation:
            return self.edition.ask(query, {self.situation: self._data, **given}, path)
        raw = check_input(self.edition.model, question, given, path, whole=False)
        if anew or self.world.origin is not self.world:
            return self.edition.put(question, self._data, raw, path)
        return BoundQuestion(self.edition.model, question, self._machine.engine, self.world, raw, path)

    def check(self, query: str, **inputs: object) -> Verdict:
        """Answer a question with its reasons; raises `InputError` for an unknown question or bad input."""
        return self.verdict(query, inputs)

    def verdict(
        self, query: str, inputs: Mapping[str, Any], all_readings: bool = False, path: str = "$.input"
    ) -> Verdict:
        """Answer a question with its reasons, as `check`; with `all_readings` it may depend on them."""
        return self.edition.explained(self.asked(query, inputs, path, anew=True), all_readings, self.notes)

    @property
    def is_current(self) -> bool:
        """Whether the same values would still make it: the file of the map that it was made on has not changed."""
        return self._naming.is_current

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings about the map that the position was made on."""
        return self._naming.facts.notes

    @property
    def map_title(self) -> str:
        """The title of the map that the position was made on; empty without one."""
        return self._naming.facts.title

    @property
    def layout(self) -> dict[str, tuple[float, float]]:
        """Where the map that it was made on draws its places, x to the east and y to the south; may be empty."""
        return self._naming.facts.layout

    @property
    def origins(self) -> dict[str, str]:
        """The basis of each place of the map that it was made on, by id; may be empty."""
        return self._naming.facts.origins

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that the map it was made on prints at places; may be empty."""
        return self._naming.facts.numbers

    @property
    def rivers(self) -> dict[str, str]:
        """The names of the rivers that its connections cross, as far as its map knows them; may be empty."""
        return self._naming.facts.rivers

    @property
    def bases(self) -> dict[str, int]:
        """Count the data of the map that it was made on: attested, deduced, reconstructed; may be empty."""
        return self._naming.facts.bases

    def under(self, edition: Edition) -> Position:
        """Give the same position under other rules; raises `InputError` if they lack something that it has."""
        where = f"$.{self.situation}"
        data = check_situation(edition.model, self.situation, self._data, where)
        return Position(edition, self.situation, data, self._naming)._resolved(where)

    @classmethod
    def drawn_by(cls, draw: Callable[[Position], str]) -> None:
        """Let positions draw themselves, as SVG, with a function; pictures register themselves here."""
        cls._draw = draw

    def _repr_svg_(self) -> str | None:
        """Draw it, for notebooks; nothing if nobody has registered to draw it."""
        draw = Position._draw
        return draw(self) if draw is not None else None

    def place_id(self, name: str) -> str:
        """Give the id of a place by any name that the map knows; a name that it does not know comes back."""
        return self._naming.place_id(name)

    def words(self, action: Action) -> tuple[str, ...]:
        """Write the choices of an action as records do: on a map, places and connections go by their numbers."""
        return self._renamed(action, self._naming.to_numbers).words

    def read(self, kind: str, by: str, words: Sequence[str], path: str = "$.action") -> Action:
        """Read an action of the rules back from its words; on a map, any name of a place may replace its id.

        Raises `InputError` for an action that the rules do not know, or too few or too many words.
        """
        return self._understood(read_action(self._event(kind, path), by, words, path))

    def chosen(self, kind: str, by: str, choices: Mapping[str, object], path: str = "$.action") -> Action:
        """Make an action of the rules from its choices by name; on a map, any name of a place may replace its id.

        Raises `InputError` for an action that the rules do not know, or other choices than it asks for.
        """
        return self._understood(make_action(self._event(kind, path), by, choices, path))

    def _event(self, kind: str, path: str) -> Event:
        events = self.edition.model.events
        if kind not in events:
            raise bad(f"unknown action `{cut(kind)}`", path, did_you_mean(kind, events), "unknown-name")
        return events[kind]

    def with_actor(self, action: Action) -> Action | None:
        """Return an action with the side that may take it as its actor; `None` if none may."""
        event = self.edition.model.events[action.kind]
        if event.actor is None or event.situation != self.situation:
            return None
        machine = self.settled._machine
        return next((option.action for option in machine.options.of(event, dict(action.choices))), None)

    def taken_by_whoever_may(self, action: Action) -> Action | None:
        """Return `with_actor` of an action (deprecated: call that)."""
        warnings.warn("call `with_actor`", DeprecationWarning, stacklevel=2)
        return self.with_actor(action)

    @property
    def sides(self) -> tuple[str, ...]:
        """Name those who may act in the game."""
        return tuple(text for enum in self._acting for text in enum.texts)

    def names_a_side(self, word: str) -> bool:
        """Whether a word is that of one who may act in the game, or another one for it."""
        return any(word in enum.read for enum in self._acting)

    @property
    def _acting(self) -> list[EnumSpec]:
        model = self.edition.model
        types = [event.actor.type.name for event in model.events.values() if event.actor is not None]
        return [model.enums[name] for name in dict.fromkeys(types) if name in model.enums]

    def known_id(self, name: str, path: str) -> str:
        """Give the id of a piece or, by any name on the map, of a place; raises `InputError` if there is none."""
        roles = [record.name for record in self.edition.model.records.values() if record.role in ("piece", "place")]
        found = name if any(self.world.named(role, name) for role in roles) else self.place_id(name)
        known = [one for role in roles for one in self.world.ids(role)]
        if found not in known:
            raise bad(f"unknown piece or place `{cut(name)}`", path, did_you_mean(name, known), "unknown-name")
        return found

    @property
    def units(self) -> dict[str, dict[str, Any]]:
        """The pieces by id, in the order of the position: every field by its name, as JSON values."""
        model = self.edition.model
        specs = [record for record in model.records.values() if record.role == "piece"]
        pieces = ((spec, self.world.named(spec.name, name)) for spec in specs for name in self.world.ids(spec.name))
        return {
            piece.id: {field.json: to_json(model, field.type, getattr(piece, field.name)) for field in spec.fields}
            for spec, piece in pieces
        }

    def view(self, name: str, of: str, path: str = "$.input") -> dict[str, Any]:
        """Show a part of the position as the situation that a view makes of it, such as a place as a battle.

        Raises `InputError` for a part that is not there.
        """
        model = self.edition.model
        view = model.views[name]
        [(param, wanted)] = view.params
        given = self._naming.ids(wanted, of)
        record = self.world.value(wanted, given, path)
        return dict(see(view, model, self._machine.engine, {param: record}).data)

    def _understood(self, action: Action) -> Action:
        model, actor = self.edition.model, self.edition.model.events[action.kind].actor
        by = action.by if actor is None else model.text_of(actor.type, action.by)
        named = self._renamed(replace(action, by=by), model.text_of)
        return self._renamed(named, self._naming.ids)

    def _renamed(self, action: Action, rename: Callable[[Type, Any], Any]) -> Action:
        types = dict(self.edition.model.events[action.kind].params)
        return replace(action, choices=tuple((name, rename(types[name], value)) for name, value in action.choices))

    def odds(self, query: str, **inputs: object) -> Odds | None:
        """Give the exact odds of the plan that a question judges; nothing if it is illegal (`check` says why).

        Raises `InputError` for bad input, or a question about no plan that dice are rolled for.
        """
        from titm_rules.oracle.odds import odds_of_plan

        return odds_of_plan(self.asked(query, inputs))

    def plans(self, query: str, *, top: int = 10, **inputs: object) -> Plans:
        """Give the best of the legal plans that a question lists, by expected loss, with their odds.

        Raises `InputError` for bad input, or a question about no plans that dice are rolled for.
        """
        from titm_rules.oracle.odds import ranked_plans

        return ranked_plans(self.asked(query, inputs), top)

    def choices(
        self, query: str, *, where: Sequence[str] = (), best: str = "", top: int = 10, against: str = "",
        **inputs: object,
    ) -> FoundChoices:  # fmt: skip
        """Find the legal choices that a question lists and that meet conditions, such as `d1>a4`, and the best of them.

        What is best for those who choose depends on the reply to it: `against` is a plan of the other side, or `worst`.
        Raises `InputError` for bad input, a question about no choices, or a bad condition.
        """
        from titm_rules.oracle.planning import choices_where

        return choices_where(self.asked(query, inputs), where, best, top, against)

    def status(self) -> list[Fault]:
        """List the faults of a set-up; empty if it can be played."""
        try:
            _ = self.settled
        except TitmError as error:
            return list(error.faults)
        return []

    @property
    def settled(self) -> Position:
        """The position in which a side has a choice: this one, or the one after all automatic events.

        `legal_actions`, `judge`, `apply` and the like answer for it. Raises `InputError` with every fault if no game
        can go on from it.
        """
        return self if self._is_settled else self._followed

    @cached_property
    def _followed(self) -> Position:
        """The position after all automatic events; refused if no game can continue from this one."""
        if faults := faults_to_begin(self._machine):
            raise InputError(faults)
        position = self._onward(self, [])
        if faults := faults_to_end(position._machine):
            raise InputError(faults)
        return position

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary that the rule set declares, as JSON values; empty if it declares none."""
        return dict(self._summed_up())

    def _summed_up(self) -> Iterator[tuple[str, Any]]:
        shower = AnswerEvaluator(self.edition.model, self._machine.engine)
        for name, answer in self.edition.model.summaries.get(self.situation, ()):
            yield name, shower.answer(answer, {})

    @property
    def stamp(self) -> str:
        """When this is, as records write it: the numbers with which the summary begins, such as 16-1."""
        numbers = itertools.takewhile(lambda value: isinstance(value, int), (value for _, value in self._summed_up()))
        return "-".join(map(str, numbers)) or "0"

    @cached_property
    def digest(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the JSON without the name of a map."""
        return hashlib.sha256(_to_json(self._data).encode()).hexdigest()[:16]

    @property
    def legal_actions(self) -> LegalActions:
        """The legal actions, lazily; `action in position.legal_actions` equals `is_legal`."""
        return LegalActions(lambda: self.settled._machine)

    @property
    def options(self) -> Iterator[Option]:
        """The legal actions, lazily, each with the dice that it throws."""
        return self.settled._machine.options.listed()

    @property
    def to_act(self) -> tuple[str, ...]:
        """Name the sides that have a legal action, in the order of `sides`; none if the game is over."""
        acting = {action.by for action in self.legal_actions}
        return tuple(side for side in self.sides if side in acting)

    @property
    def is_over(self) -> bool:
        """Whether no side has a legal action."""
        return not self.legal_actions

    @cached_property
    def victory(self) -> Victory:
        """The result as of now; the game may not be over."""
        return victory_in(self.edition.model, self.situation, self.settled._machine.engine, self.sides)

    @property
    def returns(self) -> dict[str, int]:
        """What the result is worth, by side, in the units of the rule set; all 0 as long as the game is not over."""
        return dict(self.victory.returns) if self.is_over else dict.fromkeys(self.sides, 0)

    def outcome(self) -> Outcome | None:
        """Say how the game has ended; nothing if it is not over."""
        if not self.is_over:
            return None
        return Outcome(self.victory.winner, self.returns, self.settled.summary)

    def is_legal(self, action: Action) -> bool:
        """Whether an action is legal here."""
        return self.settled._machine.options.find(action) is not None

    def judge(self, action: Action) -> Verdict:
        """Say whether an action is legal here and, if not, which clauses bar it or what it lacks, and what is legal.

        Raises `InputError` for an action of a kind, or with choices, that the rule set does not know.
        """
        from titm_rules.explain.refusals import judge, nearest_action

        machine = self.settled._machine
        verdict = judge(machine, action)
        nearest = nearest_action(machine, action) if verdict.outcome == ILLEGAL else None
        if nearest is None:
            return verdict
        instead, changes = nearest
        text = " ".join((instead.by, instead.kind, *self.words(instead)))
        told = {"legal_action": text, "action": instead.to_dict(), "changes": changes}
        return replace(verdict, nearest={**verdict.nearest, **told})

    def dice(self, action: Action) -> Dice | None:
        """The dice that an action throws; nothing if it throws none. Raises `IllegalAction` if it is not legal here."""
        return self._option(action).dice

    def outcomes(self, action: Action) -> list[tuple[Fell, Fraction, Position]]:
        """List what may come of a legal action, else `IllegalAction`: successes, exact probability, next position.

        Where clauses read the faces of its dice, the successes are those of the first throw that leads to a position.
        """
        option = self._option(action)
        chances = option.dice.outcomes() if option.dice is not None else ((0, Fraction(1)),)
        found: dict[str, tuple[Fell, Fraction, Position]] = {}
        for fell, chance in chances:
            after = self.settled._next(option, fell)[0]
            key = after.to_json() if isinstance(fell, tuple) else str(fell)
            first = found.get(key, (fell, Fraction(0), after))
            found[key] = (first[0], first[1] + chance, first[2])
        return list(found.values())

    def apply(self, action: Action, dice: Sequence[int] = ()) -> Position:
        """Give the next position; `dice` are the faces thrown, one for each die that the action throws.

        Raises `IllegalAction`, or `InputError` if the dice are not those that the action throws.
        """
        return self.play(action, dice)[0]

    def play(self, action: Action, dice: Sequence[int] = ()) -> tuple[Position, tuple[Happened, ...]]:
        """Give the next position and what happened: the action, then the automatic events; raises as `apply`."""
        option = self._option(action)
        return self.settled._next(option, thrown(option.dice, dice, action))

    def _option(self, action: Action) -> Option:
        option = self.settled._machine.options.find(action)
        if option is None:
            raise IllegalAction(action, self.judge(action))
        return option

    def _next(self, option: Option, fell: Fell) -> tuple[Position, tuple[Happened, ...]]:
        change, happened = self._machine.change(option, fell)
        course = [happened]
        after = self._onward(self._following(change), course)
        after.__dict__["_is_settled"] = True
        return after, tuple(course)

    @staticmethod
    def _onward(position: Position, course: list[Happened]) -> Position:
        while (following := position._machine.next_automatic()) is not None:
            change, happened = position._machine.change(following)
            if len(course) > MAX_FOLLOWING:
                raise Undecided.of(following.event.name, list(happened.clauses))
            position = position._following(change)
            course.append(happened)
        return position

    def _following(self, change: Change) -> Position:
        after = Position.__new__(Position)
        world = resolve_after(self.world, change)
        made = {"edition": self.edition, "situation": self.situation, "_data": change.data, "_naming": self._naming}
        after.__dict__.update(made, _is_settled=False, world=world)
        need_possible(after.world, change.key.partition(".")[0])
        return after

    @cached_property
    def _machine(self) -> Machine:
        model = self.edition.model
        return Machine(model, self.world, partial(self.edition.engine_for, model))
