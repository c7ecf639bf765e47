"""Random small worlds and battles, as protocol inputs: the same seed gives the same case."""

import random
from functools import cache

from hypothesis import strategies as st
from titm_rules import Edition
from titm_rules.editions.registry import list_editions

EDITIONS = tuple(info.name for info in list_editions())
KINDS = ("engineer", "armor", "mechanized", "motorized", "foot")
SIDES = ("German", "Allied")
EFFECTS = ("mobility", "demolition", "confusion")
READINGS = {
    "R2": "strict-quality", "R3": "exempt-means-free", "R6": "all-present", "R17": "no-oos-destination", "R20": "any",
}  # fmt: skip


def chance(rng, share):
    return rng.random() < share


def flags(rng, share, *names):
    """Set some flags, each with a chance."""
    return {name: True for name in names if chance(rng, share)}


# ---------------------------------------------------------------------- battles
def random_combatant(rng, name, attacking):
    unit = {"id": name, "kind": rng.choice(KINDS), "strength": rng.choice((1, 1, 1, 2, 2, 3, 4, 6))}
    if chance(rng, 0.25):
        unit["in_supply"] = chance(rng, 0.4)
    if attacking and chance(rng, 0.6):
        unit["arrival"] = rng.choice(("began-here", "river", "river", "river", "road"))
    if not attacking and chance(rng, 0.3):
        unit["entrenched"] = True
    return unit


def random_battle(rng, largest=4):
    sizes = [rng.choices(range(1, largest + 1), (4, 6, 5, 2)[:largest])[0] for _ in range(2)]
    battle = {
        "attacker": rng.choice(SIDES),
        "attackers": [random_combatant(rng, f"a{n}", True) for n in range(sizes[0])],
        "defenders": [random_combatant(rng, f"d{n}", False) for n in range(sizes[1])],
    }
    if chance(rng, 0.3):
        battle["bystanders"] = [random_combatant(rng, f"b{n}", True) for n in range(rng.randint(1, 2))]
    for name, most, share in (("departed", 2, 0.3), ("attacker_artillery", 3, 0.7)):
        if chance(rng, share):
            battle[name] = rng.randint(0, most)
    for name in ("front_line", "confusion"):
        if chance(rng, 0.3):
            battle[name] = chance(rng, 0.7)
    return battle


def battle_input(rng, query):
    battle = random_battle(rng)
    asked = {"battle": battle}
    if query in ("artillery_calls", "combined_arms"):
        return asked
    who = asked["who"] = rng.choice(("attacker", "defender"))
    own, enemy = (battle["attackers"], battle["defenders"])[:: 1 if who == "attacker" else -1]
    if who == "defender" and chance(rng, 0.3):
        enemy = enemy + battle.get("bystanders", [])
    target = rng.choice(enemy)["id"]
    if query == "fire_allocation_legal":
        asked["allocation"] = {unit["id"]: rng.choice(enemy)["id"] for unit in own if chance(rng, 0.97)}
    elif query == "artillery_targetings":
        asked["n"] = rng.randint(0, 4)
    elif query == "artillery_sequence_legal":
        asked["sequence"] = [rng.choice(enemy)["id"] for _ in range(rng.randint(0, 4))]
    elif query == "artillery_to_hit":
        asked["target"] = target
    elif query == "to_hit":
        asked |= {"firing": rng.choice(own)["id"], "target": target}
    return asked


# ---------------------------------------------------------------------- positions
def random_zone(rng, name):
    owner = "German" if name in "ABC" else "Allied"
    zone = {"id": name, "owner": owner if chance(rng, 0.95) else rng.choice(SIDES)}
    if chance(rng, 0.3):
        zone["vp_factor"] = rng.randint(0, 3)
    for field in ("german_may_enter", "allied_may_enter"):
        if chance(rng, 0.2):
            zone[field] = chance(rng, 0.6)
    return zone


def random_connection(rng, name, ends):
    link = {"id": name, "ends": ends, "road": rng.choices(("major", "minor", None), (5, 4, 1))[0]}
    if chance(rng, 0.35):
        link["river"] = True
        link["bridge"] = rng.choice(("intact", "intact", "intact", "blown", "blown", None))
        if chance(rng, 0.3):
            link["failed_repairs"] = rng.randint(0, 7)
    elif chance(rng, 0.05):
        link["bridge"] = rng.choice(("intact", "blown"))
    return link


