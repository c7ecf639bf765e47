"""`titm map` and `titm scenario`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from titm_rules.catalog import default_game, files_of, game_name, game_of_file
from titm_rules.cli.terminal import ILLEGAL, LEGAL, print_json
from titm_rules.cli.verdict_text import flat
from titm_rules.diagnostics import Fault
from titm_rules.editions.rule_files import read_rules
from titm_rules.files import read_text, write_file
from titm_rules.formats.file_schemas import ForceFile, ScenarioFile, map_class
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.maps.gazetteer import normalize_name
from titm_rules.maps.map_queries import QUIET, record_of
from titm_rules.maps.maps import (
    ATTESTED,
    FOLDER,
    RECONSTRUCTED,
    GameMap,
    build_map,
    is_file,
    map_paths,
    open_map,
    read_map,
)
from titm_rules.maps.scenarios import Scenario, check_whole, load_scenario, read_scenario, scenario_folders
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import fault_record
from titm_rules.syntax.parser import parse_rules

# ---------------------------------------------------------------------- maps
TEMPLATE = "template.yaml"


def edition_for(names: Sequence[str], game: str, edition: str = "") -> Edition:
    """Give the rules for maps or scenarios that are named: of the game that is asked, or of the file that is named.

    Raises:
        InputError: for a file of another game than the one that is asked, or one that cannot be read.
    """
    path = next((Path(name) for name in names if is_file(name)), None)
    if path is not None:
        raw = read_data(path)
        game = game_of_file(path, raw.get("game") if isinstance(raw, dict) else None, game)
    return Edition(edition, game=game)


# ---------------------------------------------------------------------- list and lint
def list_maps(edition: Edition, as_json: bool) -> int:
    """Print the maps that can be named."""
    from titm_rules.maps.lint import summary

    found = [(path, read_map(edition.model, path)) for path in map_paths(edition.model).values()]
    records = [{**summary(board), "title": board.data["title"], "file": str(path)} for path, board in found]
    if as_json:
        print_json(records)
        return LEGAL
    if not records:
        typer.echo(f"the game `{game_name(edition.game)}` has no map")
    for record in records:
        typer.echo(f"{typer.style(str(record['map']), bold=True)}: {record['title']}")
        typer.echo(f"  {flat({k: v for k, v in record.items() if k not in ('map', 'title', 'file')})}")
    return LEGAL


def lint_maps(names: Sequence[str], edition: Edition, as_json: bool) -> int:
    """Check maps; 0 if nothing is wrong (what is only doubtful is shown), 1 if something is."""
    from titm_rules.maps.lint import DOUBT, lint_map, summary

    wrong = False
    records = []
    for name in names or list(map_paths(edition.model)):
        board = open_map(edition.model, name)
        faults = lint_map(board, edition.answer)
        wrong |= any(fault.kind != DOUBT for fault in faults)
        records.append({**summary(board), "faults": [fault_record(fault) for fault in faults]})
        if not as_json:
            for fault in faults:
                typer.secho(fault.render() + "\n", fg="yellow" if fault.kind == DOUBT else "red")
            typer.echo(f"{flat(summary(board))}: {len(faults)} faults")
    if as_json:
        print_json(records)
    return ILLEGAL if wrong else LEGAL


# ---------------------------------------------------------------------- one place, one way
def show_place(place: str, name: str, edition: Edition, as_json: bool) -> int:
    """Print a place, or a connection, with where each datum comes from."""
    board = open_map(edition.model, name)
    record = record_of(board, place)
    if as_json:
        print_json(record)
    else:
        _print_place(board, record)
    return LEGAL


def list_places(words: Sequence[str], name: str, edition: Edition, as_json: bool) -> int:
    """Print the places of a map: their list, their number, and their other names."""
    board = open_map(edition.model, name)
    records = [
        {"id": identity, "list": table, "number": row.get("number"), "aliases": list(row.get("aliases", ()))}
        for identity, (table, row) in board.places.items()
    ]  # fmt: skip
    found = [one for one in records if all(_is_called(one, normalize_name(word)) for word in words)]
    if as_json:
        print_json(found)
        return LEGAL
    for one in found:
        number = f" ({one['number']})" if one["number"] is not None else ""
        aliases = f", also {', '.join(one['aliases'])}" if one["aliases"] else ""
        typer.echo(f"{one['id']}{number}: {one['list']}{aliases}")
    typer.echo(f"{len(found)} place{'s' * (len(found) != 1)} of {board.name}; `titm map show PLACE` shows details")
    return LEGAL


def _is_called(record: Mapping[str, Any], word: str) -> bool:
    return any(word in normalize_name(name) for name in (record["id"], *record["aliases"]))


def _print_place(board: GameMap, record: Mapping[str, Any]) -> None:
    title = typer.style(record["id"], bold=True)
    typer.echo(f"{title} ({record['list']} of {board.name}){_origin(record['fields'][''])}")
    for field, said in record["fields"].items():
        if field and field != "marks":
            typer.echo(f"  {field}: {flat(said['value'])}{'' if field == 'note' else _origin(said)}")
        elif field:
            marks = board.data.get("marks", {})
            for mark in said["value"]:
                typer.echo(f"  {mark}: {marks[mark]['says']} ({board.sources[marks[mark]['source']]['basis']})")
    for lead in record.get("connections", ()):
        said = {name: one["value"] for name, one in lead["fields"].items() if name and one["value"] is not False}
        typer.echo(f"  to {lead['to']}: {flat(said)}{_origin(lead['fields'][''])}")
    if record.get("parts"):
        typer.echo(f"  in play in: {', '.join(record['parts'])}")


def _origin(said: Mapping[str, Any]) -> str:
    if not said["basis"]:
        return ""
    source = f", {said['source']}" if said["basis"] != RECONSTRUCTED else ""
    return typer.style(f" ({said['basis']}{source})", dim=said["basis"] != ATTESTED)


def show_way(start: str, end: str, name: str, fields: Sequence[str], edition: Edition, as_json: bool) -> int:
    """Print the cheapest way between two places; 1 if there is none."""
    from titm_rules.maps.map_queries import find_way

    board = open_map(edition.model, name)
    way = find_way(edition.model, board, start, end, dict(_piece_field(word) for word in fields))
    if as_json:
        found = {"cost": way.cost, "moves": way.moves, "points": way.points, "start": way.start} if way else {}
        steps = [asdict(step) for step in way.steps] if way else []
        print_json({"found": way is not None, **found, "steps": steps, "note": board.caution})
        return LEGAL if way else ILLEGAL
    if way is None:
        typer.echo(f"no way leads from {start} to {end}")
        _show_caution(board)
        return ILLEGAL
    moves = f"{way.moves} move{'s' if way.moves != 1 else ''} of {way.points}"
    typer.echo(f"{way.start} to {way.steps[-1].place if way.steps else way.start}: cost {way.cost}, {moves}")
    for step in way.steps:
        row = board.connections[step.connection][1]
        said = [f"{k} {v}" for k, v in row.items() if k not in QUIET and not isinstance(v, bool)]
        typer.echo(f"  {step.move}  {step.place}: {step.cost}  ({', '.join(said)})")
    _show_caution(board)
    return LEGAL


def _show_caution(board: GameMap) -> None:
    if board.caution:
        typer.echo(f"note: {board.caution}")


def _piece_field(word: str) -> tuple[str, Any]:
    name, equals, text = word.partition("=")
    if not equals:
        raise bad(f"`{word}` is not a field of a piece", "--piece", "write NAME=VALUE", "bad-value")
    flags = {"yes": True, "true": True, "no": False, "false": False}
    return name.replace("-", "_"), int(text) if text.isdecimal() and len(text) < 10 else flags.get(text, text)


# ---------------------------------------------------------------------- two maps
def diff_maps(first: str, second: str, fields: Sequence[str], edition: Edition, as_json: bool) -> int:
    """Print what differs between two maps; 1 if anything does."""
    from titm_rules.maps.map_queries import compare

    one, other = open_map(edition.model, first), open_map(edition.model, second)
    found = list(compare(one, other, frozenset(fields)))
    if as_json:
        print_json([asdict(difference) for difference in found])
    else:
        for difference in found:
            typer.echo(str(difference))
        typer.echo(f"{len(found)} differences between {one.name} and {other.name}")
    return ILLEGAL if found else LEGAL


# ---------------------------------------------------------------------- other formats
def export_map(name: str, out: Path, edition: Edition) -> int:
    """Write a map to a .graphml, .geojson, .yaml or .json file, or as tables to a folder."""
    from titm_rules.maps.exchange import exported

    for path, text in exported(edition.model, open_map(edition.model, name), out).items():
        write_file(path, text, make_folder=True)
    typer.echo(f"written: {out}")
    return LEGAL


def import_map(path: Path, out: Path, edition: Edition) -> int:
    """Read a map of another format and write it as a map file."""
    from titm_rules.maps.exchange import read_foreign, to_yaml

    raw = read_foreign(edition.model, path)
    board = build_map(edition.model, raw, str(path))
    write_file(out, to_yaml(raw, board.roles), make_folder=True)
    typer.echo(f"written: {out}; `titm map lint {out}` checks it")
    return LEGAL


def new_map(out: Path, game: str) -> int:
    """Write a template with a checklist for one's own transcription; a file that is there stays as it is."""
    if out.exists():
        raise bad("the file is there already", str(out), "name another file", "file-exists")
    templates = files_of(game, f"{FOLDER}/new/{TEMPLATE}")
    if not templates:
        what = f"the game `{game_name(game or default_game())}` has no template of a map"
        raise bad(what, "--game", f"lay one into its folder {FOLDER}/new", "no-file")
    write_file(out, read_text(templates[0]).replace("NAME", out.stem), make_folder=True)
    typer.echo(f"written: {out}; its first lines tell how to go on")
    return LEGAL


