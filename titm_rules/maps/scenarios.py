"""Scenarios: files that choose forces for a map, and the position that play begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, files_of, game_of_file, scenario_files
from titm_rules.diagnostics import Fault, did_you_mean
from titm_rules.files import within
from titm_rules.formats.case_files import of_another
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.ir.model import Model
from titm_rules.maps.expand import MAP, PART, OpenedSituation, open_situation
from titm_rules.maps.maps import GameMap, load_map

DESCRIBED = ("formation", "branch", "marks", "note", "source")  # keys of a row that are not fields of the rules
FILE, RULES, FORCES = "scenario.yaml", ".rules", "forces"
Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
RowsByList = dict[str, list[Mapping[str, Any]]]


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario file with its forces, checked."""

    model: Model  # the rules of its edition
    folder: Path  # where it lies; its special rules lie beside it
    data: Mapping[str, Any]  # its values
    board: GameMap  # its map
    rows: RowsByList  # who is in play, by the list of the position that they go to
    totals: tuple[Mapping[str, Any], ...]  # how many of whom there must be, with the sources that say so
    known: RowsByList

    @property
    def name(self) -> str:
        return str(self.data["name"])

    @property
    def situation(self) -> str:
        return str(self.data["situation"])

    @cached_property
    def position(self) -> dict[str, Any]:
        """The situation at the start, on a map that it names, as JSON values."""
        part = {PART: self.data["part"]} if self.data.get("part") else {}
        lists = {
            name: [{key: value for key, value in row.items() if key not in DESCRIBED} for row in rows]
            for name, rows in self.rows.items()
            if name not in self.pending
        }
        return {MAP: self.board.name, **part, **self.data["start"], **self._places, **lists}

    @property
    def _places(self) -> RowsByList:
        """The rows of places that differ from the map: those outside the playing area, and those of the start."""
        played = self.data.get("playing_area")
        if played is None:
            return {}
        inside, found = self.board.inside(played["part"], self.where), RowsByList()
        for name, (table, _) in self.board.places.items():
            if name not in inside:
                found.setdefault(table, []).append({"id": name, **played["outside"]})
        for table, rows in found.items():
            rows.extend(self.data["start"].get(table, ()))
        return found

    @property
    def pending(self) -> RowsByList:
        declared = {spec.json for spec in self.model.records[self.situation].fields}
        return {name: rows for name, rows in self.rows.items() if name not in declared}

    @cached_property
    def titles(self) -> dict[str, str]:
        return {row["id"]: row.get("formation") or row["id"] for rows in self.rows.values() for row in rows}

    @property
    def where(self) -> str:
        return str(self.folder / FILE)

    @property
    def overlays(self) -> tuple[str, ...]:
        """The overlay that its special rules are on any edition: by name if it ships; none if it has no such rules."""
        path = self.special_rules
        if path is None:
            return ()
        return (path.stem,) if path.parent in scenario_folders(self.model.home).values() else (str(path),)

    @property
    def special_rules(self) -> Path | None:
        """The file with clauses of its own, beside it. Raises `InputError` if it is a link out of the folder."""
        if not self.data.get("special"):
            return None
        path = self.folder / f"{self.data['special']}{RULES}"
        if self.folder not in scenario_folders(self.model.home).values() and within(self.folder, path.name) is None:
            what = "the special rules are a link out of the folder of the scenario"
            raise bad(what, str(path), "put the file there", "no-file")
        return path


def scenario_folders(game: str = "") -> dict[str, Path]:
    return {path.parent.name: path.parent for path in scenario_files(game, f"*/{FILE}")}


def load_scenario(model: Model, name: str) -> Scenario:
    """Load a scenario by its name; raises `InputError` if there is none of this name, or a file of it is faulty."""
    folders = scenario_folders(model.home)
    if name not in folders:
        what, why = f"unknown scenario `{name[:80]}`", of_another(name, model.home)
        raise bad(what, "scenario", did_you_mean(name, folders), "unknown-name", why)
    return read_scenario(model, folders[name] / FILE)


