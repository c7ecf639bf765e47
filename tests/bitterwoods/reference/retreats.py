"""Retreats (9.7 with BW6 to BW8 and qa.4)."""

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Any

from tests.bitterwoods.reference import steps
from tests.bitterwoods.reference.board import Board, Thing

OFF = "off"
Path = tuple[str, ...]


class Retreat:
    def __init__(self, board: Board, unit: Thing, owed: int) -> None:
        self.board, self.unit, self.owed = board, unit, owed
        self.ezoc = board.ezoc(unit.side)
        self.good = self._good_hexes()
        self.away = self._distances()

    # ------------------------------------------------------------------ steps
    def may_step(self, side: Thing, to: str) -> bool:
        """Whether one step keeps the restrictions (BW8)."""
        board, unit = self.board, self.unit
        forest = steps.barred_by_forest(board, unit, side) and not self._over_blown_bridge(side, to)
        closed = steps.barred_by_river(board, unit, side) or forest
        return not closed and not board.has_enemy(to, unit.side) and to not in self.ezoc

    def _over_blown_bridge(self, side: Thing, to: str) -> bool:
        """9.7.blown-bridge: lighter tanks over a blown bridge on to the road in the forest behind."""
        unit = self.unit
        light = unit.kind == "armor" and (unit.side == "Allied" or unit.silhouette == "mk-iv")
        into_forest = self.board.hexes[to].terrain == "forest"
        return light and into_forest and side.bridge == "blown" and side.road

    def after(self, here: str) -> set[str]:
        return {to for side, to in self.board.ways[here] if self.may_step(side, to)}

    # ------------------------------------------------------------------ supply roads
    def _is_clear(self, name: str) -> bool:
        """Whether a hex does not spoil a supply road."""
        friends = [u for u in self.board.at(name, self.unit.side) if u is not self.unit]
        return name not in self.ezoc or bool(friends) or name == self.unit.place

    def _good_roads(self) -> list[list[str]]:
        """Cut every supply road to the part from which all hexes on are clear."""
        found = []
        for road in self.board.supply_roads or []:
            path: list[str] = road["path"]
            bad = [index for index, name in enumerate(path) if not self._is_clear(name)]
            if road["side"] == self.unit.side:
                found.append(path[max(bad, default=-1) + 1 :])
        return found

    def _good_hexes(self) -> set[str]:
        self.roads = self._good_roads()
        return {name for road in self.roads for name in road}

    def _distances(self) -> dict[str, int]:
        """Count the steps from each hex to a good one."""
        found = dict.fromkeys(self.good, 0)
        queue = deque(self.good)
        while queue:
            here = queue.popleft()
            for side, before in self.board.ways[here]:
                if before not in found and self.may_step(side, here):
                    found[before] = found[here] + 1
                    queue.append(before)
        return found

    def along(self, here: str) -> set[str]:
        return {two for road in self.roads for one, two in itertools.pairwise(road) if one == here}

    # ------------------------------------------------------------------ paths
    def paths(self, manner: str) -> list[Path]:
        start = self.unit.place
        nearer = self.away.get(start)
        if nearer is None and manner != "other":
            return []
        if manner == "leaves-road" and nearer is not None and nearer > self.owed:
            return []
        return list(self._extend(manner, (start,), nearer or 0))

    def _extend(self, manner: str, path: Path, nearer: int) -> Iterator[Path]:
        done, here = len(path) - 1, path[-1]
        if done == self.owed or here == OFF:
            if here == OFF or self._fits(here):
                yield path
            return
        for to in sorted(self._next(manner, done, here, nearer)):
            if to not in path[1:] and (to != path[0] or self.board.read("BW6", "start-counts") == "entered-only"):
                yield from self._extend(manner, (*path, to), nearer)

    def _next(self, manner: str, done: int, here: str, nearer: int) -> set[str]:
        found = self.after(here)
        if manner != "other" and done < nearer:
            return {to for to in found if self.away.get(to) == self.away[here] - 1}
        if manner == "toward-supply":
            return found & self.along(here)
        leaves = self.unit.side == "Allied" and self.board.hexes[here].map_edge
        return found | ({OFF} if leaves else set())

    def _fits(self, place: str) -> bool:
        limit = self.board.stack_limit
        others = self.board.stacked(place, self.unit.side, but=[self.unit.id])
        return limit is None or others + self.board.weight(self.unit) <= limit


def retreats(board: Board, unit: Thing, owed: int) -> dict[str, Any]:
    """Give all legal retreats; the unit dies if there is none."""
    if unit.kind != "army-artillery" and unit.place is not None:
        retreat = Retreat(board, unit, owed)
        for manner in ("toward-supply", "leaves-road", "other"):
            paths = retreat.paths(manner)
            if board.answers:
                paths = [path for path in paths if path[-1] in retreat.good] or paths
            if paths:
                return {"eliminated": False, "manner": manner, "paths": sorted(",".join(path) for path in paths)}
    return {"eliminated": True, "manner": None, "paths": []}


def check_retreat(board: Board, unit: Thing, owed: int, path: list[str]) -> dict[str, Any]:
    return {"legal": ",".join(path) in retreats(board, unit, owed)["paths"]}
