"""Commands whose libraries are an extra say which one is missing."""

import sys

import pytest
from titm_rules.cli.app import app
from typer.testing import CliRunner


@pytest.mark.parametrize(("command", "library", "extra"), [("lsp", "pygls", "lsp"), ("mcp", "mcp", "mcp")])
def test_an_extra_that_is_missing_is_named(command, library, extra, monkeypatch):
    for name in [one for one in sys.modules if f"{one}.".startswith((f"{library}.", f"titm_rules.{extra}."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    found = CliRunner().invoke(app, [command])
    assert found.exit_code == 2
    assert f"fix: pip install 'titm_rules[{extra}]'" in found.stderr
    assert "Traceback" not in found.output
