"""Running the command line inside the test process."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from titm_rules.cli.app import app
from typer.testing import CliRunner, Result

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "scenarios" / "titm"
SHIPPED_CASES = ROOT / "rulesets" / "titm" / "conformance" / "cases.jsonl"
QUESTION = ("check", "the-ford", "reachable", "unit=r-guard", "--game", "cold-ford", "--json")  # of few rules
REQUEST = '{"id": 1, "edition": "1999", "query": "campaign_victory_level", "input": {"points": 3}}\n'
TITM = [sys.executable, "-c", "from titm_rules.cli import main; main()"]
Titm = Callable[..., Result]


@pytest.fixture
def titm() -> Titm:
    runner = CliRunner()

    def run(*arguments: object, **kwargs: object) -> Result:
        return runner.invoke(app, [str(a) for a in arguments], **kwargs)  # type: ignore[arg-type]

    return run
