"""Targets of fire and of artillery counters in every edition, by hand: sets and recursion over all courses.

Written from the rulings alone, as a second opinion where editions and readings differ; it shares nothing
with the package nor with `handwritten`, which knows 1999 only. Units are dicts of the protocol.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

Json = Mapping[str, Any]
Kinds = Mapping[str, str]
Pick = Callable[[str, Iterable[str], Kinds], set[str]]

QUALITY = {"engineer": 5, "armor": 4, "mechanized": 3, "motorized": 2, "foot": 1}


def side(fight: Json, who: str, readings: Json) -> tuple[list[Json], list[Json]]:
    """Give who fires, and at whom (R6)."""
    attackers, defenders = list(fight["attackers"]), list(fight["defenders"])
    if who == "attacker":
        return attackers, defenders
    present = list(fight.get("bystanders", ())) if readings.get("R6") == "all-present" else []
    return defenders, attackers + present


def by_rank(kind: str, targets: Iterable[str], kinds: Kinds) -> set[str]:
    """9.52: equal or lower, else the lowest."""
    targets = list(targets)
    low = {t for t in targets if QUALITY[kinds[t]] <= QUALITY[kind]}
    least = min(QUALITY[kinds[t]] for t in targets)
    return low or {t for t in targets if QUALITY[kinds[t]] == least}


def by_preference(kind: str, targets: Iterable[str], kinds: Kinds) -> set[str]:
    """9.57: an equal, else the best of the lower, else the lowest of the higher."""
    low = [QUALITY[kinds[t]] for t in targets if QUALITY[kinds[t]] <= QUALITY[kind]]
    wanted = max(low) if low else min(QUALITY[kinds[t]] for t in targets)
    return {t for t in targets if QUALITY[kinds[t]] == wanted}


def leaving_out(pick: Pick, kind: str, targets: list[str], kinds: Kinds, ones: set[str]) -> set[str]:
    """R3: what a firer may take if it leaves out any of the attackers of one point, or none."""
    found: set[str] = set()
    spare = [t for t in targets if t in ones]
    for number in range(len(spare) + 1):
        for absent in combinations(spare, number):
            left = [t for t in targets if t not in absent]
            found |= pick(kind, left, kinds) if left else set()
    return found


def allocations(edition: str, readings: Json, fight: Json, who: str) -> list[str]:
    """List the legal allocations as lines of the protocol (R1 to R7)."""
    shooters, marks = side(fight, who, readings)
    kinds = {unit["id"]: unit["kind"] for unit in (*shooters, *marks)}
    firers, targets = [unit["id"] for unit in shooters], [unit["id"] for unit in marks]
    carried = readings.get("R3") == "carried-back"
    exempts = who == "defender" and (edition >= "1998-01-15" or carried)
    weak = {unit["id"] for unit in fight["attackers"] if unit["strength"] == 1}
    ones = weak if exempts else set()
    if len(firers) == 1:  # R4
        return sorted(f"{firers[0]}>{t}" for t in leaving_out(by_rank, kinds[firers[0]], targets, kinds, ones))
    shields = carried or (edition == "1998-01-15" and readings.get("R1") != "coverage-first")  # R1
    absolute = exempts and shields and len(weak) < len(fight["attackers"])
    binding = [t for t in targets if not (absolute and t in weak)]
    free, strict = readings.get("R3") == "exempt-means-free", readings.get("R2") == "strict-quality"
    lines: set[str] = set()
    seen: set[frozenset[tuple[str, str]]] = set()

    def choices(firer: str, last: bool, cover: Mapping[str, int]) -> set[str]:
        eligible = [t for t in targets if all(cover[other] >= cover[t] for other in binding)]
        if any(cover[t] == 0 for t in binding):  # the first round, R2
            found = leaving_out(by_preference, kinds[firer], eligible, kinds, ones)
            if exempts and free and by_preference(kinds[firer], eligible, kinds) & ones:
                found = set(eligible)
        else:
            found = leaving_out(by_rank, kinds[firer], eligible, kinds, ones) if strict else set(eligible)
        untouched = [t for t in targets if cover[t] == 0]
        spares = edition == "1997-08-20" or readings.get("R7") == "in-force"  # R7
        if spares and last and len(firers) < len(targets) and untouched:
            found |= leaving_out(by_rank, kinds[firer], untouched, kinds, ones)
        return found

    def go_on(shots: dict[str, str]) -> None:
        if frozenset(shots.items()) in seen:
            return
        seen.add(frozenset(shots.items()))
        left = [f for f in firers if f not in shots]
        if not left:
            lines.add(",".join(f"{f}>{shots[f]}" for f in sorted(shots)))
            return
        cover = {t: list(shots.values()).count(t) for t in targets}
        best = max(QUALITY[kinds[f]] for f in left)
        for firer in (f for f in left if QUALITY[kinds[f]] == best):
            for target in choices(firer, len(left) == 1, cover):
                go_on({**shots, firer: target})

    go_on({})
    return sorted(lines)


def sequences(edition: str, readings: Json, fight: Json, who: str, counters: int) -> list[str]:
    """List the legal orders of targets of artillery counters as lines of the protocol (R9)."""
    _, targets = side(fight, who, readings)
    subtracts = readings.get("R9", "subtract" if edition >= "1999" else "") == "subtract"
    lines: set[str] = set()

    def go_on(chosen: tuple[str, ...]) -> None:
        if len(chosen) == counters:
            lines.add(",".join(chosen))
            return
        layer = set(chosen[len(chosen) - len(chosen) % len(targets) :])
        open_units = [unit for unit in targets if unit["id"] not in layer]
        weighed = open_units if subtracts else targets
        mass = {u["kind"]: sum(one["strength"] for one in weighed if one["kind"] == u["kind"]) for u in open_units}
        for unit in open_units:
            if mass[unit["kind"]] == max(mass.values()):
                go_on((*chosen, unit["id"]))

    go_on(())
    return sorted(lines)
