"""Searches over the steps that clauses allow, where these ask no counter.

Movers that the clauses cannot tell apart share tables of steps and whole searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

from titm_rules.diagnostics import Undecided
from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.codegen import ROOT, SLOTS, local, name
from titm_rules.engines.compiled.distance_maps import DistanceMap, SearchGraph, UniformGraph, WeightedGraph
from titm_rules.engines.compiled.equivalence import Profile, profile_of
from titm_rules.engines.compiled.hoisting import HoistedTerms, MoverTermRewriter, StaticTerms
from titm_rules.engines.compiled.incremental import MemoFootprint
from titm_rules.engines.compiled.label_search import settle
from titm_rules.engines.compiled.program import Program
from titm_rules.engines.compiled.step_kernel import StepCompiler, StepTable
from titm_rules.engines.engine import hashable
from titm_rules.ir.applicability import FALSE, every_of, some_of
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Head, Route, head_key
from titm_rules.ir.terms import Besides, Standing, Term, Var, free_names, parts_of
from titm_rules.world.records import Mover, Place, Situation
from titm_rules.world.world import SharedBoard

Givens = tuple[Any, ...]
_PLACES = "places"  # a name in functions that are made


class RouteKernel:
    """One route form, compiled, whose clauses do not ask what was counted on the way.

    What clauses say of the mover alone is computed once a search and kept in slots; movers with equal slots share
    tables of steps, and whole searches. A `single` kernel is for a mover of one piece, where the route moves lists of
    pieces, and takes the piece itself.
    """

    def __init__(self, program: Program, route: Route, single: bool = False) -> None:
        self.program, self.route, self.link_type = program, route, route.crossing[1].name
        self.thawed = MoverTermRewriter(program.folder, route.mover, single)
        given, mover = [name for name, _ in route.given], self.thawed.mover
        self.mover_params = [local(mover), *map(local, given)]
        fixed = frozenset((mover, *given))
        self.has_goal = bool(self._head("goal").statements)
        self.points = self._compile_points()
        self.start_barred = program.function(self._decision("start"), self.mover_params)
        end, goal = self._decision("end"), self._decision("goal")
        bar, stop = self._lowered(self._decision("step")), self._lowered(self._decision("stop"))
        costs = program.amounts(self._head("cost"), lambda term: self._lowered(self.thawed.term(term)))
        # A route to a goal is always searched as a whole, so all its terms share one set of slots.
        judged = [bar, stop, *(term for pair in costs for term in pair), *([end, goal] if self.has_goal else [])]
        self.step_slots = HoistedTerms(program, judged, fixed, self.mover_params)
        compiler = partial(StepCompiler, program, route, (bar, stop, costs), self.step_slots, self.mover_params[0])
        self._compiler, self.crossing = compiler, compiler(back=self.has_goal)
        self._class, self._flood = (self, "class"), (self, "flood")  # keys of what is remembered: `_keep`
        if self.has_goal:
            self.end_slots = self.step_slots
            self._keep(judged)
            says = StaticTerms(self.program, self.route.situation, self.step_slots.index, {self.route.entered})
            ways = [parts_of(one, "all") for one in parts_of(goal, "any")]
            site = some_of([every_of([part for part in parts if says.decides(part)]) for parts in ways])
            self.site_slots = says.slots_in([site])
            self.sites = self._compile_sites(site)
        else:
            self.end_slots = HoistedTerms(program, [end], fixed, self.mover_params)
        self.profile = self._profile() if self.has_goal and not single else None
        at_end = [*self.mover_params, local(route.entered)]
        self.end_barred = program.function(end, at_end, self.end_slots.index)
        self.is_goal = program.function(goal, at_end, self.end_slots.index)

    def _keep(self, judged: Sequence[Term]) -> None:
        """Say when floods, and nets of earlier situations, last."""
        route, locality, rests = self.route, self.program.locality, dependencies_of(self.program.model)
        fields, points = (rests.of_head(key).fields for key in (route.name, head_key(route.name, "points")))
        is_local = locality.of_terms(judged, [route.left, route.entered], self.step_slots.index)
        apart, carry = locality.apart_from_pieces(fields, route.situation), self.pass_on if is_local else None
        self.program.carried.footprints |= {
            (self, "earlier"): MemoFootprint(fields),
            self._class: MemoFootprint(points | rests.of_terms(self.step_slots.terms, route.situation).fields),
            self._flood: MemoFootprint(fields, apart, carry),
        }

    # ------------------------------------------------------------------ compiling
    def _head(self, word: str) -> Head:
        return self.program.model.heads[head_key(self.route.name, word)]

    def _decision(self, word: str) -> Term:
        """Make the condition of a head; nobody is stranded on a route that nothing interrupts."""
        folder = self.program.folder
        decision = folder.decision(self._head(word))
        if self.route.stranded in free_names(decision):
            decision = folder.fold(folder.substitute(decision, {self.route.stranded: FALSE}))
        return self.thawed.term(decision)

    def _compile_sites(self, site: Term) -> Callable[..., list[Any]]:
        """Compile the list of those of some places that the board lets be a goal."""
        here = local(self.route.entered)
        loop = ast.comprehension(ast.Name(here, ast.Store()), name(_PLACES), [], 0)
        loop.ifs.append(self.program.coder(self.step_slots.index).expr(site))
        return self.program.define([ROOT, SLOTS, _PLACES], [ast.Return(ast.ListComp(name(here), [loop]))])

    def _compile_points(self) -> Callable[..., int | None]:
        head = self._head("points")
        points = self.program.head(head.key)
        if self.thawed.single:
            body = self.program.chain(head, self.program.coder(), self.thawed.rewritten)
            points = self.program.define([ROOT, *self.mover_params], body)
        return points

    def _within(self, points: int | None) -> int:
        """Return the points of a mover, which no clause need have given."""
        if points is None:
            raise Undecided.of(head_key(self.route.name, "points"))
        return points

    def _profile(self) -> Profile | None:
        """Give the fields by which movers are alike, if a mover is one piece and nothing else distinguishes them."""
        if self.step_slots.may_be_apart or self.route.mover[1].kind != "record" or self.route.given:
            return None
        terms = [(term, self.thawed.mover) for term in self.step_slots.terms]
        return profile_of(self.program.model, terms, self._head("points"))

    def _lowered(self, term: Term) -> Term:
        """Drop the mover from the pieces at the place entered, for it stands at its start.

        INVARIANT: a cheapest route to a place never enters its start again, so steps into the
        start are never asked for. Traces to a goal may start anywhere, so they keep the mover.
        """
        if self.has_goal:
            return term

        def lower(part: Term) -> Term:
            if isinstance(part, Besides) and self.thawed.is_mover(part.other):
                base = part.base
                if isinstance(base, Standing) and isinstance(base.place, Var) and base.place.name == self.route.entered:
                    return base
            return part

        return self.thawed.map(term, lower)

    @cached_property
    def _forward(self) -> StepCompiler:
        """The steps of a search forwards: also a route to a goal can be asked for where it leads from a place."""
        return self._compiler(back=False) if self.has_goal else self.crossing

    def _tables(self, root: Situation, key: tuple[Any, Any], mover: Mover) -> StepTable:
        known: dict[Any, StepTable] = root.memo_[self, "steps"]
        found = known.get(key)
        if found is None:
            found = known[key] = StepTable(self._forward, root, key[0], mover)
        return found

    # ------------------------------------------------------------------ searching forwards
    def search(self, root: Situation, mover: Mover, given: Givens, start: Place) -> dict[Any, int]:
        """Map every place within the mover's points to its cheapest cost; the start costs 0."""
        points = self.points(root, mover, *given)
        return self._searched(root, self.step_slots.key(root, mover, given), mover, start, points)

    def _searched(
        self, root: Situation, key: tuple[Any, Any], mover: Mover, start: Place, points: int | None
    ) -> dict[Any, int]:
        """Give a search, which movers alike share."""
        known: dict[Any, dict[Any, int]] = root.memo_[self, "search"]
        full = (key, start, points)
        found = known.get(full)
        if found is None:
            tables = self._tables(root, key, mover)
            found = {start: 0}
            settle(found, tables.steps, tables.looker(root), self._within(points))
            known[full] = found  # not before: a search may be interrupted
        return found

    def may_end(
        self, root: Situation, mover: Mover, given: Givens, places: Iterable[Place], start: Place | None = None,
        key: tuple[Any, Any] | None = None,
    ) -> dict[Any, bool]:  # fmt: skip
        """Map some places, but not the start, to whether the mover may end there; `key` is shared by movers alike."""
        key = self.end_slots.key(root, mover, given) if key is None else key
        known: dict[Any, bool] = root.memo_[self, "end"].setdefault(key, {})
        for place in [place for place in places if place not in known and place is not start]:
            known[place] = not self.end_barred(root, key[0], mover, *given, place)
        return known

    def ends(self, root: Situation, mover: Mover, given: Givens, start: Place) -> dict[Any, int]:
        """Map every place but the start where the route may end to its cheapest cost; movers alike share it."""
        step_key, end_key = self.step_slots.key(root, mover, given), self.end_slots.key(root, mover, given)
        points = self.points(root, mover, *given)
        known: dict[Any, dict[Any, int]] = root.memo_[self, "ends"]
        key = (step_key, end_key, start, points)
        found = known.get(key)
        if found is None:
            reached = self._searched(root, step_key, mover, start, points)
            may_end = self.may_end(root, mover, given, reached, start, end_key)
            found = {place: cost for place, cost in reached.items() if place is not start and may_end[place]}
            known[key] = found
        return found

    def reached(self, root: Situation, mover: Mover, given: Givens, start: Place) -> dict[Any, int]:
        reached = self.search(root, mover, given, start)
        may_end = self.may_end(root, mover, given, reached)
        return {place: cost for place, cost in reached.items() if may_end[place]}

    # ------------------------------------------------------------------ searching back from goals
    def flood(self, root: Situation, mover: Mover, given: Givens) -> DistanceMap:
        """Give the costs to a goal from everywhere; one search for all movers alike.

        The caller has looked for a known map of the mover: in `known_flood`, or by its profile.
        """
        floods: dict[Any, Any] = root.memo_[self._flood]
        key, points = self.step_slots.key(root, mover, given), self.points(root, mover, *given)
        net = floods.get(key)
        if net is None:
            net = floods[key] = self._net(root, key, mover, given)
        if self.profile is None:
            root.memo_[self._class][hashable(mover)] = key, points
        found: DistanceMap | None = floods.get((key, points))
        if found is None:
            found = floods[key, points] = net.within(self._within(points))
        return found

    def known_flood(self, root: Situation, who: object) -> DistanceMap | None:
        memo = root.memo_
        kind = memo[self._class].get(who)
        found: DistanceMap | None = None if kind is None else memo[self._flood].get(kind)
        return found

    def _net(self, root: Situation, key: tuple[Any, Any], mover: Mover, given: Givens) -> SearchGraph:
        """Price all steps, or those that may be others than in an earlier situation."""
        slots, board = key[0], root.engine_.world.board

        def is_final(place: Place) -> bool:
            about = (root, slots, mover, *given, place)
            return self.is_goal(*about) and not self.end_barred(*about)

        net, changed = root.memo_[self, "earlier"].get(key, (None, frozenset()))
        finals = () if net is not None else filter(is_final, self._sites(root, board, slots))
        if self.crossing.is_gated:
            gates = self.crossing.gates(root, slots, mover)
            return UniformGraph(finals, gates) if net is None else net.renewed(changed, gates, is_final)
        into = StepTable(self.crossing, root, slots, mover).looker(root)
        return WeightedGraph(finals, self.link_type, into) if net is None else net.renewed(changed, into, is_final)

    def _sites(self, root: Situation, board: SharedBoard, slots: tuple[Any, ...]) -> list[Any]:
        key = tuple([slots[index] for index in self.site_slots])
        return board.table(self, key, lambda: self.sites(root, slots, board.places))

    def pass_on(self, before: Situation, after: Situation, changed: frozenset[Any]) -> None:
        """Let a situation know the nets of the one before; other pieces stand at the changed places."""
        earlier = {key: (net, changed | others) for key, (net, others) in before.memo_[self, "earlier"].items()}
        for key, net in before.memo_[self._flood].items():
            if isinstance(net, SearchGraph) and key[1] is None:
                earlier[key] = net, changed
        after.memo_[self, "earlier"] = earlier


class FloodsAlike:
    """The floods of one route that are `known`, by the profile of the mover."""

    __slots__ = ("_kernel", "_root", "known", "profile")

    def __init__(self, kernel: RouteKernel, profile: Profile, root: Situation) -> None:
        self._kernel, self._root, self.profile = kernel, root, profile
        self.known: dict[Any, DistanceMap] = {}

    def of(self, mover: Mover) -> DistanceMap:
        found = self.known[self.profile(mover)] = self._kernel.flood(self._root, mover, ())
        return found
