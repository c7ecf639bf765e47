"""Why no game goes on from a situation: what it tells does not add up, or nobody can do anything."""

from __future__ import annotations

from titm_rules.diagnostics import Fault
from titm_rules.explain.findings import Reasons
from titm_rules.play.machine import Machine
from titm_rules.rules.model import BEGIN, END, head_key


def faults_to_begin(machine: Machine) -> list[Fault]:
    """List all that clauses and the course of play say against a game that begins with a situation."""
    return _faults(machine, BEGIN, "mend what it tells of the step that it is in, or leave it out")


def faults_to_end(machine: Machine) -> list[Fault]:
    """List what is said against a game that ends in a situation; empty if a side has a choice, or it is over."""
    if next(machine.options.listed(), None) is not None:
        return []
    return _faults(machine, END, "begin with another step of the turn")


def _faults(machine: Machine, word: str, fix: str) -> list[Fault]:
    key, situation = head_key(machine.world.situation, word), machine.world.situation
    if key not in machine.model.heads or not machine.engine.decide(key, {}):
        return []
    found = Reasons(machine.model, machine.engine).head(key, {})
    return [
        Fault(one.message, f"$.{situation}", f"{one.clause} {one.title}", fix, kind="impossible-situation")
        for one in dict.fromkeys(found)
        if one.effect == "forbids"
    ]
