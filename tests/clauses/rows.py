"""A row of a clause table: a question, the answer that the clause demands, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from titm_rules.ir.model import MISSING, FieldSpec
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.world.records import to_json

from tests.coverage.collect import record_case
from tests.coverage.recording import RecordingEdition
from tests.play.script import action as read_line

Json = dict[str, Any]
ENGINES = ("compiled", "reference")


@dataclass(frozen=True)
class Row:
    """One case of a clause.

    Attributes:
        expected: the part of the answer that must be as given here.
        overlays: rules on top of the edition, such as those of a scenario.
    """

    clause: str
    query: str
    input: Json
    expected: Json
    remark: str
    readings: Json = field(default_factory=dict)
    edition: str = "1999"
    overlays: tuple[str, ...] = ()

    def answer(self, engine: str = "compiled") -> Json:
        """Give that part of the answer that the row speaks of."""
        edition = Edition(self.edition, self.readings, engine, overlays=self.overlays)
        return record_case(edition, self.ask, str(self)) if engine == "reference" else self.ask(edition)

    def ask(self, edition: Edition) -> Json:
        """Ask an edition for that part of the answer."""
        found = edition.answer(self.query, self.input)
        return {name: found.get(name) for name in self.expected}

    def __str__(self) -> str:
        return f"{self.clause} {self.remark}"


class Listing(Row):
    """Whether an action of a pattern is among the legal ones of a position."""

    def ask(self, edition: Edition) -> Json:
        position = Position.from_dict(self.input["position"], edition)
        pattern = self.input["action"]
        return {"legal": any(fnmatchcase(f"{a.by} {a}", pattern) for a in position.legal_actions)}


class Played(Row):
    """What actions, one after the other, and all that follows by itself make of some fields."""

    def ask(self, edition: Edition) -> Json:
        position = Position.from_dict(self.input["position"], edition)
        for line in self.input["actions"]:
            text, _, faces = line.partition(":")
            action = next((a for a in position.legal_actions if str(a) == text), None)
            if action is None:
                return {"illegal": line}
            position = position.apply(action, [int(face) for face in faces.split(",") if face])
        return {path: value_at(position, path) for path in self.expected}


class Begun(Row):
    """By which clauses no game can begin with a position."""

    def ask(self, edition: Edition) -> Json:
        faults = Position.from_dict(self.input["position"], edition).status()
        return {"refused by": sorted({fault.why.partition(" ")[0] for fault in faults})}


class Barred(Row):
    """By which clauses an action is refused; by none if it is legal."""

    def ask(self, edition: Edition) -> Json:
        position = Position.from_dict(self.input["position"], edition)
        action, _ = read_line(position, self.input["action"])
        barring = sorted({finding.clause for finding in position.judge(action).failing})
        if isinstance(edition, RecordingEdition):  # reasons are found by engines of their own
            for clause in (self.clause, *barring):
                edition.seen.note(clause, held=bool(barring))
        return {"refused by": barring}


def value_at(position: Position, path: str) -> Any:
    """Look a field up, such as `phase` or `units.m.place`, or a definition of the situation.

    A field of a record that is not there is nothing.
    """
    head = position.edition.model.heads.get(path)
    if head is not None:
        return to_json(position.edition.model, head.type, position._engine.decide(path, {}))
    names = iter(path.split("."))
    spec, found = _field(position, position.situation, next(names), position.to_dict())
    for name in names:
        if found is None:
            return None
        if isinstance(found, list):
            found = next((one for one in found if one["id"] == name), None)
        else:
            spec, found = _field(position, spec.type.name, name, found)
    return found


def _field(position: Position, record: str, name: str, data: Json) -> tuple[FieldSpec, Any]:
    """Give what a record declares of a field, and its value there, or its default."""
    spec = next(f for f in position.edition.model.records[record].fields if f.json == name)
    default = data.get(spec.same_as[0]) if spec.same_as else None if spec.default == MISSING else spec.default
    found = data.get(name, default)
    return spec, list(found) if isinstance(found, tuple) else found


def cases(table: Sequence[Row]) -> list[ParameterSet]:
    """Give each row of a table with each engine."""
    return [pytest.param(row, engine, id=f"{row}-{engine}") for row in table for engine in ENGINES]


def rows(table: Sequence[Row]) -> Callable[[Row, str], None]:
    """Make the test of a table."""

    @pytest.mark.parametrize(("row", "engine"), cases(table))
    def test(row: Row, engine: str) -> None:
        assert row.answer(engine) == row.expected

    return test


# ---------------------------------------------------------------------- one function a query
def asking(query: str, inputs: str, answer: str) -> Callable[..., Row]:
    """Make a function of rows from a clause, the inputs of a query in order, the answer, and a remark.

    An input with a star is a list, of which a row gives the words.
    """
    names = inputs.split()

    def row(clause: str, *values: Any, **more: Any) -> Row:
        *given, expected, remark = values
        asked = {name.rstrip("*"): one.split() if "*" in name else one for name, one in zip(names, given, strict=True)}
        return Row(clause, query, asked, {answer: expected}, remark, **more)

    return row


attacks = asking("attack_status", "position unit", "status")
blows = asking("demolition_options", "position bridge crossing*", "options")
builds = asking("construction_options", "position", "options")
combines = asking("combined_arms", "battle", "combined_arms")
controls = asking("control_after_impulse", "position", "control")
counters = asking("artillery_sequence_legal", "battle who sequence*", "legal")  # an order of targets such as `d1 d2`
releases = asking("contingent_release", "position areas*", "released")
wastes = asking("attrition_losses", "position", "strength_left")  # of the units that lose a point
wins = asking("campaign_victory_level", "points", "level")


def moves(
    clause: str, world: Json, units: str, path: str, cost: int | None, remark: str, foot: bool = False, **more: Any
) -> Row:
    """A path, legal at a cost or illegal (`None`)."""
    expected = {"legal": False} if cost is None else {"legal": True, "cost": cost}
    asked = {"position": world, "units": units.split(), "foot_mode": foot, "path": path.split()}
    return Row(clause, "check_path", asked, expected, remark, **more)


def entrenches(clause: str, world: Json, unit: str, areas: str, remark: str, foot: bool = False, **more: Any) -> Row:
    asked = {"position": world, "unit": unit, "foot_mode": foot}
    return Row(clause, "entrench_options", asked, {"areas": areas.split()}, remark, **more)


def supplied(
    clause: str, world: Json, unit: str, supplied: bool, remark: str, dry: bool | None = None, **more: Any
) -> Row:
    """Whether a unit is in supply; `dry`: whether without a blown bridge."""
    expected = {"supplied": supplied} | ({} if dry is None else {"without_blown_bridge": dry})
    return Row(clause, "supplied", {"position": world, "unit": unit}, expected, remark, **more)


def removes(clause: str, world: Json, place: str, side: str, sets: list[str], remark: str, **more: Any) -> Row:
    asked = {"position": world, "place": place, "side": side}
    return Row(clause, "overstack_eliminations", asked, {"count": len(sets), "sets": sorted(sets)}, remark, **more)


def fires(clause: str, fight: Json, who: str, shots: str, legal: bool, remark: str, **more: Any) -> Row:
    """Whether an allocation such as `a1>d1 a2>d2` is legal."""
    allocation = dict(shot.split(">") for shot in shots.split())
    asked = {"battle": fight, "who": who, "allocation": allocation}
    return Row(clause, "fire_allocation_legal", asked, {"legal": legal}, remark, **more)


def allocates(clause: str, fight: Json, who: str, allocations: list[str], remark: str, **more: Any) -> Row:
    """All legal allocations, each such as `a1>d1,a2>d2`."""
    expected = {"count": len(allocations), "allocations": sorted(allocations)}
    return Row(clause, "fire_allocations", {"battle": fight, "who": who}, expected, remark, **more)


def calls(clause: str, fight: Json, attacker: int, defender: int, remark: str, **more: Any) -> Row:
    expected = {"calls": {"attacker": attacker, "defender": defender}}
    return Row(clause, "artillery_calls", {"battle": fight}, expected, remark, **more)


def available(clause: str, fight: Json, attacker: int, defender: int, remark: str, **more: Any) -> Row:
    """The highest die at which a call of each side succeeds."""
    expected = {"availability": {"attacker": attacker, "defender": defender}}
    return Row(clause, "artillery_calls", {"battle": fight}, expected, remark, **more)


def hits(clause: str, fight: Json, shot: str, highest: int, remark: str, drms: Json | None = None, **more: Any) -> Row:
    """The highest die at which a shot such as `a1>d1` hits; a shot `>d1` is artillery's."""
    firing, target = shot.split(">")
    who = "attacker" if target.startswith("d") else "defender"
    asked = {"battle": fight, "who": who, "target": target} | ({"firing": firing} if firing else {})
    expected = {"highest": highest} | ({} if drms is None else {"drms": drms})
    return Row(clause, "to_hit" if firing else "artillery_to_hit", asked, expected, remark, **more)


