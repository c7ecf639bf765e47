"""The commands and their options; each imports its work when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from titm_rules.cli import arguments
from titm_rules.cli.arguments import (
    AsJson,
    At,
    Backend,
    CaseFile,
    Changes,
    EditionDate,
    EngineName,
    FirstEdition,
    From,
    GameName,
    Jobs,
    Overlays,
    PartsFolder,
    QueryWords,
    Readings,
    ReadingsOption,
    RuleFiles,
    SecondEdition,
    StartName,
)
from titm_rules.cli.terminal import guarded
from titm_rules.oracle.edition import Edition
from titm_rules.service.budget import Budget
from titm_rules.version import __version__

# ---------------------------------------------------------------------- board app
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
    from titm_rules.cli.map_commands import list_maps

    guarded(lambda: list_maps(Edition(game=game), as_json), as_json)


@map_app.command()
def places(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]...", help="Only those with this in a name.")
    ] = None,
    name: MapName = "", game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """List the places of a map with their numbers and other names."""
    from titm_rules.cli.map_commands import edition_for, list_places

    guarded(lambda: list_places(words or (), name, edition_for([name], game), as_json), as_json)


@map_app.command("lint")
def map_lint(
    maps: Annotated[list[str] | None, typer.Argument(metavar="[MAP]...", help="Names or files; default: all.")] = None,
    game: GameName = "",
    as_json: AsJson = False,
) -> None:
    """Check maps: form, connections, sources, parts, and the facts that they must hold.

    Exit codes: 0 nothing wrong (doubts are shown), 1 something wrong, 2 a file that is not a map.
    """
    from titm_rules.cli.map_commands import edition_for, lint_maps

    guarded(lambda: lint_maps(maps or (), edition_for(maps or (), game), as_json), as_json)


@map_app.command()
def show(place: PlaceArgument, name: MapName = "", game: GameName = "", as_json: AsJson = False) -> None:
    """Show a place or a connection, and where each datum comes from."""
    from titm_rules.cli.map_commands import edition_for, show_place

    guarded(lambda: show_place(place, name, edition_for([name], game), as_json), as_json)


@map_app.command()
def route(
    start: PlaceArgument, end: PlaceArgument, name: MapName = "",
    piece: Annotated[
        list[str] | None, typer.Option("--piece", metavar="FIELD=VALUE", help="Fields of the piece that differ.")
    ] = None,
    edition: Annotated[str, typer.Option("--edition", metavar="DATE")] = "",
    game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """Find the cheapest way between two places on an empty board."""
    from titm_rules.cli.map_commands import edition_for, show_way

    guarded(lambda: show_way(start, end, name, piece or (), edition_for([name], game, edition), as_json), as_json)


@map_app.command("diff")
def map_diff(
    first: str, second: str,
    field: Annotated[list[str] | None, typer.Option("--field", help="Compare only these fields.")] = None,
    game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show what differs between two maps; exit code 1 if anything does."""
    from titm_rules.cli.map_commands import diff_maps, edition_for

    guarded(lambda: diff_maps(first, second, field or (), edition_for([first, second], game), as_json), as_json)


@map_app.command()
def export(out: Out, name: MapName = "", game: GameName = "") -> None:
    """Write a map as GraphML, GeoJSON or YAML, or as two CSV tables in a folder."""
    from titm_rules.cli.map_commands import edition_for, export_map

    guarded(lambda: export_map(name, out, edition_for([name], game)))


@map_app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A .graphml or .geojson file, or a folder of tables.")],
    out: Out,
    game: GameName = "",
) -> None:
    """Read a map of another format and write it as a map file."""
    from titm_rules.cli.map_commands import import_map

    guarded(lambda: import_map(path, out, Edition(game=game)))


@map_app.command()
def new(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as mine.yaml.")],
    game: GameName = "",
) -> None:
    """Write a template, with a checklist, for a transcription of your own map."""
    from titm_rules.cli.map_commands import new_map

    guarded(lambda: new_map(out, game))


@map_app.command()
def schema(game: GameName = "") -> None:
    """Print the JSON Schema of map files."""
    from titm_rules.cli.map_commands import show_schema

    guarded(lambda: show_schema(game), True)


