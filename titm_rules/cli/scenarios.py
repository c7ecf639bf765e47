"""`titm scenario`: list scenarios, show one, check them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from titm_rules.cli.guard import ILLEGAL, LEGAL, print_json
from titm_rules.cli.show import flat
from titm_rules.diagnostics import Fault
from titm_rules.editions.check import read_rules
from titm_rules.editions.games import game_name
from titm_rules.formats.scenarios import scenario_schemas
from titm_rules.maps.maps import is_file
from titm_rules.maps.scenarios import Scenario, check_whole, load_scenario, read_scenario, scenario_folders
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import fault_record
from titm_rules.syntax.parser import parse_rules


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
    print_json(scenario_schemas())
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
