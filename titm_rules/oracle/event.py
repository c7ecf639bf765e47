"""The book of an event, such as a tournament: its rules, the readings that its director settles, and its rulings.

A folder holds `event.yaml` and the rulings as files. A ruling enters it only if it agrees with what is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_name
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.files import find_files, write_file
from titm_rules.formats.file_schemas import EventText, RulingText
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import bad, dumped, read_data
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.rulings import HAND, check_ruling, keep_overlays, open_overlays, read_ruling

FILE, RULINGS = "event.yaml", "rulings"


@dataclass(frozen=True)
class EventBook:
    """An event: its folder, its rules and its rulings by the names of their files."""

    folder: Path
    text: EventText
    rulings: Mapping[str, RulingText]

    @property
    def edition(self) -> Edition:
        text = self.text
        return Edition(text.edition, text.readings, game=text.game, overlays=open_overlays(text.overlays, text.game))

    def rules(self, given: Rules) -> Rules:
        """Give the rules of the event for a question; raises `InputError` for another game or settled reading."""
        text = self.text
        if given.game and game_name(given.game) != text.game:
            raise bad(f"the event plays {text.game}", "--game", "leave it out", "unknown-game")
        for name, choice in given.readings.items():
            self._refuse_other(name, choice)
        kept = open_overlays(text.overlays, text.game)
        overlays = (*kept, *(one for one in given.overlays if one not in kept))
        readings = {**given.readings, **text.readings}
        return replace(given, game=given.game or text.game, edition=given.edition or text.edition, readings=readings,
                       overlays=overlays)  # fmt: skip

    def _refuse_other(self, name: str, choice: str) -> None:
        settled = self.text.readings.get(name)
        if settled not in (None, choice):
            because = self.text.because.get(name, "")
            what = f"the event has settled reading {name} as {settled}"
            why = f"{because}; " * bool(because) + f"{choice} was asked for"
            raise InputError([Fault(what, "--reading", why, "a director may start another event", kind="bad-value")])

    @property
    def notes(self) -> list[str]:
        """Say which readings the event has settled, for verdicts that are given under it."""
        because = {name: f" ({why})" for name, why in self.text.because.items()}
        head = f"event {self.text.event}: reading"
        return [f"{head} {name} is {choice}{because.get(name, '')}" for name, choice in self.text.readings.items()]

    # ------------------------------------------------------------------ rulings
    def settle(self, name: str, choice: str, because: str) -> EventBook:
        """Settle a reading; raises `InputError` for one that the rules do not leave open, or that is settled otherwise.

        A kept ruling that would not hold under it is refused too.
        """
        self._refuse_other(name, choice)
        text = self.text.model_copy(update={
            "readings": {**self.text.readings, name: choice},
            "because": {**self.text.because, **({name: because} if because else {})},
        })  # fmt: skip
        after = replace(self, text=text)
        _ = after.edition  # which refuses what is unknown
        for file, ruling in self.rulings.items():
            check = check_ruling(ruling, Rules(readings={name: choice}))
            if check.differences:
                why = f"{file} says: {ruling.question} Under {name}={choice}: {check.verdict.headline}"
                what = f"an earlier ruling would not hold with {name}={choice}"
                raise bad(what, "--reading", _SECOND, "bad-value", why)
        return after

    def with_ruling(self, path: Path) -> EventBook:
        """Add a ruling; raises `InputError` if it contradicts an earlier one, or the rules of the event."""
        ruling = read_ruling(path)
        for name, other in self.rulings.items():
            if _asked(other) == _asked(ruling) and (other.outcome, other.answer) != (ruling.outcome, ruling.answer):
                why = f"{name} says: {other.question} The new one says: {ruling.question}"
                raise bad("the ruling contradicts an earlier one of the event", str(path), _SECOND, "bad-value", why)
        check = check_ruling(ruling, self.rules(Rules(edition=self.text.edition, game=self.text.game)))
        if not check.holds:
            why = f"it says: {ruling.question} The rules of the event say: {check.verdict.sentence()}"
            why += "; the file was changed by hand" * any(cause.part == HAND for cause in check.causes)
            fix = "settle the reading that it depends on first, or make it a house rule"
            raise bad("the ruling contradicts the rules of the event", str(path), fix, "bad-value", why)
        return replace(self, rulings={**self.rulings, self._free_name(path): ruling})

    def _free_name(self, path: Path) -> str:
        names = (f"{path.stem}{f'-{number}' * (number > 1)}.yaml" for number in range(1, len(self.rulings) + 2))
        return next(name for name in names if name not in self.rulings)

    def save(self) -> None:
        """Write the folder; raises `InputError` if a file cannot be written."""
        for name, ruling in self.rulings.items():
            path = self.folder / RULINGS / name
            write_file(path, dumped(ruling.model_dump(), path.suffix), "ruling", make_folder=True)
        write_file(self.folder / FILE, dumped(self.text.model_dump(), ".yaml"), "event", make_folder=True)

    # ------------------------------------------------------------------ export
    def cases(self) -> Iterator[dict[str, Any]]:
        """Yield the rulings as conformance cases."""
        for name, ruling in self.rulings.items():
            check = check_ruling(ruling)
            yield {
                "id": f"{_slug(self.text.event)}-{Path(name).stem}", "title": ruling.question,
                "edition": ruling.edition,
                "overlays": [one if isinstance(one, str) else one.model_dump() for one in ruling.overlays],
                "readings": dict(ruling.readings), "query": ruling.query, "input": dict(check.inputs),
                "expected": dict(ruling.answer), "clauses": list(ruling.clauses), "source": self.text.event,
                "basis": "ruled",
            }  # fmt: skip

    def page(self) -> str:
        """Write the event as a page of Markdown: its rules, the readings that are settled, its rulings."""
        text, edition = self.text, self.edition
        lines = [f"# {text.event}", "", f"{edition.model.game}, {edition.title} ({edition.label})", ""]
        if text.readings:
            lines += ["## Readings", ""]
            for name, choice in text.readings.items():
                reading = edition.model.readings[name]
                words = dict(zip(reading.choices, reading.texts, strict=True))[choice]
                lines.append(f"- **{name}** {reading.question} {words}. {text.because.get(name, '')}".rstrip())
            lines.append("")
        lines += ["## Rulings", ""]
        for name, ruling in self.rulings.items():
            lines.append(f"- {ruling.question} ({', '.join(ruling.clauses) or 'no clause'}; `{name}`)")
        return "\n".join(lines).rstrip() + "\n"


_SECOND = "keep the earlier one, or take it out of the folder first"


def new_event(folder: Path, name: str, edition: Edition, because: str = "") -> EventBook:
    """Make the book of an event; raises `InputError` for a folder that already has one."""
    if (folder / FILE).exists():
        raise bad("the folder already has an event", str(folder), "name another folder", "bad-value")
    text = {
        "event": name or folder.name, "game": game_name(edition.game), "edition": edition.date,
        "overlays": keep_overlays(edition), "readings": dict(edition.readings),
        "because": dict.fromkeys(edition.readings, because) if because else {},
    }  # fmt: skip
    return EventBook(folder, validate_as(EventText, text, "$"), {})


def open_event(folder: Path) -> EventBook:
    """Open the book of an event; raises `InputError` for a folder without one, or a file in it that cannot be read."""
    path = folder / FILE
    if not path.is_file():
        near = did_you_mean(folder.name, [one.parent.name for one in folder.parent.glob(f"*/{FILE}")])
        raise bad("there is no event here", str(folder), near or "make one with `titm event new`", "no-file")
    text = validate_as(EventText, read_data(path), f"{path}: $")
    files = find_files(folder / RULINGS, "*.yaml")
    return EventBook(folder, text, {file.name: read_ruling(file) for file in files})


def _asked(ruling: RulingText) -> Sequence[Any]:
    """Return what makes two rulings answer one question."""
    position = ruling.position if isinstance(ruling.position, str) else json.dumps(ruling.position, sort_keys=True)
    return position, ruling.query, json.dumps(ruling.input, sort_keys=True)


def _slug(name: str) -> str:
    return "-".join("".join(one if one.isalnum() else " " for one in name.casefold()).split())
