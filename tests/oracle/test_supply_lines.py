"""What cuts a line: over random boards it equals brute force, and the reference engine confirms each cut."""

import random
from itertools import combinations

import pytest
from titm_rules import Edition, InputError, Position, supply_lines
from titm_rules.play.machine import resolve

from tests.worlds import SIDES, random_position

HOLDER = {"kind": "foot", "strength": 1}
FEWEST = 2  # so many losses are tried by brute force
ROUTE = "supply"


def changed(position, losses):
    """Make the data of a position in which some bridges are blown and some places held; each is a pair."""
    data, side, losses = position.to_dict(), losses[0], losses[1]
    blown = {name for kind, name in losses if kind == "connection"}
    data["connections"] = [{**c, "bridge": "blown"} if c["id"] in blown else c for c in data["connections"]]
    foe = next(one for one in SIDES if one != side)
    held = [name for kind, name in losses if kind == "place"]
    holders = [{"id": f"x{n}", "side": foe, "place": one, **HOLDER} for n, one in enumerate(held)]
    data["units"] = [*data["units"], *holders]
    return data


def traced(position, data, names):
    """Name the units that have a trace."""
    edition = position.edition
    world = resolve(edition.model, "position", data, position.world)
    engine = edition.engine_for(edition.model, world)
    units = {name: world.named("unit", name) for name in names}
    route = edition.model.forms[ROUTE]
    return {name for name, unit in units.items() if engine.trace(route, unit, unit.place) is not None}


def every_loss(position, side):
    foes = {unit["place"] for unit in position.units.values() if unit["side"] != side}
    data = position.to_dict()
    bridges = [("connection", one["id"]) for one in data["connections"] if one.get("bridge") == "intact"]
    return bridges + [("place", one["id"]) for one in data["areas"] + data["zones"] if one["id"] not in foes]


def pairs(cut):
    return frozenset((loss.kind, loss.id) for loss in cut.losses)


def every_trace(position, name):
    """List all simple traces of a unit to a goal, as the places that they enter and the connections."""
    edition, world = position.edition, position.world
    model, engine = edition.model, edition.engine_for(edition.model, position.world)
    route, unit = model.forms[ROUTE], world.named("unit", name)
    points = engine.decide(f"{ROUTE}.points", {"client": unit})

    def is_goal(place):
        env = {"client": unit, "place-entered": place}
        return engine.decide(f"{ROUTE}.goal", env) and not engine.decide(f"{ROUTE}.end", env)

    def go(place, spent, places, links):
        if is_goal(place) and (spent <= points or not spent):
            yield places[1:], links
        for link, entered, cost, *_ in engine.steps(route, unit, {}, place):
            if entered.id not in places and spent + cost <= points:
                yield from go(entered, spent + cost, (*places, entered.id), (*links, link.id))

    return list(go(unit.place, 0, (unit.place.id,), ()))


def check_board(seed):
    rng = random.Random(seed)
    position = Position.from_dict(random_position(rng, 6), Edition("1999"))
    side = rng.choice(SIDES)
    own = [name for name, unit in position.units.items() if unit["side"] == side]
    of = rng.choice([side, *own]) if own else side
    names = own if of == side else [of]
    found = supply_lines(position, of, top=100)
    base = position.to_dict()
    now = traced(position, base, own)
    assert set(found.pieces) == now & set(names)

    traces = [trace for name in found.pieces for trace in every_trace(position, name)]
    if traces:
        shared = [set.intersection(*(set(trace[kind]) for trace in traces)) for kind in (0, 1)]
        assert [set(found.places), set(found.connections)] == shared, (seed, base)

    losses = every_loss(position, side)
    safe = traced(position, changed(position, (side, losses)), found.pieces)
    assert set(found.safe) == safe
    wanted = set(found.pieces) - safe
    cut_off = {
        frozenset(some): now - traced(position, changed(position, (side, some)), own)
        for size in range(1, FEWEST + 1) for some in combinations(losses, size)
    }  # fmt: skip
    singles = {some: gone for some, gone in cut_off.items() if len(some) == 1 and gone & wanted}
    assert {pairs(one): set(one.pieces) for one in found.pockets} == singles, (seed, base)
    enough = [some for some, gone in cut_off.items() if wanted and wanted <= gone]
    least = min(map(len, enough), default=None)
    if least is None:
        assert found.size is None or found.size > FEWEST
    else:
        assert (found.size, found.is_all) == (least, True)
        assert {pairs(one) for one in found.cuts} == {some for some in enough if len(some) == least}, (seed, base)
    check_restores(position, side, [name for name in names if name not in now], found, seed)
    check_by_reference(position, side, found)


def check_restores(position, side, lost, found, seed):
    data = position.to_dict()
    blown = [("connection", one["id"]) for one in data["connections"] if one.get("bridge") == "blown"]
    foes = {unit["place"] for unit in position.units.values() if unit["side"] != side}
    undone = blown + [("place", one) for one in foes]
    assert set(found.lost) == set(lost)
    for name in lost:
        ways = {
            frozenset(some) for size in range(FEWEST + 1) for some in combinations(undone, size)
            if traced(position, restored(position, side, some), [name])
        }  # fmt: skip
        least = min(map(len, ways), default=None)
        mine = {pairs(one) for one in found.restores if name in one.pieces}
        if least is not None:
            assert mine == {way for way in ways if len(way) == least}, (seed, name)
        else:
            assert all(len(way) > FEWEST for way in mine), (seed, name)


