"""The records of games, judged for programs."""

from __future__ import annotations

from dataclasses import replace

from titm_rules.diagnostics import cut
from titm_rules.explain.verdict import Verdict
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import Replay, open_recorded_start, rules_of_record
from titm_rules.oracle.game import replay as replayed
from titm_rules.oracle.position import Position
from titm_rules.service.games import INPUT, GameQuestion, position_told
from titm_rules.service.records import RefusedLine, Replayed, ReplayTold
from titm_rules.service.seen import Seen
from titm_rules.syntax.record import GameRecord, RecordedAction, read_record

RECORD = f"{INPUT}.record"


def replay(call: GameQuestion) -> tuple[ReplayTold, Position]:
    """Play a record under the edition that is asked, up to its first line that is not legal or a line that is named."""
    given = call.as_(Replayed)
    record = read_record(given.record, RECORD)
    if given.until is not None:
        until = given.until
        record = replace(record, actions=tuple(one for one in record.actions if one.line <= until))
    start = open_recorded_start(record, _rules(record, call.edition), RECORD)
    found = replayed(record, start, RECORD)
    return replay_told(found, call.seen), found.final


def replay_told(found: Replay, seen: Seen) -> ReplayTold:
    """Tell a record that was judged; the position reached is kept among those that were seen."""
    refused = _refusal(*found.refused) if found.refused is not None else None
    return ReplayTold(
        legal=found.is_legal, actions=len(found.turns), refused=refused, **position_told(seen, found.final)
    )


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
