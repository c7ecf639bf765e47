"""The 1999 rules by hand: plain dicts, loops and bit masks that share nothing with the package.

Written from the rulebook and the rulings alone, as a second opinion for the tests and as the yardstick
of what direct Python costs. `answer(query, input, readings)` gives an answer of the protocol; the functions
`moves_of_side`, `supply_of_side`, `count_fire` and `list_fire` work on values prepared once by
`read_position` and `read_battle`. Comments name the printed rule, or R for a ruling; OPEN marks a choice
that neither settles.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from math import comb, factorial
from typing import Any, NamedTuple

GERMAN, ALLIED = "German", "Allied"
OTHER = {GERMAN: ALLIED, ALLIED: GERMAN}
QUALITY = {"engineer": 4, "armor": 3, "mechanized": 2, "motorized": 1, "foot": 0}  # 9.51
ROAD_POINTS = {"major": 1, "minor": 2}  # 8.33
CLOSED = {GERMAN: "LMNP", ALLIED: "ABC"}  # 11.22, 11.23
WADING = 3  # 8.33, 8.34
OUT_OF_REACH = 9  # more blown bridges than any unit may trace across
LISTED = 130

Readings = Mapping[str, str]
DEFAULTS: Readings = {}

# ---------------------------------------------------------------------- battles


@dataclass(slots=True)
class Combatant:
    id: str
    kind: str
    strength: int
    in_supply: bool = True
    entrenched: bool = False
    arrival: str = "road"
    quality: int = 0

    def __post_init__(self) -> None:
        self.quality = QUALITY[self.kind]


@dataclass(slots=True)
class Battle:
    attacker: str
    attackers: list[Combatant]
    defenders: list[Combatant]
    bystanders: list[Combatant]
    departed: int
    front_line: bool
    artillery: int
    confusion: bool

    def side(self, who: str) -> str:
        return self.attacker if who == "attacker" else OTHER[self.attacker]

    def own(self, who: str) -> list[Combatant]:
        return self.attackers if who == "attacker" else self.defenders

    def enemies(self, who: str, readings: Readings = DEFAULTS) -> list[Combatant]:
        """List what may be fired at: bystanders under one reading of R6 only, and they never fire."""
        if who == "attacker":
            return self.defenders
        return self.attackers + self.bystanders if readings.get("R6") == "all-present" else self.attackers


def read_battle(data: Mapping[str, Any]) -> Battle:
    attackers, defenders, bystanders = (
        [Combatant(**unit) for unit in data.get(name, ())] for name in ("attackers", "defenders", "bystanders")
    )
    front_line, confusion = data.get("front_line", False), data.get("confusion", False)
    departed, artillery = data.get("departed", 0), data.get("attacker_artillery", 0)
    return Battle(data["attacker"], attackers, defenders, bystanders, departed, front_line, artillery, confusion)


# ---------------------------------------------------------------------- fire allocation (9.5)


@dataclass(slots=True)
class Fire:
    """One fire step; targets are bits of a mask.

    Attributes:
        groups: firing units of equal quality, best first (9.57).
        everyone: the mask of all targets.
        exempt: targets that need not be fired at (9.53).
        free: whether an exempt target among the best ones frees the choice of 9.57 (R3); OPEN where a best target
            that is not exempt stands beside it, and for 9.52, which R4 lets bind with exempt targets left out.
        first, later: for each group, target classes in order of preference, while some target has no shot and after.
    """

    groups: list[list[Combatant]]
    targets: list[Combatant]
    everyone: int
    exempt: int
    free: bool
    first: list[tuple[int, ...]]
    later: list[tuple[int, ...]]


@lru_cache(maxsize=4096)
def by_preference(quality: int, targets: tuple[int, ...]) -> tuple[int, ...]:
    """Give target classes as 9.57 orders them: equal, then lower from the top, then higher from the bottom."""
    order = [*range(quality, -1, -1), *range(quality + 1, 5)]
    return tuple(mask for rank in order if (mask := sum(1 << n for n, own in enumerate(targets) if own == rank)))


@lru_cache(maxsize=4096)
def by_rank_only(quality: int, targets: tuple[int, ...]) -> tuple[int, ...]:
    """Give target classes as 9.52 orders them: all of equal or lower quality, then higher from the bottom."""
    low = sum(1 << n for n, own in enumerate(targets) if own <= quality)
    higher = [sum(1 << n for n, own in enumerate(targets) if own == rank) for rank in range(quality + 1, 5)]
    return tuple(mask for mask in (low, *higher) if mask)


def read_fire(battle: Battle, who: str, readings: Readings = DEFAULTS) -> Fire:
    by_quality: dict[int, list[Combatant]] = {}
    for unit in battle.own(who):
        by_quality.setdefault(unit.quality, []).append(unit)
    targets = battle.enemies(who, readings)
    ranks = tuple([unit.quality for unit in targets])
    everyone = (1 << len(targets)) - 1
    exempt = 0
    if who == "defender":  # 9.53 speaks of attacking units; OPEN: bystanders (R6) are therefore not exempt
        exempt = sum(1 << n for n, unit in enumerate(battle.attackers) if unit.strength == 1)
    qualities = sorted(by_quality, reverse=True)
    alone = len(battle.own(who)) == 1  # R4
    rules = by_rank_only if alone else by_preference
    first = [rules(quality, ranks) for quality in qualities]
    later = [(everyone,)] * len(qualities)  # R2
    if readings.get("R2") == "strict-quality":
        later = [by_rank_only(quality, ranks) for quality in qualities]
    groups = [by_quality[quality] for quality in qualities]
    free = readings.get("R3") == "exempt-means-free" and not alone
    return Fire(groups, targets, everyone, exempt, free, first, later)


def choices(order: tuple[int, ...], eligible: int, exempt: int, free: bool) -> int:
    """Give the mask of targets that a unit may pick (R3).

    Each exempt target may be thought away, so the next class opens when a class holds exempt targets only.
    """
    found = 0
    for mask in order:
        hit = mask & eligible
        if hit:
            if free and hit & exempt:
                return eligible
            found |= hit
            if hit & ~exempt:
                return found
    return found


@lru_cache(maxsize=65536)
def bits(mask: int) -> tuple[int, ...]:
    return tuple([n for n in range(mask.bit_length()) if mask >> n & 1])


@lru_cache(maxsize=65536)
def arrangements(picks: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Give every distinct order of the picks: which unit of a group takes which."""
    if len(picks) < 2:
        return (picks,)
    if len(set(picks)) == 1:
        return (picks,)
    found = []
    for n, pick in enumerate(picks):
        if pick not in picks[:n]:
            found += [(pick, *rest) for rest in arrangements(picks[:n] + picks[n + 1 :])]
    return tuple(found)