@scenario_app.command("list")
def list_scenarios(game: GameName = "", as_json: AsJson = False) -> None:
    """List the scenarios that ship."""
    from titm_rules.cli import map_commands

    guarded(lambda: map_commands.list_scenarios(Edition(game=game), as_json), as_json)


@scenario_app.command("show")
def show_scenario(
    name: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name, or its file.")],
    position: Annotated[bool, typer.Option("--position", help="Only the position at the start, as JSON.")] = False,
    game: GameName = "",
    as_json: AsJson = False,
) -> None:
    """Show a scenario: forces, start, end, victory."""
    from titm_rules.cli import map_commands
    from titm_rules.cli.map_commands import edition_for

    guarded(lambda: map_commands.show_scenario(name, position, edition_for([name], game), as_json), as_json)


@scenario_app.command("check")
def check_scenarios(
    names: Annotated[list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="Default: all that ship.")] = None,
    game: GameName = "",
    as_json: AsJson = False,
) -> None:
    """Check scenarios: forces, places, totals, special rules, and what must hold at the start."""
    from titm_rules.cli import map_commands
    from titm_rules.cli.map_commands import edition_for

    guarded(lambda: map_commands.check_scenarios(names or (), edition_for(names or (), game), as_json), as_json)


@scenario_app.command("schema")
def scenario_schema() -> None:
    """Print the JSON Schemas of force files and of scenario files."""
    from titm_rules.cli import map_commands

    guarded(map_commands.show_schemas, True)


# ---------------------------------------------------------------------- app
app = typer.Typer(
    help="Judge positions by the rules, with the clauses that decide.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(map_app, name="map")
app.add_typer(scenario_app, name="scenario")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"titm {__version__}")
        raise typer.Exit


@app.callback()
def _titm(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Judge positions by the rules, with the clauses that decide."""


@app.command()
def check(
    file: CaseFile = "", words: QueryWords = None, base: From = "", changes: Changes = None, at: At = "",
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, readings: ReadingsOption = None,
    overlay: Overlays = None, engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Check whether an action is legal, and list the clauses that forbid it.

    Exit codes: 0 legal or answered, 1 illegal, 2 bad input, 3 depends on a reading.
    """
    from titm_rules.cli.ask import SharedOptions, judge, subject_of

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), readings, game)
    guarded(lambda: judge(*subject_of(file, words, base, changes, at), options), as_json)


@app.command()
def why(
    file: CaseFile = "", words: QueryWords = None, base: From = "", changes: Changes = None, at: At = "",
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, readings: ReadingsOption = None,
    overlay: Overlays = None, engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Like check, with every finding, exception, witness and alternative."""
    from titm_rules.cli.ask import SharedOptions, judge, subject_of

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), readings, game)
    guarded(lambda: judge(*subject_of(file, words, base, changes, at), options, everything=True), as_json)


@app.command()
def legal(
    file: CaseFile = "", words: QueryWords = None, base: From = "", changes: Changes = None, at: At = "",
    kind: Annotated[list[str] | None, typer.Option(metavar="ACTION", help="Only actions of this kind.")] = None,
    unit: Annotated[str, typer.Option("--unit", metavar="ID", help="Only those that choose this piece or place.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="List at most so many.")] = 100,
    count: Annotated[bool, typer.Option("--count", help="Only count them.")] = False,
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, overlay: Overlays = None,
    engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """List the legal actions of a position, or the legal choices of a battle."""
    from titm_rules.cli.ask import SharedOptions, subject_of
    from titm_rules.cli.listing import WantedActions, list_legal

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), game=game)
    wanted = WantedActions(tuple(kind or ()), unit, None if count else limit)
    guarded(lambda: list_legal(*subject_of(file, words, base, changes, at), options, wanted), as_json)


@app.command()
def odds(
    file: CaseFile = "", words: QueryWords = None, base: From = "", changes: Changes = None, at: At = "",
    plan: Annotated[str, typer.Option(metavar="PLAN", help="Only this plan, as a1>d1,a2>d2 or d1,d3.")] = "",
    top: Annotated[int, typer.Option(min=1, max=1_000, help="Show at most so many plans.")] = 10,
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, overlay: Overlays = None,
    engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Give the exact chances of losses: of one plan, or of the legal plans by expected loss.

    Exit code 1 if the plan is illegal.
    """
    from titm_rules.cli.ask import SharedOptions, subject_of
    from titm_rules.cli.listing import tell_odds

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), game=game)
    guarded(lambda: tell_odds(*subject_of(file, words, base, changes, at), options, plan, top), as_json)


