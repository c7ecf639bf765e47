"""Cases: the situation of a file under an edition, and perhaps a question about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from titm_rules.diagnostics import did_you_mean
from titm_rules.editions.games import default_game, game_of_file
from titm_rules.editions.load import load_model
from titm_rules.editions.named import default_edition, edition_on
from titm_rules.editions.overlays import Overlay
from titm_rules.engines.asked import find_question
from titm_rules.formats.cases import case_text, find_case, is_scenario, parse_words, read_case_file
from titm_rules.formats.jsonin import bad
from titm_rules.maps.bases import NOTHING
from titm_rules.maps.maps import map_paths
from titm_rules.maps.notation import data_of_notation, data_with_changes
from titm_rules.maps.scenarios import read_scenario
from titm_rules.oracle.edition import Edition

COMMA, PLAYED = ",", "position"


@dataclass(frozen=True)
class Rules:
    """The rules that a file is put under; what stands here goes before what the file says.

    Attributes:
        edition: an edition or any date; none: as the file says.
        readings: readings by name; they go before those of the file one by one.
        overlays: house rules on top of all.
        game: a game; empty: the one that the file belongs to.
    """

    edition: str | None = None
    readings: Mapping[str, str] = field(default_factory=dict)
    engine: str = Edition.engine
    overlays: Sequence[Overlay] = ()
    game: str = ""

    def of(self, path: Path, raw: Mapping[str, Any]) -> Rules:
        """Give the same for the game of a file.

        Raises:
            InputError: for a file of another game than the one that is asked.
        """
        return replace(self, game=game_of_file(path, raw.get("game"), self.game))

    def over(self, raw: Mapping[str, Any], special: Sequence[str] = ()) -> Edition:
        """Give the edition for the values of a file, with the special rules of a scenario on it."""
        chosen = {str(name): str(choice) for name, choice in raw.get("readings", {}).items()}
        readings, overlays = {**chosen, **self.readings}, (*special, *self.overlays)
        return Edition(self.date(raw), readings, self.engine, self.game, overlays)

    def date(self, raw: Mapping[str, Any]) -> str:
        """Name the edition for the values of a file."""
        said = self.edition or str(raw.get("edition") or "")
        return edition_on(said, self.game) if said else default_edition(self.game)


@dataclass(frozen=True)
class JustEdition:
    """Exactly the rules of an edition, whatever a file says; a scenario adds its special rules."""

    edition: Edition

    @property
    def game(self) -> str:
        """Name its game."""
        return self.edition.game

    def of(self, path: Path, raw: Mapping[str, Any]) -> JustEdition:
        """Give the same for a file of its game.

        Raises:
            InputError: for a file of another game.
        """
        game_of_file(path, raw.get("game"), self.game)
        return self

    def over(self, raw: Mapping[str, Any], special: Sequence[str] = ()) -> Edition:
        """Give the edition, with the special rules of a scenario under its overlays."""
        del raw
        missing = tuple(one for one in special if one not in self.edition.overlays)
        return replace(self.edition, overlays=(*missing, *self.edition.overlays)) if missing else self.edition

    def date(self, raw: Mapping[str, Any]) -> str:
        """Name the edition."""
        del raw
        return self.edition.date


@dataclass(frozen=True)
class Case:
    """A situation under an edition, and perhaps a question.

    Attributes:
        situation: the name of the situation; `data` its values as in JSON.
        query: the name of the question; empty if the file asks none.
        inputs: what the question takes besides the situation.
        notes: the other keys of the file (title, layout, expected answer).
    """

    edition: Edition
    situation: str
    data: Mapping[str, Any]
    query: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)

    def full_input(self, query: str, words: Sequence[str] = ()) -> dict[str, Any]:
        """Give the input of a question: the situation, the file's inputs, and `name=value` words.

        Raises:
            InputError: for an unknown question, or words that do not fit what it takes.
        """
        question = find_question(self.edition.model, query)
        given = dict(self.inputs) if query == self.query else {}
        about = {self.situation: self.data} if question.situation else {}
        return {**about, **given, **parse_words(question, words)}

    def split_words(self, words: Sequence[str]) -> tuple[str, Sequence[str]]:
        """Tell the name of the question from the `name=value` words after it.

        Raises:
            InputError: if neither the words nor the file name a question.
        """
        if words and "=" not in words[0]:
            return words[0], words[1:]
        if not self.query:
            known = [name for name, q in self.edition.questions.items() if q.situation == self.situation]
            raise bad("no question is asked", "QUERY", did_you_mean("", known), "missing-field")
        return self.query, words


def _bare_question(path: Path, rules: Rules | JustEdition) -> Case | None:
    """Give a case for the name of a question that needs no situation, such as the level of some points."""
    if path.suffix or path.is_file() or len(path.parts) != 1:
        return None
    edition = rules.over({})
    question = edition.questions.get(path.name)
    return Case(edition, "", {}, path.name) if question is not None and not question.situation else None


def is_notation(path: Path) -> bool:
    """Whether what is given for a file is a notation, or a file with what differs from it behind a comma."""
    try:
        return COMMA in str(path) and not path.is_file()
    except OSError:  # too long for the name of a file
        return True


def _noted(path: Path, rules: Rules | JustEdition | None) -> Case:
    """Open what a notation is built on, and change it; a scenario brings its special rules.

    Raises:
        InputError: for a text that is no notation, or is built on nothing that there is.
    """
    base, _, changes = str(path).partition(COMMA)
    name = base.strip()
    edition = (rules or Rules()).over({})
    if name == NOTHING or name.partition("/")[0] in map_paths(edition.model):
        return Case(edition, PLAYED, data_of_notation(edition.model, PLAYED, str(path), "FILE"))
    case = open_case(Path(name), rules)
    return replace(case, data=data_with_changes(case.edition.model, case.situation, case.data, changes, "FILE"))


def settled(path: Path, rules: Rules) -> Rules:
    """Give the rules with the game that a file belongs to, or the one that is meant.

    Raises:
        InputError: for a file that cannot be read.
    """
    if rules.game or is_notation(path) or not (path.suffix or path.is_file()):
        return replace(rules, game=rules.game or default_game())
    return rules.of(path, read_case_file(path))


def open_case(path: Path, rules: Rules | JustEdition | None = None) -> Case:
    """Read a case, a scenario or a bare situation from a file, or what ships under a name.

    Args:
        path: the file, or the name of one that ships, or of a question that is about no situation; behind a comma
            what differs from it, as a notation writes it.
        rules: default: those that the file names.

    Raises:
        InputError: for a file that is none of them, or a name under which nothing ships.
    """
    rules = rules or Rules()
    if is_notation(path):
        return _noted(path, rules)
    bare = _bare_question(path, rules)
    if bare is not None:
        return bare
    path = find_case(path, rules.game)
    raw = read_case_file(path)
    rules = rules.of(path, raw)
    if is_scenario(raw):
        scenario = read_scenario(load_model(rules.date(raw), rules.game), path)
        edition = rules.over({**raw, "readings": {}}, scenario.overlays)
        return Case(edition, scenario.situation, scenario.position, notes={"title": scenario.data["title"]})
    edition = rules.over(raw)
    said = case_text(edition.model, raw, path)
    return Case(edition, said.situation, said.data, said.query, said.inputs, said.notes)
