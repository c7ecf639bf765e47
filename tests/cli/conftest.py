"""Running the command line inside the test process."""

from collections.abc import Callable
from pathlib import Path

import pytest
from titm_rules.cli.app import app
from typer.testing import CliRunner, Result

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "scenarios" / "titm"
SHIPPED_CASES = ROOT / "rulesets" / "titm" / "conformance" / "cases.jsonl"
Titm = Callable[..., Result]


@pytest.fixture
def titm() -> Titm:
    runner = CliRunner()

    def run(*arguments: object, **kwargs: object) -> Result:
        return runner.invoke(app, [str(a) for a in arguments], **kwargs)  # type: ignore[arg-type]

    return run
