"""Supply lines: what every trace of a route passes, and the fewest losses that leave no trace (network interdiction).

A loss may be the end of many steps, or a higher price for some movers, so that the cut of a graph does not decide it.
The fewest are a minimum hitting set over traces: each trace that is left, whatever is lost, names losses of which one
more is needed. The engine evaluates the steps, a few worlds with many losses that are too far apart to touch one step;
and it is asked again for each cut that is listed.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from titm_rules.catalog import game_folder
from titm_rules.diagnostics import cut, did_you_mean
from titm_rules.engines.engine import Engine, first_place
from titm_rules.explain.relaxed_search import JudgedStep, StepJudge, barring
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.ir.dependencies import told_apart_by, tracing_questions
from titm_rules.ir.model import Model, RecordSpec, Route, head_key
from titm_rules.oracle.position import Position
from titm_rules.play.machine import resolve
from titm_rules.world.change_set import leads_to_piece
from titm_rules.world.records import Piece, all_links
from titm_rules.world.world import World

if TYPE_CHECKING:
    from titm_rules.formats.file_schemas import LinesFile, LostField

LINES_FILE = "lines.yaml"
MOST_LOSSES = 8  # cuts of more are not looked for
MAX_EFFORT = 1_000_000  # of a search for the fewest losses, in sets of losses looked at
TRACE_EFFORT = 400  # a trace takes as long as so many of them
MAX_LABELS = 20_000
CONNECTION, PLACE = "connection", "place"
KINDS = (CONNECTION, PLACE)
Json = dict[str, Any]


# ---------------------------------------------------------------------- results
@dataclass(frozen=True, order=True)
class LineLoss:
    """A connection that is lost, or a place that an enemy holds; `text` says it, or what undoes it."""

    kind: str
    id: str
    text: str

    def to_dict(self) -> Json:
        return {"kind": self.kind, "id": self.id, "text": self.text}


@dataclass(frozen=True)
class Cut:
    """Losses that together leave some pieces without a trace; for pieces that have none, what would give them one.

    Attributes:
        losses: each is necessary.
        pieces: all pieces of the side that these change.
        clauses: those that leave the first of the pieces without a trace; of what gives one, those that allow it.
        reach: by loss, who of the side to move can bring it about in this impulse; None if that was not asked.
    """

    losses: tuple[LineLoss, ...]
    pieces: tuple[str, ...]
    clauses: tuple[str, ...]
    reach: Mapping[LineLoss, Sequence[str]] | None = None

    def to_dict(self) -> Json:
        losses = [loss.to_dict() for loss in self.losses]
        if self.reach is not None:
            losses = [told | {"by": list(self.reach[loss])} for told, loss in zip(losses, self.losses, strict=True)]
        return {"losses": losses, "pieces": list(self.pieces), "clauses": list(self.clauses)}


@dataclass(frozen=True)
class SupplyLines:
    """The traces of a piece, or of all pieces of a side.

    Attributes:
        of: the piece or the side.
        route: the route that is traced.
        pieces: those that have a trace, in the order of the position.
        places: those that every trace of all these enters; `connections` likewise.
        pockets: each single loss that cuts off some of them.
        size: the fewest losses that cut off all that can be; None if none do, or more than are looked for.
        at_least: so many losses are needed in any case; 0 if no losses are enough.
        cuts: those of that size; if not `is_all`, there are more.
        safe: the pieces that no losses cut off.
        restores: for pieces without a trace, the fewest losses to undo; each is one way.
        lost_for_good: the pieces without a trace that nothing of the kind would give one.
    """

    of: str
    route: str
    pieces: tuple[str, ...]
    places: tuple[str, ...]
    connections: tuple[str, ...]
    pockets: tuple[Cut, ...]
    size: int | None
    at_least: int
    cuts: tuple[Cut, ...]
    is_all: bool
    safe: tuple[str, ...]
    restores: tuple[Cut, ...]
    lost_for_good: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Say in one sentence what cuts the line."""
        if not self.pieces:
            undone = ", ".join(loss.text for one in self.restores[:1] for loss in one.losses)
            would = f"; what would give it one: {undone}" if undone else ""
            return f"{self.of} has no trace{would}." if self.of in self.lost else f"No piece of {self.of} has a trace."
        if self.size is None:
            least = f"at least {self.at_least} are needed" if self.at_least else "no losses are enough"
            return f"Losses that cut off {self.of}: {least}."
        first = ", ".join(loss.text for loss in self.cuts[0].losses) if self.cuts else ""
        number = f"{'' if self.is_all else 'more than '}{len(self.cuts)}"
        ways = f"one of {number} ways" if number != "1" else "the one way"
        return f"Fewest losses that cut off {self.of}: {self.size}; {ways}: {first}."

    @property
    def lost(self) -> tuple[str, ...]:
        """The pieces without a trace."""
        return tuple(dict.fromkeys(name for one in self.restores for name in one.pieces)) + self.lost_for_good

    def to_dict(self) -> Json:
        """Give everything as JSON values."""
        told: Json = {"of": self.of, "route": self.route, "size": self.size, "at_least": self.at_least}
        for name in ("pieces", "places", "connections", "safe", "lost_for_good"):
            told[name] = list(getattr(self, name))
        for name in ("pockets", "cuts", "restores"):
            told[name] = [one.to_dict() for one in getattr(self, name)]
        return {**told, "complete": self.is_all}


