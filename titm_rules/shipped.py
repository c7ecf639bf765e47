"""Where the data folders are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def data_folder(name: str) -> Path:
    """Find a data folder (`grammar`, `rulesets` or `scenarios`).

    Raises:
        FileNotFoundError: if the installation lacks it.
    """
    inside, beside = _PACKAGE / "data" / name, _PACKAGE.parent / name
    if inside.is_dir():
        return inside
    if (_PACKAGE.parent / "pyproject.toml").is_file() and beside.is_dir():  # what lies beside a wheel is not ours
        return beside
    raise FileNotFoundError(f"the installation has no folder {name}; reinstall titm_rules")


def grammar_text(name: str = "titm") -> str:
    """Read a grammar: that of the rule language, or of another notation."""
    return (data_folder("grammar") / f"{name}.lark").read_text(encoding="utf-8")
