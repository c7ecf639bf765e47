"""Where the data folders are: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


@cache
def data_folder(name: str) -> Path:
    """Find a data folder (`grammar`, `rulesets` or `scenarios`).

    Raises:
        FileNotFoundError: if the installation lacks it.
    """
    for folder in (_PACKAGE.parent / name, _PACKAGE / "data" / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the installation has no folder {name}; reinstall titm_rules")


def grammar_text(name: str = "titm") -> str:
    """Read a grammar: that of the rule language, or of another notation."""
    return (data_folder("grammar") / f"{name}.lark").read_text(encoding="utf-8")
