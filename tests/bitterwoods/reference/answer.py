"""Every query of Bitter Woods, answered by the reference."""

from collections.abc import Callable
from typing import Any

from tests.bitterwoods.reference import advances, combat, events, moves, results, retreats, steps
from tests.bitterwoods.reference.board import Board
from tests.bitterwoods.reference.results import Battle
from tests.bitterwoods.reference.unknown import Need

Input = dict[str, Any]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer a request of the protocol that is free of faults."""
    query, inputs = request["query"], request["input"]
    board = Board(inputs.get("position", {}), request["edition"], request.get("readings", {}))
    battle = Battle(board, inputs["battle"]) if "battle" in inputs else None
    rule = Need(query, inputs, board, battle).unmet()
    if rule is not None:
        return {"undetermined": f"rule {rule}"}
    return OF_BATTLES[query](battle, inputs) if query in OF_BATTLES else OF_POSITIONS[query](board, inputs)


def _unit(board: Board, i: Input) -> Any:
    return board.units[i["unit"]]


OF_BATTLES: dict[str, Callable[[Battle, Input], dict[str, Any]]] = {
    "retreat_length": lambda b, i: {"hexes": b.retreat_length()},
    "advance_length": lambda b, i: {"hexes": b.advance_length(i["road_bonus"])},
    "advances": lambda b, i: {"hexes": advances.advances(b, b.board.units[i["unit"]])},
    "check_advance": lambda b, i: {"legal": advances.Advance(b, b.board.units[i["unit"]]).follows(i["path"])},
    "support_options": lambda b, i: combat.support_options(b, i["side"]),
    "support_affected": lambda b, i: {"affected": False}, "angriff_status": lambda b, i: combat.angriff_status(b),
    "angriff_column": lambda b, i: combat.angriff_column(b, i["column"]),
    "angriff_advances": lambda b, i: {"hexes": advances.angriff_advances(b, b.board.units[i["unit"]])},
    "angriff_group": lambda b, i: combat.angriff_group(b, i["gone"]),
    "retreat_responses": lambda b, i: results.retreat_responses(b),
    "loss_candidates": lambda b, i: results.loss_candidates(b), "column_shifts": lambda b, i: combat.column_shifts(b),
    "surprise": lambda b, i: combat.surprise(b), "attack_drm": lambda b, i: combat.attack_drm(b, i["event"]),
    "peiper_attack": lambda b, i: events.peiper_attack(b, b.board.units[i["unit"]], i["exploitation_done"]),
    "peiper_advance": lambda b, i: {"hexes": advances.peiper_advance(b, b.board.units[i["unit"]])},
}  # fmt: skip
OF_POSITIONS: dict[str, Callable[[Board, Input], dict[str, Any]]] = {
    "step_cost": lambda b, i: {"cost": steps.best_step(b, _unit(b, i), i["to"])},
    "reachable": lambda b, i: {"destinations": moves.reachable(b, _unit(b, i))},
    "check_path": lambda b, i: moves.check_path(b, _unit(b, i), i["path"]),
    "boundary": lambda b, i: {"legal": not steps.barred_by_boundary(b, _unit(b, i), i["to"], i["action"])},
    "retreats": lambda b, i: retreats.retreats(b, _unit(b, i), i["hexes"]),
    "check_retreat": lambda b, i: retreats.check_retreat(b, _unit(b, i), i["hexes"], i["path"]),
    "result_meaning": lambda b, i: results.meaning(i["result"]),
    "bombardment_options": lambda b, i: combat.bombardment_options(b, _unit(b, i)),
    "combat_order": lambda b, i: combat.combat_order(i["actions"]),
    "shock_values": lambda b, i: combat.shock_values(_unit(b, i)),
    "shock_lasts": lambda b, i: events.shock_lasts(b, i["shocked"]["turn"], i["shocked"]["phasing"], i["owner"]),
    "interdiction_options": lambda b, i: events.interdiction_options(b, _unit(b, i), i["to"], i["points"]),
    "challenge_result": lambda b, i: events.challenge_result(b, _unit(b, i), i["to"], i["points"], i["die"]),
    "challenge_overstack": lambda b, i: events.challenge_overstack(b, i["hex"], i["side"], i["challengers"]),
    "leader_range": lambda b, i: results.leader_range(b, b.units[i["leader"]], _unit(b, i)),
    "lone_leaders": lambda b, i: results.lone_leaders(b),
    "stack_check": lambda b, i: events.stack_check(b, i["hex"], i["side"], i.get("voluntary", True)),
    "event_roll": lambda b, i: events.event_roll(b, i["rolled"], i["interdiction_placed"]),
    "drop_zones": lambda b, i: events.drop_zones(b),
    "landing_entry": lambda b, i: events.landing_entry(b, _unit(b, i), i["to"], i["points"], i["die"]),
    "town_deception": lambda b, i: events.town_deception(b, _unit(b, i), i["town"], i["named"], i["die"]),
    "air_losses": lambda b, i: events.air_losses(i["die"], i["available"]),
    "bridge_barred": lambda b, i: events.bridge_barred(b, i["bridge"], i["named"]),
    "peiper_exploitation": lambda b, i: moves.peiper_exploitation(b, _unit(b, i), i["path"], i["rolls"]),
    "sneak": lambda b, i: moves.sneak(b, _unit(b, i), i["path"], i["die"], i["used"]),
    "reserve_legal": lambda b, i: events.reserve_legal(b, _unit(b, i), i["sneak_done"]),
    "exploitation_release": lambda b, i: events.exploitation_release(b, _unit(b, i), b.units[i["leader"]]),
    "combine_peiper": lambda b, i: events.combine_peiper(b, b.get(i["units"]), i["spent"], i["reduced"]),
    "next_phase": lambda b, i: events.next_phase(b),
    "action_legal": lambda b, i: events.action_legal(b, i["side"], i["action"], i.get("due"), i.get("combats_left", 0)),
    "options_legal": lambda b, i: events.options_legal(i["scenario"], i["wanted"]),
}  # fmt: skip