def show_schema(game: str) -> int:
    """Print the JSON Schema of map files."""
    print_json(map_class(Edition(game=game).model).model_json_schema())
    return LEGAL


# ---------------------------------------------------------------------- scenarios
def open_scenario(edition: Edition, name: str) -> Scenario:
    """Open a scenario by its name, or by its file.

    Raises:
        InputError: if there is none, or it is faulty.
    """
    if is_file(name):
        return read_scenario(edition.model, Path(name))
    return load_scenario(edition.model, name)


def list_scenarios(edition: Edition, as_json: bool) -> int:
    """Print the scenarios that ship."""
    records = [_record(load_scenario(edition.model, name)) for name in scenario_folders(edition.game)]
    if as_json:
        print_json(records)
        return LEGAL
    if not records:
        typer.echo(f"the game `{game_name(edition.game)}` has no scenario")
    for record in records:
        typer.echo(f"{typer.style(record['name'], bold=True)}: {record['title']}")
        typer.echo(f"  {flat(record['rows'])}; map {record['map']}; ends: {record['end']['says']}")
    return LEGAL


def _record(scenario: Scenario) -> dict[str, Any]:
    data = scenario.data
    return {
        "name": scenario.name, "title": data["title"], "about": data.get("about", ""), "map": scenario.board.name,
        "part": data.get("part") or data.get("playing_area", {}).get("part"),
        "rows": {name: len(rows) for name, rows in scenario.rows.items()},
        "start": data["start"], "end": data["end"], "victory": data["victory"],
        "special": str(scenario.special_rules) if scenario.special_rules else None, "note": scenario.board.caution,
    }  # fmt: skip


