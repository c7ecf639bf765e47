"""The records of games, judged for programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard

from titm_rules.diagnostics import cut
from titm_rules.explain.verdict import Verdict
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import Replay, open_recorded_start, rules_of_record
from titm_rules.oracle.game import replay as replayed
from titm_rules.oracle.position import Position
from titm_rules.service.games import INPUT, GameQuestion, position_told
from titm_rules.service.records import RefusedLine, Replayed, ReplayTold, StepsTold, StepTold
from titm_rules.service.seen import Seen
from titm_rules.syntax.record import GameRecord, RecordedAction, read_record

Json = dict[str, Any]
RECORD = f"{INPUT}.record"


def replay(call: GameQuestion) -> tuple[ReplayTold, Position]:
    """Play a record under the edition that is asked, up to its first line that is not legal or a line that is named."""
    given = call.as_(Replayed)
    record = read_record(given.record, RECORD)
    if given.until is not None:
        until = given.until
        record = replace(record, actions=tuple(one for one in record.actions if one.line <= until))
    start = open_recorded_start(record, _rules(record, call.edition), RECORD)
    steps = Recounted(start.settled) if given.steps else None
    found = replayed(record, start, RECORD, steps.add if steps else None)
    return replay_told(found, call.seen, steps.told() if steps else None), found.final


def replay_told(found: Replay, seen: Seen, course: StepsTold | None = None) -> ReplayTold:
    """Tell a record that was judged; the position reached is kept among those that were seen."""
    refused = _refusal(*found.refused) if found.refused is not None else None
    told = position_told(seen, found.final)
    return ReplayTold(legal=found.is_legal, actions=len(found.turns), refused=refused, course=course, **told)


class Recounted:
    """The steps of a game, each by what it changed."""

    def __init__(self, start: Position) -> None:
        self._start, self._summary = start.to_dict(), dict(start.summary)
        self._last: Json = self._start
        self._steps: list[StepTold] = []

    def add(self, line: RecordedAction, after: Position) -> None:
        """Take in a line that was played."""
        now = after.to_dict()
        changes = difference(self._last, now)
        self._steps.append(StepTold(line=line.line, text=str(line), summary=dict(after.summary), changes=changes))
        self._last = now

    def told(self) -> StepsTold:
        """Give the start and the steps."""
        return StepsTold(start=self._start, summary=self._summary, steps=self._steps)


def difference(before: Json, after: Json) -> dict[str, Json]:
    """Tell how a position differs from another: fields, and rows of lists by id; null is what is not there any more."""
    found: dict[str, Json] = {}
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old != new:
            found[name] = {"rows": _rows_changed(old, new)} if _has_ids(old) and _has_ids(new) else {"is": new}
    return found


def _has_ids(value: object) -> TypeGuard[list[Json]]:
    return isinstance(value, list) and all(isinstance(row, dict) and "id" in row for row in value)


def _rows_changed(before: list[Json], after: list[Json]) -> Json:
    was, now = ({row["id"]: row for row in rows} for rows in (before, after))
    return {one: None for one in was if one not in now} | {one: row for one, row in now.items() if row != was.get(one)}


def _rules(record: GameRecord, edition: Edition) -> Rules:
    """Give the rules of a record under an edition: its readings, where that has them, and its house rules."""
    rules = rules_of_record(record, Rules(engine=edition.engine, game=edition.game), RECORD)
    offered = edition.all_readings
    fitting = {name: one for name, one in rules.readings.items() if name in offered and one in offered[name].offered}
    overlays = (*(one for one in rules.overlays if one not in edition.overlays), *edition.overlays)
    return replace(rules, edition=edition.date, readings={**fitting, **edition.readings}, overlays=overlays)


def _refusal(line: RecordedAction, verdict: Verdict) -> RefusedLine:
    clauses = list(dict.fromkeys(finding.clause for finding in verdict.failing))
    why = verdict.explanation()["why"]
    return RefusedLine(line=line.line, text=cut(str(line)), reason=verdict.sentence(), clauses=clauses, why=why)
