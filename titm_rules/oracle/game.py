"""Games: recorded courses of actions, and players.

The players have no knowledge of a game. The rule set gives the standing of each side (`victory on ...: standing`);
without it they see only the result of a game that is over.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from titm_rules.catalog import check_game, game_name, scenario_folder
from titm_rules.diagnostics import Fault, InputError, TitmError, cut, did_you_mean
from titm_rules.editions.house_rules import Overlay, shipped_overlays
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.case_files import find_case, shipped_cases
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.case import COMMA, Rules, is_notation, open_board, open_case
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action
from titm_rules.play.machine import Happened
from titm_rules.syntax.game_record import GameRecord, RecordedAction

# Given a position, some of its legal actions (one at least) and a source of chance, chooses one of the actions.
Policy = Callable[[Position, Collection[Action], random.Random], Action]


def throw(position: Position, action: Action, chance: random.Random) -> tuple[int, ...]:
    """Throw the dice of an action: a face for each; empty if it throws none."""
    dice = position.dice(action)
    return tuple(chance.randint(dice.low, dice.high) for _ in range(dice.count)) if dice is not None else ()


def lead(position: Position, side: str) -> Fraction:
    """Return the advantage of a side over the average of the others, in units of the rule set."""
    standing = position.victory.standing or position.returns
    others = [worth for name, worth in standing.items() if name != side]
    return Fraction(standing.get(side, 0)) - (Fraction(sum(others), len(others)) if others else 0)


def choose_randomly(position: Position, actions: Collection[Action], chance: random.Random) -> Action:
    del position
    listed: Sequence[Action] = actions if isinstance(actions, Sequence) else list(actions)
    return chance.choice(listed)


def choose_first(position: Position, actions: Collection[Action], chance: random.Random) -> Action:
    del position, chance
    return next(iter(actions))


def choose_greedily(position: Position, actions: Collection[Action], chance: random.Random) -> Action:
    """Choose an action after which, by exact odds, its side leads most on average; among equals, any."""
    leads = {
        action: sum((odds * lead(after, action.by) for _, odds, after in position.outcomes(action)), Fraction(0))
        for action in actions
    }
    highest = max(leads.values())
    return chance.choice([action for action, value in leads.items() if value == highest])


@dataclass(frozen=True, slots=True)
class BeamSearch:
    """Chooses the first action of the best plan of its side that a beam search finds.

    The `width` best plans are continued, up to `depth` actions. A plan ends before the other side acts, and with an
    action that throws dice, whose results count by exact odds.
    """

    width: int = 6
    depth: int = 6

    def __call__(self, position: Position, actions: Collection[Action], chance: random.Random) -> Action:
        side, ended = next(iter(actions)).by, dict[Action, Fraction]()
        plans: list[tuple[Fraction, Action | None, Position]] = [(lead(position, side), None, position)]
        for _ in range(self.depth if len(actions) > 1 else 0):
            longer: list[tuple[Fraction, Action | None, Position]] = []
            for value, first, here in plans:
                own = [action for action in here.legal_actions if action.by == side and (first or action in actions)]
                if first is not None and not own:
                    ended[first] = max(value, ended.get(first, value))
                for action in own:
                    outcomes = here.outcomes(action)
                    worth = sum((odds * lead(after, side) for _, odds, after in outcomes), Fraction(0))
                    start = first or action
                    if len(outcomes) > 1:
                        ended[start] = max(worth, ended.get(start, worth))
                    else:
                        longer.append((worth, start, outcomes[0][2]))
            chance.shuffle(longer)
            plans = sorted(longer, key=lambda plan: -plan[0])[: self.width]
        for value, first, _ in plans:
            if first is not None:
                ended[first] = max(value, ended.get(first, value))
        return max(ended, key=lambda action: ended[action], default=next(iter(actions)))


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """Chooses by random courses of play: all actions are tried, and again and again the better half of them.

    A choice takes about `playouts` courses, each action one at least. A course is followed for `depth` actions; then
    the lead of the side counts.
    """

    playouts: int = 64
    depth: int = 12

    def __call__(self, position: Position, actions: Collection[Action], chance: random.Random) -> Action:
        left = list(actions)
        total = dict.fromkeys(left, Fraction(0))
        rounds = max(1, (len(left) - 1).bit_length())
        while len(left) > 1:
            for action in left:
                for _ in range(max(1, self.playouts // (rounds * len(left)))):
                    total[action] += self._course(position, action, chance)
            left = sorted(left, key=lambda one: -total[one])[: (len(left) + 1) // 2]
        return left[0]

    def _course(self, position: Position, action: Action, chance: random.Random) -> Fraction:
        """Play an action and then at random; give the lead of its side where that ends."""
        after = position.apply(action, throw(position, action, chance))
        for _ in range(self.depth - 1):
            following = after.legal_actions
            if not following:
                break
            step = choose_randomly(after, following, chance)
            after = after.apply(step, throw(after, step, chance))
        return lead(after, action.by)


MAX_TURNS = 200_000
START_FILES = ("position.yaml", "scenario.yaml")


class Turn(NamedTuple):
    """One action of a game: where it was taken, the dice, what happened, and where it led."""

    before: Position
    action: Action
    dice: tuple[int, ...]
    happened: tuple[Happened, ...]
    after: Position

    @property
    def recorded(self) -> RecordedAction:
        words = self.before.words(self.action)
        return RecordedAction(self.before.stamp, self.action.by, self.action.kind, words, self.dice)


def open_start(start: str, rules: Rules, home: Path | None = None) -> tuple[str, Position]:
    """Open the first position of a scenario that ships, or a file; give it with the name for records.

    No base outside the folder `home` is read; none: it may lie anywhere. Raises `InputError` if there is neither, or if
    it holds no position that can be played.
    """
    is_written = is_notation(Path(start))
    path = Path(start) if is_written else find_case(Path(start), rules.game)
    case = open_case(path, rules, home=home)
    position = Position.from_dict(case.data, case.edition, case.situation)
    if is_written:
        return position.notation, position
    if not position.edition.model.summaries.get(case.situation):
        why = f"the rules declare no `summary on {case.situation}`"
        fix = "name a position, or declare what the summary shows, as `summary on position: turn: turn.`"
        raise bad(f"a {case.situation} is not played", str(path), fix, "bad-case", why)
    return _word(path.parent.name if path.name in START_FILES else path.stem), position


def load_scenario(
    name: str | Path,
    *,
    game: str = "",
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
    overlays: Sequence[str] = (),
    engine: str = Edition.engine,
) -> Position:
    """Load the first position of a scenario, ready to be played; raises `InputError` if no game can begin with it.

    Args:
        name: the name of a scenario such as `sauer-crossing`, a file, or a notation.
        game: the game; empty: the one that the scenario belongs to.
        edition: an edition or any date; none: the one that the scenario names.
        readings: readings by name, before those of the file.
        overlays: house rules, by name or file.
        engine: compiled, library or reference.
    """
    rules = Rules(edition, readings or {}, engine, tuple(overlays), game)
    return open_start(str(name), rules)[1].settled


def open_recorded_start(record: GameRecord, rules: Rules, where: str) -> Position:
    """Open the first position that a record names or notes; raises `InputError` if nothing of this name ships.

    A record opens no file.
    """
    shipped, home = shipped_cases(rules.game), scenario_folder(rules.game)
    name, comma, changes = record.start.partition(COMMA)
    if name in shipped:
        return open_start(f"{shipped[name]}{comma}{changes}", rules, home)[1]
    board = open_board(name, rules, changes) if comma else None
    if board is None:
        what, why = f"the record starts from `{cut(record.start)}`", "nothing ships under this name"
        fix = f"name the file with --from; {did_you_mean(record.start, shipped)}"
        raise bad(what, where, fix, "unknown-name", why)
    return Position.from_dict(board.data, board.edition, board.situation)


def _word(name: str) -> str:
    return re.sub(r"[^\w.-]", "-", name)


def _house_rule(overlay: Overlay) -> str:
    return _word(Path(str(overlay)).stem)


POLICIES: dict[str, Policy] = {
    "random": choose_randomly,
    "first": choose_first,
    "greedy": choose_greedily,
    "beam": BeamSearch(),
    "monte-carlo": MonteCarlo(),
}


def play_game(start: Position, policy: Policy, seed: int, limit: int = MAX_TURNS) -> Iterator[Turn]:
    """Play by a policy to the end, or for so many actions; the same seed gives the same game."""
    chance = random.Random(seed)
    position = start.settled
    for _ in range(limit):
        actions = position.legal_actions
        if not actions:
            return
        action = policy(position, actions, chance)
        dice = throw(position, action, chance)
        after, happened = position.play(action, dice)
        yield Turn(position, action, dice, happened, after)
        position = after


def record_game(
    name: str, start: Position, actions: Iterable[RecordedAction], overlays: Iterable[str] = ()
) -> GameRecord:
    """Record a game; `name` is the scenario that it starts from, `overlays` are its house rules."""
    edition = start.edition
    readings = tuple(sorted(edition.readings.items()))
    house = tuple(map(_house_rule, overlays))
    return GameRecord(edition.date, name, start.digest, readings, tuple(actions), house, game_name(edition.game))


def rules_of_record(record: GameRecord, given: Rules, path: str = "$") -> Rules:
    """Give the rules that a record is played by.

    House rules that it names are looked for among those that are given, and those that ship; no other file is opened.
    Raises `InputError` for a record of another game, and where the house rules are not those that it names.
    """
    if record.game and given.game:
        check_game(record.game, given.game, path, "the record")
    game = given.game or record.game
    shipped = shipped_overlays(game)
    files = {_house_rule(overlay): overlay for overlay in given.overlays}
    unknown = [name for name in record.overlays if name not in files and name not in shipped]
    if unknown:
        fix = f"give the file with --overlay, or: {did_you_mean(unknown[0], shipped)}"
        raise bad(f"the record is played by house rules `{unknown[0]}`", path, fix, "unknown-name")
    unused = files.keys() - set(record.overlays)
    if unused:
        raise bad(f"the record is not played by `{min(unused)}`", "--overlay", "leave it out", "bad-value")
    overlays = tuple(files.get(name, name) for name in record.overlays)
    return replace(given, edition=record.edition, readings=dict(record.readings), overlays=overlays, game=game)


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """A turn without its positions, so that a long game can be kept."""

    recorded: RecordedAction
    action: Action
    happened: tuple[Happened, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """A record judged: its turns up to the first illegal line, that line with its verdict, and the last position."""

    turns: tuple[ReplayedTurn, ...]
    refused: tuple[RecordedAction, Verdict] | None
    final: Position

    @property
    def is_legal(self) -> bool:
        return self.refused is None


def replay(
    record: GameRecord,
    start: Position,
    path: str = "$",
    played: Callable[[RecordedAction, Position], object] | None = None,
) -> Replay:
    """Play a record through, up to the first action that is not legal.

    `path` is what the record is called in errors; `played` is called with each line and the position after it. Raises
    `InputError` for a record of another start, and for a line that is not an action, whose stamp is wrong or whose dice
    are not those that the action throws.
    """
    if record.digest and start.digest != record.digest:
        what, why = "the record starts from another position", f"it says {record.digest}, this one is {start.digest}"
        fix = "replay it from the position that it was played from"
        raise bad(f"{what} than `{record.start}`", path, fix, "other-start", why)
    position = start.settled
    turns: list[ReplayedTurn] = []
    for line in record.actions:
        where = f"{path}:{line.line}"
        if line.stamp != position.stamp:
            what = f"the line is of {line.stamp}, the game stands at {position.stamp}"
            why = "an action is written under the time at which it is taken"
            raise bad(what, where, "mend the stamp or the order of lines", "bad-stamp", why)
        action = position.read(line.kind, line.by, line.words, where)
        if not position.is_legal(action):
            return Replay(tuple(turns), (line, position.judge(action)), position)
        try:
            after, happened = position.play(action, line.dice)
        except TitmError as error:
            faults = [Fault(f.what, where, f.why, f.fix, kind=f.kind) for f in error.faults]
            raise InputError(faults) from None
        turns.append(ReplayedTurn(line, action, happened))
        position = after
        if played is not None:
            played(line, after)
    return Replay(tuple(turns), None, position)


def perft(position: Position, depth: int, known: dict[Any, int] | None = None) -> int:
    """Count the courses of `depth` actions from a position; each number of successes is a branch."""
    if depth == 0:
        return 1
    known = {} if known is None else known
    key = (position, depth)
    if key not in known:
        actions = list(position.legal_actions)
        known[key] = sum(perft(after, depth - 1, known) for action in actions for after in branches(position, action))
    return known[key]


def branches(position: Position, action: Action) -> list[Position]:
    return [after for _, _, after in position.outcomes(action)]
