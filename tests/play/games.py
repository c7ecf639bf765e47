"""What must hold at every step of a game, checked without the rule set."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

from titm_rules import Edition, Position
from titm_rules.maps.scenarios import load_scenario
from titm_rules.oracle.game import MAX_TURNS, POLICIES, Turn, play_game, record_game, replay
from titm_rules.play.action import Action
from titm_rules.syntax.game_record import RecordedAction, next_link, read_record

Json = dict[str, Any]
MOST_UNITS, MOST_STRENGTH = 4, 10
OTHER_EVERY = 10  # steps at which one action that was not taken is tried


def first_position(name: str, date: str = "1999", readings: dict[str, str] | None = None) -> Position:
    """Open a scenario under an edition and some readings, with its special rules."""
    found = load_scenario(Edition(date).model, name)
    return Position.from_dict(found.position, Edition(date, readings or {}, overlays=found.overlays))


def check_game(start: Position, seed: int, name: str, every: int = 1) -> list[RecordedAction]:
    """Play one random game and check every step; try all other actions of each `every`-th."""
    actions, final = watch_game(start, seed, every)
    assert final.to_dict()["phase"] == "game-over"
    assert not final.legal_actions
    check_record(name, start, actions, final)
    return actions


def watch_game(
    start: Position, seed: int, every: int, limit: int = MAX_TURNS, also: Callable[[int, Turn], None] = lambda *_: None
) -> tuple[list[RecordedAction], Position]:
    """Play a random game, or the beginning of one, and check every step, and what `also` checks of a numbered one."""
    chance, actions, final, state = random.Random(seed), [], start, dict(start._data)
    for number, turn in enumerate(play_game(start, POLICIES["random"], seed, limit)):
        state = check_turn(turn, state)
        if number % every == 0:
            check_list(turn.before, chance)
        elif number % OTHER_EVERY == 0:
            check_action(turn.before, chance.choice(list(turn.before.legal_actions)), chance)
        also(number, turn)
        actions.append(turn.recorded)
        final = turn.after
    return actions, final


def check_turn(turn: Turn, before: Json) -> Json:
    """Check a turn that begins in a state; return the state after it."""
    after = dict(turn.after._data)  # as `to_dict` has it, without the map and without a copy of each row
    assert turn.action in turn.before.legal_actions
    had = {unit["id"]: unit["strength"] for unit in (*before["units"], *before.get("reserves", []))}
    units = (*after["units"], *after.get("reserves", []))
    for unit in units:
        assert unit["strength"] <= had[unit["id"]], f"{unit['id']} grew"
    assert max(Counter(unit["id"] for unit in units).values(), default=1) == 1, "a unit is in two places"
    held = {area["id"]: area.get("control") for area in before["areas"]}
    changed = [area["id"] for area in after["areas"] if area.get("control") != held[area["id"]]]
    ended = any(before[name] != after[name] for name in ("day", "impulse", "side_to_move"))
    assert not changed or ended, f"control of {changed} changed within an impulse"
    moving = ("movement", "stacking")
    if before.get("phase", "movement") in moving and after.get("phase", "movement") not in moving:
        check_stacks(after)
    return after


def check_list(position: Position, chance: random.Random) -> None:
    """The list holds nothing twice, is the one of the same position read anew, and all in it can be done."""
    listed = list(position.legal_actions)
    assert len(set(listed)) == len(listed)
    fresh = Position.from_dict(position.to_dict(), position.edition)
    assert list(fresh.legal_actions) == listed, "what was taken over from the position before is out of date"
    if listed:
        assert position.judge(chance.choice(listed)).outcome == "legal"
    for action in listed:
        check_action(position, action, chance)


def check_action(position: Position, action: Action, chance: random.Random) -> None:
    """An action of the list is legal when asked for alone, reads back from its text, and applies with any dice."""
    assert action in position.legal_actions
    assert position.read(action.kind, action.by, action.words) == action
    assert position.read(action.kind, action.by, position.words(action)) == action
    thrown = position.dice(action)
    position.apply(action, [chance.randint(thrown.low, thrown.high) for _ in range(thrown.count)] if thrown else ())


def check_stacks(after: Json) -> None:
    areas = {area["id"]: area for area in after["areas"]}
    stacks = defaultdict(list)
    for unit in after["units"]:
        if unit["place"] in areas:
            stacks[unit["place"], unit["side"]].append(unit["strength"])
    early = after["day"] == 16 and after["impulse"] < 3
    for (place, side), strengths in stacks.items():
        if not (early and side == "German" and areas[place].get("setup_overstack")):
            assert len(strengths) <= MOST_UNITS, f"{place} holds too many"
            assert sum(strengths) <= MOST_STRENGTH, f"{place} holds too much"


def chained_game(name: str, seed: int, limit: int = MAX_TURNS) -> tuple[str, str]:
    """The record of a random game whose lines are chained, and its last link."""
    start = Position.from_file(name)
    record = record_game(name, start, ())
    link, lines = record.first_link, []
    for turn in play_game(start, POLICIES["random"], seed, limit=limit):
        link = next_link(link, turn.recorded.text, turn.after.digest)
        lines.append(replace(turn.recorded, link=link))
    return replace(record, actions=tuple(lines)).write(), link


def check_record(name: str, start: Position, actions: list[RecordedAction], final: Position) -> None:
    """A record reads back as it was written, and replays to the same position."""
    record = record_game(name, start, actions)
    assert read_record(record.write()) == record
    found = replay(record, start)
    assert found.is_legal
    assert found.final == final


def check_engines(start: Position, seed: int, first: int = 0, every: int = 1) -> None:
    """The reference interpreter lists the same actions at every step, or at every other one."""
    reference = Edition(start.edition.date, start.edition.readings, "reference")
    for turn in islice(play_game(start, POLICIES["random"], seed), first, None, every):
        plain = Position.from_dict(turn.before.to_dict(), reference)
        assert list(plain.legal_actions) == list(turn.before.legal_actions)
        assert plain.apply(turn.action, turn.dice).to_json() == turn.after.to_json()
