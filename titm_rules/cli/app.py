"""Typer's commands, made of the table in `commands`, and shell completion."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from titm_rules.catalog import game_folders
from titm_rules.cli.commands import ABOUT_TITM, COMMANDS, GROUPS, Command, Parameter
from titm_rules.diagnostics import TitmError
from titm_rules.editions.house_rules import shipped_overlays
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, list_editions
from titm_rules.formats.case_files import shipped_cases
from titm_rules.ir.model import Model
from titm_rules.version import __version__


def _model(game: str) -> Model:
    return load_model(default_edition(game), game)


COMPLETIONS: dict[str, Callable[[str], Iterable[str]]] = {  # names of a game, for shells
    "cases": shipped_cases,
    "games": lambda _: game_folders(),
    "editions": lambda game: [info.name for info in list_editions(game)],
    "overlays": shipped_overlays,
    "questions": lambda game: _model(game).questions,
    "clauses": lambda game: _model(game).clauses,
}


def _completion(what: str) -> Callable[[typer.Context, str], list[str]]:
    def complete(context: typer.Context, incomplete: str) -> list[str]:
        try:
            names = COMPLETIONS[what](context.params.get("game") or "")
            return sorted(name for name in names if name.startswith(incomplete))
        except (TitmError, OSError):
            return []

    return complete


# ---------------------------------------------------------------------- commands
def _parameter(param: Parameter) -> inspect.Parameter:
    declared: dict[str, Any] = {"metavar": param.metavar, "help": param.help or None, "hidden": param.hidden}
    declared |= {"min": param.least, "max": param.most}
    if param.complete:
        declared["autocompletion"] = _completion(param.complete)
    info = typer.Option(*param.flags.split(), **declared) if param.flags else typer.Argument(**declared)
    kind: Any = list[param.type] if param.many else param.type  # type: ignore[name-defined]
    default = None if param.many else inspect.Parameter.empty if param.default is ... else param.default
    return inspect.Parameter(
        param.name, inspect.Parameter.KEYWORD_ONLY, default=default,
        annotation=Annotated[kind if default is not None else kind | None, info],
    )  # fmt: skip


def _callback(command: Command) -> Callable[..., None]:
    """Make the function that typer calls for a command; it has the signature that the table describes."""

    def callback(**values: Any) -> None:
        given = {param.name: tuple(values[param.name] or ()) for param in command.params if param.many}
        raise typer.Exit(command.run(values | given))

    parameters = [_parameter(param) for param in command.params]
    callback.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    callback.__annotations__ = {one.name: one.annotation for one in parameters}
    return callback


app = typer.Typer(help=ABOUT_TITM, no_args_is_help=True, pretty_exceptions_enable=False)
_groups = {"": app} | {name: typer.Typer(help=text, no_args_is_help=True) for name, text in GROUPS.items()}
for _command in COMMANDS.values():
    _group, _, _name = _command.name.rpartition(" ")
    _groups[_group].command(_name, help=_command.help)(_callback(_command))
for _name in GROUPS:
    app.add_typer(_groups[_name], name=_name)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"titm {__version__}")
        raise typer.Exit


@app.callback(help=ABOUT_TITM)
def _titm(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del version
