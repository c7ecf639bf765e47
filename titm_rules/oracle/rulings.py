"""Rulings: a verdict as a small file that a person can read, and that can be asked again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_name
from titm_rules.diagnostics import Fault, InputError
from titm_rules.editions.house_rules import (
    HouseRules,
    Overlay,
    name_of_rules,
    overlay_file,
    overlay_sent,
    shipped_overlays,
)
from titm_rules.explain.verdict import ILLEGAL, Verdict
from titm_rules.files import read_text, write_file
from titm_rules.formats.file_schemas import KeptRules, RulingText
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import dumped, parse_json, parse_yaml, read_data
from titm_rules.oracle.case import Case, Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import open_recorded_start, replay, rules_of_record
from titm_rules.oracle.position import Position
from titm_rules.syntax.game_record import RecordedAction, next_link, read_record
from titm_rules.version import __version__

DIGITS = 16
SAME, RULES, WORDING, VERSION, HAND = "same", "rules", "wording", "version", "by hand"


@dataclass(frozen=True)
class Difference:
    """What differs from a ruling when its question is asked again: its part, what it was, and what it is."""

    part: str
    was: str
    now: str


@dataclass(frozen=True)
class RulingCheck:
    """A ruling that was asked again.

    Attributes:
        inputs: what was asked, with the situation.
        verdict: the verdict of now.
        differences: of the verdict (outcome, answer, clauses); none: it is the same.
        causes: what else differs, and may be why: edition, rules, readings, wording, version, a change by hand.
    """

    ruling: RulingText
    inputs: Mapping[str, Any]
    verdict: Verdict
    differences: tuple[Difference, ...]
    causes: tuple[Difference, ...]

    @property
    def holds(self) -> bool:
        """Whether the verdict is the same and nobody has changed the file."""
        return not self.differences and all(cause.part != HAND for cause in self.causes)

    @property
    def says(self) -> tuple[str, ...]:
        """Say whether it holds, what differs, and what else has changed, a line each."""
        same = "" if self.differences else ": the verdict is the same"
        found = (f"{one.part}: {one.was or 'none'}, now {one.now or 'none'}" for one in self.differences)
        because = (_CAUSES[one.part].format(was=one.was, now=one.now) for one in self.causes)
        return (f"{'holds' if self.holds else 'does not hold'}{same}", *found, *because)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values."""
        told = {name: [vars(one) for one in getattr(self, name)] for name in ("differences", "causes")}
        return {"holds": self.holds, "question": self.ruling.question, **told, "verdict": self.verdict.to_dict()}


_CAUSES = {
    HAND: "the file is not as it was written: somebody has changed it by hand",
    "edition": "asked under {now}; it was {was}",
    "readings": "other readings: {was}, now {now}",
    RULES: "other rules: their digest was {was}, and is {now}",
    WORDING: "the rules are worded otherwise: the digest of their words was {was}, and is {now}",
    VERSION: "written by version {was}, asked again by {now}",
}