def arrives(clause: str, world: Json, entry: str, due: str, zones: Json, remark: str, **more: Any) -> Row:
    """What the zones asked for cost a reinforcement of the side to move that is due at `due`."""
    asked = {
        "position": world,
        "side": world["side_to_move"],
        "entry": entry.split(),
        "due": [int(number) for number in due.split("-")],
        "ask": list(zones),
    }
    return Row(clause, "reinforcement_options", asked, {"zones": zones}, remark, **more)


def scores(clause: str, world: Json, areas: Json, zones: Json, remark: str, **more: Any) -> Row:
    expected = {"areas": areas, "zones": zones, "total": sum(areas.values()) + sum(zones.values())}
    return Row(clause, "vp_at_turn_end", {"position": world}, expected, remark, **more)


def forces(clause: str, world: Json, effects: str, areas: str, remark: str, **more: Any) -> Row:
    expected = {"effects": effects.split(), "areas": areas.split()}
    return Row(clause, "special_forces_options", {"position": world}, expected, remark, **more)


def levels(scenario: str, least: dict[str, int], one_less: bool = True, **more: Any) -> Iterator[Row]:
    """The bounds of the levels of victory: the clauses `v1`, `v2` and so on, by the points that each needs."""
    ladder = sorted(least.items(), key=lambda item: item[1])
    for number, (level, low) in enumerate(least.items(), 1):
        clause, rank = f"{scenario}v{number}", ladder.index((level, low))
        is_top = rank + 1 == len(ladder)
        above, bound = (level, 100) if is_top else ladder[rank + 1]
        yield wins(clause, low, level, "the least" if low else "none", **more)
        yield wins(clause, bound - 1, level, "any more" if is_top else "the most", **more)
        if not is_top:
            yield wins(clause, bound, above, "one more", **more)
        if low and (one_less or is_top):
            yield wins(clause, low - 1, ladder[rank - 1][0], "one less", **more)