def show_scenario(name: str, as_position: bool, edition: Edition, as_json: bool) -> int:
    """Print a scenario: forces by place and by arrival, start, end and victory; or its position as JSON."""
    scenario = open_scenario(edition, name)
    if as_position:
        print_json({scenario.situation: scenario.position})
    elif as_json:
        print_json({**_record(scenario), "lists": scenario.rows})
    else:
        _print(scenario)
    return LEGAL


def _print(scenario: Scenario) -> None:
    record = _record(scenario)
    typer.secho(f"{record['title']} ({scenario.name})", bold=True)
    for line in (record["about"], f"map: {record['map']}" + (f", {record['part']}" if record["part"] else "")):
        typer.echo(line)
    typer.echo(f"start: {flat(record['start'])}")
    typer.echo(f"end: {record['end']['says']}")
    for level in record["victory"]:
        typer.echo(f"  {level['level']}: {level['says']}")
    for table, rows in scenario.rows.items():
        typer.secho(f"{table}: {len(rows)}", bold=True)
        for row in rows:
            said = {k: v for k, v in row.items() if k not in ("id", "formation", "branch", "marks", "note", "source")}
            typer.echo(f"  {row.get('formation', '')} ({row['id']}): {flat(said)}")
    if scenario.special_rules:
        typer.echo(f"special rules: {scenario.special_rules}")
    if record["note"]:
        typer.echo(f"note: {record['note']}")


def show_schemas() -> int:
    """Print the JSON Schemas of force files and of scenario files."""
    print_json({"forces": ForceFile.model_json_schema(), "scenario": ScenarioFile.model_json_schema()})
    return LEGAL


def check_scenarios(names: Sequence[str], edition: Edition, as_json: bool) -> int:
    """Check scenarios; 0 if nothing is wrong, 1 if something is."""
    found: dict[str, list[Fault]] = {}
    for name in names or list(scenario_folders(edition.game)):
        scenario = open_scenario(edition, name)
        _open(scenario, edition)
        found[name] = list(check_whole(scenario, edition.answer))
        if not as_json:
            _report(scenario, found[name], edition)
    if as_json:
        print_json({name: [fault_record(fault) for fault in faults] for name, faults in found.items()})
    return ILLEGAL if any(found.values()) else LEGAL


def _open(scenario: Scenario, edition: Edition) -> None:
    """Make the position and parse the special rules.

    Raises:
        TitmError: if one of them cannot be used.
    """
    Position.from_dict(scenario.position, edition, scenario.situation)
    special = scenario.special_rules
    if special is not None and special.is_file():
        parse_rules(read_rules(special), str(special))


def _report(scenario: Scenario, faults: Sequence[Fault], edition: Edition) -> None:
    for fault in faults:
        typer.secho(fault.render() + "\n", fg="red")
    counts = {name: len(rows) for name, rows in scenario.rows.items()}
    typer.echo(f"{scenario.name}: {flat(counts)}: {len(faults)} faults")
    date = scenario.data.get("edition") or edition.date
    for name, rows in scenario.pending.items():
        typer.echo(f"  {name}: {len(rows)} rows that the rules of {date} do not know yet")