State = tuple[int, bool]  # targets without a shot in this round; whether it is the first round


def spreads(fire: Fire, group: int, state: State) -> dict[tuple[int, ...], State]:
    """Give what a group may fire at, as sorted picks, with the state after: units of a group are taken in any order."""
    first, later, everyone, free = fire.first[group], fire.later[group], fire.everyone, fire.free
    level: dict[tuple[int, ...], State] = {(): state}
    for number in range(len(fire.groups[group])):
        after: dict[tuple[int, ...], State] = {}
        for picks, (left, opening) in level.items():
            order = first if opening else later
            for target in bits(choices(order, left, fire.exempt, free and opening)):
                more = tuple(sorted((*picks, target))) if number else (target,)
                if more not in after:
                    rest = left & ~(1 << target)
                    after[more] = (rest, opening) if rest else (everyone, False)
        level = after
    return level


def list_fire(battle: Battle, who: str, readings: Readings = DEFAULTS) -> list[tuple[int, ...]]:
    """List the legal allocations; each gives target numbers, firing units in order of quality (`firing_order`)."""
    return list_spread(read_fire(battle, who, readings))


def list_spread(fire: Fire) -> list[tuple[int, ...]]:
    if not fire.targets:
        return []
    rows: dict[State, list[tuple[int, ...]]] = {(fire.everyone, True): [()]}
    for group, units in enumerate(fire.groups):
        spread = spread_one if len(units) == 1 else spread_several
        after: dict[State, list[tuple[int, ...]]] = {}
        for state, so_far in rows.items():
            for then, shots in spread(fire, group, state):
                added = [row + more for row in so_far for more in shots]
                if then in after:
                    after[then] += added
                else:
                    after[then] = added
        rows = after
    return [row for found in rows.values() for row in found]


def spread_one(fire: Fire, group: int, state: State) -> list[tuple[State, tuple[tuple[int, ...], ...]]]:
    left, opening = state
    order = fire.first[group] if opening else fire.later[group]
    picks = choices(order, left, fire.exempt, fire.free and opening)
    return [((left ^ (1 << n), opening) if left != 1 << n else (fire.everyone, False), ((n,),)) for n in bits(picks)]


def spread_several(fire: Fire, group: int, state: State) -> list[tuple[State, tuple[tuple[int, ...], ...]]]:
    return [(then, arrangements(picks)) for picks, then in spreads(fire, group, state).items()]


def firing_order(fire: Fire) -> list[Combatant]:
    return [unit for group in fire.groups for unit in group]


def allocation_lines(fire: Fire) -> list[str]:
    units = firing_order(fire)
    places = sorted(range(len(units)), key=lambda n: units[n].id)
    words = [[f"{unit.id}>{target.id}" for target in fire.targets] for unit in units]
    return sorted(",".join([words[n][row[n]] for n in places]) for row in list_spread(fire))


def allocation_legal(fire: Fire, allocation: Mapping[str, str]) -> bool:
    """Tell whether some order of the units of equal quality gives this allocation."""
    number = {unit.id: n for n, unit in enumerate(fire.targets)}
    if set(allocation) != {unit.id for unit in firing_order(fire)} or not set(allocation.values()) <= set(number):
        return False  # R5: everyone fires, at one target that is there
    state: State = (fire.everyone, True)
    for group, units in enumerate(fire.groups):
        picks = tuple(sorted(number[allocation[unit.id]] for unit in units))
        found = spreads(fire, group, state).get(picks)
        if found is None:
            return False
        state = found
    return True


# ---------------------------------------------------------------------- counting without listing


