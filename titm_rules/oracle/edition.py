"""An edition: rules of one date under chosen readings, ready to answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.load import edition_on, load_model
from titm_rules.model.model import ClauseInfo, Model, Question, Reading
from titm_rules.oracle.answer import Asked, find_question
from titm_rules.world.engine import Engine
from titm_rules.world.world import World

if TYPE_CHECKING:
    from titm_rules.oracle.position import Position
    from titm_rules.oracle.verdict import Verdict

ENGINES = ("compiled", "library", "naive")


def make_engine(name: str, model: Model, world: World) -> Engine:
    """Make an engine: compiled (fast), library (networkx, python-constraint) or naive (the yardstick)."""
    if name == "naive":
        from titm_rules.naive.interpreter import NaiveEngine

        return NaiveEngine(model, world)
    if name == "library":
        from titm_rules.solving.library import LibraryEngine

        return LibraryEngine(model, world)
    from titm_rules.compiler.engine import CompiledEngine

    return CompiledEngine(model, world)


@lru_cache(maxsize=512)
def variant(edition: Edition, choices: tuple[tuple[str, str], ...]) -> Edition:
    """Give an edition with some readings chosen otherwise."""
    readings = {**edition.readings, **dict(choices)}
    return Edition(edition.date, readings, edition.engine, edition.game, edition.overlays)


@dataclass(frozen=True)
class Edition:
    """The rules of one edition under some readings.

    Attributes:
        date: the edition's date, as `1999`.
        readings: readings that differ from the rulings' defaults.
        engine: compiled, library or naive.
        overlays: house rules on top, in order: names of those that ship, or paths of rule files.
    """

    date: str = "1999"
    readings: Mapping[str, str] = field(default_factory=dict)
    engine: str = "compiled"
    game: str = "titm"
    overlays: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            InputError: for an unknown edition, overlay, reading or engine.
        """
        named = (self.overlays,) if isinstance(self.overlays, str) else tuple(self.overlays)
        object.__setattr__(self, "overlays", named)
        if self.engine not in ENGINES:
            raise InputError(
                [
                    Fault(
                        f"unknown engine `{self.engine}`",
                        "$.engine",
                        fix=did_you_mean(self.engine, ENGINES),
                        kind="unknown-name",
                    )
                ]
            )
        known = self._base.readings
        for name, choice in self.readings.items():
            where = f"$.readings.{name}"
            if name not in known:
                raise InputError(
                    [Fault(f"unknown reading `{name}`", where, "", did_you_mean(name, known), kind="unknown-reading")]
                )
            if choice not in known[name].offered:
                only = len(known[name].offered) == 1
                settled = f"; {self.date} leaves no other: {known[name].because}" if only else ""
                raise InputError(
                    [
                        Fault(
                            f"reading {name} has no choice `{choice}` in {self.date}",
                            where,
                            known[name].question + settled,
                            did_you_mean(str(choice), known[name].offered),
                            kind="unknown-reading",
                        )
                    ]
                )

    def __hash__(self) -> int:
        return hash((self.date, tuple(sorted(self.readings.items())), self.engine, self.game, self.overlays))

    @classmethod
    def on(cls, date: str, **options: Any) -> Edition:
        """Give the rules in force on a date, as `1997-05-01`.

        Raises:
            InputError: for a date before the first edition, and what the constructor refuses.
        """
        return cls(edition_on(date, options.get("game", "titm")), **options)

    @property
    def label(self) -> str:
        """How verdicts cite it: its date and its overlays."""
        return self._base.edition

    @cached_property
    def _base(self) -> Model:
        return load_model(self.date, self.game, self.overlays)

    @cached_property
    def model(self) -> Model:
        """The checked rules under the chosen readings."""
        return self._base.with_readings(self.readings)

    @property
    def title(self) -> str:
        """What the edition is called."""
        return self.model.title

    @property
    def clauses(self) -> Mapping[str, ClauseInfo]:
        """The clauses in force, by number."""
        return self.model.clauses

    @property
    def questions(self) -> Mapping[str, Question]:
        """The questions that the rule set answers, by name."""
        return self.model.questions

    @property
    def all_readings(self) -> Mapping[str, Reading]:
        """The ambiguities that the edition leaves open."""
        return {name: reading for name, reading in self.model.readings.items() if len(reading.offered) > 1}

    # ------------------------------------------------------------------ answering
    def engine_for(self, model: Model, world: World) -> Engine:
        """Make the engine that answers for a world; every answer comes through here."""
        return make_engine(self.engine, model, world)

    def position(self, data: Mapping[str, Any], situation: str = "position") -> Position:
        """Make a position (or another situation) from JSON values.

        Raises:
            InputError: with every fault of the data.
        """
        from titm_rules.oracle.position import Position

        return Position.from_dict(data, self, situation)

    def ask(
        self, query: str, inputs: Mapping[str, Any], path: str = "$.input", swap: Callable[[Model], Model] | None = None
    ) -> Asked:
        """Check the input of a question and put it to the engine.

        Args:
            query: name of a question.
            inputs: as in the protocol: the situation under its name, and what the question takes.
            path: where the input stands, for errors.
            swap: changes the rules before they are asked (to leave out a clause, say).

        Raises:
            InputError: for an unknown question or bad input.
        """
        from titm_rules.edges.records import question_class, validate

        question = find_question(self.model, query)
        raw = validate(question_class(self._base, question), self._on_map(question, inputs, path), path)
        situation = raw.pop(question.situation) if question.situation else {}
        return self.put(question, situation, raw, path, swap)

    def _on_map(self, question: Question, inputs: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        """Put the map under a situation that names one."""
        raw = inputs.get(question.situation) if isinstance(inputs, dict) else None
        if not (isinstance(raw, dict) and "map" in raw):
            return inputs
        from titm_rules.board.expand import Naming, expand, map_of

        where = f"{path}.{question.situation}"
        board = map_of(self._base, raw, where)
        situation = expand(self._base, question.situation, raw, board, where)
        return {**Naming(self._base, board).inputs(question.inputs, inputs), question.situation: situation}

    def notes(self, situation: object) -> tuple[str, ...]:
        """Say what is to be known of the map that a situation names: that it is reconstructed, say."""
        if not (isinstance(situation, dict) and isinstance(situation.get("map"), str)):
            return ()
        from titm_rules.board.expand import map_of

        caution = map_of(self._base, situation, "$").caution
        return (caution,) if caution else ()

    def put(
        self,
        question: Question,
        situation: Mapping[str, Any],
        raw: Mapping[str, Any],
        path: str,
        swap: Callable[[Model], Model] | None = None,
    ) -> Asked:
        """Put a question whose input is already checked."""
        model = self.model if swap is None else swap(self.model)
        world = World(model, question.situation, situation, f"{path}.{question.situation}")
        return Asked(model, question, self.engine_for(model, world), world, raw, path)

    def answer(self, query: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a question of the protocol.

        Raises:
            InputError: for an unknown question or bad input.
        """
        return self.ask(query, inputs).answer()

    def verdict(self, query: str, inputs: Mapping[str, Any], all_readings: bool = False) -> Verdict:
        """Answer a question with its reasons.

        Args:
            query: name of a question.
            inputs: as in the protocol.
            all_readings: fix no reading: if one that is left open would change the answer, the
                outcome is that it depends.

        Raises:
            InputError: for an unknown question or bad input.
        """
        from titm_rules.oracle.explain import explain

        verdict = explain(self, query, inputs, all_readings)
        notes = self.notes(inputs.get(find_question(self.model, query).situation))
        return replace(verdict, notes=notes) if notes else verdict
