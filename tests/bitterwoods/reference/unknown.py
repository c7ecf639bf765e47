"""What a question needs that neither the source says nor the input declares: the table of the protocol."""

from collections.abc import Callable
from typing import Any

from tests.bitterwoods.reference import combat, results, steps
from tests.bitterwoods.reference.board import BATTALION, FOOT, Board, Thing, is_gun, is_mechanized
from tests.bitterwoods.reference.results import Battle

ADVANCES = ("advances", "check_advance", "peiper_advance")
ZOC = (
    "reachable", "check_path", "retreats", "check_retreat", *ADVANCES, "angriff_advances", "leader_range",
    "peiper_exploitation", "sneak",
)  # fmt: skip
ZOC_MOVEMENT = ("reachable", "check_path", "peiper_advance")
CHALLENGES = ("interdiction_options", "challenge_result")
ONE_STEP = ("step_cost", "landing_entry")
PEIPER = ("peiper_exploitation", "peiper_attack", "peiper_advance")
NEVER_MOVES = ("reachable", "check_path", "step_cost", "retreats", "check_retreat")


class Need:
    """What a request needs."""

    def __init__(self, query: str, inputs: dict[str, Any], board: Board, battle: Battle | None) -> None:
        self.query, self.inputs, self.board, self.battle = query, inputs, board, battle
        self.unit = board.units.get(inputs.get("unit"))
        self.to: str | None = inputs.get("to")

    def unmet(self) -> str | None:
        """Name the first rule that is missing."""
        query, board, battle = self.query, self.board, self.battle
        first = (board.turn, board.phasing) == ("16AM", "German") and battle and battle.attacker == "German"
        rows: dict[str, Callable[[], bool]] = {
            "27.1": lambda: query in PEIPER and board.peiper_privileges is None,
            "23": lambda: query == "angriff_advances" and battle.raw["advance_hexes"] is None,
            "9": self._result, "7": self._zoc, "24.2": self._leader_range, "37.1": self._gun_range,
            "6": self._stacking, "12": self._supply, "11.3": self._interdiction, "37.2": self._boundary,
            "5.3": self._crossing, "10.2": self._support,
            "15.1": lambda: query == "surprise" and "31" not in board.options and first,
            "24.5": self._release,
        }  # fmt: skip
        if query in NEVER_MOVES and self.unit.kind == "army-artillery":
            return None
        return next((rule for rule, is_unmet in rows.items() if is_unmet()), None)

    def _result(self) -> bool:
        text = self.battle.raw["result"] if self.battle is not None else self.inputs.get("result")
        if text is None:
            return False
        result = results.read_result(text)
        if result is None:
            return True
        asked = self.query in (*ADVANCES, "advance_length")
        return asked and self.battle.raw["outcome"] == "eliminated" and result.hexes > 0

    # ------------------------------------------------------------------ zones of control
    def _zoc_sides(self) -> list[str]:
        board = self.board
        if self.query in ZOC:
            return [board.units[self.inputs["leader"]].side] if self.query == "leader_range" else [self.unit.side]
        if self.query == "retreat_responses" and self.battle.raw["leader"] and "24" in board.options:
            return [board.units[self.battle.raw["leader"]].side]
        if self.query == "lone_leaders" and not board.answers:
            return [leader.side for leader in results.alone(board)]
        return []

    def _zoc(self) -> bool:
        board = self.board
        enemies = [e for side in self._zoc_sides() for e in board.enemies(side) if e.kind != "leader"]
        if any(enemy.zoc is None for enemy in enemies):
            return True
        return self.query in ZOC_MOVEMENT and board.zoc_movement is None and any(enemy.zoc for enemy in enemies)

    def _leader_range(self) -> bool:
        name = self.inputs.get("leader") if self.query == "leader_range" else None
        if self.query == "retreat_responses":
            name = self.battle.raw["leader"]
        return name is not None and self.board.units[name].range is None

    def _gun_range(self) -> bool:
        if self.query == "support_options":
            guns = combat.guns_asked(self.battle, self.inputs["side"])
            return any(gun.range is None for gun in guns if gun.place is not None)
        return self.query == "bombardment_options" and is_gun(self.unit) and self.unit.range is None

    # ------------------------------------------------------------------ stacking and supply
    def _stacking(self) -> bool:
        board = self.board
        if board.stack_limit is not None:
            return False
        if self.query in ("retreats", "check_retreat"):
            unit = self.unit
            return any(u is not unit and u.side == unit.side and u.place is not None for u in board.units.values())
        return self.query in ("stack_check", "challenge_overstack")

    def _supply(self) -> bool:
        if self.query in ("retreats", "check_retreat"):
            return self.board.supply_roads is None
        return self.query == "angriff_status" and any(u.supplied is None for u in self.battle.attackers)

    # ------------------------------------------------------------------ the ground
    def _interdiction(self) -> bool:
        board, unit = self.board, self.unit
        if self.query not in (*ONE_STEP, *CHALLENGES, "reachable", "check_path", "angriff_advances", "sneak"):
            return False
        hindered = unit.side == "German" and not steps.has_27_1(board, unit)
        if not hindered or (is_mechanized(unit) and "22" in board.options):
            return False
        if self.query in ONE_STEP:
            return bool(board.hexes[self.to].interdicted)
        return self.query in CHALLENGES or any(h.interdicted for h in board.hexes.values())

    def _boundary(self) -> bool:
        board, query = self.board, self.query
        hexes = list(board.hexes.values())
        if query == "drop_zones":
            return any(h.boundary_0915 is None for h in hexes)
        asked = (*ONE_STEP, "boundary", "reachable", "check_path")
        if query not in asked or not steps.is_bound(board, self.unit) or self.inputs.get("action") == "retreat":
            return False
        asked_of = hexes if query in ("reachable", "check_path") else [board.hexes[self.to]]
        return any(h.boundary_0915 is None or h.boundary_1129 is None for h in asked_of)

    def _crossing(self) -> bool:
        """5.3: a hex-side at the unit's hex without bridge and without declared cost."""
        board, unit, query = self.board, self.unit, self.query
        if query in ADVANCES:
            return self._advance_crossing()
        waits = is_mechanized(unit) and not unit.moved if unit is not None else False
        if query == "reachable" or (query == "angriff_advances" and waits):
            crossed = board.ways.get(unit.place, [])
        elif query in (*ONE_STEP, *CHALLENGES):
            crossed = [(s, self.to) for s in board.sides_between(unit.place, self.to)]
        elif query in ("check_path", "peiper_exploitation", "sneak"):
            path = self.inputs["path"]
            to = path[1] if len(path) > 1 and path[0] == unit.place else None
            crossed = [(s, to) for s in board.sides_between(unit.place, to)] if to is not None else []
        else:
            return False
        return any(_is_unpriced(side) and not steps.is_closed(board, unit, side, to) for side, to in crossed)

    def _advance_crossing(self) -> bool:
        board, unit = self.board, self.unit
        if unit.kind not in FOOT or unit.moved:
            return False
        return any(
            _is_unpriced(side) and side.river not in steps.MEUSE and not steps.barred_by_river(board, unit, side)
            for side, to in board.ways.get(unit.place, [])
            if to in self.battle.raw["vacated"]
        )

    # ------------------------------------------------------------------ the rest
    def _support(self) -> bool:
        if self.query != "support_affected":
            return False
        near = {name for u in self.battle.defenders for name in self.board.neighbours(u.place)}
        return self.unit.side != self.battle.attacker or self.unit.place in near

    def _release(self) -> bool:
        board, unit = self.board, self.unit
        if self.query == "reserve_legal":
            return "24" in board.options
        if self.query != "exploitation_release" or not unit.in_reserve:
            return False
        peiper = "36" in board.options and unit.special in ("peiper", BATTALION)
        return board.phase == "exploitation" and board.phasing == unit.side and not peiper


def _is_unpriced(side: Thing) -> bool:
    return steps.is_unbridged(side) and side.crossing_cost is None
