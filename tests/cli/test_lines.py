"""Lines of all commands, each with its exit code and what it says: faults on standard error, the rest as output."""

import shlex

import pytest

from .conftest import SCENARIOS, SHIPPED_CASES

ROAD = f"{SCENARIOS}/road-to-rambrouch/position.yaml"
BATTLE = f"{SCENARIOS}/combat-of-1999/battle.yaml"
PLAN = "a1>d1,a2>d2,a3>d1,a4>d2"
FIRE = f"{BATTLE} fire_allocation_legal who=defender"
SUPPLY = "check supplied unit=2-pz-a --from campaign"
CALLS = "second-artillery-counter --query artillery_targetings"
TOURNAMENT = "tournament the-ford --game cold-ford --games 1 --players"
NOT = "NOT: "  # before what must not be said
Row = tuple[str | int, ...]
ROWS = (
    # ---------------------------------------------------------------------- check and why
    # the clause that forbids it and the cheapest way round, but no clause that forbids nothing
    (f"check {ROAD} check_path units=tank path=Mersch,Saeul,Redange,Rambrouch", 1, "? No. (1999)",
        "8.38 No move without enough MPs", "Mersch, Ettelbruck, Eschdorf, Rambrouch",
        "costs 3 (2 by 8.33 + 1 by 8.37), 9 in total; the stack has only 8 (8.31)", NOT + "8.33-minor Minor road"),
    ("check 01-rambrouch-by-the-bridge", 0, "Eschdorf to Rambrouch? Yes, for 5 of 8 points. (1999)\n"),
    # 8 points attack: 2 calls; 5 defend: 1 (divided by 3, rounded down)
    (f"check {BATTLE} artillery_calls", 0, "Calls attacker 2, defender 1;"),
    ("check campaign_victory_level points=31", 0, "German Marginal"),  # of no situation: it needs no file
    ("check two-bridges contingent_release areas=3,4", 1,
        "one of 3 and 4? No. (1999)\n  11.3b Superiority (does not hold here)\n"),
    ("why two-bridges contingent_release areas=3,4", 1, "\n  what another answer would need:"),
    ("check --from campaign --set '2-pz-a@Bastogne, bridge Dasburg-Marnach blown, 18-2' supplied unit=2-pz-a", 1,
        "Is 2-pz-a in supply at Bastogne? No, and not without blown bridges. (1999)"),
    (f"check {FIRE} allocation=d1>a3,d2>a2 --edition all", 1, "the same in every edition"),
    (f"check {FIRE} allocation=d1>a1,d2>a1 --readings R1", 2, "--reading NAME=CHOICE"),
    ("check two-bridges reinforcement_options side=German entry=B ask=A,B due=21,1", 0),
    ("check two-bridges reinforcement_options side=German entry=B ask=A,B due=21,one", 2, "`one` is not a number"),
    ("check two-bridges --game bitterwoods", 2, "it belongs to the game `titm`, and `bitterwoods` is asked"),
    ("check", 2, "the position is missing"),
    ("check supplied unit=2-pz-a --from campain", 2, "did you mean `campaign`"),
    (f"{SUPPLY} --set 2-pz-a@Bastone", 2, "did you mean `Bastogne`"),
    (f"{SUPPLY} --at Bastogne", 2, "a battle is given"),
    ("check campaign fire_allocations who=attacker", 2, "name its place with --at"),
    ("check combat-of-1999 to_hit --at Bastogne", 2, "a place of a battle has no view"),
    ("check no-such-file.yaml", 2, ""), (f"check {SCENARIOS}", 2, ""),
    (f"check {SHIPPED_CASES.parent}/README.md", 2, ""), (f"check {ROAD}", 2, ""), (f"check {ROAD} chek_path", 2, ""),
    (f"check {ROAD} check_path units=tank", 2, ""), (f"check {ROAD} --edition 1066", 2, ""),
    (f"check {ROAD} --engine steam", 2, ""), (f"check {ROAD} --reading R3", 2, ""),
    (f"check {ROAD} --reading R3=x", 2, ""), (f"check {ROAD} --reading R999=x", 2, ""), ("nonsense", 2, ""),
    # ---------------------------------------------------------------------- legal, trace and odds
    (f"legal {ROAD}", 0, "muster tank\n", "end-phase\n"), (f"legal {BATTLE} combined_arms", 2, "lists no choices"),
    ("legal campaign --kind advnce", 2, "did you mean `advance`"),
    ("legal campaign --unit 2-pz-x", 2, "unknown piece or place"),
    ("legal combat-of-1999 --unit a1", 2, "choices have no kind and no unit"),
    ("trace --from campaign", 2, "one piece traces"), (f"trace {ROAD} nobody", 2, ""),
    (f"trace {ROAD} tank --at Atlantis", 2, ""), (f"trace {ROAD} tank --route silk-road", 2, ""),
    (f"trace {BATTLE} a1", 2, ""),
    ("odds 07-combat-leaving-out-one-point", 0, "d1>a1,d2>a3 (1999)"),  # the case brings its own plan
    (f"odds {ROAD}", 2, "FILE: no dice are rolled for the choices of a position\n"),
    (f"odds {BATTLE} combined_arms", 2, "`combined_arms` has no odds", "fix:"),
    (f"odds {BATTLE} who=attacker m=2", 2, "no question about such plans takes just m, who", "fix:"),
    (f"odds {BATTLE} --plan {PLAN!r}", 2, "whose plan is it?", "fix:"),
    (f"odds {BATTLE} who=attacker fire_allocations", 2, "`fire_allocations` is not an input", "fix:"),
    (f"odds {BATTLE} who=attacker --plan 'a1>nobody'", 2, "unknown combatant `nobody`", "fix:"),
    (f"odds {BATTLE} who=attacker --plan 'a1>'", 2, "`a1>` is not a pair", "fix:"),
    (f"odds {BATTLE} who=attacker n=many", 2, "`many` is not a number", "fix:"),
    (f"odds {BATTLE} fire_allocations who=somebody", 2, "Input should be", "fix:"),
    # ---------------------------------------------------------------------- clauses, questions and editions
    ("clauses 8.22", 0, "must stop there", "move must stop when place-entered is hostile", "1999/08_movement.rules:",
        NOT + "8.23"),
    ("clauses --chapter 7", 0, "7.1a", "7.1b", "7.1c", "7.2", "7.3"),
    ("clauses 10.11", 0, "10.11 Engineers only\nrulesets/titm/"), ("clauses 8.99", 2, ""),
    ("clauses --chapter 99", 2, ""), ("clauses --edition 1066", 2, ""), ("clauses xylophone", 2, "unknown clause"),
    ("clauses 77.7 --history", 2, ""), ("questions suplied", 2, "did you mean `supplied`"),
    ("questions --game bitterwoods landing_entry", 0, "takes points: mp 0 to 8333 1/4"),
    ("editions", 0, "an excerpt: 9.14"), ("editions 1990-01-01", 2, "no rules are in force on 1990-01-01"),
    ("lint missing.rules", 2, "cannot read the file"), ("lint .", 2, "cannot read the file"),
    # ---------------------------------------------------------------------- diff
    ("diff 1998-01-15 1999", 1, "9.53a 1-strength attackers need not be shot at [added",
        "[-last sentence of 9.52, on one-point attackers,-] {+rule about one-strength attackers+}",
        "as 10.23, then 10.14a", "reading R9: pre-1999-no-subtract, then subtract"),
    # the sheet of November 1996 gives 9.42 and 9.54; nobody knows what they were in August
    ("diff 1996-08-01 1996-11-01", 1, "2 added, 1 removed, 10 reworded",
        "\nreworded by a sheet, and the older words are lost: 9.42a (as 9.42a, then 9.42), ", NOT + "renumbered only"),
    ("diff 1999 1999-06-01", 0, "1999 to 1999: no clause differs\n"),
    # paths cannot be listed, and the board has too many pairs of a bridge and a unit
    ("diff 1996-08-01 2002-07-25 --position campaign", 3, "not asked, for what they take cannot be listed here: "
     "check_path, demolition_options, may_blow, may_build\n"),
    # the sheet of August 1996 has 9.46 anew; what artillery did before is not known
    (f"diff 1994-11-01 1996-08-01 --position {CALLS}", 3, "no differences between 1994-11-01 and 1996-08-01\n",
        "\nnot known, for words behind them are lost: artillery_targetings\nrestated on a sheet: ",
        "9.46b (1996-08-01)"),
    ("diff 1999 2002-07-25 --position seventh-army --query attack_status", 0,
        "no differences between 1999 with seventh-army and 2002-07-25 with seventh-army\n"),
    ("diff 1980-01-01 1999", 2, "no rules are in force on 1980-01-01"),
    ("diff 1999 2002-07-25 --find --query shots", 2, "unknown query `shots`"),
    ("diff 1999 2002-07-25 --position none.yaml", 2, "cannot read the file"), ("atlas 1999", 2, "two editions or more"),
    ("atlas 1999 2002-07-25 --max 3by3", 2, "`3by3` is not a size"),
    ("atlas 1999 2002-07-25 --max 99x1", 2, "`99x1` is not a size"),
    ("atlas 1999 1998-01-15 --max 1x1 --backend slurm", 2, "unknown backend `slurm`"),
    # ---------------------------------------------------------------------- games
    ("play two-bridge", 2, "did you mean `two-bridges`"), ("play ../two-bridges", 2, "nothing ships under this name"),
    ("play two-bridges --policy clever", 2, "unknown policy"),
    ("play two-bridges --policy gredy", 2, "did you mean `greedy`?"), (f"play {BATTLE}", 2, "is not played"),
    ("play two-bridges -o /nowhere/game.txt", 2, "cannot write the record"),
    ("replay /nowhere/game.txt", 2, "cannot read the record"), ("perft nowhere.yaml", 2, "cannot read the file"),
    (f"{TOURNAMENT} greedy,randon", 2, "unknown player `randon`", "did you mean `random`?"),
    (f"{TOURNAMENT} random,random", 2, "players named: 1, sides: 2"),
    ("conform --game cold-ford --against no-such-referee", 2, "cannot start `no-such-referee`"),
    ("conform --game cold-ford --report none/report.md", 2, "cannot write the report"),
    # ---------------------------------------------------------------------- maps and scenarios
    ("map show Holzhum", 0, "number: 69 (attested", "vp: 0 (reconstructed)",
        "to Gemund: road minor, river yes, bridge blown, over Our (attested"),
    ("map show Basstogne", 2, "did you mean `Bastogne`?"),
    # Germans may not enter P; the answer rests on the map like any other
    ("map route C P --piece side=German", 1, "no way leads from C to P", "is reconstructed in part"),
    ("map route 60 Saeul --piece kind=foot", 0, " of 5", "is reconstructed in part"),
    *((f"map route 60 Saeul --piece {word}", 2, "") for word in ("kind", "kind=zeppelin", "colour=red")),
    ("map places --map valley --game cold-ford", 0),
    *((f"map {line}", 2, "") for line in ("export -o map.shp", "import nothing.graphml -o x.yaml",
        "import nothing.shp -o x.yaml", "lint nothing.yaml", "lint nothing", "diff attested nothing")),
    ("scenario list", 0, "The 7th Army Attacks"),
    ("scenario show seventh-army", 0, "9 Arm (9-arm-a): side Allied, kind armor, strength 2, place Larochette",
        "German Decisive: Luxembourg and Mersch are both German.", "is reconstructed"),
    ("scenario show sevnth-army", 2, "did you mean `seventh-army`?"),
    # ---------------------------------------------------------------------- pictures
    *((f"render {line} -o x.svg", 0, says) for line,
        says in (("road-to-rambrouch --reach tank", "tank at Mersch can reach 8 places"),
        ("crossing-at-dasburg --reach eng", "can reach"),
        ("road-to-rambrouch --path Mersch,Saeul", "Route: Mersch, Saeul."),
        ("road-to-rambrouch --reach tank --path Mersch,Saeul,Redange,Rambrouch", "8.38 (Redange > Rambrouch costs 3"),
        ("road-to-rambrouch --reach tank --path Mersch,Ettelbruck,Eschdorf,Rambrouch", "Yes, for 5 of 8 points, under"),
        ("pocket-at-bastogne --supply tank", "Route: Nives, Fauvillers, Martelange, C."),
        ("combat-of-1999 --fire who=defender", "d1 may pick only a1 (2 dice of 70%)."),
        ("road-to-rambrouch --compare 1996-08-01", "1999 and 1996-08-01: no difference."))),
    ("render campaing", 2, "did you mean `campaign`?"),
    ("render campaign --reach 2-pz-x", 2, "no piece `2-pz-x` stands on the board"),
    ("render campaign --path Dasburg,Marnak,Wiltz", 2, "no place `Marnak` is on the board"),
    ("render campaign --fire who=defender", 2, "nobody picks targets in a position"),
    ("render campaign --compare 1989-01-01", 2, "1989-01-01"),
    ("render combat-of-1999 --reach a1", 2, "a battle has no places"),
    ("render combat-of-1999 --fire who=nobody", 2, "$.input.who: not one of the values"),
    ("render campaign -o x.gif", 2, "`.gif` is not a format of pictures"),
    ("render nowhere.yaml", 2, "cannot read the file"),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]).replace(f"{SCENARIOS}/", ""))
def test_a_line(titm, tmp_path, monkeypatch, row):
    monkeypatch.chdir(tmp_path)
    line, code, *says = row
    done = titm(*shlex.split(str(line)))
    assert done.exit_code == code, done.output
    said = done.stderr if code == 2 else done.stdout
    for text in map(str, says):
        assert (text.removeprefix(NOT) in said) != text.startswith(NOT), text
    assert said
    assert "Traceback" not in done.output