def make_ruling(case: Case, query: str, inputs: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    """Write a verdict as the values of a ruling; `inputs` is what was asked, with the situation."""
    edition = case.edition
    asked = {name: value for name, value in inputs.items() if name != case.situation}
    values: dict[str, Any] = {
        "question": verdict.headline,
        "game": game_name(edition.game),
        "edition": edition.date,
        "overlays": keep_overlays(edition),
        "readings": dict(sorted(edition.readings.items())),
        "rules": edition.model.digests.rules,
        "wording": edition.model.digests.wording,
        "situation": case.situation,
        "position": _written(case) if case.situation else {},
        "query": query,
        "input": asked,
        "outcome": verdict.outcome,
        "answer": dict(verdict.answer),
        "clauses": list(_deciding(verdict)),
        "version": __version__,
    }
    return {**values, "digest": _digest(values)}


def write_ruling(path: Path, values: Mapping[str, Any]) -> None:
    """Write a ruling; raises `InputError` if the file cannot be written."""
    write_file(path, dumped(dict(values), path.suffix), "ruling")


def read_ruling(path: Path) -> RulingText:
    """Read a ruling; raises `InputError` for any other file."""
    return validate_as(RulingText, read_data(path), f"{path}: $")


def parse_ruling(text: str, where: str = "$") -> RulingText:
    """Read the text of a ruling, JSON or YAML; raises `InputError` for any other text."""
    parse = parse_json if text.lstrip().startswith("{") else parse_yaml
    return validate_as(RulingText, parse(text, where), where)


def is_ruling(path: Path) -> bool:
    """Whether a file looks like a ruling rather than the record of a game."""
    return path.suffix in (".yaml", ".yml", ".json")


def check_ruling(ruling: RulingText, rules: Rules | None = None) -> RulingCheck:
    """Ask the question of a ruling again, under its own rules or others.

    Of `rules` what is given goes before what the ruling says. Raises `InputError` if the rules or the position cannot
    be opened any more.
    """
    given = rules or Rules()
    game = given.game or ruling.game
    kept = open_overlays(ruling.overlays, game)
    edition = given.exactly or Edition(
        given.edition or ruling.edition, {**ruling.readings, **given.readings}, given.engine, game,
        (*kept, *(one for one in given.overlays if one not in kept)),
    )  # fmt: skip
    inputs = dict(ruling.input)
    if ruling.situation:
        inputs[ruling.situation] = _opened(ruling, edition)
    verdict = edition.verdict(ruling.query, inputs)
    differences = _differing(
        ("outcome", ruling.outcome, verdict.outcome),
        ("answer", _text(ruling.answer), _text(verdict.answer)),
        ("clauses", ", ".join(ruling.clauses), ", ".join(_deciding(verdict))),
    )
    digests = edition.model.digests
    values = ruling.model_dump()
    causes = _differing(
        (HAND, ruling.digest, _digest({name: value for name, value in values.items() if name != "digest"})),
        ("edition", ruling.edition, edition.date),
        ("readings", _text(ruling.readings), _text(edition.readings)),
        (RULES, ruling.rules, digests.rules),
        (WORDING, ruling.wording, digests.wording),
        (VERSION, ruling.version, __version__),
    )
    return RulingCheck(ruling, inputs, verdict, differences, causes)


def _differing(*parts: tuple[str, str, str]) -> tuple[Difference, ...]:
    return tuple(Difference(*part) for part in parts if part[1] != part[2])


def _deciding(verdict: Verdict) -> tuple[str, ...]:
    """Name the clauses that decide, each once: of an illegal action those that forbid it."""
    if verdict.outcome == ILLEGAL:
        return tuple(dict.fromkeys(finding.clause for finding in verdict.failing))
    return verdict.clauses


def _text(values: Mapping[str, Any]) -> str:
    return json.dumps(dict(values), sort_keys=True, ensure_ascii=False)


def _digest(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(values).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def keep_overlays(edition: Edition) -> list[str | dict[str, str]]:
    """Name the house rules that ship; keep the text of others."""
    kept: list[str | dict[str, str]] = []
    for overlay in edition.overlays:
        kept.append(_kept(overlay, edition.game, {one["name"] for one in kept if isinstance(one, dict)}))
    return kept


def open_overlays(kept: Sequence[str | KeptRules], game: str) -> tuple[Overlay, ...]:
    """Return the house rules of a file that was kept; raises `InputError` for a name that none which ship have."""
    return tuple(
        overlay_sent(one, None, f"$.overlays[{number}]", game) if isinstance(one, str)
        else overlay_sent(one.name, one.text, f"$.overlays[{number}]", game)
        for number, one in enumerate(kept)
    )  # fmt: skip


def _kept(overlay: Overlay, game: str, taken: Collection[str]) -> str | dict[str, str]:
    if isinstance(overlay, str):
        if overlay in shipped_overlays(game):
            return overlay
        path = overlay_file(overlay, game)
        name = name_of_rules(path.stem, taken)
        overlay = HouseRules(name, read_text(path))  # which refuses what could not be read again
    return {"name": overlay.name, "text": overlay.text}


def _written(case: Case) -> dict[str, Any] | str:
    """Write a position on one line if that line gives it back, else as its values."""
    position = Position.from_dict(case.data, case.edition, case.situation)
    line = position.notation
    again = Position.from_notation(line, case.edition, situation=case.situation)
    return f"{line} {position.digest}" if again.digest == position.digest else position.to_dict()


def _opened(ruling: RulingText, edition: Edition) -> dict[str, Any]:
    """Open the position of a ruling; what it is built on must not have changed."""
    if not isinstance(ruling.position, str):
        return dict(ruling.position)
    line, _, digest = ruling.position.rpartition(" ")
    position = Position.from_notation(line, edition, "$.position", ruling.situation)
    if position.digest != digest:
        what, why = "the position is another one than that of the ruling", "what it is built on has changed since"
        raise InputError([Fault(what, "$.position", why, "ask again and keep a new ruling", kind="other-start")])
    return position.to_dict()


# ---------------------------------------------------------------------- records of games
@dataclass(frozen=True)
class RecordCheck:
    """A record of a game that was checked line by line.

    Attributes:
        actions: how many lines hold.
        line: the number of the first line that fails; 0 if it is none of them, or none fails.
        fault: what is wrong; empty if all holds.
        is_chained: whether the lines have the links of a chain.
        last: the last link of the lines that hold.
        result: the summary of the last position.
    """

    actions: int
    line: int
    fault: str
    is_chained: bool
    last: str
    result: Mapping[str, Any]

    @property
    def says(self) -> str:
        chain = "chained" if self.is_chained else "without a chain, so that a legal change does not show"
        return f"{self.actions} actions hold, {chain}"

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values."""
        return {
            "holds": not self.fault, "actions": self.actions, "line": self.line, "fault": self.fault,
            "chained": self.is_chained, "last": self.last, "result": dict(self.result),
        }  # fmt: skip


def check_record(path: Path, rules: Rules, last: str = "") -> RecordCheck:
    """Check each line of the record in a file; see `check_record_text`."""
    return check_record_text(read_text(path), rules, last, str(path))


def check_record_text(text: str, rules: Rules, last: str = "", path: str = "$") -> RecordCheck:
    """Check each line of a record: its link in the chain, its legality, its dice and its time.

    `last` is the last link as somebody noted it. Raises `InputError` for a text that is not a record, or whose rules or
    start cannot be opened.
    """
    record = read_record(text, path)
    start = open_recorded_start(record, rules_of_record(record, rules, path), path)
    is_chained = any(line.link for line in record.actions)
    link, held = record.first_link, 0
    final = start

    def add(line: RecordedAction, after: Position) -> None:
        nonlocal link, held, final
        if is_chained:
            wanted = next_link(link, line.text, after.digest)
            if line.link != wanted:
                why = "its link does not follow from the lines before it, its own text and the position after it"
                raise InputError([Fault("the chain breaks here", f"{path}:{line.line}", why, "", kind="bad-record")])
            link = wanted
        held, final = held + 1, after

    fault, number = "", 0
    try:
        found = replay(record, start, path, add)
        if found.refused is not None:
            number, fault = found.refused[0].line, found.refused[1].sentence()
    except InputError as error:
        first = error.faults[0]
        number = next((line.line for line in record.actions if str(first.where) == f"{path}:{line.line}"), 0)
        fault = ": ".join(part for part in (first.what, first.why) if part)
    if not fault and last and last != link:
        fault = f"the last link is {link}, not {last}: lines are missing at the end, or all were written again"
    return RecordCheck(held, number, fault, is_chained, link if is_chained else "", final.settled.summary)