def random_connections(rng, names):
    """Join most places in one web; now and then two connections join the same places."""
    pairs = [(rng.choice(names[:n]), names[n]) for n in range(1, len(names)) if chance(rng, 0.97)]
    pairs += [tuple(rng.sample(names, 2)) for _ in range(rng.randint(1, len(names) + 2))]
    if not chance(rng, 0.15):
        pairs = list({frozenset(pair): pair for pair in pairs}.values())
    return [random_connection(rng, f"c{n}", list(rng.sample(pair, 2))) for n, pair in enumerate(pairs)]


def random_unit(rng, name, side, names, trouble=1.0):
    """Make a unit; `trouble` scales how often something has happened that may keep it from acting."""
    here = rng.choice(names)
    unit = {"id": name, "side": side, "kind": rng.choice(KINDS), "strength": rng.choice((1, 2, 3, 4)), "place": here}
    for field, share in (("day_start", 0.08), ("impulse_start", 0.2)):
        if chance(rng, share * trouble):
            unit[field] = rng.choice((*names, None))
    for field, share in (
        ("moved", 0.08), ("attacked", 0.05), ("built_today", 0.05), ("entrenched", 0.2), ("entrenched_today", 0.1),
        ("foot_mode", 0.2),
    ):  # fmt: skip
        unit |= flags(rng, share * trouble, field)
    if chance(rng, 0.6):
        unit["moves_16_1"] = rng.choice((True, False, None)) if chance(rng, 0.5 * trouble) else True
    if chance(rng, 0.1 * trouble):
        unit["points_spent"] = rng.choice((1, 2, 4, 9))
    return unit


def random_position(rng, most_places=7, crowd=0.2):
    """Make a position; with chance `crowd` all units of the side to move stand in one place."""
    size = rng.randint(3, most_places)
    zones = rng.sample("ABC", 1) + rng.sample("DEFGLMNP", 1) if chance(rng, 0.8) else rng.sample("ABCDLMNP", 1)
    zones = zones[: size - 1]
    names = [f"p{n}" for n in range(size - len(zones))] + zones
    rng.shuffle(names)
    mover = rng.choice(SIDES)
    trouble = rng.choice((0.2, 1.0, 1.5))
    own = ["p0" if chance(rng, 0.8) else rng.choice(names)] if chance(rng, crowd) else names
    units = [random_unit(rng, f"u{n}", mover, own, trouble) for n in range(rng.randint(1, 7))]
    units += [random_unit(rng, f"v{n}", SIDES[mover == "German"], names) for n in range(rng.choice((0, 1, 1, 2, 3)))]
    position = {
        "day": rng.choice((16, 16, 17, 18, 19, 22)),
        "impulse": rng.randint(1, 3),
        "side_to_move": mover,
        "areas": [{"id": n, **flags(rng, 0.2, "front_line", "setup_overstack")} for n in names if n not in zones],
        "zones": [random_zone(rng, name) for name in zones],
        "connections": random_connections(rng, names),
        "units": units,
    }
    add_records(rng, position)
    return position


def places_of(position):
    return [place["id"] for place in position["areas"] + position["zones"]]


def add_records(rng, position):
    """Add what has happened: special forces, battles, attempts at bridges."""
    areas = [area["id"] for area in position["areas"]]
    if chance(rng, 0.3):
        position["special_forces"] = {"area": rng.choice(areas), "effect": rng.choice(EFFECTS)}
    if chance(rng, 0.3):
        position["battle_areas"] = rng.sample(areas, rng.randint(1, len(areas)))
    for field in ("demolition_attempts", "construction_attempts"):
        if position["connections"] and chance(rng, 0.3):
            position[field] = [
                {"bridge": rng.choice(position["connections"])["id"], "unit": rng.choice(position["units"])["id"]}
                for _ in range(rng.randint(1, 3))
            ]


def add_bridge(rng, position, state, sides):
    """Put a bridge where it matters: units of these sides at its ends, an engineer first."""
    if not position["connections"]:
        position["connections"] = [random_connection(rng, "c0", places_of(position)[:2])]
    link = rng.choice(position["connections"])
    link |= {"road": link["road"] or "minor", "river": True, "bridge": state}
    for n, (side, end) in enumerate(zip(sides, rng.sample(link["ends"], 2), strict=True)):
        unit = random_unit(rng, f"w{n}", side, [end], trouble=0.3)
        unit["kind"] = "engineer" if n == 0 and chance(rng, 0.7) else unit["kind"]
        position["units"].append(unit)
    return link["id"]