@app.command()
def trace(
    file: CaseFile = "",
    piece: Annotated[str, typer.Argument(help="Id of the piece that traces.")] = "",
    base: From = "", changes: Changes = None,
    at: Annotated[str, typer.Option(metavar="PLACE", help="Trace from here, not from where it stands.")] = "",
    route: Annotated[str, typer.Option(metavar="NAME", help="Which route, if the rules have several.")] = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write a picture (SVG).")] = None,
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, overlay: Overlays = None,
    engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Trace a piece's route to its goal, or show what blocks it."""
    from titm_rules.cli.ask import SharedOptions, subject_of
    from titm_rules.cli.listing import trace_piece

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), game=game)
    pieces = [piece] if piece else []
    guarded(lambda: trace_piece(*subject_of(file, pieces, base, changes), at, route, out, options), as_json)


@app.command()
def render(
    name: CaseFile = "",
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Additional inputs for --reach and --path.")
    ] = None,
    base: From = "", changes: Changes = None, at: At = "",
    out: Annotated[Path, typer.Option("-o", "--out", help="The picture: .svg or .png.")] = Path("board.svg"),
    reach: Annotated[str, typer.Option(metavar="ID,...", help="Where these pieces may go, with the cost.")] = "",
    path: Annotated[str, typer.Option(metavar="PLACE,...", help="A route; --reach names the pieces that move.")] = "",
    supply: Annotated[str, typer.Option(metavar="ID", help="The trace of this piece, or what blocks it.")] = "",
    fire: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Show the legal targets of each piece.")
    ] = None,
    compare: Annotated[str, typer.Option(metavar="DATE", help="Where this edition allows something else.")] = "",
    around: Annotated[str, typer.Option(metavar="PLACE,...", help="Only these places and their neighbours.")] = "",
    whole: Annotated[bool, typer.Option(help="All of a large board, even if the overlay shows a part.")] = False,
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, overlay: Overlays = None,
    engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Draw a situation, and an overlay on it."""
    from titm_rules.cli.ask import SharedOptions, subject_of
    from titm_rules.cli.draw import WantedPicture, draw

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), game=game)
    wanted = WantedPicture(reach, path, supply, tuple(fire or ()), compare, around, whole)
    guarded(lambda: draw(*subject_of(name, words, base, changes, at), out, wanted, options), as_json)


@app.command()
def clauses(
    numbers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NUMBER | WORD]...", autocompletion=arguments.clauses,
            help="Clauses to show in full, or words that are in the clauses to list.",
        ),
    ] = None,
    chapter: Annotated[str, typer.Option(metavar="N", help="Only this chapter.")] = "",
    totals: Annotated[bool, typer.Option(help="Count by chapter what is formalised and list what is missing.")] = False,
    history: Annotated[bool, typer.Option("--history", help="Show the clauses through all editions.")] = False,
    game: GameName = "", edition: EditionDate = None, overlay: Overlays = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """List clauses; with a number, show its restatement and formal text; with a word, list those that have it.

    A number is that of the rulebook, or the one that the clause bore in the edition. A printed
    number whose parts have letters shows all of them.
    """
    from titm_rules.cli.rule_commands import rules_of, show_clauses, show_history, show_totals

    def work() -> int:
        rules = rules_of(edition, overlay or (), game)
        if history:
            return show_history(rules, numbers or (), as_json)
        if totals:
            return show_totals(rules, as_json)
        return show_clauses(rules, numbers or (), chapter, as_json)

    guarded(work, as_json)


@app.command()
def questions(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", autocompletion=arguments.questions, help="Only this one, in full.")
    ] = "",
    game: GameName = "", edition: EditionDate = None, overlay: Overlays = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """List the questions; with a name, show the inputs and the answer of the question, and an example."""
    from titm_rules.cli.listing import show_questions
    from titm_rules.cli.rule_commands import rules_of

    guarded(lambda: show_questions(rules_of(edition, overlay or (), game), name, as_json), as_json)


@app.command()
def editions(
    date: Annotated[str, typer.Argument(metavar="[DATE]", help="Only the rules in force on this date.")] = "",
    owned: Annotated[str, typer.Option(metavar="DATE", help="The date of the rules that you own.")] = "",
    sheets: Annotated[str, typer.Option(metavar="DATE,...", help="The sheets that you have; default: all.")] = "",
    game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """List the editions: sources, and how many clauses are attested and carried back.

    With --owned, say which sheets apply to rules of that date, and how to name the result.
    """
    from titm_rules.cli.rule_commands import show_editions, show_owned

    guarded(lambda: show_owned(owned, sheets, game, as_json) if owned else show_editions(date, game, as_json), as_json)


@app.command()
def games(as_json: AsJson = False) -> None:
    """List the games: those that ship, and those in the folders that TITM_RULES_GAMES names."""
    from titm_rules.cli.rule_commands import show_games

    guarded(lambda: show_games(as_json), as_json)


@app.command("new-game")
def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the game and of its folder.")],
    parent: Annotated[Path, typer.Option("--in", metavar="DIR", help="Where its folder goes.")] = Path("."),
    as_json: AsJson = False,
) -> None:
    """Write the start of a game: rules that are sound, a position, and a question that they answer."""
    from titm_rules.cli.rule_commands import make_game

    guarded(lambda: make_game(name, parent, as_json), as_json)


@app.command()
def diff(
    first: FirstEdition = "", second: SecondEdition = "",
    position: Annotated[
        str, typer.Option("--position", metavar="FILE", autocompletion=arguments.cases, help="Compare answers here.")
    ] = "",
    changes: Changes = None, at: At = "",
    find: Annotated[bool, typer.Option("--find", help="Search the smallest situations that differ.")] = False,
    each: Annotated[
        bool, typer.Option("--all-questions", help="Search each question separately; without A and B: all editions.")
    ] = False,
    query: Annotated[list[str] | None, typer.Option("--query", metavar="NAME", help="Only this question.")] = None,
    jobs: Jobs = -1, backend: Backend = "loky", folder: PartsFolder = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the page of all editions here.")] = None,
    overlay: Overlays = None, game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """Compare two editions: their clauses, what differs in one position, or where they differ at all.

    House rules (--overlay) are added to B. With --find --all-questions and no A and B, all editions are compared
    pair by pair; interrupted runs resume. Exit codes: 0 no difference, 1 some, 2 bad input,
    3 none found, but something is unknown or without evidence.
    """
    from titm_rules.cli.ask import subject_of
    from titm_rules.cli.diff import JobOptions, show_all, show_found, show_here, show_texts
    from titm_rules.compare.edition_diff import compared

    def work() -> int:
        if find and each and not first:
            return show_all(JobOptions(folder, jobs, backend), game, out, as_json)
        two = compared(first, second, overlay or (), game)
        if position or changes or at:
            subject, _ = subject_of(position, (), "", changes, at)
            return show_here(two, subject, query or (), as_json)
        return show_found(two, query or (), each, as_json) if find else show_texts(two, as_json)

    guarded(work, as_json)


@app.command()
def atlas(
    names: Annotated[list[str] | None, typer.Argument(metavar="[A B]...", help="Editions, or dates.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Compare all editions, pair by pair.")] = False,
    most: Annotated[str, typer.Option("--max", metavar="NxM", help="At most so many on each side.")] = "2x2",
    jobs: Jobs = -1, backend: Backend = "loky", folder: PartsFolder = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write it here: a page, or JSON if so named.")] = None,
    game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """Ask all small situations of several editions, and count by clauses where they differ.

    Interrupted runs resume. The result does not depend on the number of workers.
    """
    from titm_rules.cli.diff import JobOptions, make_atlas
    from titm_rules.compare.all_pairs import plan_of

    labour = JobOptions(folder, jobs, backend)
    guarded(lambda: make_atlas(plan_of(names or [], every, most, game), labour, out, as_json), as_json)


@app.command()
def lint(
    files: RuleFiles = None, game: GameName = "",
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Check rule files and show every fault."""
    from titm_rules.cli.rule_commands import lint_files

    guarded(lambda: lint_files(files or (), game, as_json), as_json)