def count_fire(battle: Battle, who: str, readings: Readings = DEFAULTS) -> int:
    """Count the legal allocations by how many targets of each sort have a shot, never which."""
    fire = read_fire(battle, who, readings)
    if not fire.targets:
        return 0
    numbers: dict[tuple[int, int], list[int]] = {}
    for n, unit in enumerate(fire.targets):
        numbers.setdefault((unit.quality, fire.exempt >> n & 1), []).append(n)
    sorts = tuple(sorted(numbers))
    sizes = tuple([len(numbers[sort]) for sort in sorts])
    exempt = sum(1 << n for n, (_, spared) in enumerate(sorts) if spared)
    masks = [sum(1 << n for n in numbers[sort]) for sort in sorts]

    def narrow(order: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([sum(1 << n for n, mask in enumerate(masks) if mask & wide) for wide in order])

    counts: dict[tuple[bool, tuple[int, ...]], int] = {(True, (0,) * len(sizes)): 1}
    for units, first, later in zip(fire.groups, fire.first, fire.later, strict=True):
        after: dict[tuple[bool, tuple[int, ...]], int] = {}
        for (opening, shot), ways in counts.items():
            targets = (sizes, exempt, fire.free, narrow(first), narrow(later))
            for then, more in group_ways(*targets, opening, shot, len(units)):
                after[then] = after.get(then, 0) + ways * more
        counts = after
    return sum(counts.values())


@lru_cache(maxsize=65536)
def group_ways(
    sizes: tuple[int, ...],
    exempt: int,
    free: bool,
    first: tuple[int, ...],
    later: tuple[int, ...],
    opening: bool,
    shot: tuple[int, ...],
    firers: int,
) -> list[tuple[tuple[bool, tuple[int, ...]], int]]:
    """Give each state that a group of equal firers may leave, with in how many ways.

    `sizes` are the numbers of targets of each sort, `shot` how many of them have a shot in this round;
    `opening` is whether the first round is on. Masks are of sorts here.
    """
    level = {(0, shot)}
    for _ in range(firers):
        after = set()
        for rounds, now in level:
            eligible = sum(1 << n for n, size in enumerate(sizes) if now[n] < size)
            begins = opening and not rounds
            for sort in bits(choices(first if begins else later, eligible, exempt, free and begins)):
                then = (*now[:sort], now[sort] + 1, *now[sort + 1 :])
                after.add((rounds + 1, (0,) * len(sizes)) if then == sizes else (rounds, then))
        level = after
    found: dict[tuple[bool, tuple[int, ...]], int] = {}
    for rounds, then in level:
        key = (opening and not rounds, then)
        found[key] = found.get(key, 0) + arrangements_between(sizes, shot, then, rounds, firers)
    return list(found.items())


def arrangements_between(
    sizes: tuple[int, ...], before: tuple[int, ...], after: tuple[int, ...], rounds: int, firers: int
) -> int:
    """Count the ways in which equal firers bring the shots from `before` to `after`, `rounds` later."""
    total = factorial(firers)
    for size, had, has in zip(sizes, before, after, strict=True):
        shots = rounds * size + has - had
        ways = 0
        for both in range(min(had, has) + 1):  # targets that were ahead of the round before and are so again
            if had + has - both > size or (not rounds and both < had):
                continue
            level = size - had - has + 2 * both
            same = factorial(rounds) ** level * factorial(rounds + 1) ** (has - both)
            same *= factorial(max(rounds - 1, 0)) ** (had - both)
            ways += comb(had, both) * comb(size - had, has - both) * (factorial(shots) // same)
        total = total // factorial(shots) * ways
    return total


# ---------------------------------------------------------------------- artillery (9.4)


def calls(units: Sequence[Combatant], least: int) -> int:
    """Count calls for artillery: a third of the strength in supply, and none at all without supply (R8)."""
    supplied = [unit.strength for unit in units if unit.in_supply]
    return max(sum(supplied) // 3, least) if supplied else 0


def availability(battle: Battle, who: str) -> int:
    if battle.side(who) == ALLIED:
        return 8  # 9.43
    return 6 if battle.front_line else 4  # 9.44, 9.45


def next_targets(targets: Sequence[Combatant], left: Sequence[int], subtract: bool) -> list[int]:
    """Give the targets open to the next counter (R9); `left`: those without one in this layer."""
    totals: Counter[str] = Counter()
    for n in left if subtract else range(len(targets)):
        totals[targets[n].kind] += targets[n].strength
    most = max(totals[targets[n].kind] for n in left)
    return [n for n in left if totals[targets[n].kind] == most]


def targetings(targets: Sequence[Combatant], counters: int, subtract: bool) -> list[tuple[int, ...]]:
    everyone = tuple(range(len(targets)))
    rows: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), everyone)]
    for _ in range(counters):
        rows = [
            ((*row, n), tuple(one for one in left if one != n) or everyone)
            for row, left in rows
            if left
            for n in next_targets(targets, left, subtract)
        ]
    return [row for row, _ in rows]


def targeting_legal(targets: Sequence[Combatant], sequence: Sequence[str], subtract: bool) -> bool:
    everyone = list(range(len(targets)))
    left = everyone
    for name in sequence:
        picked = [n for n in left if targets[n].id == name]
        if not picked or picked[0] not in next_targets(targets, left, subtract):
            return False
        left = [n for n in left if n != picked[0]] or everyone
    return True


# ---------------------------------------------------------------------- modifiers (9.6, 9.7)


def combined_arms(battle: Battle) -> bool:
    kinds = {unit.kind for unit in battle.attackers}
    return "armor" in kinds and len(kinds) > 1 and battle.artillery > 0  # R11: all other kinds are infantry types


def over_a_river(battle: Battle) -> bool:
    """Tell whether all attackers came over a river; whoever stays without attacking began the impulse there (9.12)."""
    if battle.departed or battle.bystanders:  # R12
        return False
    return all(unit.arrival == "river" for unit in battle.attackers)


def modifiers(battle: Battle, who: str, target: Combatant) -> dict[str, int]:
    """Give what bears on units and artillery alike (9.49)."""
    drms = {}
    if who == "attacker" and target.entrenched:
        drms["entrenched"] = 1  # R14
    if who == "defender" and not combined_arms(battle):
        drms["not-combined-arms"] = -1
    if who == "defender" and over_a_river(battle):
        drms["river"] = -1
    if battle.confusion and battle.side(who) == ALLIED:
        drms["confusion"] = 1  # 14.24
    return drms


def hitting(factor: int, drms: dict[str, int]) -> dict[str, Any]:
    return {"factor": factor, "drms": drms, "highest": min(max(factor - sum(drms.values()), 0), 10)}  # R13