def supply_lines(
    position: Position, of: str, *, route: str = "", kinds: Sequence[str] = (), top: int = 10, reach: bool = False,
    at: str = "$.input.",
) -> SupplyLines:  # fmt: skip
    """Find what holds the traces of a piece or a side together; see `SupplyLines`.

    Args:
        position: where the pieces stand.
        of: a side, or a piece on the board.
        route: the route that is traced; default: the first that leads pieces to a goal.
        kinds: the losses that count: of connections, of places; default: both.
        top: so many cuts are listed, and so many ways for each piece without a trace.
        reach: whether to add which losses the side to move can bring about in this impulse.
        at: stands before the names of inputs in errors.

    Raises `InputError` for an unknown piece, side, route or kind of loss.
    """
    unknown = next((kind for kind in kinds if kind not in KINDS), None)
    if unknown is not None:
        what, fix = f"`{cut(unknown)}` is not a kind of loss", f"known: {', '.join(KINDS)}"
        raise bad(what, f"{at}kinds", fix, "bad-value")
    form = _route(position, route, f"{at}route")
    side, pieces = _named(position, of, f"{at}of")
    board = _board(position, form.name, side)
    found = _Search(board, kinds or KINDS, top).lines(of, pieces)
    if not reach:
        return found
    able = _able(board, {loss for one in (*found.cuts, *found.pockets) for loss in one.losses})
    cuts, pockets = ([replace(one, reach={loss: able[loss] for loss in one.losses}) for one in which]
                     for which in (found.cuts, found.pockets))  # fmt: skip
    return replace(found, cuts=tuple(cuts), pockets=tuple(pockets))


def _route(position: Position, name: str, path: str) -> Route:
    model = position.edition.model
    forms = (model.forms[one] for one in tracing_questions(model).values())
    known = {one.name: one for one in forms if isinstance(one, Route) and one.situation == position.situation
             and one.mover[1].name in model.records and not one.ranks and not one.counters}  # fmt: skip
    found = known.get(name) if name else next(iter(known.values()), None)
    if found is None:
        what = f"no route `{cut(name)}` leads to a goal here" if name else "no route of a piece leads to a goal here"
        raise bad(what, path, did_you_mean(name, known), "unknown-name")
    return found


def _named(position: Position, of: str, path: str) -> tuple[str, list[str]]:
    """Return a side and its pieces on the board: all, or the one that is named."""
    spec = _piece_spec(position)
    side = _side_field(position, spec)
    units = {name: unit for name, unit in position.units.items() if unit["place"] is not None}
    if of in units:
        return str(units[of][side]), [of]
    if position.names_a_side(of):
        named = next(one for one in spec.fields if one.json == side)
        texts = position.edition.model.enums[named.type.name]
        meant = next(text for text in position.sides if text == of or texts.read.get(of) == texts.read.get(text))
        return meant, [name for name, unit in units.items() if unit[side] == meant]
    known = [*position.sides, *units]
    raise bad(f"`{cut(of)}` is neither a side nor a piece on the board", path, did_you_mean(of, known), "unknown-name")


def _piece_spec(position: Position) -> RecordSpec:
    return next(one for one in position.edition.model.records.values() if one.role == "piece")


def _side_field(position: Position, spec: RecordSpec) -> str:
    enums = position.edition.model.enums
    return next(
        one.json for one in spec.fields if one.type.kind == "enum" and enums[one.type.name].texts[0] in position.sides
    )


# ---------------------------------------------------------------------- what can be lost
@lru_cache(maxsize=8)
def read_lines(game: str) -> LinesFile:
    """Read what a rule set says may cut a line; nothing without a file. Raises `InputError` for its faults."""
    from titm_rules.formats.file_schemas import LinesFile  # pydantic takes a fifth of a check
    from titm_rules.formats.record_schemas import validate_as

    path = game_folder(game) / LINES_FILE
    return validate_as(LinesFile, read_data(path), str(path)) if path.exists() else LinesFile(format=1)


class PricedStep(NamedTuple):
    """A step, and the losses that change it: by the bit of each, what it adds to the cost (None: it bars the step)."""

    entered: int
    link: str
    cost: int
    stops: bool
    effects: tuple[tuple[int, int | None], ...]
    mask: int


