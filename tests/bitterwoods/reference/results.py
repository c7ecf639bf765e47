"""What a combat result asks: lengths of retreats and advances, and who takes losses (9.8, 24.4, 30)."""

import re
from dataclasses import dataclass
from typing import Any

from tests.bitterwoods.reference.board import BATTALION, Board, Thing

RESULT = re.compile(r"(\d*)([AD])(\d+)")
BATTLE: dict[str, Any] = {
    "result": None, "outcome": None, "vacated": [], "support": [], "defensive_support": [], "bombarded": [],
    "leader": None, "attack": None, "defense": None, "defense_support": 0, "refought": False, "air": [],
    "advance_hexes": None,
}  # fmt: skip


@dataclass(frozen=True)
class Result:
    """A result: who loses, steps at once, hexes afterwards."""

    loser: str
    losses: int
    hexes: int


def read_result(text: str | None) -> Result | None:
    """Read `1D3`; nothing if it is not of that form."""
    found = RESULT.fullmatch(text or "")
    if found is None:
        return None
    losses, letter, hexes = found.groups()
    return Result("attacker" if letter == "A" else "defender", int(losses or 0), int(hexes))


def meaning(text: str) -> dict[str, Any]:
    result = read_result(text)
    return {"who": result.loser, "losses": result.losses, "hexes": result.hexes}


class Battle:
    def __init__(self, board: Board, raw: dict[str, Any]) -> None:
        self.board, self.raw = board, {**BATTLE, **raw}
        self.attacker = raw["attacker"]
        self.attackers, self.defenders = board.get(raw["attackers"]), board.get(raw["defenders"])
        self.result = read_result(self.raw["result"])

    def side(self, role: str) -> str:
        other = "Allied" if self.attacker == "German" else "German"
        return self.attacker if role == "attacker" else other

    def units(self, role: str) -> list[Thing]:
        return self.attackers if role == "attacker" else self.defenders

    @property
    def losers(self) -> list[Thing]:
        return self.units(self.result.loser)

    @property
    def winner(self) -> str:
        return "defender" if self.result.loser == "attacker" else "attacker"

    @property
    def in_the_eifel(self) -> bool:
        """Whether 30 applies: on 16AM, against one of two regiments."""
        there = any(u.special in ("106/422", "106/423") for u in (*self.attackers, *self.defenders))
        return "30" in self.board.options and self.board.turn == "16AM" and there

    def shortened(self, role: str, hexes: int) -> int:
        """Take one hex from what Germans may go (BW19)."""
        german = self.side(role) == "German" and self.in_the_eifel
        return max(0, hexes - 1) if german else hexes

    def retreat_length(self) -> int:
        return self.shortened(self.result.loser, self.result.hexes)

    def advance_length(self, by_road: bool) -> int:
        if self.raw["outcome"] not in ("retreated", "no-route"):
            return 0
        hexes = self.result.hexes
        if self.winner == "defender":
            hexes = min(1, hexes)
        elif by_road:
            hexes = (3 * hexes + 1) // 2
        return self.shortened(self.winner, hexes)


# ---------------------------------------------------------------- leaders and losses
def leader_distance(board: Board, leader: Thing, unit: Thing) -> int | None:
    """Count the hexes of a leader's line to a unit (24.2)."""
    ezoc = board.ezoc(leader.side)
    found = board.distances(leader.place, lambda name: name not in ezoc or bool(board.at(name, leader.side)))
    return found.get(unit.place)


def in_range(board: Board, leader: Thing, unit: Thing) -> bool:
    distance = leader_distance(board, leader, unit)
    return distance is not None and leader.range is not None and distance <= leader.range


def leader_range(board: Board, leader: Thing, unit: Thing) -> dict[str, Any]:
    return {"distance": leader_distance(board, leader, unit), "in_range": in_range(board, leader, unit)}


def leaders_with(board: Board, units: list[Thing]) -> list[Thing]:
    """List the leaders who stand with some units; Peiper's only beside a battalion of his (36.leader.1)."""
    if "24" not in board.options:
        return []
    places = {(u.place, u.side) for u in units if u.place is not None}
    leaders = [u for u in board.units.values() if u.kind == "leader" and (u.place, u.side) in places]
    led = {place for u in board.units.values() if u.special == BATTALION for place in [(u.place, u.side)]}
    return [u for u in leaders if u.special != "peiper-leader" or (u.place, u.side) in led]


def is_led_by(board: Board, leader: Thing, unit: Thing) -> bool:
    """Whether a leader can let a unit stay; Peiper's is there for his own alone (36.leader.1, BW25)."""
    if leader.special != "peiper-leader":
        return True
    own = [BATTALION] if board.read("BW25", "battalions-only") == "battalions-only" else [BATTALION, "peiper"]
    return unit.special in own


def steps_of(board: Board, units: list[Thing]) -> int:
    """Count the steps that units, and leaders with them, can lose."""
    return sum(u.steps for u in units if u.kind != "leader") + len(leaders_with(board, units))


def able_to_stay(battle: Battle) -> list[Thing]:
    """List the units that may take losses instead of a retreat (24.4)."""
    board = battle.board
    leader = board.units.get(battle.raw["leader"] or "")
    if leader is None or "24" not in board.options or leader.influence <= leader.influence_used:
        return []
    return [
        u for u in battle.losers
        if u.kind != "leader" and u.side == leader.side and (not u.shocked or u.in_fortification)
        and in_range(board, leader, u) and is_led_by(board, leader, u)
    ]  # fmt: skip


def retreat_responses(battle: Battle) -> dict[str, Any]:
    """List the ways to meet a result (BW13)."""
    board, result = battle.board, battle.result
    names = sorted(u.id for u in battle.losers)
    owed = battle.retreat_length()
    room = steps_of(board, battle.losers)
    if not owed:
        return {"choices": [{"losses": result.losses, "stay": names, "retreat": []}] if result.losses <= room else []}
    choices: list[dict[str, Any]] = [{"losses": result.losses, "stay": [], "retreat": names}]
    able = able_to_stay(battle)
    if able and owed <= steps_of(board, able):
        stay = sorted(u.id for u in able)
        gone = [name for name in names if name not in stay]
        choices.append({"losses": result.losses + owed, "stay": stay, "retreat": gone})
    return {"choices": [choice for choice in choices if choice["losses"] <= room]}


def loss_candidates(battle: Battle) -> dict[str, Any]:
    if not battle.result.losses:
        return {"units": []}
    units = [u for u in battle.losers if u.kind != "leader"]
    return {"units": sorted({u.id for u in (*units, *leaders_with(battle.board, battle.losers))})}


def lone_leaders(board: Board) -> dict[str, Any]:
    """Name the leaders who are removed (24.3.alone; by qa.2 next to an enemy)."""
    return {"removed": sorted(leader.id for leader in alone(board) if _is_lost(board, leader))}


def alone(board: Board) -> list[Thing]:
    leaders = [u for u in board.units.values() if u.kind == "leader" and u.place is not None]
    return [leader for leader in leaders if board.at(leader.place, leader.side) == [leader]]


def _is_lost(board: Board, leader: Thing) -> bool:
    if not board.answers:
        return leader.place in board.ezoc(leader.side)
    near = board.neighbours(leader.place)
    kinds = ("infantry", "armored-infantry", "armored-cavalry", "armor")
    return any(enemy.place in near and enemy.kind in kinds for enemy in board.enemies(leader.side))