# ---------------------------------------------------------------------- the course of a game
def lists(clause: str, world: Json, action: str, legal: bool, remark: str, **more: Any) -> Row:
    """Whether an action, such as `German muster m` or `* blow *`, is among the legal ones."""
    return Listing(clause, "", {"position": world, "action": action}, {"legal": legal}, remark, **more)


def tells(clause: str, world: Json, expected: Json, remark: str, **more: Any) -> Row:
    """What fields or definitions of a position are as it stands."""
    return Played(clause, "", {"position": world, "actions": []}, expected, remark, **more)


def brings(clause: str, world: Json, actions: str, expected: Json, remark: str, **more: Any) -> Row:
    """What actions, such as `muster m; advance x s-x; blow e: 3`, make of some fields; dice follow a colon."""
    lines = [line.strip() for line in actions.split(";")]
    return Played(clause, "", {"position": world, "actions": lines}, expected, remark, **more)


def begins(clause: str, world: Json, refused_by: str, remark: str, **more: Any) -> Row:
    """By which clauses, such as `8.1c 9.31`, no game can begin with a position; by none if one can."""
    return Begun(clause, "", {"position": world}, {"refused by": sorted(refused_by.split())}, remark, **more)


def bars(clause: str, world: Json, action: str, refused_by: str, remark: str, **more: Any) -> Row:
    """By which clauses an action, such as `German muster m`, is refused; by none if it is legal."""
    asked = {"position": world, "action": action}
    return Barred(clause, "", asked, {"refused by": sorted(refused_by.split())}, remark, **more)