def random_stack(rng, position):
    """Name one unit of the side to move, or several that stand together; now and then any units."""
    own = [unit for unit in position["units"] if unit["side"] == position["side_to_move"]]
    if chance(rng, 0.05):
        return [unit["id"] for unit in rng.sample(position["units"], rng.randint(1, min(3, len(position["units"]))))]
    first = rng.choice(own)
    if chance(rng, 0.5):
        return [first["id"]]
    together = [unit["id"] for unit in own if unit["place"] == first["place"]]
    return rng.sample(together, rng.randint(1, min(3, len(together))))


def random_path(rng, position, start):
    """Walk along connections, now and then with a bridge blown, a jump, or digging in at the end."""
    path, here = [start], start
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3, 4))):
        links = [link for link in position["connections"] if here in link["ends"]]
        roads = [link for link in links if link["road"] and link.get("bridge", "intact") == "intact"]
        links = roads if roads and chance(rng, 0.8) else links
        near = [end for link in links for end in link["ends"] if end != here]
        if not near or chance(rng, 0.03):
            near = places_of(position)
        there = rng.choice(near)
        if any(there in link["ends"] and link.get("bridge") == "intact" for link in links) and chance(rng, 0.4):
            path.append(f"!{there}")
        else:
            path.append(there)
            here = there
    if chance(rng, 0.15):
        path.append("entrench")
    return path


def position_input(rng, query):
    position = random_position(rng, crowd=0.8 if query == "overstack_eliminations" else 0.2)
    mover = position["side_to_move"]
    enemy = SIDES[mover == "German"]
    bridge = ""  # one at most is added, so that ids stay apart
    if query in ("demolition_options", "check_path", "reachable") and chance(rng, 0.7):
        bridge = add_bridge(rng, position, "intact", (enemy, mover))
    elif query in ("construction_options", "demolition_options") or chance(rng, 0.2):
        add_bridge(rng, position, "blown", (mover, mover))
    asked, places = {"position": position}, places_of(position)
    if query in ("reachable", "reachable_cost", "check_path", "demolition_options"):
        stack = random_stack(rng, position)
        asked["crossing" if query == "demolition_options" else "units"] = stack
    if query in ("reachable", "reachable_cost", "check_path", "entrench_options") and chance(rng, 0.5):
        asked["foot_mode"] = chance(rng, 0.7)
    if query == "reachable_cost":
        asked["to"] = rng.choice(places)
    elif query == "check_path":
        start = next(unit["place"] for unit in position["units"] if unit["id"] == stack[0])
        asked["path"] = random_path(rng, position, start if chance(rng, 0.97) else rng.choice(places))
    elif query in ("entrench_options", "supplied", "attack_status"):
        own = [unit for unit in position["units"] if unit["side"] == mover]
        unit = rng.choice(own if chance(rng, 0.8) else position["units"])
        asked["unit"] = unit["id"]
        if query == "supplied" and chance(rng, 0.4):
            asked["at"] = rng.choice(places)
        if query == "attack_status" and chance(rng, 0.8):
            position["units"].append(random_unit(rng, "w", enemy, [unit["place"]]))
    elif query == "demolition_options":
        asked["bridge"] = bridge or rng.choice(position["connections"])["id"]
    elif query == "overstack_eliminations":
        asked |= {"place": position["units"][0]["place"], "side": mover if chance(rng, 0.9) else enemy}
    return asked


# ---------------------------------------------------------------------- cases of all editions
def add_later(rng, position):
    """Add what only some questions look at: neighbouring zones, once-a-game choices, scoring."""
    zones = [zone["id"] for zone in position["zones"]]
    pairs = [(one, other) for n, one in enumerate(zones) for other in zones[n + 1 :]]
    if pairs and chance(rng, 0.7):
        position["zone_neighbours"] = [list(rng.sample(pair, 2)) for pair in pairs if chance(rng, 0.6)]
    if chance(rng, 0.4):
        position["effects_used"] = rng.sample(EFFECTS, rng.randint(1, 3))
    if chance(rng, 0.4):
        position["days_used"] = rng.sample(range(16, 23), rng.randint(1, 3))
    position |= flags(rng, 0.3, "germans_have_moved", "final")
    for area in position["areas"]:
        if chance(rng, 0.4):
            area["vp"] = rng.randint(0, 5)
        if chance(rng, 0.6):
            area["control"] = rng.choice((*SIDES, None))
    for zone in position["zones"]:
        if chance(rng, 0.4):
            zone["counted"] = rng.randint(0, 9)


