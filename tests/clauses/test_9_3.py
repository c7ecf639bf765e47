"""The course of a battle: who takes part, the nine steps, when hits take effect (9.0 to 9.4, 9.6, 9.7)."""

from tests.builders import battle, position
from tests.clauses.rows import bars, brings, combines, hits, lists, rows

ROADS = "B-s major; s-x major; x-y major; y-B major; x-E major; E-y major; r-x major intact; B-r major"
DUEL = "m German foot 2 x; e Allied foot 1 x"
ATTACK = DUEL.replace("2 x", "2 x attacking")
AIMED = ATTACK.replace("1 x", "1 x aims_at=m")
SHELLED = ATTACK.replace("attacking", "attacking shells=1") + "; n German foot 1 x attacking"
FOUGHT = DUEL.replace("2 x", "2 x attacked")


def at(phase: str, units: str = ATTACK, side: str = "German", contested: str | None = "x", **more):
    return position(ROADS, units, 17, 2, side, phase=phase, **({"contested": contested} if contested else {}), **more)


def before(units: str, phase: str = "battles", **more):
    """Make a position in which no battle is being fought."""
    return at(phase, units, contested=None, **more)


def calling(strength: int, **more):
    units = f"m German foot {strength} x attacking; e Allied foot {strength} x"
    return at("calls", units, **more)


def volley(m: str = "foot 2 x", firing: str = "defender", name: str = "m", **more):
    """Make a position in which one unit shoots at another, the last to do so."""
    shooter = ("", " aims_at=m") if firing == "defender" else (" aims_at=e", "")
    return at("volley", f"{name} German {m} attacking{shooter[0]}; e Allied foot 1 x{shooter[1]}", firing=firing, **more)


def mixed(attacker_counters: int | None, tank: str = ""):
    """Make a position in which e has armor and infantry before it, and shoots at the infantry with a 5."""
    units = f"t German armor 1 x attacking {tank}; m German foot 2 x attacking aims_at=null; e Allied foot 1 x"
    return units, {"attacker_counters": attacker_counters, "defender_counters": 1}


def barrage(attacker_counters: int):
    units, counters = mixed(attacker_counters, "shells=1")
    return at("barrage", units, **counters)


def arms(attacker_counters: int):
    units, counters = mixed(attacker_counters)
    return at("volley", units.replace("foot 1 x", "foot 1 x aims_at=m"), **counters)


def falling(tank: str, mate: str):
    """Make a position in which the artillery destroys an armor unit that attacks beside m."""
    units = f"t German armor 1 x attacking shells=1 {tank}; m German foot 2 x attacking {mate}; e Allied foot 1 x"
    return at("barrage", units, attacker_counters=1, defender_counters=1)


WET, DRY, HERE = "impulse_start=r over_river", "impulse_start=s", ""
SHOT = "shell t: 4; aim e m; shoot e: "
TWO = "m German foot 2 x; n German foot 2 y; e Allied foot 1 x; f Allied foot 1 y"
BOTH = TWO.replace("2 x", "2 x attacking").replace("2 y", "2 y attacking")
ARMS = {"attacker_artillery": 1}
LOST = [{"id": "f1", "kind": "armor", "arrival": "river"}]
OVER = {"phase": "battles", "contested": None, "firing": "defender", "attacker_counters": None,
        "defender_counters": None, "battle_areas": ["x"], "fallen": []}  # fmt: skip

