"""Random positions and questions of Bitter Woods: small maps, few units, everything that rules look at."""

import random
from collections.abc import Callable
from typing import Any

TURNS = [f"{day}{half}" for day in range(16, 27) for half in ("AM", "PM")]
OPTIONS = ["21", "22", "23", "24", "27", "28", "29", "30", "31", "32", "36", "37"]
TERRAINS = ["clear", "clear", "clear", "light-woods", "forest", "broken", "town"]
GERMANS = ["infantry", "armored-infantry", "armor", "corps-artillery", "rockets", "army-artillery", "leader"]
ALLIES = ["infantry", "armored-infantry", "armored-cavalry", "armor", "corps-artillery", "leader"]
SPECIALS = {
    "German": ["peiper", "peiper-battalion", "brigade-150", "653", None, None, None],
    "Allied": ["11/29", "106/422", None, None, None, None],
}  # fmt: skip
READINGS = {
    "BW5": ["first-hex-free", "count"], "BW6": ["start-counts", "entered-only"], "BW9": ["exactly-5", "or-more"],
    "BW10": ["two-from-now", "after-this"], "BW11": ["owner-turn", "bombarder-turn"],
    "BW12": ["corps-only", "rockets-too"], "BW14": ["foot-needed", "need-not"], "BW16": ["each", "one"],
    "BW17": ["support-counts", "in-place-only"],
}  # fmt: skip
UNDERTAKINGS = [
    "air-drop", "interdiction", "improved-position", "fortification", "begin-bridge", "finish-bridge", "reinforcement",
    "attack", "demolition",
]  # fmt: skip
PHASES = ["supply", "interdiction", "reserve", "movement", "combat", "exploitation", "construction"]


