"""A referee of an impulse of 1999 up to its battles, by the rules by hand; it shares nothing with the engines.

It says which small steps the players may take, what comes of them, and how many courses there are: a stack musters,
others join, it goes on step by step, an enemy beside a bridge answers, it halts or digs in. A position is what
`Position.to_dict` gives. Battles are only begun: where somebody has to attack, courses end.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tests.reference.handwritten import (
    ALLIED,
    GERMAN,
    OTHER,
    Link,
    Mover,
    Position,
    Unit,
    Walk,
    attack_status,
    construction_options,
    demolition_options,
    dig_in,
    eliminations,
    ground_of,
    may_end,
    may_move_together,
    read_position,
    stack_gait,
    supplied,
    supply_of_side,
)

Json = dict[str, Any]
Action = tuple[str, ...]
COURSE = ("over_river", "come_anew")  # what is noted of a unit in a game only
CLEARED = ("demolition_attempts", "construction_attempts", "battle_areas")  # with the impulse


@dataclass(frozen=True)
class March:
    """A stack on the way: who, whether it chose to go on foot, how far it came, and the bridge it is about to cross."""

    stack: tuple[str, ...]
    declared: bool
    walk: Walk
    tries: str = ""
    balked: Walk | None = None  # how far it was when a bridge was blown in front of it
    by_river: bool = False  # whether its last step crossed one

    @property
    def is_stranded(self) -> bool:
        return self.walk == self.balked


@dataclass(frozen=True)
class Impulse:
    """A position of a game within an impulse."""

    data: Json
    march: March | None = None

    @cached_property
    def position(self) -> Position:
        units = [{name: row[name] for name in row if name not in COURSE} for row in self.data["units"]]
        return read_position({**self.data, "units": units})

    @property
    def phase(self) -> str:
        return self.data.get("phase", "movement")

    # ------------------------------------------------------------------ what may be done

    def actions(self) -> Iterator[Action]:
        """Yield what whoever is to choose may do; a step only where the move can still end (8.28, 7.1, R38)."""
        if self.march is None:
            yield from self._between_marches()
        elif self.march.tries:
            yield from (("blow", name) for name in self._guards(self._link(self.march.tries)))
            yield ("let-cross",)
        else:
            yield from self._on_the_way(self.march)

    def _between_marches(self) -> Iterator[Action]:
        position = self.position
        if self.phase == "movement":
            for name, unit in position.units.items():
                for declared in (False, True):
                    if declared and unit.kind in ("foot", "armor"):  # 8.35
                        continue
                    if self._can_move((unit,), declared, Walk(unit.place)):
                        yield ("muster", name, "foot") if declared else ("muster", name)
        if self.phase == "construction":
            yield from (
                ("build-bridge", unit, link) for link, units in construction_options(position).items() for unit in units
            )
        rows = self.data["units"]
        due = {row["place"] for row in rows if self._status(position.units[row["id"]], row) == "must"}
        if self.phase == "battles" and due:
            yield from (("assault", place) for place in due)
        else:
            yield ("end-phase",)

    def _on_the_way(self, march: March) -> Iterator[Action]:
        position, stack = self.position, self._stack(march)
        if march.walk == Walk(stack[0].place):
            for unit in position.at[stack[0].place]:
                if unit not in stack and self._can_move((*stack, unit), march.declared, march.walk):
                    yield ("join-march", unit.id)
        mover = self._mover(stack, march.declared)
        for link in position.links:
            if march.walk.here in link.ends:
                after = mover.after_step(march.walk, link)
                if after is not None and self._can_end(mover, after):
                    yield ("advance", position.names[link.other(march.walk.here)], link.id)
        stays = self._may_stay(mover, march.walk) or (march.is_stranded and not self._can_go_on(mover, march.walk))
        if march.walk.spent and stays:
            yield ("halt",)
        if stays and self._digs(mover, march.walk):
            yield ("dig-in",)

    def _can_move(self, stack: tuple[Unit, ...], declared: bool, walk: Walk) -> bool:
        if not may_move_together(self.position, stack):
            return False
        return self._can_end(self._mover(stack, declared), walk)

    def _can_end(self, mover: Mover, walk: Walk) -> bool:
        """Tell whether the stack can halt or dig in, here or farther on."""
        if self._may_stay(mover, walk) and (walk.spent or self._digs(mover, walk)):
            return True
        return self._can_go_on(mover, walk)

    def _can_go_on(self, mover: Mover, walk: Walk) -> bool:
        near = [link for link in self.position.links if walk.here in link.ends]
        steps = (mover.after_step(walk, link) for link in near)
        return any(then is not None and self._can_end(mover, then) for then in steps)

    def _may_stay(self, mover: Mover, walk: Walk) -> bool:
        return not walk.entered or may_end(self.position, mover.stack, walk.here, mover.fewest, {})

    def _digs(self, mover: Mover, walk: Walk) -> bool:
        return len(mover.stack) == 1 and dig_in(self.position, mover.stack[0], mover.gait, walk) is not None

    def _guards(self, link: Link) -> dict[str, int]:
        assert self.march
        tried = [*self.position.demolitions, *self.march.walk.tries]
        return demolition_options(self.position, link, self._stack(self.march), tried)

    def _stack(self, march: March) -> tuple[Unit, ...]:
        return tuple(self.position.units[name] for name in march.stack)

    def _link(self, name: str) -> Link:
        return next(link for link in self.position.links if link.id == name)

    def _mover(self, stack: tuple[Unit, ...], declared: bool) -> Mover:
        side, position = stack[0].side, self.position
        fewest = supply_of_side(position, side)
        return Mover(position, stack, ground_of(position, side), stack_gait(stack, fewest, declared), fewest)

    # ------------------------------------------------------------------ the battle of a place

    def battle(self, place: str) -> Json:
        """Give who fights there and how they came, when the side that moves has named nobody (9.1, 9.15, R6, R12)."""
        position, rows = self.position, {unit["id"]: unit for unit in self.data["units"]}
        there = position.at[position.index[place]]
        own = [unit for unit in there if unit.side == position.mover]
        attack = [unit for unit in own if self._status(unit, rows[unit.id]) != "may not"]
        fewest = {side: supply_of_side(position, side) for side in OTHER}
        begun = [unit for unit in position.units.values() if unit.side == position.mover]
        return {
            "attackers": {
                unit.id: (unit.strength, supplied(unit, fewest[unit.side]), _arrival(rows[unit.id])) for unit in attack
            },
            "defenders": {
                unit.id: (unit.strength, supplied(unit, fewest[unit.side]), unit.entrenched)
                for unit in there
                if unit.side != position.mover
            },
            "bystanders": {unit.id: unit.strength for unit in own if unit not in attack},
            "departed": sum(position.index[place] == unit.impulse_start != unit.place for unit in begun),
        }

    def _status(self, unit: Unit, row: Json) -> str:
        """Tell whether a unit attacks: whoever came in this impulse must, also who had been there before (9.12)."""
        found = attack_status(self.position, unit)
        contested = self.position.held[OTHER[unit.side]][unit.place] and not self.position.zone[unit.place]
        return "must" if row.get("come_anew") and contested and not unit.attacked else found

    # ------------------------------------------------------------------ what comes of it

    def after(self, action: Action) -> list[Impulse]:
        """Give what may come of an action: two, where a die decides."""
        match action, self.march:
            case ("muster", name, *foot), _:
                return [replace(self, march=March((name,), bool(foot), Walk(self.position.units[name].place)))]
            case ("join-march", name), March() as march:
                return [replace(self, march=replace(march, stack=(*march.stack, name)))]
            case ("advance", _, name), March() as march:
                trying = replace(self, march=replace(march, tries=name))
                return [trying if self._guards(self._link(name)) else trying.crossed()]
            case ("let-cross",), _:
                return [self.crossed()]
            case ("blow", name), March():
                return [self.tried(name, success=False).crossed(), self.tried(name, success=True)]
            case ("halt" | "dig-in" as how,), March() as march:
                return [self.halted(march, dug=how == "dig-in")]
            case ("end-phase",), _:
                return [self.next_phase()]
        raise NotImplementedError(action)

    def crossed(self) -> Impulse:
        assert self.march
        march = self.march
        walk = self._mover(self._stack(march), march.declared).after_step(march.walk, self._link(march.tries))
        assert walk is not None
        by_river = self._link(march.tries).river
        return replace(self, march=replace(march, walk=walk, tries="", by_river=by_river))

    def tried(self, unit: str, *, success: bool) -> Impulse:
        """Note an attempt at the bridge; after a success the stack loses a point and stays (8.42b)."""
        assert self.march
        march, data = self.march, copy.deepcopy(self.data)
        data.setdefault("demolition_attempts", []).append({"bridge": march.tries, "unit": unit})
        if not success:
            return Impulse(data, march)
        walk = replace(march.walk, spent=march.walk.spent + 1, tries=(*march.walk.tries, (march.tries, unit)))
        return Impulse(data, replace(march, walk=walk, tries="", balked=walk))  # R38: it goes on if it can

    def halted(self, march: March, *, dug: bool) -> Impulse:
        data, here = copy.deepcopy(self.data), self.position.names[march.walk.here]
        stack = self._stack(march)
        mover = self._mover(stack, march.declared)
        for unit in data["units"]:
            if unit["id"] not in march.stack:
                continue
            own = self.position.units[unit["id"]]
            start = unit["place"]
            unit.setdefault("impulse_start", start)
            unit.setdefault("day_start", start)
            unit["place"] = here
            if march.walk.spent:
                unit["moved"] = True
            if march.walk.entered:
                unit |= {"entrenched": False, "over_river": march.by_river, "come_anew": True}
            if dug:
                unit["entrenched"] = unit["entrenched_today"] = True
            bound = own.foot_mode and mover.fewest[own.place] > 0
            unit["foot_mode"] = own.kind not in ("foot", "armor") and (march.declared or bound)
        for link in data["connections"]:
            if any(link["id"] == bridge for bridge, _ in march.walk.tries):
                link["bridge"] = "blown"
        return Impulse(data)

    def next_phase(self) -> Impulse:
        data = copy.deepcopy(self.data)
        position = self.position
        if self.phase == "movement":
            crowded = any(
                eliminations(position, place, side, {}) != [()]
                for place in range(len(position.names))
                for side in OTHER
            )
            if crowded:
                raise NotImplementedError("somebody has to give up units")
            data["phase"] = "battles"
        elif self.phase == "battles":
            data["phase"] = "construction"
        elif position.mover == GERMAN:
            for unit in data["units"]:
                unit["impulse_start"] = unit["place"]
            data |= {"phase": "movement", "side_to_move": ALLIED} | {key: [] for key in CLEARED}
        else:
            raise NotImplementedError("the next impulse")
        return Impulse(data)


def _arrival(row: Json) -> str:
    if row["place"] == row.get("impulse_start", row["place"]):
        return "began-here"
    return "river" if row.get("over_river") else "road"


def perft(impulse: Impulse, depth: int) -> int:
    """Count the courses of so many actions; both outcomes of a die count."""
    if depth == 0:
        return 1
    actions = list(impulse.actions())
    if depth == 1:
        return sum(2 if action[0] in ("blow", "build-bridge") else 1 for action in actions)
    return sum(perft(then, depth - 1) for action in actions for then in impulse.after(action))
