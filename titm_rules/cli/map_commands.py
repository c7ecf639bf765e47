"""`titm map` and `titm scenario`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, files_of, game_name, game_of_file
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.terminal import ILLEGAL, LEGAL, echo, print_json, styled
from titm_rules.cli.verdict_text import flat
from titm_rules.diagnostics import Fault
from titm_rules.editions.rule_files import read_rules
from titm_rules.files import read_text, write_file
from titm_rules.formats.case_files import shipped_cases
from titm_rules.formats.file_schemas import ForceFile, ScenarioFile, map_class
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.maps import maps
from titm_rules.maps.map_queries import QUIET, record_of
from titm_rules.maps.scenarios import Scenario, check_whole, load_scenario, read_scenario, scenario_folders
from titm_rules.oracle.case import Case, open_case
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.service.capabilities import what_ships
from titm_rules.service.protocol import fault_record
from titm_rules.syntax.parser import parse_rules

TEMPLATE = "template.yaml"
OF_SCENARIOS = ("format", "start", "victory")  # keys that scenarios have, and positions have not
NOT_SHOWN = ("id", "formation", "branch", "marks", "note", "source")  # of a row of a list, among its fields


def edition_for(options: SharedOptions, *names: str) -> Edition:
    """Give the rules for maps or scenarios. Raises `InputError` for a file of another game than the one asked for."""
    game = options.game
    path = next((Path(name) for name in names if maps.is_file(name)), None)
    if path is not None:
        raw = read_data(path)
        game = game_of_file(path, raw.get("game") if isinstance(raw, dict) else None, game)
    return Edition(options.edition or "", game=game)


def list_maps(options: SharedOptions) -> None:
    from titm_rules.maps.lint import summary

    edition = Edition(game=options.game)
    found = [(path, maps.read_map(edition.model, path)) for path in maps.map_paths(edition.model).values()]
    records = [{**summary(board), "title": board.data["title"], "file": str(path)} for path, board in found]
    if options.as_json:
        print_json(records)
        return
    if not records:
        echo(f"the game `{game_name(edition.game)}` has no map")
    for record in records:
        echo(f"{styled(str(record['map']), bold=True)}: {record['title']}")
        echo(f"  {flat({k: v for k, v in record.items() if k not in ('map', 'title', 'file')})}")


def lint_maps(options: SharedOptions, names: Sequence[str]) -> int:
    from titm_rules.maps.lint import DOUBT, lint_map, summary

    edition = edition_for(options, *names)
    wrong = False
    records = []
    for name in names or list(maps.map_paths(edition.model)):
        board = maps.open_map(edition.model, name)
        faults = lint_map(board, edition.answer)
        wrong |= any(fault.kind != DOUBT for fault in faults)
        records.append({**summary(board), "faults": [fault_record(fault) for fault in faults]})
        if not options.as_json:
            for fault in faults:
                echo(styled(fault.render() + "\n", "yellow" if fault.kind == DOUBT else "red"))
            echo(f"{flat(summary(board))}: {len(faults)} faults")
    if options.as_json:
        print_json(records)
    return ILLEGAL if wrong else LEGAL


# ---------------------------------------------------------------------- one place, one way
def show_place(options: SharedOptions, place: str, name: str) -> None:
    board = maps.open_map(edition_for(options, name).model, name)
    record = record_of(board, place)
    if options.as_json:
        print_json(record)
    else:
        title = styled(record["id"], bold=True)
        echo(f"{title} ({record['list']} of {board.name}){_origin(record['fields'][''])}")
        for field, said in record["fields"].items():
            if field and field != "marks":
                echo(f"  {field}: {flat(said['value'])}{'' if field == 'note' else _origin(said)}")
            elif field:
                marks = board.data.get("marks", {})
                for mark in said["value"]:
                    echo(f"  {mark}: {marks[mark]['says']} ({board.sources[marks[mark]['source']]['basis']})")
        for lead in record.get("connections", ()):
            said = {name: one["value"] for name, one in lead["fields"].items() if name and one["value"] is not False}
            echo(f"  to {lead['to']}: {flat(said)}{_origin(lead['fields'][''])}")
        if record.get("parts"):
            echo(f"  in play in: {', '.join(record['parts'])}")


def list_places(options: SharedOptions, named: Sequence[str], name: str) -> None:
    board = maps.open_map(edition_for(options, name).model, name)
    records: list[dict[str, Any]] = [
        {"id": identity, "list": table, "number": row.get("number"), "aliases": list(row.get("aliases", ()))}
        for identity, (table, row) in board.places.items()
    ]
    words = [maps.normalize_name(word) for word in named]
    called = [(one, [maps.normalize_name(name) for name in (one["id"], *one["aliases"])]) for one in records]
    found = [one for one, names in called if all(any(word in name for name in names) for word in words)]
    if options.as_json:
        print_json(found)
        return
    for one in found:
        number = f" ({one['number']})" if one["number"] is not None else ""
        aliases = f", also {', '.join(one['aliases'])}" if one["aliases"] else ""
        echo(f"{one['id']}{number}: {one['list']}{aliases}")
    echo(f"{len(found)} place{'s' * (len(found) != 1)} of {board.name}; `titm map show PLACE` shows details")


def _origin(said: Mapping[str, Any]) -> str:
    if not said["basis"]:
        return ""
    source = f", {said['source']}" if said["basis"] != maps.RECONSTRUCTED else ""
    return styled(f" ({said['basis']}{source})", dim=said["basis"] != maps.ATTESTED)


def show_way(options: SharedOptions, start: str, end: str, name: str, fields: Sequence[str]) -> int:
    """Print the cheapest way between two places; 1 if there is none."""
    from titm_rules.maps.map_queries import find_way

    model = edition_for(options, name).model
    board = maps.open_map(model, name)
    way = find_way(model, board, start, end, dict(_piece_field(word) for word in fields))
    if options.as_json:
        found = {"cost": way.cost, "moves": way.moves, "points": way.points, "start": way.start} if way else {}
        steps = [asdict(step) for step in way.steps] if way else []
        print_json({"found": way is not None, **found, "steps": steps, "note": board.caution})
        return LEGAL if way else ILLEGAL
    if way is None:
        echo(f"no way leads from {start} to {end}")
    else:
        moves = f"{way.moves} move{'s' if way.moves != 1 else ''} of {way.points}"
        echo(f"{way.start} to {way.steps[-1].place if way.steps else way.start}: cost {way.cost}, {moves}")
        for step in way.steps:
            row = board.connections[step.connection][1]
            said = [f"{k} {v}" for k, v in row.items() if k not in QUIET and not isinstance(v, bool)]
            echo(f"  {step.move}  {step.place}: {step.cost}  ({', '.join(said)})")
    if board.caution:
        echo(f"note: {board.caution}")
    return LEGAL if way else ILLEGAL


def _piece_field(word: str) -> tuple[str, Any]:
    name, equals, text = word.partition("=")
    if not equals:
        raise bad(f"`{word}` is not a field of a piece", "--piece", "write NAME=VALUE", "bad-value")
    flags = {"yes": True, "true": True, "no": False, "false": False}
    return name.replace("-", "_"), int(text) if text.isdecimal() and len(text) < 10 else flags.get(text, text)


def diff_maps(options: SharedOptions, first: str, second: str, fields: Sequence[str]) -> int:
    from titm_rules.maps.map_queries import compare

    model = edition_for(options, first, second).model
    one, other = maps.open_map(model, first), maps.open_map(model, second)
    found = list(compare(one, other, frozenset(fields)))
    if options.as_json:
        print_json([asdict(difference) for difference in found])
    else:
        for difference in found:
            echo(str(difference))
        echo(f"{len(found)} differences between {one.name} and {other.name}")
    return ILLEGAL if found else LEGAL


# ---------------------------------------------------------------------- other formats
def export_map(options: SharedOptions, name: str, out: Path) -> None:
    from titm_rules.maps.exchange import exported

    model = edition_for(options, name).model
    for path, text in exported(model, maps.open_map(model, name), out).items():
        write_file(path, text, make_folder=True)
    echo(f"written: {out}")


def import_map(options: SharedOptions, path: Path, out: Path) -> None:
    from titm_rules.maps.exchange import read_foreign, to_yaml

    model = Edition(game=options.game).model
    raw = read_foreign(model, path)
    board = maps.build_map(model, raw, str(path))
    write_file(out, to_yaml(raw, board.roles), make_folder=True)
    echo(f"written: {out}; `titm map lint {out}` checks it")


def new_map(options: SharedOptions, out: Path) -> None:
    """Write a template with a checklist; a file that is there stays as it is."""
    game = options.game
    if out.exists():
        raise bad("the file is there already", str(out), "name another file", "file-exists")
    templates = files_of(game, f"{maps.FOLDER}/new/{TEMPLATE}")
    if not templates:
        what = f"the game `{game_name(game or default_game())}` has no template of a map"
        raise bad(what, "--game", f"lay one into its folder {maps.FOLDER}/new", "no-file")
    write_file(out, read_text(templates[0]).replace("NAME", out.stem), make_folder=True)
    echo(f"written: {out}; its first lines tell how to go on")


def show_schema(options: SharedOptions) -> None:
    print_json(map_class(Edition(game=options.game).model).model_json_schema())


# ---------------------------------------------------------------------- scenarios
def open_scenario(edition: Edition, name: str) -> Scenario:
    """Open a scenario by its name, or by its file. Raises `InputError` if there is none, or it is faulty."""
    if maps.is_file(name):
        return read_scenario(edition.model, Path(name))
    return load_scenario(edition.model, name)


def list_scenarios(options: SharedOptions) -> None:
    edition = Edition(game=options.game)
    records = [_record(load_scenario(edition.model, name)) for name in scenario_folders(edition.game)]
    if options.as_json:
        print_json(records)
        return
    if not records:
        echo(f"the game `{game_name(edition.game)}` has no scenario")
    for record in records:
        echo(f"{styled(record['name'], bold=True)}: {record['title']}")
        echo(f"  {flat(record['rows'])}; map {record['map']}; ends: {record['end']['says']}")
    for name, sentence in what_ships(edition.model)["positions"].items():
        echo(f"{styled(name, bold=True)}: {sentence}")


def _record(scenario: Scenario) -> dict[str, Any]:
    data = scenario.data
    return {
        "name": scenario.name, "title": data["title"], "about": data.get("about", ""), "map": scenario.board.name,
        "part": data.get("part") or data.get("playing_area", {}).get("part"),
        "rows": {name: len(rows) for name, rows in scenario.rows.items()},
        "start": data["start"], "end": data["end"], "victory": data["victory"],
        "special": str(scenario.special_rules) if scenario.special_rules else None, "note": scenario.board.caution,
    }  # fmt: skip


def _position_of(options: SharedOptions, name: str) -> Case | None:
    """Open what ships under a name, or a file, that holds a situation and is not a scenario."""
    path = Path(name) if maps.is_file(name) else shipped_cases(options.game).get(name)
    raw = read_data(path) if path is not None else None
    is_position = isinstance(raw, dict) and raw.keys().isdisjoint(OF_SCENARIOS)
    return open_case(Path(name), options.rules) if is_position else None


def _show_position(options: SharedOptions, name: str, case: Case, as_position: bool) -> None:
    about = what_ships(case.edition.model)["positions"].get(name, "")
    if as_position or options.as_json:
        print_json({**({} if as_position else {"name": name, "about": about}), case.situation: case.data})
        return
    echo(styled(name, bold=True) + (f": {about}" if about else ""))
    lists = {name: rows for name, rows in case.data.items()
             if isinstance(rows, list) and all(isinstance(row, dict) for row in rows)}  # fmt: skip
    echo(f"{case.situation}: {flat({key: one for key, one in case.data.items() if key not in lists})}")
    _show_lists(lists)


def _show_lists(lists: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    for table, rows in lists.items():
        echo(styled(f"{table}: {len(rows)}", bold=True))
        for row in rows:
            said = {key: one for key, one in row.items() if key not in NOT_SHOWN}
            echo(f"  {row.get('formation', '')} ({row.get('id', '')}): {flat(said)}")


def show_scenario(options: SharedOptions, name: str, as_position: bool) -> None:
    case = _position_of(options, name)
    if case is not None:
        _show_position(options, name, case, as_position)
        return
    scenario = open_scenario(edition_for(options, name), name)
    if as_position:
        print_json({scenario.situation: scenario.position})
    elif options.as_json:
        print_json({**_record(scenario), "lists": scenario.rows})
    else:
        record = _record(scenario)
        echo(styled(f"{record['title']} ({scenario.name})", bold=True))
        for line in (record["about"], f"map: {record['map']}" + (f", {record['part']}" if record["part"] else "")):
            echo(line)
        echo(f"start: {flat(record['start'])}")
        echo(f"end: {record['end']['says']}")
        for level in record["victory"]:
            echo(f"  {level['level']}: {level['says']}")
        _show_lists(scenario.rows)
        if scenario.special_rules:
            echo(f"special rules: {scenario.special_rules}")
        if record["note"]:
            echo(f"note: {record['note']}")


def show_schemas(options: SharedOptions) -> None:
    del options  # they are the same for all games
    print_json({"forces": ForceFile.model_json_schema(), "scenario": ScenarioFile.model_json_schema()})


def check_scenarios(options: SharedOptions, names: Sequence[str]) -> int:
    """Check scenarios, and that positions can be read; 0 if nothing is wrong, 1 if something is."""
    edition = edition_for(options, *names)
    found: dict[str, list[Fault]] = {}
    for name in names or list(scenario_folders(edition.game)):
        if (case := _position_of(options, name)) is not None:
            Position.from_dict(case.data, case.edition, case.situation)
            found[name] = []
            if not options.as_json:
                echo(f"{name}: 0 faults")
            continue
        scenario = open_scenario(edition, name)
        Position.from_dict(scenario.position, edition, scenario.situation)
        special = scenario.special_rules
        if special is not None and special.is_file():
            parse_rules(read_rules(special), str(special))
        found[name] = list(check_whole(scenario, edition.answer))
        if not options.as_json:
            _report(scenario, found[name], edition)
    if options.as_json:
        print_json({name: [fault_record(fault) for fault in faults] for name, faults in found.items()})
    return ILLEGAL if any(found.values()) else LEGAL


def _report(scenario: Scenario, faults: Sequence[Fault], edition: Edition) -> None:
    for fault in faults:
        echo(styled(fault.render() + "\n", "red"))
    counts = {name: len(rows) for name, rows in scenario.rows.items()}
    echo(f"{scenario.name}: {flat(counts)}: {len(faults)} faults")
    date = scenario.data.get("edition") or edition.date
    for name, rows in scenario.pending.items():
        echo(f"  {name}: {len(rows)} rows that the rules of {date} do not know yet")