def unit_fire(battle: Battle, who: str, firing: Combatant, target: Combatant) -> dict[str, Any]:
    factor = (4 if firing.kind == "armor" else 3) + (who == "defender")  # 4.17
    drms = modifiers(battle, who, target)
    if not firing.in_supply:
        drms["out-of-supply"] = 1
    return hitting(factor, drms)


def artillery_fire(battle: Battle, who: str, target: Combatant) -> dict[str, Any]:
    return hitting(3 if who == "attacker" else 5, modifiers(battle, who, target))  # 9.48


# ---------------------------------------------------------------------- positions


@dataclass(slots=True)
class Unit:
    id: str
    side: str
    kind: str
    strength: int
    place: int
    day_start: int | None
    impulse_start: int | None
    moves_16_1: bool
    moved: bool = False
    attacked: bool = False
    built_today: bool = False
    entrenched: bool = False
    entrenched_today: bool = False
    foot_mode: bool = False
    points_spent: int = 0
    scored: bool = False

    @property
    def reach(self) -> int:
        """How many blown bridges its supply may cross (13.14)."""
        return 0 if self.kind == "armor" else 1


@dataclass(slots=True)
class Link:
    id: str
    ends: tuple[int, int]
    road: int  # points; 0: no road
    river: bool
    bridge: str | None
    failed: int

    def other(self, place: int) -> int:
        return self.ends[1] if self.ends[0] == place else self.ends[0]

    @property
    def passable(self) -> bool:
        """Whether anyone can ever cross: a road, and over a river some bridge, even a blown one (3.22, R19)."""
        return self.road > 0 and (self.bridge is not None or not self.river)


@dataclass(slots=True)
class Ground:
    """What places are to one side that moves.

    Attributes:
        enter, leave: points on top of the road.
        enemy: areas with enemies.
        closed: zones that it may not enter.
        shut: zones that it may not leave: VP zones for Germans (12.25).
        steps: by whether a stack wades, from each place the (place, points) of every step that is not barred.
    """

    enter: list[int]
    leave: list[int]
    enemy: list[bool]
    closed: list[bool]
    shut: list[bool]
    steps: dict[bool, list[list[tuple[int, int]]]] = field(default_factory=dict)


@dataclass(slots=True)
class Position:
    day: int
    impulse: int
    mover: str
    names: list[str]
    index: dict[str, int]
    zone: list[bool]
    owner: list[str | None]
    vp_zone: list[bool]
    overstacked: list[bool]
    may_enter: dict[str, list[bool]]
    links: list[Link]
    near: list[list[tuple[int, int, bool]]]  # (place, points of the road, bridge blown)
    units: dict[str, Unit]
    at: list[list[Unit]]
    held: dict[str, list[bool]]  # by side: places with its units
    special: tuple[int, str] | None
    demolitions: list[tuple[str, str]]  # (bridge, unit)
    constructions: list[tuple[str, str]]
    battles: set[int]
    grounds: dict[str, Ground] = field(default_factory=dict)


def read_unit(data: Mapping[str, Any], index: Mapping[str, int]) -> Unit:
    at = {name: data.get(name, data["place"]) for name in ("place", "day_start", "impulse_start")}
    places = {name: None if place is None else index[place] for name, place in at.items()}
    may_move = data.get("moves_16_1")
    return Unit(**{**data, **places, "moves_16_1": data["side"] == GERMAN if may_move is None else may_move})


def read_link(data: Mapping[str, Any], index: Mapping[str, int]) -> Link:
    one, other = data["ends"]
    road, river = ROAD_POINTS.get(data.get("road"), 0), data.get("river", False)
    return Link(data["id"], (index[one], index[other]), road, river, data.get("bridge"), data.get("failed_repairs", 0))


def read_position(data: Mapping[str, Any]) -> Position:
    areas, zones = data["areas"], data["zones"]
    places = [*areas, *zones]
    names = [place["id"] for place in places]
    index = {name: n for n, name in enumerate(names)}
    size, first_zone = len(names), len(areas)
    units = [read_unit(unit, index) for unit in data["units"]]
    at: list[list[Unit]] = [[] for _ in names]
    held = {side: [False] * size for side in OTHER}
    for unit in units:
        at[unit.place].append(unit)
        held[unit.side][unit.place] = True
    links = [read_link(link, index) for link in data["connections"]]
    near: list[list[tuple[int, int, bool]]] = [[] for _ in names]
    for link in links:
        if link.passable:
            one, two = link.ends
            blown = link.bridge == "blown"
            near[one].append((two, link.road, blown))
            near[two].append((one, link.road, blown))
    special = data.get("special_forces")
    return Position(
        data["day"],
        data["impulse"],
        data["side_to_move"],
        names,
        index,
        [n >= first_zone for n in range(size)],
        [place.get("owner") if n >= first_zone else None for n, place in enumerate(places)],
        [place.get("owner") == ALLIED and place.get("vp_factor", 0) > 0 for place in places],
        [bool(place.get("setup_overstack")) for place in places],
        {side: [may_enter(place, side, n >= first_zone) for n, place in enumerate(places)] for side in OTHER},
        links,
        near,
        {unit.id: unit for unit in units},
        at,
        held,
        (index[special["area"]], special["effect"]) if special else None,
        [(attempt["bridge"], attempt["unit"]) for attempt in data.get("demolition_attempts") or ()],
        [(attempt["bridge"], attempt["unit"]) for attempt in data.get("construction_attempts") or ()],
        {index[name] for name in data.get("battle_areas") or ()},
    )


def may_enter(place: Mapping[str, Any], side: str, zone: bool) -> bool:
    stated = place.get(f"{side.lower()}_may_enter") if zone else True
    return place["id"] not in CLOSED[side] if stated is None else stated


