"""The tiny programs of grammar/good and grammar/bad, and helpers to read them."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from titm_rules.checker.link import link_model
from titm_rules.diagnostics import Fault, Span
from titm_rules.editions.consolidate import BOOK, Layer, Library, consolidate
from titm_rules.ir.model import Model
from titm_rules.syntax.parser import parse_rules

ROOT = Path(__file__).resolve().parents[2]
GOOD = sorted((ROOT / "grammar" / "good").glob("*.rules"))
BAD = sorted((ROOT / "grammar" / "bad").glob("*.rules"))
RULESETS = sorted(path for name in ("rulesets", "scenarios") for path in (ROOT / name).rglob("*.rules"))


def link(path: Path) -> Model:
    """Parse, consolidate and check a program; what it adds by number is the text of program 42."""
    layer = Layer("test", BOOK, (parse_rules(path.read_text(encoding="utf-8"), path.name),))
    other = ROOT / "grammar" / "good" / "42_clause.rules"
    library = Library.of([Layer("other", BOOK, (parse_rules(other.read_text(encoding="utf-8"), other.name),)), layer])
    return link_model(consolidate([], [layer], library).files, "test")


def header(path: Path) -> dict[str, str]:
    """Read what the first comments of a bad program say: fault, under, line, why, fix."""
    said = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            return said
        name, _, text = line[2:].partition(":")
        said[name] = text.strip()
    return said


def underlined(fault: Fault) -> str:
    """Give the text that a fault underlines."""
    assert isinstance(fault.where, Span)
    return fault.source[fault.where.column - 1 : fault.where.end_column - 1]


def bare(tree: Any) -> Any:
    """Turn a tree into plain tuples without spans and source lines."""
    if isinstance(tree, tuple):
        return tuple(bare(one) for one in tree)
    if not is_dataclass(tree):
        return tree
    kept = [f.name for f in fields(tree) if f.name not in ("span", "lines", "path")]
    return (type(tree).__name__, *(bare(getattr(tree, name)) for name in kept))