@app.command()
def fmt(
    files: RuleFiles = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit 1 if a file would change.")] = False,
    game: GameName = "", as_json: AsJson = False,
) -> None:  # fmt: skip
    """Format rule files."""
    from titm_rules.cli.rule_commands import format_files

    guarded(lambda: format_files(files or (), check, game, as_json), as_json)


@app.command()
def play(
    start: StartName, changes: Changes = None,
    policy: Annotated[
        str, typer.Option(metavar="NAME", help="The policy: random, first, greedy or monte-carlo.")
    ] = "random",
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same game.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="Stop after so many actions.")] = 200_000,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the record of the game here.")] = None,
    frames: Annotated[
        Path | None, typer.Option("--frames", metavar="DIR", help="Write a picture of each part of the game here.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print every action.")] = False,
    games: Annotated[int, typer.Option(min=1, help="Play so many, with one seed after the other.")] = 1,
    jobs: Jobs = -1, backend: Backend = "loky", folder: PartsFolder = None,
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, overlay: Overlays = None,
    engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Play a whole game by a policy and print its course.

    With --games only the results are printed; interrupted runs resume.
    """
    from titm_rules.cli.ask import SharedOptions, with_changes
    from titm_rules.cli.play import Play, play_through

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), game=game)
    wanted, whole = Play(policy, seed, limit, out, verbose, frames), with_changes(start, changes)

    def work() -> int:
        if games == 1:
            return play_through(whole, wanted, options)
        from titm_rules.cli.diff import JobOptions
        from titm_rules.cli.play import play_games

        return play_games(whole, wanted, games, JobOptions(folder, jobs, backend), options)

    guarded(work, as_json)


@app.command()
def tournament(
    start: StartName,
    players: Annotated[
        str, typer.Option(metavar="NAME,NAME", help="The players: two or more of random, first, greedy, monte-carlo.")
    ] = "greedy,random",
    games: Annotated[int, typer.Option(min=1, help="How many games each seating plays.")] = 10,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed gives the same games.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="Stop a game after so many actions.")] = 5_000,
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, overlay: Overlays = None,
    engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Let players meet in all seats of a scenario; print how often each has won, with 95% intervals."""
    from titm_rules.cli.ask import SharedOptions
    from titm_rules.cli.play import Tournament, run_tournament

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), game=game)
    guarded(lambda: run_tournament(start, Tournament(players, games, seed, limit), options), as_json)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record of a game.")],
    start: Annotated[
        str, typer.Option("--from", metavar="SCENARIO", help="Start from here, not from what the record names.")
    ] = "",
    at: Annotated[int | None, typer.Option("--at", min=0, metavar="N", help="Judge the first N actions.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write the position reached here, as a case.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print every action with its clauses.")] = False,
    game: GameName = "", overlay: Overlays = None, engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Judge a record of a game: the first illegal action with its clauses, or the result.

    With --at and no file, the position reached is printed on one line. House rules of one's own that the record
    names are given with --overlay. Exit codes: 0 all legal, 1 an action is not, 2 bad input.
    """
    from titm_rules.cli.ask import SharedOptions
    from titm_rules.cli.play import WantedReplay, replay_file

    options = SharedOptions(engine=engine, as_json=as_json, overlays=overlay or (), game=game)
    guarded(lambda: replay_file(file, start, WantedReplay(at, out, verbose), options), as_json)


@app.command()
def perft(
    start: StartName, changes: Changes = None,
    depth: Annotated[int, typer.Option(min=1, max=12, help="Count courses of so many actions.")] = 2,
    divide: Annotated[bool, typer.Option("--divide", help="Count behind each first action.")] = False,
    game: GameName = "", edition: EditionDate = None, reading: Readings = None, overlay: Overlays = None,
    engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Count the courses of a game: actions, and for dice each number of successes."""
    from titm_rules.cli.ask import SharedOptions, with_changes
    from titm_rules.cli.play import count_courses

    options = SharedOptions(edition, reading or (), engine, as_json, overlay or (), game=game)
    guarded(lambda: count_courses(with_changes(start, changes), depth, divide, options), as_json)