def ground_of(position: Position, side: str) -> Ground:
    if side in position.grounds:
        return position.grounds[side]
    zone, size = position.zone, len(position.names)
    enemy = [held and not zone[n] for n, held in enumerate(position.held[OTHER[side]])]
    enter = [1 if position.at[n] and not zone[n] else 0 for n in range(size)]  # 8.37, 8.26
    leave = [1 if held else 0 for held in enemy]  # 8.36
    if side == ALLIED and position.special and position.special[1] == "mobility":  # 14.22
        enter[position.special[0]] += 1
        leave[position.special[0]] += 1
    closed = [not allowed for allowed in position.may_enter[side]]
    shut = position.vp_zone if side == GERMAN else [False] * size
    position.grounds[side] = Ground(enter, leave, enemy, closed, shut)
    return position.grounds[side]


# ---------------------------------------------------------------------- supply (13.1)


def supply_of_side(position: Position, side: str = "") -> list[int]:
    """Flood from the source zones: the fewest blown bridges from each place (a unit standing there) to one.

    A place that supply may not cross, for enemies or for being a zone, is reached but not left (13.12, 13.13).
    """
    side = side or position.mover
    enemies, zone, near = position.held[OTHER[side]], position.zone, position.near
    sources = [n for n, own in enumerate(position.owner) if own == side and not enemies[n]]  # 13.11, R29
    fewest = [OUT_OF_REACH] * len(zone)
    for n in sources:
        fewest[n] = 0
    front, beyond = sources, []
    for crossed in (0, 1):
        while front:
            for there, _, blown in near[front.pop()]:
                if fewest[there] > crossed:
                    if blown:
                        beyond.append(there)
                    else:
                        fewest[there] = crossed
                        if not enemies[there] and not zone[there]:
                            front.append(there)
        if crossed:
            break
        for there in beyond:
            if fewest[there] > 1:
                fewest[there] = 1
                if not enemies[there] and not zone[there]:
                    front.append(there)
    return fewest


def supplied(unit: Unit, fewest: Sequence[int], place: int | None = None) -> bool:
    return fewest[unit.place if place is None else place] <= unit.reach


# ---------------------------------------------------------------------- movement (8)


def may_act(position: Position, unit: Unit) -> bool:
    """Tell whether a unit has points left to spend: it is its side's impulse, and it has done nothing today."""
    if unit.side != position.mover or (position.day == 22 and position.impulse > 1):  # 6.0
        return False
    return has_its_day(unit)


def has_its_day(unit: Unit) -> bool:
    return not (unit.moved or unit.attacked or unit.built_today or unit.entrenched_today)  # 8.25, 9.16, 10.14, R16


def may_leave(position: Position, unit: Unit) -> bool:
    """Tell whether a unit that may act may also leave its place.

    Not all may on the first impulse (5.23, 5.24), nor may Allied reinforcements from among Germans (11.21).
    """
    among = position.zone[unit.place] and position.held[GERMAN][unit.place]
    if unit.side == ALLIED and unit.day_start is None and among:
        return False
    return position.day > 16 or position.impulse > 1 or unit.moves_16_1


class Gait(NamedTuple):
    """How a stack moves: points in hand, whether all can wade, whether it must stop after one step."""

    points: int
    wades: bool
    one_step: bool


def gait_of(unit: Unit, fewest: Sequence[int], declared: bool) -> Gait:
    """Say how one unit moves.

    Whoever is bound to foot mode is free of it where supply needs no blown bridge (R18).
    OPEN: a declaration means nothing to armor, which keeps its points and does not wade.
    """
    on_foot = unit.kind != "armor" and (unit.kind == "foot" or declared or (unit.foot_mode and fewest[unit.place] > 0))
    return Gait((5 if on_foot else 8) - unit.points_spent, on_foot, not supplied(unit, fewest))


def stack_gait(stack: Sequence[Unit], fewest: Sequence[int], declared: bool) -> Gait:
    """Take the slowest (R21)."""
    gaits = [gait_of(unit, fewest, declared) for unit in stack]
    return Gait(
        min(gait.points for gait in gaits), all(gait.wades for gait in gaits), any(gait.one_step for gait in gaits)
    )


def may_move_together(position: Position, stack: Sequence[Unit]) -> bool:
    if not stack or not all(may_act(position, unit) for unit in stack):
        return False
    if len(stack) == 1:
        return True
    if len({unit.place for unit in stack}) > 1:
        return False
    starts = {unit.day_start for unit in stack}  # 8.21: a unit that was not on the map began the day with nobody
    return len(starts) == 1 and None not in starts


def steps_of(position: Position, ground: Ground, wades: bool) -> list[list[tuple[int, int]]]:
    """Price every step that a side may make, once for all its stacks that wade or do not."""
    if wades not in ground.steps:
        ground.steps[wades] = [
            [
                (there, (WADING if blown else road) + ground.leave[here] + ground.enter[there])
                for there, road, blown in near
                if (wades or not blown)
                and not (ground.closed[there] or ground.shut[here])
                and not (ground.enemy[here] and ground.enemy[there])  # 8.27
            ]
            for here, near in enumerate(position.near)
        ]
    return ground.steps[wades]