class FoundTrace(NamedTuple):
    """A trace: the places that it enters, its connections, and the losses that may change it."""

    places: tuple[int, ...]
    links: tuple[str, ...]
    mask: int


@lru_cache(maxsize=4)
def _board(position: Position, route: str, side: str) -> _Board:
    form = position.edition.model.forms[route]
    assert isinstance(form, Route)
    return _Board(position, form, side)


class _Board:
    """A position, with worlds in which some losses have happened, or some of those there are have not."""

    def __init__(self, position: Position, route: Route, side: str) -> None:
        self.position, self.route, self.side = position, route, side
        self.model: Model = position.edition.model
        self.world = position.world
        self.declared = read_lines(position.edition.game)
        self.spec = _piece_spec(position)
        self.side_field = _side_field(position, self.spec)
        self.foe = next((one for one in position.sides if one != side), side)
        fields = self.model.records[position.situation].fields
        self.list_of = {one.type.name: one.json for one in fields if one.owns}
        self.places: list[Any] = list(self.world.places)
        self.number = {place.id: number for number, place in enumerate(self.places)}
        own = position.units.items()
        self.names = {name for name, _ in own}
        self.own = {name: unit["place"] for name, unit in own if unit[self.side_field] == side and unit["place"]}
        self.foes = {name: unit["place"] for name, unit in own if unit[self.side_field] != side and unit["place"]}

    @cached_property
    def lost_field(self) -> LostField | None:
        """How a connection is lost: as a route over such connections is interrupted, or as the rule set declares."""
        from titm_rules.formats.file_schemas import LostField

        crossed = self.route.crossing[1].name
        for form in self.model.forms.values():
            if isinstance(form, Route) and form.interruption_field and form.crossing[1].name == crossed:
                fields = self.model.records[crossed].fields
                spec = next(one for one in fields if one.name == form.interruption_field)
                texts = self.model.enums[spec.type.name].texts
                before, after = texts[form.interruption_before], texts[form.interruption_value]
                return LostField(field=spec.json, before=before, after=after)
        return self.declared.lost

    def _of_links(self, now: str, then: str) -> list[LineLoss]:
        """List the connections whose field has one value, with the words for another."""
        assert self.lost_field is not None
        name = self.lost_field.field
        rows = self.position.world.data.get(self.list_of[self.route.crossing[1].name], ())
        return [LineLoss(CONNECTION, row["id"], f"{name} {row['id']} {then}") for row in rows if row.get(name) == now]

    @cached_property
    def cutting(self) -> _Network:
        """The network in which what may still be lost is lost."""
        declared, lost = self.declared, self.lost_field
        losses = self._of_links(lost.before, lost.after) if lost else []
        taken = {*self.foes.values(), *(() if declared.beside_enemies else self.own.values())}
        if declared.holder is not None:
            held = (one.id for one in self.places if one.record_ in declared.holds and one.id not in taken)
            losses += [LineLoss(PLACE, one, f"enemies at {one}") for one in held]
        return _Network(self, losses, lambda some: self.changed(some, ()))

    @cached_property
    def restoring(self) -> _Network:
        """The network in which all is as if nothing were lost; its losses are those that there are."""
        lost = self.lost_field
        losses = self._of_links(lost.after, lost.before) if lost else []
        losses += [LineLoss(PLACE, one, f"no enemies at {one}") for one in dict.fromkeys(self.foes.values())]
        return _Network(self, losses, lambda some: self.changed((), [one for one in losses if one not in some]))

    def confirmed(self, losses: tuple[LineLoss, ...], pieces: Sequence[str], undone: bool = False) -> Cut:
        """Ask the engine in the world where losses have happened, or not, and say which clauses decide.

        Raises `InputError` if the engine does not agree.
        """
        world = self.changed((), losses) if undone else self.changed(losses, ())
        engine = self.position.edition.engine_for(self.model, world)
        for name in pieces:
            piece = world.named(self.spec.name, name)
            if (engine.trace(self.route, piece, piece.place) is not None) != undone:
                what = f"the trace of {name} does not depend on {'; '.join(one.text for one in losses)} as it should"
                fix = f"raise `closes` in {LINES_FILE} to as far as a piece may matter"
                raise bad(what, LINES_FILE, fix, "bad-value")
        net = self.restoring if undone else self.cutting
        lost = sum(1 << number for number, one in enumerate(net.losses) if one not in losses) if undone else 0
        trace = net.table(pieces[0]).trace(self.number[self.own[pieces[0]]], lost)
        assert trace is not None
        judge = StepJudge(self.model, engine, self.route, world.named(self.spec.name, pieces[0]), {})
        return Cut(losses, tuple(pieces), tuple(dict.fromkeys(self._clauses(engine, judge, trace))))

    def _clauses(self, engine: Engine, judge: StepJudge, trace: FoundTrace) -> Iterator[str]:
        """Name the clauses that bar a trace, with those that make it too dear; or, if none do, those of its goal."""
        steps: list[JudgedStep] = []
        start: Any = first_place(judge.mover)
        at = start
        for number, name in zip(trace.places, trace.links, strict=True):
            id_ = self.places[number].id
            link, entered = next(pair for pair in judge.ways(at) if str(pair[0].id) == name and pair[1].id == id_)
            steps.append(judge.cross(link, at, entered))
            at = entered
        heads = list(barring(judge, start, steps))
        if any(key == judge.key("points") for key, _ in heads):
            heads += [(judge.key("cost"), judge.along(step)) for step in steps if step.cost]
        for key, env in heads or [(judge.key("goal"), judge.end(at))]:
            yield from (one.clause for one in engine.said(key, env))

    def changed(self, lost: Sequence[LineLoss], undone: Sequence[LineLoss]) -> World:
        """Give the world in which some losses have happened, and others have not."""
        return resolve(self.model, self.position.situation, self.data(lost, undone), self.world)

    def data(self, lost: Sequence[LineLoss], undone: Sequence[LineLoss]) -> Json:
        data, rule = dict(self.position.world.data), self.lost_field
        states = {one.id: rule.after for one in lost if rule and one.kind == CONNECTION}
        states |= {one.id: rule.before for one in undone if rule and one.kind == CONNECTION}
        if states and rule:
            name = self.list_of[self.route.crossing[1].name]
            data[name] = [{**row, rule.field: states[row["id"]]} if row["id"] in states else row for row in data[name]]
        cleared = {one.id for one in undone if one.kind == PLACE}
        gone = {name for name, place in self.foes.items() if place in cleared}
        if gone:
            data = self._without(data, gone)
        held = [one.id for one in lost if one.kind == PLACE]
        if held:
            name = self.list_of[self.spec.name]
            holder = {**(self.declared.holder or {}), self.side_field: self.foe}
            numbers = range(len(held) + len(self.names))
            free = (one for one in (f"holder-{n}" for n in numbers) if one not in self.names)
            rows = [{"id": one, **holder, "place": place} for one, place in zip(free, held, strict=False)]
            data[name] = [*data[name], *rows]
        return data

    def _without(self, data: Json, gone: set[str]) -> Json:
        """Take pieces away, and what names them."""
        found = dict(data)
        for spec in self.model.records[self.position.situation].fields:
            if spec.json not in found:
                continue
            record = self.model.records.get(spec.type.name)
            if spec.owns and record is not None:
                naming = [one.json for one in record.fields if leads_to_piece(self.model, one.type)]
                rows = [row for row in found[spec.json] if record.role != "piece" or row["id"] not in gone]
                if record.role == "piece":
                    found[spec.json] = [
                        {name: value for name, value in row.items() if name not in naming or value not in gone}
                        for row in rows
                    ]
                elif naming:
                    found[spec.json] = [row for row in rows if not any(row.get(name) in gone for name in naming)]
            elif leads_to_piece(self.model, spec.type):
                value = found[spec.json]
                if isinstance(value, list):
                    found[spec.json] = [one for one in value if one not in gone]
                elif value in gone:
                    del found[spec.json]
        return found

    @cached_property
    def near(self) -> list[list[int]]:
        """For each place, those that a piece there may matter to."""
        beside = [[self.number[end.id] for link, _ in all_links(place) for end in link.ends] for place in self.places]
        found = [{number} for number in range(len(self.places))]
        for _ in range(self.declared.closes):
            found = [known.union(*(beside[one] for one in known)) for known in found]
        return [sorted(one) for one in found]

    @cached_property
    def telling(self) -> Callable[[Piece], Any]:
        """Make a key that is the same for pieces whose traces the clauses cannot tell apart."""
        names = told_apart_by(self.model, self.route)
        return lambda piece: piece.id if names is None else tuple(getattr(piece, name) for name in names)

    def groups(self, losses: Sequence[LineLoss]) -> list[list[int]]:
        """Share losses out, by number, so that no two of a group change one step: a greedy colouring."""
        groups: list[list[int]] = [[number for number, one in enumerate(losses) if one.kind == CONNECTION]]
        beside = [{self.number[end.id] for link, _ in all_links(place) for end in link.ends} for place in self.places]
        touched: list[set[int]] = []
        for number, one in enumerate(losses):
            if one.kind == CONNECTION:
                continue
            near = set(self.near[self.number[one.id]])
            wide = near.union(*(beside[place] for place in near))
            for group, those in zip(groups[1:], touched, strict=True):
                if not those & wide:
                    group.append(number)
                    those |= near
                    break
            else:
                groups.append([number])
                touched.append(set(near))
        return [group for group in groups if group]


