"""Editions: the rules of one date under chosen readings, ready to answer; the list of games."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, game_folders
from titm_rules.diagnostics import Fault, InputError, TitmError, cut, did_you_mean
from titm_rules.editions.house_rules import HouseRules, Overlay
from titm_rules.editions.load import MOST_READINGS, load_model
from titm_rules.editions.registry import default_edition, edition_name, edition_on, list_editions
from titm_rules.engines.engine import Engine
from titm_rules.engines.factory import DEPRECATED, ENGINES, make_engine, make_noting
from titm_rules.engines.query import BoundQuestion, find_question
from titm_rules.explain.explain import explain
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.case_files import shipped_cases
from titm_rules.formats.safe_json import bad
from titm_rules.formats.validate import check_input
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Allocation, ClauseInfo, Model, Question, Reading
from titm_rules.maps.expand import MAP, map_of, names_map, open_situation
from titm_rules.maps.maps import map_paths
from titm_rules.world.evaluate import refuse_impossible
from titm_rules.world.world import World


@dataclass(frozen=True)
class Edition:
    """The rules of one edition under some readings; raises `InputError` for unknown names.

    Attributes:
        date: the edition's date, as `1999`; default: the default edition of the game.
        readings: readings that differ from the rulings' defaults.
        engine: compiled, library or reference.
        game: the name of a game, or the path of its folder; default: the default game.
        overlays: house rules, in order: names of bundled ones, paths of rule files, or texts.
    """

    date: str = ""
    readings: Mapping[str, str] = field(default_factory=dict)
    engine: str = "compiled"
    game: str = ""
    overlays: tuple[Overlay, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", self.game or default_game())
        named = (self.overlays,) if isinstance(self.overlays, str | HouseRules) else tuple(self.overlays)
        object.__setattr__(self, "overlays", named)
        object.__setattr__(self, "readings", dict(self.readings))
        object.__setattr__(self, "date", edition_name(self.date or default_edition(self.game), self.game))
        if self.engine in DEPRECATED:
            message = f"engine `{self.engine}` is deprecated, use `{DEPRECATED[self.engine]}`"
            warnings.warn(message, DeprecationWarning, stacklevel=3)  # 3: the caller of the generated constructor
        elif self.engine not in ENGINES:
            fix = did_you_mean(self.engine, ENGINES)
            raise bad(f"unknown engine `{self.engine}`", "$.engine", fix, "unknown-name")
        known = self._base.readings
        for name, choice in self.readings.items():
            where = f"$.readings.{cut(name)}"
            if name not in known:
                raise bad(f"unknown reading `{cut(name)}`", where, did_you_mean(name, known), "unknown-reading")
            if choice not in known[name].offered:
                only = len(known[name].offered) == 1
                settled = f"; {self.date} leaves no other: {known[name].because}" if only else ""
                what = f"reading {name} has no choice `{cut(str(choice))}` in {self.date}"
                why, fix = known[name].question + settled, did_you_mean(str(choice), known[name].offered)
                raise InputError([Fault(what, where, why, fix, kind="unknown-reading")])
        _ = self.model  # now, and not later when a file of house rules may have changed

    def __getstate__(self) -> dict[str, Any]:
        """Give its fields for pickle and copies; rules are loaded again where they are needed."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __hash__(self) -> int:
        return hash((self.date, tuple(sorted(self.readings.items())), self.engine, self.game, self.overlays))

    @classmethod
    def on(cls, date: str, **options: Any) -> Edition:
        """Give the rules in force on a date, as `1997-05-01`; raises `InputError` for one before the first edition."""
        return cls(edition_on(date, options.get("game", "")), **options)

    @property
    def label(self) -> str:
        """How verdicts cite it: its date and its overlays."""
        return self._base.edition

    @cached_property
    def _base(self) -> Model:
        return load_model(self.date, self.game, self.overlays)

    @cached_property
    def model(self) -> Model:
        """The checked rules under the chosen readings; editions that say the same share it."""
        return load_model(self.date, self.game, self.overlays, self.readings)

    def with_readings(self, choices: Mapping[str, str]) -> Edition:
        """Give the same rules with some readings chosen otherwise."""
        key = tuple(sorted(choices.items()))
        if key not in self._variants:
            if len(self._variants) >= MOST_READINGS:
                self._variants.clear()
            readings = {**self.readings, **choices}
            self._variants[key] = Edition(self.date, readings, self.engine, self.game, self.overlays)
        return self._variants[key]

    @cached_property
    def _variants(self) -> dict[tuple[tuple[str, str], ...], Edition]:
        return {}

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

    def engine_for(self, model: Model, world: World) -> Engine:
        """Make the engine that answers for a world; every answer comes through here."""
        return make_engine(self.engine, model, world)

    def ask(
        self, query: str, inputs: Mapping[str, Any], path: str = "$.input", swap: Callable[[Model], Model] | None = None
    ) -> BoundQuestion:
        """Check the input of a question and put it to the engine; raises `InputError` for what is wrong with it.

        `inputs` holds the situation under its name, and what the question takes; `path` is its place, for errors.
        `swap` changes the rules before they are asked (to leave out a clause, say).
        """
        question = find_question(self.model, query)
        raw = inputs.get(question.situation) if isinstance(inputs, dict) else None
        opened = open_situation(self._base, question.situation, raw, f"{path}.{question.situation}")
        if names_map(raw):
            inputs = {**opened.naming.input_ids(question.inputs, inputs), question.situation: opened.data}
        try:
            checked = check_input(self._base, question, inputs, path)
        except InputError as error:
            raise opened.as_given(error) from None
        situation = checked.pop(question.situation) if question.situation else {}
        return self.put(question, situation, checked, path, swap)

    def notes(self, situation: object) -> tuple[str, ...]:
        """Return the warnings about the map that a situation names, such as that it is reconstructed."""
        if not (isinstance(situation, dict) and isinstance(situation.get(MAP), str)):
            return ()
        return map_of(self._base, situation, "$").facts.notes

    def put(
        self,
        question: Question,
        situation: Mapping[str, Any],
        raw: Mapping[str, Any],
        path: str,
        swap: Callable[[Model], Model] | None = None,
    ) -> BoundQuestion:
        """Put a question whose input is already checked."""
        model = self.model if swap is None else swap(self.model)
        where = f"{path}.{question.situation}"
        world = World(model, question.situation, situation, where)
        refuse_impossible(world, where)
        return BoundQuestion(model, question, self.engine_for(model, world), world, raw, path)

    def answer(self, query: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a question of the protocol; raises `InputError` for an unknown question or bad input."""
        return self.ask(query, inputs).answer()

    def verdict(self, query: str, inputs: Mapping[str, Any], all_readings: bool = False) -> Verdict:
        """Answer a question with its reasons; raises `InputError` for an unknown question or bad input.

        With `all_readings` no reading is fixed: if one that is left open would change the answer, the outcome is that
        it depends.
        """
        asked = self.ask(query, inputs)
        return self.explained(asked, all_readings, self.notes(inputs.get(asked.question.situation)))

    def explained(self, asked: BoundQuestion, all_readings: bool = False, notes: tuple[str, ...] = ()) -> Verdict:
        """Answer a question that was put, with its reasons and the notes about its map; it cannot be asked again."""
        fixed = self.readings if all_readings else None
        verdict = explain(asked, lambda choices: self.again(asked, choices), fixed)
        return replace(verdict, notes=notes) if notes else verdict

    def again(self, asked: BoundQuestion, choices: Mapping[str, str]) -> BoundQuestion:
        """Put a question again about the same situation to a new engine, with some readings chosen otherwise."""
        model = self.with_readings(choices).model
        forms = dependencies_of(model).of_question(asked.question).forms
        keeps_tables = any(isinstance(model.forms[name], Allocation) for name in forms)
        make = self.engine_for if keeps_tables else partial(make_noting, self.engine)
        engine = make(model, asked.world)
        return BoundQuestion(model, asked.question, engine, asked.world, asked.raw, asked.path)


@dataclass(frozen=True)
class GameInfo:
    """What a game has; `fault` says why its rules cannot be used, and is empty if they can.

    `editions` are their names, oldest first, `edition` is the default; `maps` and `scenarios` are the names that ship.
    """

    game: str
    folder: Path
    title: str = ""
    edition: str = ""
    editions: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    fault: str = ""

    def record(self) -> dict[str, Any]:
        return {**asdict(self), "folder": str(self.folder), "fault": self.fault or None}


def list_games() -> list[GameInfo]:
    """List the games that ship and those in the user's folders, by name."""
    return [_info(game, folder) for game, folder in sorted(game_folders().items())]


def _info(game: str, folder: Path) -> GameInfo:
    try:
        edition = default_edition(game)
        model = load_model(edition, game)
        return GameInfo(
            game, folder, model.game, edition, tuple(info.name for info in list_editions(game)),
            tuple(model.questions), tuple(map_paths(model)), tuple(shipped_cases(game)),
        )  # fmt: skip
    except TitmError as error:
        return GameInfo(game, folder, fault=error.faults[0].what)