ROWS = [
    # who attacks where
    brings("9.0b", before(BOTH), "assault x", {"contested": "x", "phase": "calls"}, "one battle first"),
    brings("9.0b", before(BOTH), "assault y", {"contested": "y", "phase": "calls"}, "or the other"),
    lists("9.11b", before(ATTACK), "German assault x", True, "the first battle there"),
    lists("9.11b", before(FOUGHT, battle_areas=["x"]), "German assault x", False, "no second in one impulse"),
    lists("9.11b", before(DUEL), "German commit m", True, "there was no battle yet"),
    lists("9.11b", before(DUEL, battle_areas=["x"]), "German commit m", False, "the battle there is over"),
    brings("9.12", before("m German foot 2 x impulse_start=s moved; e Allied foot 1 x", "movement"), "end-phase", {"units.m.attacking": True},
           "it has entered: it attacks"),
    brings("9.12", before(DUEL, "movement"), "end-phase", {"units.m.attacking": False}, "it was there: it chooses"),
    lists("9.12", before(ATTACK), "German end-phase", False, "the battles are fought first"),
    lists("9.12", before(DUEL), "German end-phase", True, "nobody has to attack"),
    lists("9.12", before(FOUGHT, "construction"), "German end-phase", True, "only battles are waited for"),
    lists("9.13", before(DUEL), "German commit m", True, "it may attack"),
    lists("9.13", before(ATTACK), "German commit m", False, "it attacks already"),
    lists("9.13", before("m German foot 2 x moved; e Allied foot 1 x"), "German commit m", False, "it has moved earlier"),
    lists("9.13", before(DUEL), "Allied commit e", False, "the other side never attacks"),
    brings("9.13", before(DUEL), "commit m", {"units.m.attacking": True}, "it attacks"),
    brings("9.13", before("m German foot 2 x impulse_start=r over_river attacked; e Allied foot 1 x", "construction"), "end-phase",
           {"units.m.impulse_start": "x", "units.m.over_river": False}, "in the next impulse it was there"),
    brings("9.14b", before("m German foot 2 x attacking impulse_start=s moved; n German foot 1 x; e Allied foot 1 x"), "assault x",
           {"units.n.moved": True, "units.n.stood_aside": True, "units.e.moved": False}, "it stays out while friends come and attack"),
    brings("9.14b", before("m German foot 2 x attacking; n German foot 1 x; e Allied foot 1 x"), "assault x",
           {"units.n.moved": False, "units.n.stood_aside": False}, "no friends have come"),
    brings("9.11a", volley(firing="attacker"), "shoot m: 9,9", {"units.m.attacked": True, "units.m.attacking": False, "units.e.attacked": False},
           "it has attacked"),
    brings("9.11a", volley(attacker_counters=1), "shoot e: 9", {"units.m.attacked": False, "units.m.attacking": True}, "its own fire is to come"),
    brings("9.11a", at("aiming", firing="attacker"), "aim m e", {"units.m.attacked": False, "units.m.attacking": True}, "it takes aim"),
    # the steps
    lists("9.21a", at("volley", ATTACK.replace("1 x", "1 x aims_at=m")), "Allied shoot e", True, "who has a target shoots"),
    lists("9.21a", at("aiming", AIMED + "; f Allied foot 1 x"), "Allied shoot e", False, "when all have one"),
    brings("9.21b", at("volley", ATTACK.replace("1 x", "1 x aims_at=m") + "; f Allied foot 1 x aims_at=m"), "shoot e: 1",
           {"units.m.strength": 2, "units.m.hits": 1, "units.e.aims_at": None}, "the hit waits until all have shot"),
    brings("9.21b", volley(), "shoot e: 1", {"units.m.strength": 1, "units.m.hits": 0}, "all have shot"),
    brings("9.21b", volley(), "shoot e: 10", {"units.m.strength": 2, "units.m.hits": 0}, "a miss"),
    brings("9.21b", volley("foot 4 x"), "shoot e: 1", {"units.m.strength": 3}, "one point a hit"),
    brings("9.21b", at("barrage", ATTACK.replace("attacking", "attacking shells=2")), "shell m: 1,9",
           {"units.m.strength": 1, "units.m.shells": 0}, "one shell of two hits"),
    brings("9.21b", at("barrage", ATTACK.replace("attacking", "attacking shells=1") + "; n German foot 2 x attacking shells=1"), "shell m: 1",
           {"units.m.strength": 2, "units.m.hits": 1}, "another shell is to fall"),
    brings("9.21b", at("aiming", ATTACK.replace("attacking", "attacking hits=1")), "aim e m", {"units.m.strength": 2, "units.m.hits": 1},
           "hits count at the end of a step of fire"),
    brings("9.21c", volley("foot 1 x"), "shoot e: 1", {"units.m.strength": None}, "it is destroyed"),
    brings("9.21c", volley("foot 2 x"), "shoot e: 1", {"units.m.strength": 1}, "one point is left"),
    brings("9.21c", at("aiming", ATTACK.replace("attacking", "attacking hits=2")), "aim e m", {"units.m.strength": 2}, "not before the end of a step"),
    brings("9.21c", at("barrage", ATTACK.replace("2 x attacking", "1 x attacking shells=1")), "shell m: 1", {"units.m.strength": None},
           "artillery destroys too"),
    lists("9.31", at("calls"), "German call-artillery attacker", True, "the first step"),
    lists("9.31", at("shelling"), "German call-artillery attacker", False, "not later"),
    brings("9.32", calling(2, attacker_counters=0), "call-artillery defender: 1", {"phase": "shelling", "firing": "defender"},
           "the defender's artillery comes first"),
    brings("9.32", at("shelling", defender_counters=1), "lay m; shell m: 5", {"units.m.strength": 1, "phase": "aiming"}, "its hits count at once"),
    lists("9.32", at("shelling", defender_counters=1), "Allied lay m", True, "he puts a counter"),
    lists("9.32", at("barrage", defender_counters=1), "Allied lay m", False, "they lie already"),
    lists("9.32", at("barrage", ATTACK.replace("attacking", "attacking shells=1")), "Allied shell m", True, "then it fires"),
    lists("9.32", at("shelling", ATTACK.replace("attacking", "attacking shells=1"), defender_counters=2), "Allied shell m", False, "not before"),
    brings("9.33", at("barrage", ATTACK.replace("attacking", "attacking shells=1")), "shell m: 9", {"phase": "aiming", "firing": "defender"},
           "targets follow the artillery"),
    lists("9.33", at("aiming"), "Allied aim e m", True, "the defender takes aim"),
    lists("9.33", at("shelling", defender_counters=1), "Allied aim e m", False, "not before the artillery"),
    lists("9.33", at("aiming"), "German aim m e", False, "the attacker later"),
    lists("9.36", at("aiming", firing="attacker"), "German aim m e", True, "then the attacker takes aim"),
    lists("9.36", at("aiming", firing="attacker"), "Allied aim e m", False, "the defender has fired"),
    lists("9.58", at("aiming", ATTACK + "; f Allied foot 1 x"), "Allied aim e m", True, "each unit takes a target"),
    lists("9.58", at("aiming", AIMED + "; f Allied foot 1 x"), "Allied aim e m", False, "and no second"),
    bars("9.58", at("aiming", AIMED + "; f Allied foot 1 x"), "Allied aim e m", "9.58", "who has a target gets no other"),
    bars("9.58", at("volley", AIMED), "Allied shoot e", "", "who has a target shoots at it"),
    bars("9.58", at("volley", AIMED + "; f Allied foot 1 x"), "Allied shoot f", "9.58", "who has none does not shoot"),
    brings("9.33", at("aiming", ATTACK + "; f Allied foot 1 x"), "aim e m", {"units.e.aims_at": "m", "phase": "aiming"}, "one has a target"),
    brings("9.34", at("aiming"), "aim e m", {"phase": "volley", "units.e.aims_at": "m"}, "all have one: they fire"),
    brings("9.34", at("aiming", ATTACK + "; f Allied foot 1 x"), "aim e m", {"phase": "aiming"}, "not before"),
    brings("9.35", volley(attacker_counters=1), "shoot e: 9", {"phase": "shelling", "firing": "attacker"}, "then the attacker's artillery"),
    brings("9.35", volley(firing="attacker"), "shoot m: 9,9", {"phase": "battles"}, "once"),
    brings("9.38", volley(firing="attacker", attacker_counters=0, defender_counters=1), "shoot m: 9,9", OVER | {"units.e.strength": 1},
           "both may still be there"),
    brings("9.38", volley(firing="attacker", fallen=[{"id": "t", "kind": "armor", "arrival": "road"}]), "shoot m: 9,9", OVER, "the next battle has its own losses"),
    brings("9.38", volley(attacker_counters=0, defender_counters=1), "shoot e: 9", {"contested": "x", "attacker_counters": 0, "defender_counters": 1, "phase": "aiming"},
           "not while the attacker has to fire"),
    brings("9.38", at("aiming", firing="attacker"), "aim m e", {"contested": "x", "phase": "volley"}, "nor when he has taken aim"),
    # artillery
    lists("9.41c", at("calls"), "German call-artillery attacker", True, "the attacker calls"),
    lists("9.41c", at("calls"), "Allied call-artillery defender", True, "the defender calls"),
    lists("9.41c", at("calls"), "Allied call-artillery attacker", False, "not for the other"),
    lists("9.41c", at("calls", "m German foot 2 x; e Allied foot 1 x attacking", "Allied"), "Allied call-artillery attacker", True, "the Allies attack"),
    lists("9.46a", at("calls", attacker_counters=0), "German call-artillery attacker", False, "he has called"),
    lists("9.46a", at("calls", defender_counters=0), "German call-artillery attacker", True, "the other has called"),
    brings("9.46a", calling(6), "call-artillery attacker: 4,5", {"attacker_counters": 1, "defender_counters": None}, "one call of two"),
    brings("9.46a", calling(6), "call-artillery defender: 8,8", {"attacker_counters": None, "defender_counters": 2}, "both calls"),
    brings("9.46c", at("shelling", defender_counters=2), "lay m", {"units.m.shells": 1, "phase": "shelling"}, "the counter lies on the unit"),
    brings("9.46c", at("shelling", ATTACK + "; n German foot 2 x attacking", defender_counters=2), "lay n", {"units.n.shells": 1, "units.m.shells": 0},
           "on the one that was picked"),
    lists("9.46e", at("shelling", ATTACK.replace("attacking", "attacking shells=1"), defender_counters=2), "Allied lay m", True, "one counter is left"),
    lists("9.46e", at("shelling", ATTACK.replace("attacking", "attacking shells=1"), defender_counters=1), "Allied lay m", False, "none is"),
    brings("9.47a", at("shelling", defender_counters=1), "lay m", {"phase": "barrage"}, "all counters lie"),
    brings("9.47a", at("shelling", defender_counters=2), "lay m", {"phase": "shelling"}, "one does not"),
    bars("9.47a", at("barrage", SHELLED), "Allied shell m", "", "a die for the counter on it"),
    bars("9.47a", at("barrage", SHELLED), "Allied shell n", "9.47a", "none where no counter lies"),
    # what the battle says of the attack
    brings("9.6a", barrage(1), "shell t: 4; aim e m; shoot e: 5", {"units.m.strength": 2}, "the armor took part, though it is destroyed"),
    brings("9.6a", barrage(1), "shell t: 4", {"units.t.strength": None, "fallen": [{"id": "t", "kind": "armor", "arrival": "began-here"}]}, "it is remembered"),
    brings("9.6a", barrage(1), "shell t: 9", {"units.t.strength": 1, "fallen": []}, "nothing is lost"),
    brings("9.6a", at("volley", "t German armor 1 x attacking; m German foot 2 x attacking; e Allied foot 1 x aims_at=t", attacker_counters=1, defender_counters=0),
           "shoot e: 1", {"units.t.strength": None, "fallen": []}, "what falls in the volley has been counted"),
    combines("9.6a", battle("foot 2", "foot 2", fallen=LOST, **ARMS), True, "the armor that is lost counts"),
    combines("9.6a", battle("armor 2", "foot 2", fallen=LOST, **ARMS), False, "it is no infantry"),
    combines("9.6a", battle("armor 2", "foot 2", fallen=[{"id": "f1", "kind": "foot", "arrival": "road"}], **ARMS), True, "infantry that is lost counts"),
    brings("9.6c", arms(1), "shoot e: 5", {"units.m.strength": 2}, "his calls have succeeded"),
    brings("9.6c", arms(0), "shoot e: 5", {"units.m.strength": 1}, "they have not"),
    brings("9.71-river", before("m German foot 2 s", "movement"), "muster m; advance x s-x; halt", {"units.m.over_river": False}, "a dry road"),
    brings("9.71-river", before("m German foot 2 r", "movement"), "muster m; advance x r-x; halt", {"units.m.over_river": True}, "over a bridge"),
    brings("9.71-river", before("m German foot 2 r", "movement"), "muster m; advance x r-x; advance y x-y; halt", {"units.m.over_river": False},
           "the last step counts"),
    hits("9.72", battle("foot 2 river", "foot 2", fallen=[{"id": "f1", "kind": "foot", "arrival": "road"}]), "d1>a1", 5,
         "one that is lost came by a dry road", drms={"not-combined-arms": -1}),
    hits("9.72", battle("foot 2 river", "foot 2", fallen=[{"id": "f1", "kind": "foot", "arrival": "river"}]), "d1>a1", 6,
         "one that is lost came over the river too", drms={"not-combined-arms": -1, "river": -1}),
    hits("9.73", battle("foot 2 river", "foot 2", fallen=[{"id": "f1", "kind": "foot", "arrival": "began-here"}]), "d1>a1", 5,
         "one that is lost was there before", drms={"not-combined-arms": -1}),
    brings("8.2a", volley("foot 2 x impulse_start=r over_river"), "shoot e: 6", {"units.m.strength": 1}, "it came over a river: 4, 1 and 1"),
    brings("8.2a", volley("foot 2 x impulse_start=s"), "shoot e: 6", {"units.m.strength": 2}, "it came by a dry road"),
    brings("8.2a", volley("foot 2 x over_river"), "shoot e: 6", {"units.m.strength": 2}, "it was there"),
    brings("9.73", volley("foot 1 s impulse_start=x; m German foot 2 x impulse_start=r over_river", name="d"), "shoot e: 6", {"units.m.strength": 2},
           "a friend has left the area in this impulse"),
    brings("9.73", falling(HERE, WET), SHOT + "5", {"units.m.strength": 2}, "the lost armor was there: no -1 for the river"),
    brings("9.72", falling(DRY, WET), SHOT + "5", {"units.m.strength": 2}, "the lost armor came by a dry road"),
    brings("9.72", falling(WET, WET), SHOT + "5", {"units.m.strength": 1}, "all came over the river"),
    # confusion
    brings("14.24a", volley(firing="attacker", special_forces={"area": "x", "effect": "confusion"}), "shoot m: 9,9", {"confusion_spent": True},
           "the battle in its area"),
    brings("14.24a", volley(firing="attacker", special_forces={"area": "y", "effect": "confusion"}), "shoot m: 9,9", {"confusion_spent": False},
           "another battle"),
    brings("14.24a", volley(firing="attacker", special_forces={"area": "x", "effect": "mobility"}), "shoot m: 9,9", {"confusion_spent": False},
           "another effect"),
    brings("14.24a", volley(special_forces={"area": "x", "effect": "confusion"}, attacker_counters=1), "shoot e: 5", {"confusion_spent": False, "units.m.strength": 2},
           "the battle goes on, and its fire is worse: 4 and 1 less 1"),
    brings("14.24a", volley(special_forces={"area": "x", "effect": "confusion"}, confusion_spent=True), "shoot e: 5", {"units.m.strength": 1},
           "one battle only"),
    brings("14.24a", at("aiming", firing="attacker", special_forces={"area": "x", "effect": "confusion"}), "aim m e", {"confusion_spent": False},
           "not before the last shot"),
]

test_9_3 = rows(ROWS)