def read_scenario(model: Model, path: Path) -> Scenario:
    """Read a scenario file, its forces and its map. Raises `InputError` if one has faults."""
    from titm_rules.formats.file_schemas import ScenarioFile
    from titm_rules.formats.record_schemas import validate

    data = validate(ScenarioFile, read_data(path), str(path))
    game_of_file(path, data.get("game"), model.home or default_game())
    board = load_map(model, data["map"], f"{path}: $.map")
    if model.records.get(data["situation"]) is None or model.records[data["situation"]].role != "situation":
        known = [record.name for record in model.records.values() if record.role == "situation"]
        raise bad(f"unknown situation `{data['situation']}`", f"{path}: $.situation", did_you_mean("", known))
    forces = _forces(data["forces"], f"{path}: $.forces", model.home) if data.get("forces") else {}
    rows: RowsByList = {name: list(found) for name, found in _chosen(data, forces, str(path)).items()}
    for table, own in data.get("lists", {}).items():
        rows.setdefault(table, []).extend(own)
    totals = [*(forces.get("totals", ()) if data.get("choose") is None else ()), *data.get("totals", ())]
    return Scenario(model, path.parent, data, board, rows, tuple(totals), forces.get("lists", {}))


def _forces(name: str, where: str, game: str) -> dict[str, Any]:
    paths = {path.stem: path for path in files_of(game, f"{FORCES}/*.yaml")}
    if name not in paths:
        raise bad(f"unknown forces `{name}`", where, did_you_mean(name, paths), "unknown-name")
    from titm_rules.formats.file_schemas import ForceFile
    from titm_rules.formats.record_schemas import validate

    data = validate(ForceFile, read_data(paths[name]), str(paths[name]))
    game_of_file(paths[name], data.get("game"), game or default_game())
    return data


def _chosen(data: Mapping[str, Any], forces: Mapping[str, Any], where: str) -> RowsByList:
    lists = forces.get("lists", {})
    if data.get("choose") is None:
        return dict(lists)
    picked: RowsByList = {name: [] for name in lists}
    for number, choice in enumerate(data["choose"]):
        found = [(name, row) for name, rows in lists.items() for row in rows if fits(row, choice["where"])]
        if not found:
            what, place = "nobody in the forces has these values", f"{where}: $.choose[{number}]"
            raise bad(what, place, "correct them", "unknown-name")
        for name, row in found:
            picked[name].append({**row, **choice.get("set", {})})
    return picked


def fits(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(row.get(field) == value for field, value in wanted.items())


def check_whole(scenario: Scenario, ask: Ask) -> Iterator[Fault]:
    """List what is wrong with a scenario: ids, totals, and its own checks; `ask` puts a question to the rules."""
    where, seen = scenario.where, set()
    for name, row in ((name, row) for name, rows in scenario.rows.items() for row in rows):
        if row["id"] in seen:
            yield Fault(f"`{row['id']}` is chosen twice", f"{where}: {name}", fix="choose it once")
        seen.add(row["id"])
    rows = [row for rows in scenario.rows.values() for row in rows]
    for total in scenario.totals:
        found = [row for row in rows if fits(row, total["where"])]
        counts = {
            field: sum(value for row in found if isinstance(value := row.get(field), int))
            for field in total.get("sum", {})
        }
        if (total.get("rows") is not None and len(found) != total["rows"]) or counts != total.get("sum", {}):
            what = f"there are {len(found)}" + "".join(f", {field} {count} in all" for field, count in counts.items())
            yield Fault(what, f"{where}: total {total['id']}", total["says"], "correct the forces")
    special = scenario.special_rules
    if special is not None and not special.is_file():
        yield Fault(f"the file {special.name} is missing", where, fix="write the clauses of the scenario there")
    start = open_situation(scenario.model, scenario.situation, scenario.position, where, scenario.board)
    for check in scenario.data.get("checks", ()):
        yield from _each(scenario, check, start, ask, where)


def _each(
    scenario: Scenario, check: Mapping[str, Any], start: OpenedSituation, ask: Ask, where: str
) -> Iterator[Fault]:
    question, at = scenario.model.questions.get(check["query"]), f"{where}: check {check['id']}"
    if question is None:
        fix = did_you_mean(check["query"], scenario.model.questions)
        yield Fault(f"the rules answer no question `{check['query']}`", at, fix=fix)
        return
    for row in start.data.get(check["each"], ()):
        situation = {**start.data, **check["situation"]}
        inputs = start.naming.input_ids(question.inputs, {**check.get("input", {}), check["as"]: row["id"]})
        answer = ask(check["query"], {question.situation: situation, **inputs})
        wrong = {name: answer.get(name) for name, value in check.get("answer", {}).items() if answer.get(name) != value}
        if wrong:
            answers = ", ".join(f"{name} is {value}" for name, value in wrong.items())
            yield Fault(f"`{row['id']}`: {answers}", at, check["says"], "move it")