def search(position: Position, start: int, ground: Ground, gait: Gait) -> dict[int, int]:
    """Find the least points to every place within reach: a bucket for each number of points spent."""
    points, enemy, steps = gait.points, ground.enemy, steps_of(position, ground, gait.wades)
    costs: dict[int, int] = {start: 0}
    if gait.one_step:  # 8.29
        for there, cost in steps[start]:
            if cost <= points and cost < costs.get(there, cost + 1):
                costs[there] = cost
        return costs
    buckets: list[list[int]] = [[] for _ in range(max(points, 0) + 1)]
    buckets[0].append(start)
    for spent, bucket in enumerate(buckets):
        room = points - spent
        for here in bucket:
            if costs[here] < spent or (enemy[here] and here != start):  # 8.22
                continue
            for there, more in steps[here]:
                if more <= room:  # 8.38
                    cost = spent + more
                    if there not in costs or cost < costs[there]:
                        costs[there] = cost
                        buckets[cost].append(there)
    return costs


def overstacks(position: Position, stack: Sequence[Unit], place: int) -> bool:
    """Tell whether the move is one that 7.1 forbids on the first day."""
    if position.day != 16 or stack[0].side != GERMAN or position.zone[place]:
        return False
    there = [unit for unit in position.at[place] if unit.side == GERMAN and unit not in stack] + list(stack)
    return len(there) > 4 or sum(unit.strength for unit in there) > 10


def may_end(position: Position, stack: Sequence[Unit], place: int, fewest: Sequence[int], readings: Readings) -> bool:
    """Tell whether a move into a place may end there: supply (8.28, R17) and, on the 16th, stacking."""
    for unit in stack:
        if not supplied(unit, fewest, place) and (
            supplied(unit, fewest) or readings.get("R17") == "no-oos-destination"
        ):
            return False
    return not overstacks(position, stack, place)


def reachable(
    position: Position, stack: Sequence[Unit], declared: bool = False, readings: Readings = DEFAULTS
) -> dict[int, int]:
    if not may_move_together(position, stack) or not all(may_leave(position, unit) for unit in stack):
        return {}
    fewest = supply_of_side(position, stack[0].side)
    start = stack[0].place
    costs = search(position, start, ground_of(position, stack[0].side), stack_gait(stack, fewest, declared))
    return {
        place: cost
        for place, cost in costs.items()
        if place != start and may_end(position, stack, place, fewest, readings)
    }


def moves_of_side(position: Position, readings: Readings = DEFAULTS) -> dict[str, dict[int, int]]:
    """Give the destinations of every unit of the side to move, moving alone: one search for units that move alike."""
    side = position.mover
    fewest = supply_of_side(position, side)
    ground = ground_of(position, side)
    stacking = position.day == 16 and side == GERMAN
    strict = readings.get("R17") == "no-oos-destination"
    searches: dict[tuple[int, Gait], dict[int, int]] = {}
    shared: dict[tuple[int, Gait, int], dict[int, int]] = {}
    found = {}
    for unit in position.units.values():
        if unit.side != side:
            continue
        if not may_act(position, unit) or not may_leave(position, unit):
            found[unit.id] = {}
            continue
        gait = gait_of(unit, fewest, False)
        bound = unit.reach if strict or not gait.one_step else OUT_OF_REACH
        key = (unit.place, gait, bound)
        if key not in shared:
            if key[:2] not in searches:
                searches[key[:2]] = search(position, unit.place, ground, gait)
            shared[key] = {
                place: cost
                for place, cost in searches[key[:2]].items()
                if fewest[place] <= bound and place != unit.place
            }
        found[unit.id] = shared[key]
        if stacking:
            found[unit.id] = {
                place: cost for place, cost in shared[key].items() if not overstacks(position, (unit,), place)
            }
    return found


# ---------------------------------------------------------------------- one path (8)


@dataclass(slots=True)
class Walk:
    """A path as far as it has been followed.

    Attributes:
        tries: bridges blown on the way, and who blew them.
    """

    here: int
    spent: int = 0
    entered: int = 0
    stopped: bool = False
    tries: tuple[tuple[str, str], ...] = ()

    def has_blown(self, link: Link) -> bool:
        return any(link.id == bridge for bridge, _ in self.tries)


@dataclass(slots=True)
class Mover:
    position: Position
    stack: Sequence[Unit]
    ground: Ground
    gait: Gait
    fewest: list[int]

    def step_cost(self, walk: Walk, link: Link) -> int | None:
        """Give the points for crossing a connection, or None if the stack may not."""
        there, ground = link.other(walk.here), self.ground
        blown = link.bridge == "blown" or walk.has_blown(link)
        barred = not link.passable or walk.stopped or ground.closed[there] or ground.shut[walk.here]
        if barred or (blown and not self.gait.wades) or not all(may_leave(self.position, unit) for unit in self.stack):
            return None
        if ground.enemy[walk.here] and ground.enemy[there]:
            return None
        cost = (WADING if blown else link.road) + ground.leave[walk.here] + ground.enter[there]
        if there == self.stack[0].place and not self.position.zone[there] and self.position.at[there]:
            cost -= all(unit in self.stack for unit in self.position.at[there])  # back to where no one stayed
        return cost if walk.spent + cost <= self.gait.points else None

    def after_step(self, walk: Walk, link: Link) -> Walk | None:
        cost = self.step_cost(walk, link)
        if cost is None:
            return None
        there = link.other(walk.here)
        stopped = self.gait.one_step or self.ground.enemy[there]  # 8.29, 8.22
        return Walk(there, walk.spent + cost, walk.entered + 1, stopped, walk.tries)

    def after_blowing(self, walk: Walk, link: Link) -> list[Walk]:
        """Follow an attempt to cross that ends with the bridge blown: some enemy must be able to do it (R22)."""
        if link.bridge != "intact" or walk.has_blown(link) or self.step_cost(walk, link) is None:
            return []
        tried = [*self.position.demolitions, *walk.tries]
        return [
            Walk(walk.here, walk.spent + 1, walk.entered, False, (*walk.tries, (link.id, unit)))
            for unit in demolition_options(self.position, link, self.stack, tried)
        ]

    def follow(self, walk: Walk, steps: Sequence[str]) -> Iterator[Walk]:
        """Follow steps by every choice of connections and of units that blow bridges."""
        if not steps:
            yield walk
            return
        attempt, name = steps[0].startswith("!"), steps[0].removeprefix("!")
        there = self.position.index.get(name)
        for link in self.position.links:
            if walk.here in link.ends and link.other(walk.here) == there:
                then = self.after_blowing(walk, link) if attempt else [self.after_step(walk, link)]
                for one in then:
                    if one is not None:
                        yield from self.follow(one, steps[1:])