def more_zones(rng, position):
    """Add zones, so that there is somewhere to shift; some are joined by roads alone."""
    free = [name for name in "ABCDEFGLMNP" if name not in {zone["id"] for zone in position["zones"]}]
    for name in rng.sample(free, rng.randint(1, 4)):
        places = places_of(position)
        position["zones"].append(random_zone(rng, name))
        end = rng.choice(places)
        if chance(rng, 0.8):
            position["connections"].append(random_connection(rng, f"z{name}", [name, end]))


def later_input(rng, query):
    """Make the input of a question that `position_input` does not know."""
    if query == "campaign_victory_level":
        return {"points": rng.randint(0, 120)}
    position = random_position(rng)
    if query == "reinforcement_options":
        more_zones(rng, position)
    add_later(rng, position)
    asked = {"position": position}
    if query == "contingent_release":
        areas = [area["id"] for area in position["areas"]]
        asked["areas"] = rng.sample(areas, rng.randint(1, min(3, len(areas))))
    if query == "reinforcement_options":
        zones = [zone["id"] for zone in position["zones"]]
        asked |= {
            "side": rng.choice(SIDES),
            "entry": rng.sample(zones, rng.randint(1, min(2, len(zones)))),
            "due": [max(16, position["day"] - rng.randint(0, 2)), rng.randint(1, 3)],
            "ask": zones,
        }
    return asked


# ---------------------------------------------------------------------- cases
BATTLE_QUERIES = (
    "fire_allocations", "fire_allocation_legal", "artillery_calls", "artillery_targetings", "artillery_sequence_legal",
    "to_hit", "artillery_to_hit", "combined_arms",
)  # fmt: skip
POSITION_QUERIES = (
    "reachable", "reachable_cost", "check_path", "entrench_options", "supplied", "demolition_options",
    "construction_options", "overstack_eliminations", "attack_status",
)  # fmt: skip
LATER_QUERIES = (
    "reinforcement_options", "contingent_release", "special_forces_options", "control_after_impulse",
    "vp_at_turn_end", "attrition_losses", "campaign_victory_level",
)  # fmt: skip
ALL_QUERIES = BATTLE_QUERIES + POSITION_QUERIES + LATER_QUERIES


def random_case(rng, query=""):
    """Make a request of the protocol for one query of the 1999 edition; any query if none is named."""
    query = query or rng.choice(BATTLE_QUERIES + POSITION_QUERIES)
    given = battle_input if query in BATTLE_QUERIES else position_input
    readings = {name: other for name, other in READINGS.items() if chance(rng, 0.3)} if chance(rng, 0.3) else {}
    return {"edition": "1999", "readings": readings, "query": query, "input": given(rng, query)}


def seeded_case(seed, query=""):
    return random_case(random.Random(seed), query)


@cache
def choices_left(edition):
    """The readings that an edition leaves open, each with its choices."""
    return {name: reading.offered for name, reading in Edition(edition).all_readings.items()}


def random_readings(rng, edition):
    """Choose now and then some of the readings of an edition."""
    open_ones = choices_left(edition)
    if not open_ones or chance(rng, 0.6):
        return {}
    return {name: rng.choice(open_ones[name]) for name in rng.sample(sorted(open_ones), min(3, len(open_ones)))}


def wide_case(rng, query=""):
    """Make a request for any query of any edition, under some of its readings."""
    query = query or rng.choice(ALL_QUERIES)
    edition = rng.choice(EDITIONS)
    given = battle_input if query in BATTLE_QUERIES else position_input if query in POSITION_QUERIES else later_input
    return {"edition": edition, "readings": random_readings(rng, edition), "query": query, "input": given(rng, query)}


seeds = st.integers(0, 2**32 - 1)
cases = st.tuples(seeds, st.sampled_from(ALL_QUERIES)).map(lambda pair: wide_case(random.Random(pair[0]), pair[1]))
battles = seeds.map(lambda seed: random_battle(random.Random(seed)))
positions = seeds.map(lambda seed: random_position(random.Random(seed)))