class Maker:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = self._names()
        self.units: list[dict[str, Any]] = []
        self.position = self._position()

    def _names(self) -> list[str]:
        return [f"H{n}" for n in range(self.rng.randint(4, 8))]

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def some(self, names: list[str], most: int = 3) -> list[str]:
        return self.rng.sample(names, min(len(names), self.rng.randint(0, most)))

    def maybe(self, share: float, record: dict[str, Any], name: str, draw: Callable[[], Any]) -> None:
        if self.chance(share):
            record[name] = draw()

    def lead_peiper(self) -> None:
        """Make it likely that Peiper turns an advance into movement."""
        options = {*self.position["options"], "27"}
        self.position.update(options=sorted(options), peiper_privileges=True, zoc_movement="none")
        for unit in self.units:
            unit.setdefault("zoc", [])
            if unit["side"] == "German" and unit["kind"] == "armor":
                unit.update(special="peiper", allowance=6)

    def gather_around_peiper(self) -> None:
        """Make one of the Germans Peiper's leader, and let units of his and others stand around him."""
        rng = self.rng
        self.position["options"] = sorted({*self.position["options"], "24"})
        for unit in self.units:
            unit.setdefault("zoc", [])
        leader, *others = [unit for unit in self.units if unit["side"] == "German"] or [None]
        if leader is None:
            return
        leader.pop("silhouette", None)
        leader.update(kind="leader", special="peiper-leader", range=rng.randint(0, 2), influence=2, influence_used=0)
        for unit in others:
            unit["special"] = rng.choice(["peiper-battalion", "peiper", "brigade-150"])
            unit["place"] = rng.choice([leader["place"], unit["place"]])

    # ------------------------------------------------------------------ the position
    def _position(self) -> dict[str, Any]:
        rng = self.rng
        sides = self._sides()
        self.units = [self._unit(number) for number in range(rng.randint(2, 6))]
        position: dict[str, Any] = {
            "turn": rng.choice(TURNS[:8] if self.chance(0.7) else TURNS),
            "phasing": rng.choice(["German", "German", "Allied"]),
            "phase": rng.choice(PHASES), "options": [o for o in OPTIONS if self.chance(0.75)],
            "hexes": [self._hex(name) for name in self.names], "hexsides": sides, "units": self.units,
        }  # fmt: skip
        self.maybe(0.85, position, "stack_limit", lambda: rng.randint(1, 4))
        self.maybe(0.85, position, "zoc_movement", lambda: rng.choice(["stop", "none"]))
        self.maybe(0.85, position, "supply_roads", lambda: [self._road(sides) for _ in range(rng.randint(0, 3))])
        self.maybe(0.8, position, "peiper_privileges", lambda: self.chance(0.85))
        self.maybe(0.3, position, "bombarded_hexes", lambda: self.some(self.names, 2))
        return position

    def _sides(self) -> list[dict[str, Any]]:
        ways = [(one, other) for n, one in enumerate(self.names) for other in self.names[n + 1 :]]
        return [self._side(*ends) for ends in ways if self.chance(0.45)]

    def _hex(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {"id": name, "terrain": self.rng.choice(TERRAINS)}
        self.maybe(0.15, found, "interdicted", lambda: True)
        self.maybe(0.2, found, "map_edge", lambda: True)
        self.maybe(0.2, found, "companies", lambda: self.rng.randint(1, 2))
        self.maybe(0.97, found, "boundary_0915", lambda: self.rng.choice(["north", "on", "south"]))
        self.maybe(0.97, found, "boundary_1129", lambda: self.rng.choice(["north", "on", "south"]))
        self.maybe(0.15, found, "shared_stretch", lambda: True)
        return found

    def _side(self, one: str, other: str) -> dict[str, Any]:
        found: dict[str, Any] = {"id": f"{one}-{other}", "ends": [one, other]}
        self.maybe(0.5, found, "road", lambda: True)
        if self.chance(0.3):
            found["river"] = self.rng.choice(["river", "river", "meuse", "cliff"])
            if found.get("road") or self.chance(0.3):
                found["bridge"] = self.rng.choice(["intact", "blown"])
            if self.chance(0.9):
                found["crossing_cost"] = self.rng.choice([0, 6, 12])
            if self.chance(0.3):
                found["crossing_stops"] = True
        return found

    def _road(self, sides: list[dict[str, Any]]) -> dict[str, Any]:
        """Walk along hex-sides without coming back."""
        path = [self.rng.choice(self.names)]
        while len(path) < 5:
            near = [end for side in sides if path[-1] in side["ends"] for end in side["ends"] if end not in path]
            if not near or self.chance(0.2):
                break
            path.append(self.rng.choice(near))
        return {"side": self.rng.choice(["German", "German", "Allied"]), "path": path}

    def _unit(self, number: int) -> dict[str, Any]:
        rng = self.rng
        side = rng.choice(["German", "Allied"])
        kind = rng.choice(GERMANS if side == "German" else ALLIES)
        unit: dict[str, Any] = {
            "id": f"u{number}", "side": side, "kind": kind, "allowance": rng.randint(1, 5),
            "strength": rng.randint(1, 15), "er": rng.randint(1, 6), "steps": rng.randint(1, 3),
            "place": rng.choice(self.names),
        }  # fmt: skip
        taken = {u["place"] for u in self.units if u["side"] != side}
        free = [name for name in self.names if name not in taken]
        unit["place"] = rng.choice(free) if free and self.chance(0.95) else None
        if kind == "armor":
            kinds = ["mk-iv", "panther", "tiger"] if side == "German" else ["allied"]
            unit["silhouette"] = rng.choice(kinds)
        if kind == "leader" and self.chance(0.8):
            unit |= {"range": rng.randint(1, 3), "influence": rng.randint(0, 2)}
        elif kind == "army-artillery" and self.chance(0.8):
            unit["range"] = rng.randint(1, 4)
        self._mark(unit)
        if kind != "leader" and self.chance(0.97):
            unit["zoc"] = self._zoc(unit)
        return unit

    def _zoc(self, unit: dict[str, Any]) -> list[str]:
        own = [unit["place"]] if unit["place"] else []
        others = self.some([name for name in self.names if name not in own], 2)
        return [*own, *others] if self.chance(0.7) else []

    def _mark(self, unit: dict[str, Any]) -> None:
        flags = (
            "ss", "moved", "in_reserve", "shocked", "in_fortification", "in_improved_position", "fired_player_turn",
            "fired_game_turn", "no_road", "free_of_boundaries",
        )  # fmt: skip
        unit |= {flag: True for flag in flags if self.chance(0.2)}
        self.maybe(0.9, unit, "supplied", lambda: self.chance(0.8))
        if unit["side"] == "Allied" and self.chance(0.4):
            unit["nation"] = "British"
        if unit["kind"] == "leader":
            names = ["peiper-leader", "dietrich"] if unit["side"] == "German" else ["montgomery"]
            special = self.rng.choice([*names, None])
        else:
            special = self.rng.choice(SPECIALS[unit["side"]])
        if special:
            unit["special"] = special
        if unit["side"] == "German" and self.chance(0.7):
            unit["army"] = self.rng.choice(["fifth", "sixth", "seventh"])
        self.maybe(0.2, unit, "stacking", lambda: self.rng.randint(0, 3))

    # ------------------------------------------------------------------ questions
    def battle(self) -> dict[str, Any]:
        rng = self.rng
        side = rng.choice(["German", "Allied"])
        own = [u["id"] for u in self.units if u["side"] == side]
        foes = [u["id"] for u in self.units if u["side"] != side]
        guns = [u["id"] for u in self.units if "artillery" in u["kind"] or u["kind"] == "rockets"]
        fight: dict[str, Any] = {"attacker": side, "attackers": self.some(own), "defenders": self.some(foes)}
        out = [g for g in guns if g not in fight["attackers"] + fight["defenders"]]
        fight["support"] = self.some([g for g in out if g in own], 2)
        fight["defensive_support"] = self.some([g for g in out if g in foes], 2)
        fight["bombarded"] = self.some(fight["defenders"], 1)
        results = ["D1", "D2", "D3", "1D2", "1D3", "2D1", "A1", "A2", "1A1", "1D0"]
        fight["result"] = rng.choice(results) if self.chance(0.96) else "ENG"
        fight["outcome"] = rng.choice(["retreated", "retreated", "no-route", "stayed", "eliminated"])
        fight["vacated"] = self.some(self.names, 3)
        leaders = [u["id"] for u in self.units if u["kind"] == "leader"]
        if leaders and self.chance(0.7):
            fight["leader"] = rng.choice(leaders)
        fight |= {"attack": rng.randint(1, 12), "defense": rng.randint(1, 6), "defense_support": rng.randint(0, 3)}
        fight["refought"] = self.chance(0.1)
        fight["air"] = ["Allied"] if self.chance(0.1) else []
        self.maybe(0.9, fight, "advance_hexes", lambda: rng.randint(0, 3))
        return fight

    def _join(self, fight: dict[str, Any], name: str) -> None:
        """Let a unit attack, and the hexes beside it be those that the defender left."""
        unit = next(u for u in self.units if u["id"] == name)
        if fight["attacker"] != unit["side"]:
            fight["attacker"] = unit["side"]
            fight["attackers"], fight["defenders"] = fight["defenders"], fight["attackers"]
            fight["support"], fight["defensive_support"] = fight["defensive_support"], fight["support"]
        if name not in fight["attackers"] + fight["support"]:
            fight["attackers"].append(name)
        ends = [side["ends"] for side in self.position["hexsides"] if unit["place"] in side["ends"]]
        fight["vacated"] = sorted({end for pair in ends for end in pair if end != unit["place"]})

    def path(self, start: str | None) -> list[str]:
        path = [start if start is not None and self.chance(0.95) else self.rng.choice(self.names)]
        for _ in range(self.rng.randint(1, 4)):
            ends = [side["ends"] for side in self.position["hexsides"] if path[-1] in side["ends"]]
            near = [end for pair in ends for end in pair if end != path[-1]]
            if not near:
                break
            path.append(self.rng.choice(near))
        return path

    def request(self, query: str) -> dict[str, Any]:
        readings = {name: self.rng.choice(choices) for name, choices in READINGS.items() if self.chance(0.3)}
        inputs = {name: self._value(name, query) for name in INPUTS[query]}
        if "battle" in inputs and "unit" in inputs and self.chance(0.8):
            self._join(inputs["battle"], inputs["unit"])
        if "path" in inputs:
            start = next(u["place"] for u in self.units if u["id"] == inputs["unit"])
            inputs["path"] = self.path(start)
        if query not in ("result_meaning", "options_legal"):
            inputs["position"] = self.position
        edition = self.rng.choice(["2014", "2014", "2014-qa"])
        if self.chance(0.3):  # INVARIANT: drawn last, as rows of deciding.json are the seeds of what was drawn before
            readings["BW25"] = self.rng.choice(["battalions-only", "standard-too"])
        return {"game": "bitterwoods", "edition": edition, "readings": readings, "query": query, "input": inputs}

    def _value(self, name: str, query: str) -> Any:
        rng, names = self.rng, self.names
        units = [u["id"] for u in self.units]
        leaders = [u["id"] for u in self.units if u["kind"] == "leader"] or units
        some, one_of, number = self.some, rng.choice, rng.randint
        draw: dict[str, Callable[[], Any]] = {
            "unit": lambda: one_of(units), "leader": lambda: one_of(leaders), "battle": self.battle,
            **dict.fromkeys(("units", "gone", "challengers"), lambda: some(units)),
            **dict.fromkeys(("to", "hex", "town", "named"), lambda: one_of(names)),
            **dict.fromkeys(("side", "owner"), lambda: one_of(["German", "Allied"])),
            **dict.fromkeys(("die", "event"), lambda: number(1, 6)), "combats_left": lambda: number(0, 1),
            "due": lambda: one_of(TURNS[:8]), "points": lambda: number(0, 60), "hexes": lambda: number(1, 4),
            "rolls": lambda: [number(1, 6) for _ in range(number(0, 4))],
            "spent": lambda: {name: number(0, 36) for name in some(units)},
            "reduced": lambda: {name: self.chance(0.7) for name in some(units, 1)},
            "action": lambda: one_of(UNDERTAKINGS if query == "action_legal" else ["enter", "attack", "retreat"]),
            "result": lambda: one_of(["D1", "1D3", "2A1", "ENG", "A2", "CA", "D"]),
            "column": lambda: one_of(["1-2", "1-1", "3-1", "4-1", "7-1"]),
            "actions": lambda: [{"do": one_of(["bombard", "attack", "angriff"]),
                "hex": one_of(names[:2])} for _ in range(number(0, 4))],
            "shocked": lambda: {"turn": one_of(TURNS[:8]), "phasing": one_of(["German", "Allied"])},
            "available": lambda: [number(0, 4) for _ in range(number(0, 4))], "bridge": lambda: one_of(["b1", "b2"]),
            "path": list,
            "scenario": lambda: one_of(["campaign", "plan-martin", "erasing-the-bulge", "early-german-offensive"]),
            "wanted": lambda: [option for option in ("36", "37", "38", "24") if self.chance(0.4)],
        }  # fmt: skip
        return draw.get(name, lambda: self.chance(0.5))()


class HexMaker(Maker):
    """Makes positions on a piece of a hex map: some hex-sides are double, ZOCs cover the hexes around."""

    def _names(self) -> list[str]:
        self.grid = [(x, y) for x in range(self.rng.randint(2, 3)) for y in range(self.rng.randint(2, 3))]
        return [f"{x:02}{y:02}" for x, y in self.grid]

    def _beside(self, one: tuple[int, int]) -> list[tuple[int, int]]:
        """List the hexes around one; every other column lies half a hex lower."""
        x, y = one
        low = y + x % 2
        around = [(x, y - 1), (x, y + 1), (x - 1, low - 1), (x - 1, low), (x + 1, low - 1), (x + 1, low)]
        return [other for other in around if other in self.grid]

    def _sides(self) -> list[dict[str, Any]]:
        names = dict(zip(self.grid, self.names, strict=True))
        pairs = [(names[one], names[other]) for one in self.grid for other in self._beside(one) if one < other]
        sides = [self._side(*pair) for pair in pairs]
        doubles = [{**self._side(*pair), "id": "-".join((*pair, "too"))} for pair in pairs if self.chance(0.15)]
        return sides + doubles

    def _zoc(self, unit: dict[str, Any]) -> list[str]:
        if unit["place"] is None or self.chance(0.5):
            return []
        names = dict(zip(self.grid, self.names, strict=True))
        here = next(one for one, name in names.items() if name == unit["place"])
        return [unit["place"], *(names[other] for other in self._beside(here))]

    def _unit(self, number: int) -> dict[str, Any]:
        return {**super()._unit(number), "allowance": self.rng.randint(0, 2)}


INPUTS: dict[str, tuple[str, ...]] = {
    "step_cost": ("unit", "to"), "reachable": ("unit",), "check_path": ("unit", "path"),
    "boundary": ("unit", "to", "action"), "action_legal": ("side", "action", "due", "combats_left"),
    "retreats": ("unit", "hexes"), "check_retreat": ("unit", "hexes", "path"),
    "result_meaning": ("result",), "retreat_length": ("battle",), "advance_length": ("battle", "road_bonus"),
    "advances": ("battle", "unit"), "check_advance": ("battle", "unit", "path"), "support_options": ("battle", "side"),
    "support_affected": ("battle", "unit"), "bombardment_options": ("unit",), "combat_order": ("actions",),
    "shock_values": ("unit",), "shock_lasts": ("shocked", "owner"), "interdiction_options": ("unit", "to", "points"),
    "challenge_result": ("unit", "to", "points", "die"), "challenge_overstack": ("hex", "side", "challengers"),
    "angriff_status": ("battle",), "angriff_column": ("battle", "column"), "angriff_advances": ("battle", "unit"),
    "angriff_group": ("battle", "gone"), "leader_range": ("leader", "unit"), "retreat_responses": ("battle",),
    "loss_candidates": ("battle",), "lone_leaders": (), "stack_check": ("hex", "side", "voluntary"),
    "column_shifts": ("battle",), "surprise": ("battle",), "attack_drm": ("battle", "event"),
    "event_roll": ("rolled", "interdiction_placed"), "drop_zones": (), "landing_entry": ("unit", "to", "points", "die"),
    "town_deception": ("unit", "town", "named", "die"), "air_losses": ("die", "available"),
     "peiper_exploitation": ("unit", "path", "rolls"),
    "peiper_attack": ("unit", "battle", "exploitation_done"), "peiper_advance": ("battle", "unit"),
    "sneak": ("unit", "path", "die", "used"), "reserve_legal": ("unit", "sneak_done"),
    "exploitation_release": ("unit", "leader"), "combine_peiper": ("units", "spent", "reduced"), "next_phase": (),
    "options_legal": ("scenario", "wanted"),
}  # fmt: skip