def digging_points(unit: Unit, gait: Gait, spent: int) -> int | None:
    """Give the points that entrenching takes now, or None: four of an engineer's, all of others' (8.52, 8.53)."""
    if unit.kind == "armor":
        return None
    if unit.kind == "engineer":
        return 4 if spent + 4 <= gait.points else None
    return gait.points if spent == 0 and unit.points_spent == 0 else None


def dig_in(position: Position, unit: Unit, gait: Gait, walk: Walk) -> int | None:
    """Give the points spent in all when a unit digs in at the end of its walk, or None (8.5)."""
    here = walk.here
    if position.zone[here] or position.held[OTHER[unit.side]][here]:  # OPEN: zones; 8.55
        return None
    if unit.entrenched and not walk.entered:  # OPEN: it has nothing to gain
        return None
    points = digging_points(unit, gait, walk.spent)
    return None if points is None else walk.spent + points


def path_cost(
    position: Position, stack: Sequence[Unit], path: Sequence[str], declared: bool, readings: Readings
) -> int | None:
    """Give the least cost of a path, or None if it is illegal."""
    digs = path[-1] == "entrench"
    steps = path[1:-1] if digs else path[1:]
    if not stack or position.index.get(path[0]) != stack[0].place or (digs and len(stack) > 1):
        return None  # OPEN: 8.51, each unit digs in by itself, so a stack never does so in one order
    if len(path) == 1:
        return 0 if all(unit.place == stack[0].place for unit in stack) else None  # staying is no move
    if not may_move_together(position, stack):
        return None
    fewest = supply_of_side(position, stack[0].side)
    gait = stack_gait(stack, fewest, declared)
    mover = Mover(position, stack, ground_of(position, stack[0].side), gait, fewest)
    costs = []
    for walk in mover.follow(Walk(stack[0].place), steps):
        if walk.entered and not may_end(position, stack, walk.here, fewest, readings):
            continue
        cost = dig_in(position, stack[0], gait, walk) if digs else walk.spent
        if cost is not None:
            costs.append(cost)
    return min(costs, default=None)


def entrench_places(position: Position, unit: Unit, declared: bool, readings: Readings) -> list[int]:
    if not may_act(position, unit):  # not `may_leave`: 5.23; OPEN for Germans, but 8.51 has every friendly impulse
        return []
    fewest = supply_of_side(position, unit.side)
    gait = gait_of(unit, fewest, declared)
    walks = [Walk(unit.place)]
    walks += [Walk(place, cost, 1) for place, cost in reachable(position, [unit], declared, readings).items()]
    return [walk.here for walk in walks if dig_in(position, unit, gait, walk) is not None]


# ---------------------------------------------------------------------- bridges (10)


def demolition_options(
    position: Position, link: Link, crossing: Sequence[Unit], tried: Iterable[tuple[str, str]]
) -> dict[str, int]:
    """Give who may try to blow a bridge as a stack crosses, with the highest die that succeeds."""
    tried = list(tried)
    if link.bridge != "intact" or all(unit.side != position.mover for unit in crossing):  # 10.21
        return {}
    if any(bridge == link.id for bridge, _ in tried):  # R27
        return {}
    side = OTHER[position.mover]
    if side == ALLIED and position.day == 16:  # 10.26
        return {}
    begun = {unit.impulse_start for unit in position.units.values() if unit.side == position.mover}
    fewest = supply_of_side(position, side)
    found = {}
    for place in link.ends:
        if place in begun or position.zone[place]:  # 10.24; OPEN: 10.22 wants it in an area
            continue
        for unit in position.at[place]:
            bridges = {bridge for bridge, who in tried if who == unit.id}
            if unit.side == side and unit.kind != "armor" and supplied(unit, fewest) and len(bridges) < 2:  # 10.23
                found[unit.id] = demolition_die(position, unit)
    return found


def demolition_die(position: Position, unit: Unit) -> int:
    if unit.side == ALLIED and position.special == (unit.place, "demolition"):  # 14.23, R28
        return 1
    still = not unit.moved or (unit.entrenched_today and unit.day_start == unit.place)  # 10.27, R16
    return (8 if unit.kind == "engineer" else 4) // (1 if still else 2)  # 10.29


def construction_options(position: Position) -> dict[str, dict[str, int]]:
    """Give for each bridge the engineers that may try to build it, with the highest die that succeeds (10.1)."""
    side, fewest = position.mover, supply_of_side(position)
    bridges_tried = {bridge for bridge, _ in position.constructions}
    units_tried = {unit for _, unit in position.constructions}
    found: dict[str, dict[str, int]] = {}
    for link in position.links:
        if link.bridge != "blown" or link.id in bridges_tried:  # 10.17
            continue
        for here in link.ends:
            there = link.other(here)
            if position.zone[here] or not position.held[side][there]:  # 10.12
                continue
            for unit in position.at[here]:
                if unit.day_start not in link.ends or position.zone[unit.day_start]:  # 10.12, R25, R57
                    continue
                if unit.id not in units_tried and may_build(position, unit, fewest):
                    found.setdefault(link.id, {})[unit.id] = min(4 + link.failed, 10)  # 10.15, 10.16
    return found