@app.command()
def conform(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Cases, one JSON object a line.")] = None,
    against: Annotated[
        str, typer.Option(metavar="COMMAND", help="Ask this program, over its standard input and output.")
    ] = "",
    seconds: Annotated[float, typer.Option(min=0.1, help="Time for one answer of it.")] = 60.0,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write a report by clause: a page, or JSON.")
    ] = None,
    game: GameName = "", edition: EditionDate = None, engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Run conformance cases against this oracle, or against any program that speaks the protocol.

    Exit codes: 0 no case fails, 1 one fails or has no answer, 2 bad input.
    """
    from titm_rules.cli.conform import Conformance, run_cases

    wanted = Conformance(file, game or None, edition, engine, against, seconds, report)
    guarded(lambda: run_cases(wanted, as_json), as_json)


@app.command()
def serve(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen at; 0.0.0.0: all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any that is free.")] = 8000,
    name: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="An allowed Host header; may be repeated.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0, help="Time for one request; 0: no limit.")] = Budget.seconds,
    memory: Annotated[
        int, typer.Option(min=0, metavar="MIB", help="Memory for one request, in MiB; 0: no limit.")
    ] = Budget.mebibytes,
    workers: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="Worker processes; each holds the rules once.")
    ] = 1,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="A proxy whose X-Forwarded-For names the client; may be repeated."),
    ] = None,
    engine: EngineName = Edition.engine,
) -> None:
    """Serve the analysis board and the protocol over HTTP, by default only to this machine."""
    from titm_rules.cli.serve import serve_page

    guarded(lambda: serve_page((host, port), name or (), proxy or (), engine, Budget(seconds, memory), workers))


@app.command()
def lsp(
    _stdio: Annotated[bool, typer.Option("--stdio", hidden=True, help="Has no effect; some editors add it.")] = True,
) -> None:
    """Serve an editor: faults while one types, what names mean, completion, renaming, layout.

    It speaks the Language Server Protocol over standard input and output.
    """
    from titm_rules.cli.serve import serve_editor

    guarded(serve_editor)


@app.command()
def mcp(
    seconds: Annotated[float, typer.Option(min=0, help="Time for one call; 0: no limit.")] = Budget.seconds,
    memory: Annotated[
        int, typer.Option(min=0, metavar="MIB", help="Memory for one call, in MiB; 0: no limit.")
    ] = Budget.mebibytes,
    game: GameName = "", engine: EngineName = Edition.engine,
) -> None:  # fmt: skip
    """Serve an assistant: check, explain, look clauses up, compare editions, list legal actions.

    It speaks the Model Context Protocol over standard input and output.
    """
    from titm_rules.cli.serve import serve_assistant

    guarded(lambda: serve_assistant(engine, Budget(seconds, memory), game))


@app.command()
def oracle(
    listing: Annotated[bool, typer.Option("--list", help="List editions, readings and queries, as JSON.")] = False,
    schemas: Annotated[bool, typer.Option("--schemas", help="Give the JSON Schema of every query's input.")] = False,
    seconds: Annotated[float, typer.Option(min=0, help="Time for one request; 0: no limit.")] = Budget.seconds,
    memory: Annotated[
        int, typer.Option(min=0, metavar="MIB", help="Memory for one request, in MiB; 0: no limit.")
    ] = Budget.mebibytes,
    game: GameName = "", engine: EngineName = Edition.engine,
) -> None:  # fmt: skip
    """Serve the protocol: a JSON object a line in, one a line out."""
    from titm_rules.cli.serve import list_oracle, list_schemas, serve

    budget = Budget(seconds, memory)

    def work() -> int:
        if listing:
            return list_oracle(game)
        return list_schemas(game) if schemas else serve(engine, budget, game)

    guarded(work, True)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where the pictures go.")] = Path("demo-out"),
    game: GameName = "", engine: EngineName = Edition.engine, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Judge the disputes that ship with the rules, and draw them."""
    from titm_rules.cli.draw import run_demo

    guarded(lambda: run_demo(out, engine, game, as_json), as_json)
