"""Cases: the situation of a file under an edition, and perhaps a question about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, game_of_file
from titm_rules.diagnostics import did_you_mean, meant_name
from titm_rules.editions.house_rules import Overlay
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, edition_on
from titm_rules.engines.query import find_question
from titm_rules.formats.case_files import (
    NOTES,
    SUFFIXES,
    find_case,
    is_scenario,
    known_case,
    parse_words,
    read_case_file,
    shipped_cases,
)
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import FieldSpec
from titm_rules.ir.types import Type
from titm_rules.maps.expand import INTERRUPTED, OpenedSituation, open_situation
from titm_rules.maps.maps import map_paths
from titm_rules.maps.notation import NOTHING, built_case, data_of_notation, data_with_changes, special_rules_under
from titm_rules.maps.scenarios import read_scenario
from titm_rules.oracle.edition import Edition

COMMA, PLAYED, PATH = ",", "position", "path"
PIECE, PLACE = "piece", "place"  # roles of records


@dataclass(frozen=True)
class Rules:
    """The rules for a file; they overrule the choices in the file.

    `edition` is an edition or any date, none: as the file says; `readings` go before those of the file one by one,
    `overlays` over all others; `game` is empty for the one that the file belongs to. `exactly` is used regardless of
    the file, with the special rules of a scenario.
    """

    edition: str | None = None
    readings: Mapping[str, str] = field(default_factory=dict)
    engine: str = Edition.engine
    overlays: Sequence[Overlay] = ()
    game: str = ""
    exactly: Edition | None = None

    @classmethod
    def of_edition(cls, edition: Edition) -> Rules:
        return cls(game=edition.game, exactly=edition)

    def of(self, path: Path, raw: Mapping[str, Any]) -> Rules:
        """Give the same for the game of a file; raises `InputError` for a file of another game than asked."""
        return replace(self, game=game_of_file(path, raw.get("game"), self.game))

    def over(self, raw: Mapping[str, Any], special: Sequence[str] = ()) -> Edition:
        """Give the edition for the values of a file, with the special rules of a scenario on it."""
        if self.exactly is not None:
            missing = tuple(overlay for overlay in special if overlay not in self.exactly.overlays)
            return replace(self.exactly, overlays=(*missing, *self.exactly.overlays)) if missing else self.exactly
        chosen = {str(name): str(choice) for name, choice in raw.get("readings", {}).items()}
        readings, overlays = {**chosen, **self.readings}, (*special, *self.overlays)
        return Edition(self.date(raw), readings, self.engine, self.game, overlays)

    def date(self, raw: Mapping[str, Any]) -> str:
        if self.exactly is not None:
            return self.exactly.date
        said = self.edition or str(raw.get("edition") or "")
        return edition_on(said, self.game) if said else default_edition(self.game)


@dataclass(frozen=True)
class Case:
    """A situation (its name and its values as in JSON) under an edition, and perhaps a question.

    `query` is empty if the file asks none; `inputs` is what it takes besides the situation. `notes` are the other keys
    of the file (title, layout, expected answer); `at` is the place, if the question is about a part, such as a battle.
    """

    edition: Edition
    situation: str
    data: Mapping[str, Any]
    query: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    at: str = ""

    def full_input(self, query: str, words: Sequence[str] = ()) -> dict[str, Any]:
        """Give the input of a question: the situation, the file's inputs, and `name=value` words.

        Raises `InputError` for an unknown question, or words that do not fit what it takes.
        """
        question = find_question(self.edition.model, query)
        if question.situation not in ("", self.situation) and self.situation:
            what = f"`{query}` is about a {question.situation}, and a {self.situation} is given"
            view = self.edition.model.views.get(question.situation)
            is_here = view is not None and view.situation == self.situation
            fix = "name its place with --at" if is_here else f"name a {question.situation}"
            raise bad(what, "QUERY", fix, "bad-value")
        given = dict(self.inputs) if query == self.query else {}
        about = {self.situation: self.data} if question.situation else {}
        types = {spec.json: spec.type for spec in question.inputs}
        put = parse_words(question, words)
        return {**about, **given, **{name: self._ids(types[name], value, name) for name, value in put.items()}}

    def _ids(self, wanted: Type, value: Any, where: str) -> Any:
        if isinstance(value, list):
            return [self._ids(wanted, one, where) for one in value]
        kind = PLACE if wanted.kind == PATH else wanted.name or wanted.kind
        return self.meant(value, where, kind) if isinstance(value, str) else value

    def meant(self, text: str, where: str, *kinds: str) -> str:
        """Give the id that a text names as people write it: `2nd Panzer B` is `2-pz-b`, `55` a place by its number.

        `kinds` are names or roles of records. A text that names nothing comes back as it is, to be refused where it is
        looked up. Raises `InputError` for one that may name several; `where` is the option or the input that has it.
        """
        records, is_place = self.edition.model.records, False
        known: list[str] = []
        for spec in records[self.situation].fields if self.situation else ():
            record = records.get(spec.type.name) if spec.owns else None
            if record is not None and (record.name in kinds or record.role in kinds):
                known += self._listed(spec)
                is_place |= record.role == PLACE
        mark = INTERRUPTED if text.startswith(INTERRUPTED) else ""
        name = text.removeprefix(mark)
        on_map = self._opened.naming.place_id(name) if is_place else name
        return mark + (on_map if on_map != name else meant_name(name, known, where))

    def all_meant(self, text: str, where: str, kind: str) -> list[str]:
        """Give what each name of `NAME,NAME` means."""
        return [self.meant(part.strip(), where, kind) for part in text.split(COMMA) if part.strip()]

    def _listed(self, spec: FieldSpec) -> Iterator[str]:
        """List the ids in a field; what is not a list of records with ids is refused where the situation is read."""
        data = self._opened.data
        rows = data.get(spec.json) if isinstance(data, dict) else None
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and "id" in row:
                yield str(row["id"])

    @cached_property
    def _opened(self) -> OpenedSituation:
        return open_situation(self.edition.model, self.situation, self.data, "FILE")

    def split_words(self, words: Sequence[str]) -> tuple[str, Sequence[str]]:
        """Split the name of the question from the `name=value` words; raises `InputError` if there is none."""
        if words and "=" not in words[0]:
            return words[0], words[1:]
        if not self.query:
            known = [name for name, q in self.edition.questions.items() if q.situation == self.situation]
            raise bad("no question is asked", "QUERY", did_you_mean("", known), "missing-field")
        return self.query, words


def open_board(name: str, rules: Rules, changes: str) -> Case | None:
    """Give a case for a map, or for nothing at all, with what stands on it; nothing if no map has the name."""
    edition = rules.over({})
    if name != NOTHING and name.partition("/")[0] not in map_paths(edition.model):
        return None
    text = COMMA.join(part for part in (name, changes) if part)
    return Case(edition, PLAYED, data_of_notation(edition.model, PLAYED, text, "FILE"))


def is_notation(path: Path) -> bool:
    """Whether what is given for a file is a notation, or a file with what differs from it behind a comma."""
    try:
        return COMMA in str(path) and not path.is_file()
    except OSError:  # too long for the name of a file
        return True


def with_default_rules(path: Path, rules: Rules) -> Rules:
    """Return the rules with the game of a file, or else the default game; raises `InputError` as `open_case`."""
    if rules.game or is_notation(path) or not (path.suffix in SUFFIXES or path.is_file()):
        return replace(rules, game=rules.game or default_game())
    return rules.of(path, read_case_file(path))


def open_case(path: Path, rules: Rules | None = None, changes: str = "", home: Path | None = None) -> Case:
    """Read a case, a scenario or a bare situation from a file, or what ships under a name.

    `path` is the file, or the name of one that ships, of a map, or of a question that is about no situation, or the id
    of a case whose answer is known, or the clause that it shows; behind a comma what differs from it, as a notation
    writes it, and `changes` what differs besides. No base outside the folder `home` is read, for those who open it for
    somebody else; none: a base may lie anywhere. Raises `InputError` for a file that is none of them, or a name under
    which nothing ships.
    """
    rules, name, said = rules or Rules(), str(path), ""
    if is_notation(path):
        name, _, said = (part.strip() for part in name.partition(COMMA))
    if not (Path(name).suffix or Path(name).is_file()):
        differs = COMMA.join(part for part in (said, changes) if part)
        edition = rules.over({})
        question = edition.questions.get(name)
        case = (Case(edition, "", {}, name) if question is not None and not question.situation else None) or open_board(
            name, rules, differs
        )
        if case is not None:
            return case
    case = _case_of_file(Path(name), rules, home)
    return _changed(_changed(case, said, "FILE"), changes, "--set")


def _changed(case: Case, changes: str, where: str) -> Case:
    if not changes:
        return case
    return replace(case, data=data_with_changes(case.edition.model, case.situation, case.data, changes, where))


def _case_of_file(path: Path, rules: Rules, home: Path | None) -> Case:
    ships = path.is_file() or path.suffix in SUFFIXES or str(path) in shipped_cases(rules.game)
    known = None if ships else known_case(str(path), rules.game)
    if known:
        return _case_known(known, rules)
    path = find_case(path, rules.game)
    raw = read_case_file(path)
    rules = rules.of(path, raw)
    model = load_model(rules.date(raw), rules.game)
    if is_scenario(raw):
        scenario = read_scenario(model, path)
        edition = rules.over({**raw, "readings": {}}, scenario.overlays)
        return Case(edition, scenario.situation, scenario.position, notes={"title": scenario.data["title"]})
    edition = rules.over(raw, special_rules_under(model, raw))
    said = built_case(edition.model, raw, path, home)
    return Case(edition, said.situation, said.data, said.query, said.inputs, said.notes, str(raw.get("at", "")))


def _case_known(raw: Mapping[str, Any], rules: Rules) -> Case:
    edition = replace(rules, game=rules.game or default_game()).over(raw, raw.get("overlays", ()))
    question = edition.model.questions[raw["query"]]
    inputs = {name: value for name, value in raw["input"].items() if name != question.situation}
    notes = {name: raw[name] for name in NOTES if name in raw}
    return Case(edition, question.situation, raw["input"].get(question.situation, {}), question.name, inputs, notes)
