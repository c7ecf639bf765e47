"""The table of commands: its lines mean the same with typer and without, and its works take what it declares."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest
from titm_rules.cli import commands
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.commands import COMMANDS, GROUPS, parse_plain

from tests.cli.conftest import SCENARIOS

CASE = str(SCENARIOS / "disputes" / "01-rambrouch-by-the-bridge.yaml")
PLAIN = (
    (CASE,), (CASE, "--json"), (CASE, "check_path", "path=A,B", "units=m"),
    ("--edition", "1999", CASE, "--edition=1997-08-20"),
    (CASE, "--reading", "a=b", "--reading=c=d", "reachable_cost", "--overlay", "x.rules", "to=y"),
    (CASE, "--readings", "all", "--engine", "reference", "--game", "titm"), (CASE, "--edition", "", "--game="),
    ("--from", "campaign", "--set", "18-2", "reachable", "--at", "Bastogne", "--set=x@y", "units=z"), (),
)  # fmt: skip
OTHERS = (
    "legal first path --kind move --unit=m --count", "trace first m --at x", "render x y=z --whole --fire a=b",
    "clauses 1.4 1.5 --totals", "editions", "editions 1999 --owned 1997", "map diff a b --field x --field y",
    "map route a b --piece x=y", "scenario schema", "scenario show x --position", "oracle --list", "new-game x",
    "serve --name x --proxy y", "perft x --divide", "conform --against=x", "diff A B --find --query x --position y",
)  # fmt: skip
LEFT_TO_TYPER = (
    ("--help",), (CASE, "--help"), (CASE, "--strange"), (CASE, "--edition"), (CASE, "--edition", "--json"),
    (CASE, "--", "x"), (CASE, "-"), (CASE, "--json=yes"), (CASE, "--no-json"),
)  # fmt: skip
LINES = [*((name, *line) for name in ("check", "why") for line in PLAIN), *(line.split() for line in OTHERS)]


# They are about all games, or about an event, whose game its book names.
WITHOUT_GAME = {
    "games", "new-game", "lsp", "scenario schema", "serve", "site", "event show", "event rule", "event export",
}  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_both_ways_to_read_a_line_ask_the_same(titm, monkeypatch, line):
    asked = []
    monkeypatch.setattr(commands.Command, "run", lambda command, values: asked.append((command.name, values)) or 3)
    command, values = parse_plain(line)
    assert titm(*line).exit_code == 3
    assert asked == [(command.name, values)]


@pytest.mark.parametrize("line", [
    *(("check", *line) for line in LEFT_TO_TYPER), (), ("map",), ("nothing", CASE), ("legal", CASE, "--limit", "3"),
    ("games", "more"), ("map", "show"), ("render", "-o", "x.svg"), ("lsp", "--no-stdio"), ("fmt", "x.rules"),
    ("clauses", "--no-totals"), ("map", "export", "--map", "x"),
], ids=" ".join)  # fmt: skip
def test_what_is_not_plain_is_left_to_typer(line):
    assert parse_plain(line) is None


def test_completion_is_left_to_typer_and_every_group_has_commands(monkeypatch):
    assert {name.split()[0] for name in COMMANDS if " " in name} == set(GROUPS)
    assert parse_plain(["check", CASE]) is not None
    monkeypatch.setenv(commands.COMPLETING, "complete_bash")
    assert parse_plain(["check", CASE]) is None


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_the_work_of_a_command_takes_what_it_declares_and_every_command_a_game(command):
    module, name = command.work.split(":")
    declared = {param.name for param in command.params} - set(SharedOptions.__dataclass_fields__)
    inspect.signature(getattr(import_module(f"titm_rules.cli.{module}"), name)).bind(
        SharedOptions(), **dict.fromkeys(declared)
    )
    assert len({flag for param in command.params for flag in param.flags.split()}) == sum(
        len(param.flags.split()) for param in command.params
    )
    flags = {param.flags for param in command.params}
    assert ("--game" in flags) != (command.name in WITHOUT_GAME)


def test_a_check_imports_neither_typer_nor_pydantic_nor_what_parses_rules():
    script = f"""
import sys
from titm_rules.cli import main
sys.argv = ["titm", "check", {CASE!r}]
try:
    main()
except SystemExit as done:
    assert done.code == 0
    heavy = {{"typer", "click", "pydantic", "rich", "lark", "networkx", "constraint", "titm_rules.syntax.ast"}}
    print(sorted(heavy & set(sys.modules)))
"""
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)  # fills the cache of rules
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("command", "library", "extra"), [("lsp", "pygls", "lsp"), ("mcp", "mcp", "mcp")])
def test_an_extra_that_is_missing_is_named(command, library, extra, titm, monkeypatch):
    for name in [one for one in sys.modules if f"{one}.".startswith((f"{library}.", f"titm_rules.{extra}."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    found = titm(command)
    assert found.exit_code == 2
    assert f"fix: pip install 'titm_rules[{extra}]'" in found.stderr
    assert "Traceback" not in found.output


@pytest.mark.parametrize(("line", "found"), [
    ("titm wh", ["why"]), ("titm check crossing", ["crossing-at-dasburg"]),
    ("titm check campaign check_", ["check_path"]),
    ("titm check campaign --edition 199",
        ["1994-11-01", "1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20", "1998-01-15", "1999"]),
    ("titm check campaign --game cold", ["cold-ford"]), ("titm check --game cold-ford the", ["the-ford"]),
    ("titm check campaign --overlay sk", ["skirmish"]), ("titm clauses 8.38", ["8.38"]),
    ("titm check --game nowhere camp", []),
])  # fmt: skip
def test_names_of_what_ships_are_offered(titm, line, found):
    shell = {"_TITM_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    assert titm(prog_name="titm", env=shell).output.split() == found