class _World(NamedTuple):
    """A world with an engine, and the losses that have happened in it, by what each may matter to."""

    engine: Engine
    world: World
    by_link: Mapping[str, int]
    by_place: Mapping[int, int]


class _Network:
    """The steps and goals of a route for all kinds of pieces of a side, and what each loss changes."""

    def __init__(
        self, board: _Board, losses: list[LineLoss], world_with: Callable[[Sequence[LineLoss]], World]
    ) -> None:
        self.board, self.losses, self._world_with = board, losses, world_with
        self.whole = (1 << len(losses)) - 1
        self._tables: dict[Any, _Table] = {}
        self._single: dict[int, _World] = {}

    @cached_property
    def _worlds(self) -> list[_World]:
        """Make the world of no loss, then one for each group of losses."""
        board, found = self.board, []
        for group in [[], *board.groups(self.losses)]:
            some = [(number, self.losses[number]) for number in group]
            links = {one.id: number for number, one in some if one.kind == CONNECTION}
            held = [(number, board.number[one.id]) for number, one in some if one.kind == PLACE]
            near = {place: number for number, stands in held for place in board.near[stands]}
            found.append(self._world_of([one for _, one in some])._replace(by_link=links, by_place=near))
        return found

    def _world_of(self, losses: Sequence[LineLoss]) -> _World:
        world = self._world_with(losses)
        return _World(self.board.position.edition.engine_for(self.board.model, world), world, {}, {})

    def table(self, piece: str) -> _Table:
        """Return the steps of a piece, shared by pieces that the clauses do not tell apart, or with the same steps."""
        key = self.board.telling(self.board.world.named(self.board.spec.name, piece))
        if key not in self._tables:
            made = self._made(piece)
            self._tables[key] = next((one for one in self._tables.values() if one.is_like(made)), made)
        return self._tables[key]

    def _made(self, piece: str) -> _Table:
        board, route = self.board, self.board.route
        first, *rest = self._worlds
        base, goals = self._steps(first, piece), dict.fromkeys(self._goals(first, piece, range(len(board.places))), 0)
        effects: dict[StepKey, list[tuple[int, int | None]]] = defaultdict(list)
        for one in rest:
            steps = self._steps(one, piece)
            for key, (link, cost, stops) in base.items():
                after = steps.get(key)
                if after is None or after[1:] != (cost, stops):
                    loss = one.by_link.get(link, one.by_place.get(key[1], one.by_place.get(key[0])))
                    if loss is not None:
                        is_dearer = after is not None and after[2] == stops
                        effects[key].append((1 << loss, after[1] - cost if after and is_dearer else None))
            for number in goals.keys() - set(self._goals(one, piece, list(goals))):
                goals[number] |= self._unmaking(one, piece, number)
        mover = {route.mover[0]: first.world.named(board.spec.name, piece)}
        found: list[list[PricedStep]] = [[] for _ in board.places]
        for key, (link, cost, stops) in base.items():
            mask = sum(bit for bit, _ in effects[key])
            found[key[0]].append(PricedStep(key[1], link, cost, stops, tuple(effects[key]), mask))
        return _Table(found, goals, first.engine.decide(head_key(route.name, "points"), mover))

    def _steps(self, at: _World, piece: str) -> dict[StepKey, tuple[str, int, bool]]:
        route, numbers = self.board.route, self.board.number
        mover = at.world.named(self.board.spec.name, piece)
        return {
            (number, numbers[entered.id], f"{link.record_} {link.index_}"): (str(link.id), cost, stops)
            for number, place in enumerate(at.world.places)
            for link, entered, cost, stops, _ in at.engine.steps(route, mover, {}, place)
        }

    def _unmaking(self, at: _World, piece: str, goal: int) -> int:
        """Return the losses of a world that unmake a goal: the one there, if no other may matter; or each that does."""
        if goal in at.by_place and not self.board.declared.closes:
            return 1 << at.by_place[goal]
        happened = (*at.by_link.values(), *at.by_place.values())
        unmakes = (number for number in set(happened) if not any(self._goals(self._alone(number), piece, [goal])))
        return sum(1 << number for number in unmakes)

    def _alone(self, number: int) -> _World:
        if number not in self._single:
            self._single[number] = self._world_of([self.losses[number]])
        return self._single[number]

    def _goals(self, at: _World, piece: str, among: Iterable[int]) -> Iterator[int]:
        """Yield the places where a trace may end."""
        route, mover = self.board.route, at.world.named(self.board.spec.name, piece)
        for number in among:
            env = {route.mover[0]: mover, route.entered: at.world.places[number]}
            is_goal = at.engine.decide(head_key(route.name, "goal"), env)
            if is_goal and not at.engine.decide(head_key(route.name, "end"), env):
                yield number