def restored(position, side, some):
    data = position.to_dict()
    names = {name for _, name in some}
    data["connections"] = [{**c, "bridge": "intact"} if c["id"] in names and c.get("bridge") == "blown" else c
                           for c in data["connections"]]  # fmt: skip
    cleared = {name for kind, name in some if kind == "place"}
    data["units"] = [unit for unit in data["units"] if unit["side"] == side or unit["place"] not in cleared]
    for name in ("demolition_attempts", "construction_attempts"):
        data.pop(name, None)
    return data


def check_by_reference(position, side, found):
    for one in [*found.cuts[:1], *found.pockets[:1]]:
        data = changed(position, (side, sorted(pairs(one))))
        after = Position.from_dict(data, Edition("1999", engine="reference"))
        verdict = after.check("supplied", unit=one.pieces[0])
        assert verdict.answer["supplied"] is False
        assert one.clauses
        assert set(one.clauses) <= {finding.clause for finding in verdict.findings} | set(one.clauses)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_on_random_boards_it_equals_brute_force(first):
    for seed in range(first, first + 10):
        check_board(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 2_000, 50))
def test_on_many_random_boards_it_equals_brute_force(first):
    for seed in range(first, first + 50):
        check_board(seed)


@pytest.mark.parametrize("side", ["Red", "Blue"])
def test_a_piece_that_holds_a_place_may_close_those_around_it(side):
    position = Position.from_file("the-ford", Edition(game="cold-ford"))
    foe = next(one for one in position.sides if one != side)
    units, data = position.units, position.to_dict()
    own = [name for name, unit in units.items() if unit["side"] == side]
    free = [place.id for place in position.world.places if place.id not in {unit["place"] for unit in units.values()}]
    gone = {}
    for place in free:
        held = [*data["units"], {"id": "x", "side": foe, "place": place, "strength": 1}]
        after = Position.from_dict({**data, "units": held}, position.edition)
        cut_off = {name for name in own if set(trace_of(position, name)) > set(trace_of(after, name))}
        if cut_off:
            gone[frozenset({("place", place)})] = cut_off
    found = supply_lines(position, side, top=100)
    assert {pairs(one): set(one.pieces) for one in found.pockets} == gone


def trace_of(position, name, route=ROUTE):
    """Give a list that is empty without a trace."""
    edition, unit = position.edition, position.world.named("unit", name)
    engine = edition.engine_for(edition.model, position.world)
    return [] if engine.trace(edition.model.forms[route], unit, unit.place) is None else [name]


@pytest.mark.parametrize("scenario", ["teaching-road", "teaching-battle"])
@pytest.mark.parametrize("side", ["German", "Allied"])
def test_a_way_home_on_a_road_that_zones_spoil_is_what_brute_force_finds(scenario, side):
    """A unit far off may spoil a supply road, and so the goal, for those that stand elsewhere."""
    position = Position.from_file(scenario, Edition(game="bitterwoods"))
    data, units = position.to_dict(), position.units
    own = [name for name, unit in units.items() if unit["side"] == side and unit["place"]]
    held = sorted({unit["place"] for unit in units.values() if unit["side"] != side and unit["place"]})
    home = {}
    for some in [some for size in range(len(held) + 1) for some in combinations(held, size)]:
        left = [unit for unit in data["units"] if unit["side"] == side or unit.get("place") not in some]
        after = Position.from_dict({**data, "units": left}, position.edition)
        home[some] = {name for name in own if trace_of(after, name, "way-home")}
    found = supply_lines(position, side, top=100)
    assert set(found.pieces) == home[()]
    for name in set(own) - home[()]:
        size = min((len(some) for some in home if name in home[some]), default=0)
        wanted = {some for some in home if size and len(some) == size and name in home[some]}
        restores = [tuple(loss.id for loss in one.losses) for one in found.restores if name in one.pieces]
        assert set(restores) == wanted, name


@pytest.mark.parametrize(("mover", "able"), [("German", ["v"]), ("Allied", [])])
def test_a_loss_names_who_can_bring_it_about_now(mover, able):
    roads = [["x", "y"], ["y", "D"], ["z", "y"], ["z", "A"]]
    units = [("u", "Allied", "x"), ("v", "German", "z")]
    position = Position.from_dict({
        "day": 17, "impulse": 2, "side_to_move": mover,
        "areas": [{"id": "x"}, {"id": "y"}, {"id": "z"}],
        "zones": [{"id": "A", "owner": "German"}, {"id": "D", "owner": "Allied"}],
        "connections": [{"id": "-".join(ends), "ends": ends, "road": "major"} for ends in roads],
        "units": [{"id": n, "side": side, "kind": "foot", "strength": 2, "place": at} for n, side, at in units],
    })  # fmt: skip
    found = supply_lines(position, "u", reach=True)
    assert (found.size, found.places) == (1, ("y", "D"))
    by = {loss.id: list(one.reach[loss]) for one in found.cuts for loss in one.losses}
    assert by == {"y": able, "D": able}


@pytest.mark.parametrize(
    ("of", "asked", "message"),
    [
        ("nobody", {}, "`nobody` is neither a side nor a piece on the board"),
        ("German", {"kinds": ["weather"]}, "`weather` is not a kind of loss"),
        ("German", {"route": "fishing"}, "no route `fishing` leads to a goal here"),
    ],
)
def test_a_bad_question_is_a_clear_fault(of, asked, message):
    with pytest.raises(InputError, match=message):
        supply_lines(Position.from_file("two-bridges"), of, **asked)