def may_build(position: Position, unit: Unit, fewest: Sequence[int]) -> bool:
    """Tell whether a unit may try to build at all in this impulse.

    OPEN: an engineer that entrenched today has not all its points left for building (8.36).
    """
    if unit.kind != "engineer" or unit.side != position.mover:  # 10.11
        return False
    if unit.moved or unit.attacked or unit.entrenched_today:  # 10.14
        return False
    if unit.place in position.battles or position.held[OTHER[unit.side]][unit.place]:  # 10.14, 10.13
        return False
    return supplied(unit, fewest)  # 13.24


# ---------------------------------------------------------------------- stacking (7), duty to attack (9.1)


def eliminations(position: Position, place: int, side: str, readings: Readings) -> list[tuple[str, ...]]:
    units = [unit for unit in position.at[place] if unit.side == side]
    total = sum(unit.strength for unit in units)
    spared = position.overstacked[place] and side == GERMAN and position.day == 16 and position.impulse < 3  # 7.1
    if position.zone[place] or spared or (len(units) <= 4 and total <= 10):
        return [()]
    found = []
    for size in range(1, len(units) + 1):
        for gone in combinations(units, size):
            room, points = 4 - (len(units) - size), 10 - (total - sum(unit.strength for unit in gone))
            if room < 0 or points < 0:
                continue
            if readings.get("R20") == "any" or all(room < 1 or unit.strength > points for unit in gone):
                found.append(tuple(sorted(unit.id for unit in gone)))
    return found


def attack_status(position: Position, unit: Unit) -> str:
    here = unit.place
    if unit.side != position.mover or position.zone[here] or not position.held[OTHER[unit.side]][here]:  # 9.17
        return "may not"
    if unit.attacked:  # 9.11
        return "may not"
    if unit.impulse_start != here:
        return "must"  # 9.12
    return "may" if has_its_day(unit) else "may not"  # 9.13; 8.25, 10.14


# ---------------------------------------------------------------------- the protocol


def digest(name: str, lines: list[str]) -> dict[str, Any]:
    lines = sorted(lines)
    found: dict[str, Any] = {"count": len(lines), "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest()}
    if len(lines) <= LISTED:
        found[name] = lines
    return found


def answer(query: str, given: Mapping[str, Any], readings: Readings = DEFAULTS) -> dict[str, Any]:
    """Answer a query of the protocol by the rules of 1999 under these readings."""
    if "battle" in given:
        return answer_of_battle(query, read_battle(given["battle"]), given, readings)
    return answer_of_position(query, read_position(given["position"]), given, readings)


def answer_of_battle(query: str, battle: Battle, given: Mapping[str, Any], readings: Readings) -> dict[str, Any]:
    who = given.get("who", "attacker")
    targets, subtract = battle.enemies(who, readings), readings.get("R9") != "pre-1999-no-subtract"
    named = {unit.id: unit for unit in (*battle.bystanders, *battle.defenders, *battle.attackers)}
    match query:
        case "fire_allocations":
            return digest("allocations", allocation_lines(read_fire(battle, who, readings)))
        case "fire_allocation_legal":
            return {"legal": allocation_legal(read_fire(battle, who, readings), given["allocation"])}
        case "artillery_calls":
            called = {"attacker": calls(battle.attackers, 0), "defender": calls(battle.defenders, 1)}
            return {"calls": called, "availability": {side: availability(battle, side) for side in called}}
        case "artillery_targetings":
            rows = [[targets[n].id for n in row] for row in targetings(targets, given["n"], subtract)]
            found = digest("sequences", [",".join(row) for row in rows])
            return {**found, "multisets": sorted({",".join(sorted(row)) for row in rows})}
        case "artillery_sequence_legal":
            return {"legal": targeting_legal(targets, given["sequence"], subtract)}
        case "to_hit":
            return unit_fire(battle, who, named[given["firing"]], named[given["target"]])
        case "artillery_to_hit":
            return artillery_fire(battle, who, named[given["target"]])
    return {"combined_arms": combined_arms(battle)}


def answer_of_position(query: str, position: Position, given: Mapping[str, Any], readings: Readings) -> dict[str, Any]:
    names, units, declared = position.names, position.units, given.get("foot_mode", False)
    unit = units[given["unit"]] if "unit" in given else None
    stack = [units[name] for name in given.get("units", given.get("crossing", ()))]
    match query, unit:
        case "reachable" | "reachable_cost", _:
            found = {names[place]: cost for place, cost in reachable(position, stack, declared, readings).items()}
            return {"destinations": found} if query == "reachable" else {"cost": found.get(given["to"])}
        case "check_path", _:
            cost = path_cost(position, stack, given["path"], declared, readings)
            return {"legal": False} if cost is None else {"legal": True, "cost": cost}
        case "entrench_options", Unit():
            return {"areas": sorted(names[place] for place in entrench_places(position, unit, declared, readings))}
        case "supplied", Unit():
            place = position.index[given["at"]] if given.get("at") else unit.place
            fewest = supply_of_side(position, unit.side)
            return {"supplied": supplied(unit, fewest, place), "without_blown_bridge": fewest[place] == 0}
        case "attack_status", Unit():
            return {"status": attack_status(position, unit)}
        case "demolition_options", _:
            link = next(link for link in position.links if link.id == given["bridge"])
            return {"options": demolition_options(position, link, stack, position.demolitions)}
        case "construction_options", _:
            return {"options": construction_options(position)}
    sets = eliminations(position, position.index[given["place"]], given["side"], readings)
    return digest("sets", [",".join(row) for row in sets])
