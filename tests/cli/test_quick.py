"""Command lines that are read without typer mean what they mean with it."""

import subprocess
import sys

import pytest
import typer
from titm_rules.cli import ask, quick
from titm_rules.cli.app import app
from titm_rules.cli.ask import SharedOptions

from tests.cli.conftest import SCENARIOS

CASE = str(SCENARIOS / "disputes" / "01-rambrouch-by-the-bridge.yaml")
LINES = (
    (CASE,),
    (CASE, "--json"),
    (CASE, "check_path", "path=A,B", "units=m"),
    ("--edition", "1999", CASE, "--edition=1997-08-20"),
    (CASE, "--reading", "a=b", "--reading=c=d", "reachable_cost", "--overlay", "x.rules", "to=y"),
    (CASE, "--readings", "all", "--engine", "reference", "--game", "titm"),
    (CASE, "--edition", "", "--game="),
    ("--from", "campaign", "--set", "18-2", "reachable", "--at", "Bastogne", "--set=x@y", "units=z"),
    (),
)
LEFT_TO_TYPER = (
    ("--help",), (CASE, "--help"), (CASE, "--strange"), (CASE, "--edition"), (CASE, "--edition", "--json"),
    (CASE, "--", "x"), (CASE, "-"), (CASE, "--json=yes"), (CASE, "--no-json"),
)  # fmt: skip


@pytest.mark.parametrize("command", ["check", "why"])
@pytest.mark.parametrize("line", LINES)
def test_both_ways_to_read_a_line_ask_the_same(titm, monkeypatch, command, line):
    asked = []

    def noted(subject, words, options, everything=False):
        asked.append((subject, list(words), [*vars(options).items()], everything))
        return 3

    def plain(call):
        subject, words, options, everything = call
        lists = [(name, list(one) if isinstance(one, tuple) else one) for name, one in options]
        return subject, words, lists, everything

    monkeypatch.setattr(ask, "judge", noted)
    code = titm(command, *line).exit_code
    assert quick.quick_command([command, *line])() == code
    assert code == 3 if line else 2
    if line:
        assert plain(asked[0]) == plain(asked[1])


@pytest.mark.parametrize("line", LEFT_TO_TYPER)
def test_what_is_not_plain_is_left_to_typer(line):
    assert quick.quick_command(["check", *line]) is None


def test_other_commands_and_completion_are_left_to_typer(monkeypatch):
    assert quick.quick_command([]) is None
    assert quick.quick_command(["legal", CASE]) is None
    assert quick.quick_command(["check", CASE]) is not None
    monkeypatch.setenv(quick.COMPLETING, "complete_bash")
    assert quick.quick_command(["check", CASE]) is None


@pytest.mark.parametrize("command", quick.EVERYTHING)
def test_it_knows_the_options_that_the_command_declares(command):
    declared = typer.main.get_command(app).commands[command].params
    options = {one.opts[0]: one for one in declared if one.opts[0].startswith("--")}
    assert {name for name, one in options.items() if one.is_flag} == set(quick.FLAGS)
    assert {name for name, one in options.items() if one.multiple} == set(quick.LISTS)
    assert set(options) == {*quick.FLAGS, *quick.TEXTS, *quick.LISTS}
    named = {*quick.FLAGS.values(), *quick.TEXTS.values(), *quick.LISTS.values()}
    assert named == {*SharedOptions.__dataclass_fields__, *quick.ABOUT}


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
