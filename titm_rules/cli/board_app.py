"""The commands of `titm map` and `titm scenario`, and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from titm_rules.cli.arguments import AsJson, GameName
from titm_rules.cli.guard import guarded
from titm_rules.oracle.edition import Edition

map_app = typer.Typer(help="Look at maps, check and compare them, carry them to other formats.", no_args_is_help=True)
scenario_app = typer.Typer(help="List scenarios, show one, check them.", no_args_is_help=True)

MapName = Annotated[
    str, typer.Option("--map", metavar="MAP", help="Name or file of a map; default: the whole board that ships.")
]
PlaceArgument = Annotated[str, typer.Argument(metavar="PLACE", help="Any name, spelling or number of a place.")]
Out = Annotated[Path, typer.Option("-o", "--out", help="Where to write.")]


@map_app.command("list")
def list_all(game: GameName = "", as_json: AsJson = False) -> None:
    """List the maps that can be named."""
    from titm_rules.cli.maps import list_maps

    guarded(lambda: list_maps(Edition(game=game), as_json), as_json)


@map_app.command()
def places(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]...", help="Only those with this in a name.")
    ] = None,
    name: MapName = "", game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """List the places of a map with their numbers and other names."""
    from titm_rules.cli.maps import edition_for, list_places

    guarded(lambda: list_places(words or (), name, edition_for([name], game), as_json), as_json)


@map_app.command()
def lint(
    maps: Annotated[list[str] | None, typer.Argument(metavar="[MAP]...", help="Names or files; default: all.")] = None,
    game: GameName = "",
    as_json: AsJson = False,
) -> None:
    """Check maps: form, connections, sources, parts, and the facts that they must hold.

    Exit codes: 0 nothing wrong (doubts are shown), 1 something wrong, 2 a file that is not a map.
    """
    from titm_rules.cli.maps import edition_for, lint_maps

    guarded(lambda: lint_maps(maps or (), edition_for(maps or (), game), as_json), as_json)


@map_app.command()
def show(place: PlaceArgument, name: MapName = "", game: GameName = "", as_json: AsJson = False) -> None:
    """Show a place or a connection, and where each datum comes from."""
    from titm_rules.cli.maps import edition_for, show_place

    guarded(lambda: show_place(place, name, edition_for([name], game), as_json), as_json)


@map_app.command()
def route(
    start: PlaceArgument, end: PlaceArgument, name: MapName = "",
    piece: Annotated[
        list[str] | None, typer.Option("--piece", metavar="FIELD=VALUE", help="What is different about the piece.")
    ] = None,
    edition: Annotated[str, typer.Option("--edition", metavar="DATE")] = "",
    game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """Find the cheapest way between two places on an empty board."""
    from titm_rules.cli.maps import edition_for, show_way

    guarded(lambda: show_way(start, end, name, piece or (), edition_for([name], game, edition), as_json), as_json)


@map_app.command()
def diff(
    first: str, second: str,
    field: Annotated[list[str] | None, typer.Option("--field", help="Compare only these fields.")] = None,
    game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show what differs between two maps; exit code 1 if anything does."""
    from titm_rules.cli.maps import diff_maps, edition_for

    guarded(lambda: diff_maps(first, second, field or (), edition_for([first, second], game), as_json), as_json)


@map_app.command()
def export(out: Out, name: MapName = "", game: GameName = "") -> None:
    """Write a map as GraphML, GeoJSON or YAML, or as two CSV tables in a folder."""
    from titm_rules.cli.maps import edition_for, export_map

    guarded(lambda: export_map(name, out, edition_for([name], game)))


@map_app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A .graphml or .geojson file, or a folder of tables.")],
    out: Out,
    game: GameName = "",
) -> None:
    """Read a map of another format and write it as a map file."""
    from titm_rules.cli.maps import import_map

    guarded(lambda: import_map(path, out, Edition(game=game)))


@map_app.command()
def new(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as mine.yaml.")],
    game: GameName = "",
) -> None:
    """Write a template, with a checklist, for a transcription of your own map."""
    from titm_rules.cli.maps import new_map

    guarded(lambda: new_map(out, game))


@map_app.command()
def schema(game: GameName = "") -> None:
    """Print the JSON Schema of map files."""
    from titm_rules.cli.maps import show_schema

    guarded(lambda: show_schema(game), True)


@scenario_app.command("list")
def list_scenarios(game: GameName = "", as_json: AsJson = False) -> None:
    """List the scenarios that ship."""
    from titm_rules.cli import scenarios

    guarded(lambda: scenarios.list_scenarios(Edition(game=game), as_json), as_json)


@scenario_app.command("show")
def show_scenario(
    name: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name, or its file.")],
    position: Annotated[bool, typer.Option("--position", help="Only the position at the start, as JSON.")] = False,
    game: GameName = "",
    as_json: AsJson = False,
) -> None:
    """Show a scenario: forces, start, end, victory."""
    from titm_rules.cli import scenarios
    from titm_rules.cli.maps import edition_for

    guarded(lambda: scenarios.show_scenario(name, position, edition_for([name], game), as_json), as_json)


@scenario_app.command("check")
def check_scenarios(
    names: Annotated[list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="Default: all that ship.")] = None,
    game: GameName = "",
    as_json: AsJson = False,
) -> None:
    """Check scenarios: forces, places, totals, special rules, and what must hold at the start."""
    from titm_rules.cli import scenarios
    from titm_rules.cli.maps import edition_for

    guarded(lambda: scenarios.check_scenarios(names or (), edition_for(names or (), game), as_json), as_json)


@scenario_app.command("schema")
def scenario_schema() -> None:
    """Print the JSON Schemas of force files and of scenario files."""
    from titm_rules.cli import scenarios

    guarded(scenarios.show_schemas, True)