# ---------------------------------------------------------------------- traces
StepKey = tuple[int, int, str]


@dataclass(frozen=True, eq=False)
class _Table:
    """The steps out of each place; the goals, each with the losses that unmake it; and the points of a trace."""

    steps: list[list[PricedStep]]
    goals: Mapping[int, int]
    points: int

    def is_like(self, other: _Table) -> bool:
        return (self.steps, self.goals, self.points) == (other.steps, other.goals, other.points)

    def trace(self, start: int, lost: int = 0, without: tuple[str, Any] = ("", None)) -> FoundTrace | None:
        """Find a trace of the fewest steps that some losses leave, and that does not pass one thing."""
        kind, avoided = without
        if start in self.goals and not self.goals[start] & lost:
            return FoundTrace((), (), self.goals[start])
        best = {start: 0}
        layer: list[_Label] = [(start, 0, None, None)]
        while layer:
            following: list[_Label] = []
            for label in layer:
                for step in self.steps[label[0]]:
                    price = _price(step, lost) if step.mask & lost else step.cost
                    if price is None or avoided == (step.link if kind == CONNECTION else step.entered):
                        continue
                    spent = label[1] + price
                    if spent > self.points or spent >= best.get(step.entered, spent + 1):
                        continue
                    after = step.entered, spent, label, step
                    if step.entered in self.goals and not self.goals[step.entered] & lost:
                        return _traced(after, self.goals[step.entered])
                    if not step.stops:
                        best[step.entered] = spent
                        following.append(after)
            layer = following
        return None

    def restored(self, start: int, whole: int, wanted: int, top: int) -> list[int]:
        """Find the fewest losses that have to be undone for a trace: label setting, by the losses undone and the cost.

        All losses there are stand until they are undone, which only those that are wanted may be. Gives the
        first `top`, none if nothing is found.
        """
        waiting: list[tuple[int, int, int, int]] = [(0, 0, 0, start)]  # how many, spent, which, where
        known: dict[int, list[tuple[int, int]]] = defaultdict(list)
        found: list[int] = []
        made = 0
        while waiting:
            number, spent, undone, place = heapq.heappop(waiting)
            if found and number > found[0].bit_count():
                break
            if any(other & ~undone == 0 and its <= spent for other, its in known[place]):
                continue
            known[place].append((undone, spent))
            made += 1
            if made > MAX_LABELS:
                return []
            if place == GOAL:
                found.append(undone)
                if len(found) == top:
                    break
                continue
            if place in self.goals:
                after = undone | self.goals[place]
                if not after & ~wanted:
                    heapq.heappush(waiting, (after.bit_count(), 0, after, GOAL))
            for step in self.steps[place]:
                for more in _undoings(step, undone, whole):
                    if more & ~wanted:
                        continue
                    price = _price(step, whole & ~(undone | more))
                    leads_on = not step.stops or step.entered in self.goals
                    if price is not None and spent + price <= self.points and leads_on:
                        after = undone | more
                        heapq.heappush(waiting, (after.bit_count(), spent + price, after, step.entered))
        return found


