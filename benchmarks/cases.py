"""What is measured: each case is one question, answered in several ways that must agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from typing import Any

from tests.reference import handwritten as hand
from titm_rules import Action, Edition, Position, joint_moves, supply_lines
from titm_rules.catalog import game_folder, scenario_folder
from titm_rules.engines.factory import make_engine
from titm_rules.formats.validate import check_situation
from titm_rules.oracle.game import POLICIES, play_game
from titm_rules.service.protocol import Oracle
from titm_rules.world.world import World, boards_of

from benchmarks import asp
from benchmarks.libraries import Battle, Map
from benchmarks.situations import battle, campaign, hex_field

DATE = "1999"
MIXED, FOOT = 4, 1  # seeds
REPEATS = 50
VERDICTS = (
    "example-move-bridge-blown-1999",
    "example-blown-no-crossing-1999",
    "example-supply-barred-tank-1999",
    "example-combat99-us-a1-a1-spare1-1999",
    "example-artillery-tie-d1-d1-1999",
)
Json = dict[str, Any]


@dataclass(frozen=True)
class Way:
    """One way to answer a question.

    Attributes:
        prepare: makes what the question is put to; it is not timed.
        run: answers; this is timed.
        plain: turns the answer into values that can be compared with those of the other ways.
        rounds: how often it is timed.
    """

    prepare: Callable[[], Any]
    run: Callable[[Any], Any]
    plain: Callable[[Any, Any], Any]
    rounds: int = 15


@dataclass(frozen=True)
class Case:
    """One question.

    Attributes:
        aim_ms: how long it should take, in milliseconds; nothing if no aim is set.
        ways: the ways to answer it by name, the compiled rules first.
        units: how many questions one run answers; times are given for one.
    """

    name: str
    aim_ms: float | None
    ways: dict[str, Way]
    units: int = 1


@cache
def edition() -> Edition:
    return Edition(DATE)


@cache
def checked(situation: str, text: str) -> Json:
    return check_situation(edition().model, situation, json.loads(text), "$")


def engine(situation: str, data: Json, name: str = "compiled") -> Any:
    """Make a fresh engine, with nothing remembered; the rules themselves are compiled before."""
    model = edition().model
    return make_engine(name, model, World(model, situation, checked(situation, json.dumps(data))))


def _same(_: Any, answer: Any) -> Any:
    return answer


# ---------------------------------------------------------------------- fire
def listing(name: str, data: Json, aim_ms: float | None, small: bool) -> Case:
    """List all fire allocations of the attacker."""
    form, given = edition().model.forms["fire"], {"who": 0}
    firers, targets = ([unit["id"] for unit in data[side]] for side in ("attackers", "defenders"))
    in_order = [unit.id for unit in hand.firing_order(hand.read_fire(hand.read_battle(data), "attacker"))]

    def named(order: list[str], found: Any) -> Any:
        return sorted(sorted(zip(order, [targets[n] for n in picked], strict=True)) for picked in found)

    ways = {
        "compiled": Way(
            lambda: engine("battle", data),
            lambda e: list(e.choices(form, given)),
            lambda _, found: sorted(sorted((who.id, target.id) for who, target in one) for one in found),
        ),
        "hand": Way(
            lambda: hand.read_battle(data),
            lambda b: hand.list_fire(b, "attacker"),
            lambda _, found: named(in_order, found),
        ),
        "constraint, by class": Way(
            lambda: Battle(data).by_class(), list, lambda _, found: named(firers, found), rounds=3
        ),
        "clingo": Way(lambda: asp.fire(data), lambda f: f(), lambda _, found: named(firers, found), rounds=5),
    }
    if small:
        ways["constraint, one function"] = Way(
            lambda: Battle(data), Battle.by_one_function, lambda _, found: named(firers, found), rounds=3
        )
    return Case(name, aim_ms, ways)


def counting(name: str, data: Json, aim_ms: float) -> Case:
    """Count the fire allocations of the attacker."""
    form, given = edition().model.forms["fire"], {"who": 0}
    ways = {
        "compiled": Way(lambda: engine("battle", data), lambda e: e.count(form, given), _same),
        "hand": Way(lambda: _cold_battle(data), lambda b: hand.count_fire(b, "attacker"), _same),
    }
    return Case(name, aim_ms, ways)


def _cold_battle(data: Json) -> hand.Battle:
    hand.group_ways.cache_clear()  # the compiled rules remember nothing of another battle either
    return hand.read_battle(data)


def allocation_check(name: str, data: Json) -> Case:
    """Ask of one allocation whether it is legal."""
    form, given = edition().model.forms["fire"], {"who": 0}
    numbers = next(iter(Battle(data).by_class()))
    firers, targets = ([unit["id"] for unit in data[side]] for side in ("attackers", "defenders"))
    picked = {firer: targets[number] for firer, number in zip(firers, numbers, strict=True)}

    def prepare() -> Any:
        made = engine("battle", data)
        defenders = {target.id: target for target in made.root.defenders}
        return made, tuple((firer, defenders[picked[firer.id]]) for firer in made.root.attackers)

    ways = {
        "compiled": Way(prepare, lambda made: made[0].is_legal(form, given, made[1]), _same),
        "hand": Way(
            lambda: hand.read_fire(hand.read_battle(data), "attacker"),
            lambda fire: hand.allocation_legal(fire, picked),
            _same,
        ),
        "constraint, by class": Way(lambda: Battle(data).by_class(), lambda choices: numbers in choices, _same),
    }
    return Case(name, None, ways)


# ---------------------------------------------------------------------- the map
def prepared_units(data: Json) -> tuple[Any, list[Any]]:
    made = engine("position", data)
    return made, [unit for unit in made.root.units if unit.side == made.root.side_to_move]


def on_new_board(data: Json) -> tuple[Any, list[Any]]:
    """As `prepared_units`, where no situation before had the same board."""
    boards_of(edition().model).clear()
    return prepared_units(data)


def moving(data: Json, name: str = "moves of 120 units on 150 places") -> Case:
    """List the moves of every unit of a side."""
    route, given = edition().model.forms["move"], {"foot-mode": False}

    def run(made: Any) -> Any:
        asked, units = made
        return [asked.ends(route, [unit], given) for unit in units]

    ways = {
        "compiled": Way(
            lambda: prepared_units(data), run, lambda _, found: [{p.id: c for p, c in ends.items()} for ends in found]
        ),
        "hand": Way(
            lambda: hand.read_position(data),
            hand.moves_of_side,
            lambda made, found: [{made.names[p]: c for p, c in ends.items()} for ends in found.values()],
        ),
        "compiled, board new": Way(
            lambda: on_new_board(data), run, lambda _, found: [{p.id: c for p, c in ends.items()} for ends in found]
        ),
        "networkx, per unit": Way(lambda: Map(data), Map.moves, _same, rounds=5),
        "clingo": Way(lambda: asp.Board(data), asp.Board.moves, _same, rounds=5),
    }
    return Case(name, 10, ways)


def supplying(data: Json, name: str = "supply of the same 120 units") -> Case:
    """Tell of every unit of a side whether it is in supply, by a trace from where it stands."""
    route = edition().model.forms["supply"]

    def run(made: Any) -> Any:
        asked, units = made
        return [asked.trace(route, unit, None) is not None for unit in units]

    def run_by_hand(made: Any) -> Any:
        fewest = hand.supply_of_side(made)
        return [hand.supplied(unit, fewest) for unit in made.units.values() if unit.side == made.mover]

    ways = {
        "compiled": Way(lambda: prepared_units(data), run, _same),
        "hand": Way(lambda: hand.read_position(data), run_by_hand, _same),
        "compiled, board new": Way(lambda: on_new_board(data), run, _same),
        "networkx, per unit": Way(
            lambda: Map(data), Map.supply, lambda _, found: [cost is not None for cost in found], rounds=5
        ),
        "clingo": Way(lambda: asp.Board(data), asp.Board.supply, _same, rounds=5),
    }
    return Case(name, 1, ways)


# ---------------------------------------------------------------------- single questions
def mine(run: Callable[[Any], Any], prepare: Callable[[], Any]) -> dict[str, Way]:
    """Only the compiled rules answer; what they say is compared with nothing here."""
    return {"compiled": Way(prepare, run, _same)}


@cache
def position() -> Position:
    return Position.from_dict(campaign(1), edition())


def some_actions() -> list[Action]:
    """Take at most a hundred legal actions, spread over all of them."""
    found = list(position().legal_actions)
    return found[:: max(1, len(found) // 100)][:100]


def fresh_position() -> Position:
    return Position.from_dict(campaign(1), edition())


def single() -> Iterator[Case]:
    """Yield questions about one unit, one move, one position."""
    actions = some_actions()
    legal = position().legal_actions
    yield Case(
        "is_legal of an action, position prepared",
        0.02,
        mine(lambda _: all(action in legal for action in actions), _none),
        len(actions),
    )
    yield from _asked_of_one_unit()
    yield Case("all legal actions of the position", None, mine(lambda p: list(p.legal_actions), fresh_position))
    yield Case("the same again", None, mine(lambda _: list(legal), _none))


def _asked_of_one_unit() -> Iterator[Case]:
    route, given = edition().model.forms["move"], {"foot-mode": False}
    made, units = prepared_units(campaign(1))
    one = units[5]
    neighbour = next(other.id for pairs in one.place.links_.values() for _, other in pairs)
    path = [one.place.id, neighbour]
    yield Case(
        "moves of one unit, position new", 0.3,
        mine(lambda m: m[0].ends(route, [m[1][5]], given), lambda: prepared_units(campaign(1))),
    )  # fmt: skip
    yield Case(
        "moves of one unit, position prepared", 0.5,
        mine(lambda _: [made.ends(route, [unit], given) for unit in units], _none), len(units),
    )  # fmt: skip
    yield Case(
        "check of a path of one step, position prepared", 0.05,
        mine(lambda _: [made.path(route, [one], given, path) for _ in range(REPEATS)], _none), REPEATS,
    )  # fmt: skip


def on_hexes() -> Iterator[Case]:
    """Yield the moves of one unit on a large map of hexes, on a new position and where others were asked about."""
    model = Edition(game="bitterwoods").model
    route, data = model.forms["move"], check_situation(model, "position", hex_field(1), "$")
    given = dict.fromkeys((name for name, _ in route.given), False)

    def prepared() -> tuple[Any, list[Any]]:
        made = make_engine("compiled", model, World(model, "position", data))
        return made, [unit for unit in made.root.units if unit.side == made.root.phasing]

    def others_asked() -> tuple[Any, list[Any]]:
        made, units = prepared()
        for unit in units[20:]:
            made.ends(route, unit, given)
        return made, units

    def ask(made: Any) -> Any:
        return [made[0].ends(route, unit, given) for unit in made[1][:20]]

    yield Case("moves of 20 units on 625 hexes, each, position new", 10, mine(ask, prepared), 20)
    yield Case("moves of 20 units on 625 hexes, each, others asked before", 2, mine(ask, others_asked), 20)


def verdicts() -> Iterator[Case]:
    """Yield verdicts with all their reasons, from JSON values on."""
    lines = (game_folder() / "conformance" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    known = {asked["id"]: asked for asked in map(json.loads, lines)}
    for name in VERDICTS:
        asked = known[name]
        query, inputs = asked["query"], asked["input"]
        run = partial(_verdict, query, inputs)
        yield Case(f"verdict with reasons, `{query}`", 1, {"compiled": Way(_none, run, _same)})


def _verdict(query: str, inputs: Json, _: Any) -> Json:
    return edition().verdict(query, inputs).to_dict()


# ---------------------------------------------------------------------- the edges
def on_the_map(position: Position) -> list[str]:
    """List the units that stand in an area."""
    areas = {area["id"] for area in position.to_dict()["areas"]}
    return [unit["id"] for unit in position.to_dict()["units"] if unit.get("place") in areas]


def edges() -> Iterator[Case]:
    """Yield what it costs to take a position in, and to ask about one that was taken in before."""
    model, data = edition().model, campaign(1)

    def resolve(_: Any) -> World:
        return World(model, "position", check_situation(model, "position", data, "$"))

    new_board = boards_of(model).clear
    yield Case("validating and resolving a position of 180 units and 150 places", 3, mine(resolve, new_board))
    yield Case("validating and resolving it again, board known", 3, mine(resolve, _none))
    start = Position.from_file("campaign")
    unit = {"units": [on_the_map(start)[0]]}
    line = json.dumps({"edition": DATE, "query": "reachable", "input": {"position": start.to_dict(), **unit}}).encode()
    short = json.dumps(
        {"edition": DATE, "query": "reachable", "input": {"position": {"ref": start.digest}, **unit}}
    ).encode()
    oracle = Oracle()
    oracle.answer_line(line)
    yield Case("`ask` on the campaign, asked before", 0.2, mine(lambda _: start.ask("reachable", **unit), _none))
    yield Case("a line about the campaign, new", None, mine(lambda fresh: fresh.answer_line(line), Oracle))
    yield Case("the same, sent before", 2, mine(lambda _: oracle.answer_line(line), _none))
    yield Case("the same, by its digest", 2, mine(lambda _: oracle.answer_line(short), _none))


# ---------------------------------------------------------------------- plans
SIX = {"5-fj-c": ("Kyllburg", "Sinspelt"), "26-vg-b": ("Karlshausen", "Vianden"), "5-fj-a": ("Karlshausen", "Holzthum"),
       "62-vg-c": ("Waxweiler", "Auw"), "12-vg-b": ("Krinkelt", "Losheim"), "62-vg-b": ("Auw", "Prum")}  # fmt: skip

MORE_ENDS = {"5-fj-c": ("Waxweiler", "Karlshausen"), "26-vg-b": ("Holzthum",), "5-fj-a": ("Vianden",),
             "62-vg-c": ("Prum", "Budesheim"), "12-vg-b": ("Losheimergraben", "Ormont"),
             "62-vg-b": ("Budesheim", "Habscheid")}  # fmt: skip


def plans() -> Iterator[Case]:
    """Yield what cuts lines, choices with conditions, and joint moves, each for a position that is new."""
    data, start = battle(6, 6, MIXED), Position.from_file("campaign").settled
    enemy = data["defenders"][0]["id"]

    def fresh() -> Position:
        return Position.from_dict(data, edition(), "battle")

    def met(fight: Position) -> Json:
        where, best = [f"picks of {enemy} is at least 1"], f"most chance to destroy {enemy}"
        return fight.choices("fire_allocations", where=where, best=best, who="attacker").to_dict()

    def unmet(fight: Position) -> Json:
        where = [f"picks of {enemy} is at least 3"]
        return fight.choices("fire_allocations", where=where, who="attacker").to_dict()

    yield Case("the best plans of 6 against 6 under a condition", 50, mine(met, fresh))
    yield Case("why no plan of 6 against 6 meets a condition", 50, mine(unmet, fresh))
    points = count()  # the traces do not ask for them, and every position is another
    for side in start.sides:
        ask = mine(partial(_cuts, side), lambda: Position.from_dict({**start.to_dict(), "vp_total": next(points)}))
        yield Case(f"what cuts off the {side} side of the campaign", 100, ask)
    stacks = [([piece], places) for piece, places in SIX.items()]
    yield Case("joint moves of 6 stacks", 1000, mine(lambda _: joint_moves(start, stacks).to_dict(), _none))
    wide = [([piece], places + MORE_ENDS[piece]) for piece, places in SIX.items()]
    many = mine(lambda _: joint_moves(start, wide, top=1000).to_dict(), _none)
    yield Case("joint moves of 6 stacks, 1,000 wanted of 2,304 ends", 1000, many)


def _cuts(side: str, position: Position) -> Json:
    return supply_lines(position, side).to_dict()


# ---------------------------------------------------------------------- games
def games() -> Iterator[Case]:
    """Yield what an action of a random game costs: the list, the choice, and what comes of it."""
    path = scenario_folder() / "two-bridges" / "position.yaml"
    start = Position.from_file(path, edition())
    length = len(list(play_game(start, POLICIES["random"], 1)))
    yield Case(
        "one action of a random game, small board", None,
        mine(lambda _: list(play_game(start, POLICIES["random"], 1)), _none), length,
    )  # fmt: skip
    big = Position.from_dict({**campaign(1), "phase": "movement"}, edition())
    yield Case(
        "one action of a random game, large board", None,
        mine(lambda _: list(play_game(big, POLICIES["random"], 1, 100)), _none), 100,
    )  # fmt: skip


def _none() -> None:
    return None


def every_case() -> Iterator[Case]:
    """Yield all cases."""
    yield listing("fire 4 against 4, listed", battle(4, 4, MIXED), None, small=True)
    yield listing("fire 6 against 6, mixed kinds, listed", battle(6, 6, MIXED), 5, small=False)
    yield listing("fire 6 against 6, one kind, listed", battle(6, 6, FOOT, ("foot",)), 5, small=False)
    yield counting("fire 12 against 12, mixed kinds, counted", battle(12, 12, MIXED), 1000)
    yield counting("fire 12 against 12, one kind, counted", battle(12, 12, FOOT, ("foot",)), 1000)
    yield allocation_check("one fire allocation of 4 against 4, battle new", battle(4, 4, MIXED))
    yield allocation_check("one fire allocation of 6 against 6, battle new", battle(6, 6, MIXED))
    yield moving(campaign(1))
    yield supplying(campaign(1))
    yield from single()
    yield from on_hexes()
    yield from verdicts()
    yield from edges()
    yield from plans()
    yield from games()
