"""Whether a situation is as the rules say that it always is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from titm_rules.diagnostics import Fault, InputError, Undecided
from titm_rules.rules.model import Always, Model
from titm_rules.rules.terms import Root
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.show import told
from titm_rules.world.world import World

MAX_FAULTS = 20


def refuse_impossible(world: World, path: str) -> None:
    """Refuse a situation that is given and breaks what always holds; `path` says where it stands in the input.

    Raises:
        InputError: with what is said of each record, or of the whole, that is not so.
    """
    faults = [
        Fault(what, path + where, f"no {world.situation} is so by the rules", "give one that can be", kind="bad-value")
        for what, where in _breaches(world, world.model)
    ]
    if faults:
        raise InputError(faults[:MAX_FAULTS])


def need_possible(world: World, source: str) -> None:
    """Refuse to go on where the rules themselves make a situation that breaks what always holds.

    Raises:
        Undecided: with what is said of it; `source` names the event or the view that makes it so.
    """
    for what, where in _breaches(world, world.model):
        why = f"`{source}` makes a {world.situation} that breaks what always holds, at {where or 'the whole'}"
        fix = "mend what it makes, or what always holds"
        raise Undecided([Fault(f"not covered: {what}", "$.input", why, fix, kind="not-covered")])


def is_possible(world: World, model: Model) -> bool:
    """Whether a situation is as some rules, of the same records, say that it always is."""
    return next(_breaches(world, model), None) is None


def _breaches(world: World, model: Model) -> Iterator[tuple[str, str]]:
    """Yield what is said of each thing that is not as it always is, and where in the situation it stands."""
    for said in model.always.get(world.situation, ()):
        yield from _breaches_of(said, world)


def _breaches_of(said: Always, world: World) -> Iterator[tuple[str, str]]:
    evaluator = Evaluator(world.model, world)
    members = [None] if said.base is None else evaluator.term(said.base, {})
    for index, member in enumerate(members):
        work = partial(evaluator.term, env={said.var: member})
        if not work(said.condition):
            yield told(world.model, said.says, work), _place(said, world, index)


def _place(said: Always, world: World, index: int) -> str:
    """Say where a member of a list stands, if the list is one of the situation."""
    fields = {spec.name: spec.json for spec in world.model.records[world.situation].fields}
    return f".{fields[said.base.field]}[{index}]" if isinstance(said.base, Root) else ""