_Label = tuple[int, int, Any, PricedStep | None]  # a place, what was spent, the label and the step before it
GOAL = -1


def _price(step: PricedStep, lost: int) -> int | None:
    """Return the cost of a step when some losses have happened; None if one of them bars it."""
    price = step.cost
    for bit, more in step.effects:
        if bit & lost:
            if more is None:
                return None
            price += more
    return price


def _undoings(step: PricedStep, undone: int, whole: int) -> Iterator[int]:
    """Yield the sets of losses to undo for a step: those that bar it, with any that raise its cost."""
    left = [(bit, more) for bit, more in step.effects if bit & whole & ~undone]
    must = sum(bit for bit, more in left if more is None)
    dear = [bit for bit, more in left if more is not None]
    for size in range(len(dear) + 1):
        for some in combinations(dear, size):
            yield must + sum(some)


def _traced(label: _Label, mask: int) -> FoundTrace:
    places, links = [], []
    at: Any = label
    while at[3] is not None:
        places.append(at[0])
        links.append(at[3].link)
        mask |= at[3].mask
        at = at[2]
    return FoundTrace(tuple(places[::-1]), tuple(links[::-1]), mask)


# ---------------------------------------------------------------------- fewest losses
class TooMuchEffort(Exception):
    """A search has taken too long."""


Start = tuple[_Table, int]


