"""Engines by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from titm_rules.engines.engine import Engine
from titm_rules.ir.model import Model
from titm_rules.world.world import World

ENGINES = ("compiled", "library", "reference")
DEPRECATED = {"naive": "reference"}  # old names of engines, which are accepted until the next minor version


def make_engine(name: str, model: Model, world: World) -> Engine:
    """Make an engine by its name, of those in `ENGINES` or `DEPRECATED`.

    `compiled` is fast, `library` uses networkx and python-constraint, `reference` tries every candidate.
    """
    if DEPRECATED.get(name, name) == "reference":
        from titm_rules.engines.reference.brute_force import ReferenceEngine

        return ReferenceEngine(model, world)
    if name == "library":
        from titm_rules.engines.library.engine import LibraryEngine

        return LibraryEngine(model, world)
    return _compiled()(model, world)


@cache
def _compiled() -> Callable[[Model, World], Engine]:
    """Import the compiled engine when it is first asked for: an import is looked up each time that it is met."""
    from titm_rules.engines.compiled.engine import CompiledEngine

    return CompiledEngine


def make_noting(name: str, model: Model, world: World) -> Engine:
    """Make an engine that notes the readings that it is asked for, if one of this name can do so; else a plain one."""
    if name != "compiled":
        return make_engine(name, model, world)
    from titm_rules.engines.compiled.engine import ReadingTrackingEngine

    return ReadingTrackingEngine(model, world)


def make_watched(model: Model, world: World, watched: Mapping[int, str], seen: set[str]) -> Engine:
    """Make a reference engine that adds the clauses of which a watched sentence (by identity) holds to `seen`."""
    from titm_rules.engines.reference.brute_force import CoverageProbe

    return CoverageProbe(model, world, watched, seen)