class _HittingSets:
    """Minimum hitting sets over traces that are found as needed (implicit hitting sets, iterative deepening).

    A trace that is left when some losses have happened says that every cut needs one more of those that may change it.
    """

    def __init__(self, starts: Sequence[Start], allowed: int) -> None:
        self.starts, self.allowed = list(starts), allowed
        self._pool: dict[int, None] = {}  # sets of losses; each cut has one of each
        self._left = MAX_EFFORT
        self.at_least = 0  # so many losses are needed

    def fewest(self, top: int) -> list[int] | None:
        """List the cuts of the least size, up to `top` and one more; None if they are larger than is looked for.

        Raises `TooMuchEffort`.
        """
        if not self.starts:
            return []
        lost = 0
        while (needed := self._traced(lost)) is not None:  # traces that no loss changes two of
            self.at_least += 1
            lost |= needed
        for size in range(self.at_least, MOST_LOSSES + 1):
            self.at_least = size
            found: list[int] = []
            self._search(0, self.allowed, size, top + 1, found)
            if found:
                return found
        return None

    def _search(self, lost: int, open_: int, left: int, most: int, found: list[int]) -> None:
        """Add losses among those that are open, at most so many, until no trace is left."""
        needed = self._needed(lost, open_, left)
        if needed is None:
            return
        if not needed:
            found.append(lost)
            return
        for bit in _bits(needed & open_):
            self._search(lost | bit, open_ & ~bit, left - 1, most, found)
            open_ &= ~bit
            if len(found) >= most:
                return

    def _needed(self, lost: int, open_: int, left: int) -> int | None:
        """Return losses of which one more is needed, 0 if none is; None if those that are left cannot be enough."""
        best = disjoint = seen = 0
        self._spend(len(self._pool))
        for one in self._pool:
            if one & lost:
                continue
            some = one & open_
            if not best or some.bit_count() < (best & open_).bit_count():
                best = one
            if not some & seen:
                seen |= some
                disjoint += 1
                if disjoint > left or not some:
                    return None
        if best:
            return best
        needed = self._traced(lost)
        if needed is None:
            return 0
        return needed if left and needed & open_ else None

    def _traced(self, lost: int) -> int | None:
        """Return the losses that may change a trace which some losses leave; None if they leave none."""
        for number, (table, start) in enumerate(self.starts):
            self._spend(TRACE_EFFORT)
            trace = table.trace(start, lost)
            if trace is not None:
                needed = trace.mask & self.allowed & ~lost
                self._pool[needed] = None
                self.starts.insert(0, self.starts.pop(number))  # it is likely to be left next time too
                return needed
        return None

    def _spend(self, effort: int) -> None:
        self._left -= effort
        if self._left < 0:
            raise TooMuchEffort


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


# ---------------------------------------------------------------------- all together
class _Search:
    """Finds what holds the traces of some pieces together."""

    def __init__(self, board: _Board, kinds: Sequence[str], top: int) -> None:
        self.board, self.top, self.kinds = board, top, kinds
        self.net = board.cutting
        self.allowed = sum(1 << number for number, one in enumerate(self.net.losses) if one.kind in kinds)
        starts = {name: (self.net.table(name), board.number[place]) for name, place in board.own.items()}
        known = {one: one[0].trace(one[1]) is not None for one in set(starts.values())}
        self.tracing: dict[str, Start] = {name: one for name, one in starts.items() if known[one]}

    def lines(self, of: str, pieces: Sequence[str]) -> SupplyLines:
        starts = list(dict.fromkeys(self.tracing[name] for name in pieces if name in self.tracing))
        safe = {one for one in starts if one[0].trace(one[1], self.allowed) is not None}
        places, links = self._vital(starts)
        loose = [one for one in starts if one not in safe]
        hitting = _HittingSets(loose, self.allowed)
        try:
            cuts, is_all = hitting.fewest(self.top), True
        except TooMuchEffort:
            cuts, is_all = None, False
        listed = (cuts or [])[: self.top]
        restores, for_good = self._restores([name for name in pieces if name not in self.tracing])
        return SupplyLines(
            of=of, route=self.board.route.name, pieces=tuple(name for name in pieces if name in self.tracing),
            places=places, connections=links, pockets=self._pockets(loose),
            size=listed[0].bit_count() if listed else None, at_least=hitting.at_least if loose else 0,
            cuts=tuple(self._cut(one) for one in listed), is_all=is_all and len(cuts or []) <= self.top,
            safe=tuple(name for name in pieces if self.tracing.get(name) in safe),
            restores=restores, lost_for_good=for_good,
        )  # fmt: skip

    def _vital(self, starts: Sequence[Start]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name what every trace of all passes: dominators of the goals, tried one by one on a shortest trace."""
        found: list[list[Any]] = []
        for kind in (PLACE, CONNECTION):
            left: list[Any] | None = None
            for table, start in starts:
                trace = table.trace(start)
                assert trace is not None
                passed = trace.places if kind == PLACE else trace.links
                left = [one for one in passed if left is None or one in left]
                tried: set[Any] = set()
                while (one := next((one for one in left if one not in tried), None)) is not None:
                    tried.add(one)
                    other = table.trace(start, without=(kind, one))
                    if other is not None:
                        left = [one for one in left if one in (other.places if kind == PLACE else other.links)]
            found.append(left or [])
        return tuple(self.board.places[one].id for one in found[0]), tuple(found[1])

    def _pockets(self, starts: Iterable[Start]) -> tuple[Cut, ...]:
        """Find each single loss that cuts off some pieces, with all that it cuts off, the most first."""
        single = 0
        for table, start in starts:
            trace = table.trace(start)
            assert trace is not None
            left, tried = trace.mask & self.allowed, 0
            while bit := next(_bits(left & ~tried), 0):
                tried |= bit
                other = table.trace(start, bit)
                if other is not None:  # no other loss cuts it off that does not change this one
                    left &= other.mask & ~bit
            single |= left
        found = sorted(_bits(single), key=lambda bit: (-len(self._without_trace(bit)), bit))
        return tuple(self._cut(bit) for bit in found[: self.top])

    def _without_trace(self, lost: int) -> list[str]:
        known: dict[Start, bool] = {}
        for table, start in self.tracing.values():
            if (table, start) not in known:
                known[table, start] = table.trace(start, lost) is None
        return [name for name, start in self.tracing.items() if known[start]]

    def _cut(self, lost: int) -> Cut:
        return self.board.confirmed(_losses(self.net, lost), self._without_trace(lost))

    def _restores(self, pieces: Sequence[str]) -> tuple[tuple[Cut, ...], tuple[str, ...]]:
        """Find for pieces without a trace the fewest losses to undo; those with the same ways are together."""
        ways: dict[tuple[LineLoss, ...], list[str]] = defaultdict(list)
        for_good: list[str] = []
        net = self.board.restoring
        wanted = sum(1 << number for number, one in enumerate(net.losses) if one.kind in self.kinds)
        known: dict[Start, list[int]] = {}
        for name in pieces:
            start = net.table(name), self.board.number[self.board.own[name]]
            if start not in known:
                known[start] = start[0].restored(start[1], net.whole, wanted, self.top)
            for undone in known[start]:
                ways[_losses(net, undone)].append(name)
            if not known[start]:
                for_good.append(name)
        found = (self.board.confirmed(losses, names, undone=True) for losses, names in ways.items())
        return tuple(found), tuple(for_good)


def _losses(net: _Network, some: int) -> tuple[LineLoss, ...]:
    return tuple(sorted(one for number, one in enumerate(net.losses) if some >> number & 1))


# ---------------------------------------------------------------------- who can
def _able(board: _Board, losses: Iterable[LineLoss]) -> dict[LineLoss, list[str]]:
    """Name for each loss the pieces that may end where it is, or the actions that may bring it about."""
    position, able = board.position, {loss: list[str]() for loss in losses}
    by_place = {loss.id: names for loss, names in able.items() if loss.kind == PLACE}
    if board.foe in position.to_act and by_place:
        for name in board.foes:
            for place in ends_of(position, [name]):
                if place in by_place:
                    by_place[place].append(name)
    by_link = {loss.id: names for loss, names in able.items() if loss.kind == CONNECTION}
    lost = board.lost_field
    for option in position.options if by_link and lost else ():
        for link in by_link.keys() & {value for _, value in option.action.choices if isinstance(value, str)}:
            if any(_has_lost(after, board, link) for _, _, after in position.outcomes(option.action)):
                by_link[link].append(str(option.action))
    return able


def _has_lost(after: Position, board: _Board, link: str) -> bool:
    assert board.lost_field is not None
    rows = after.world.data.get(board.list_of[board.route.crossing[1].name], ())
    return any(row["id"] == link and row.get(board.lost_field.field) == board.lost_field.after for row in rows)


def ends_of(position: Position, pieces: Sequence[str]) -> Mapping[str, int]:
    """Map the places where pieces may end together in one move to what it costs; empty if the rules list none."""
    model = position.edition.model
    for question in model.questions.values():
        route = model.forms.get(question.form)
        if question.ask != "ends" or question.situation != position.situation or not isinstance(route, Route):
            continue
        spec = next((one for one in question.inputs if one.type.name == _piece_spec(position).name), None)
        if spec is None or (spec.type.kind != "set" and len(pieces) > 1):
            continue
        given = {spec.json: list(pieces) if spec.type.kind == "set" else pieces[0]}
        answer = position.asked(question.name, given).answer()
        found = answer.get(question.names[0], {}) if question.names else {}
        return found if isinstance(found, dict) else dict.fromkeys(found, 0)
    return {}
