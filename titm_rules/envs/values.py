"""Which values a choice or a field may ever have in the games that begin with one position."""

from __future__ import annotations

from collections.abc import Sequence

from titm_rules.diagnostics import Fault, InputError
from titm_rules.oracle.position import Position
from titm_rules.play.action import Chosen
from titm_rules.rules.model import RecordSpec
from titm_rules.rules.types import Type

LONGEST = 10_000  # numbers in a row that are listed


class ScenarioValues:
    """Lists the values of types, in an order that rests on the rules and the ids of the first position alone.

    Places and connections are those of the board. Pieces, and other records that the rules put on lists in the course
    of a game, are those that are there at the start, and all records besides that have an id then, such as
    reinforcements: what a game brings on bears the id that it had on its list.
    """

    def __init__(self, start: Position) -> None:
        self.model = start.edition.model
        self.world = start.world
        effects = (one.effect for head in self.model.heads.values() for one in head.statements)
        self._put = {effect.record for effect in effects if effect is not None and effect.op == "put"}
        plain = (record.name for record in self.model.records.values() if record.role in ("piece", "plain"))
        self._movable = sorted({name for record in plain for name in self.world.ids(record)})

    def ids(self, record: str) -> list[str]:
        """List the ids that records of a type may have, sorted."""
        return self._movable if record in self._put else sorted(self.world.ids(record))

    def has_ids(self, record: RecordSpec) -> bool:
        """Whether records of a type go by ids that are known from the start."""
        return record.role in ("place", "connection", "piece") or bool(self.world.ids(record.name))

    def places(self) -> list[str]:
        """List the ids of all places, whatever their kind, sorted."""
        kinds = (record.name for record in self.model.records.values() if record.role == "place")
        return sorted({name for kind in kinds for name in self.world.ids(kind)})

    def of(self, wanted: Type, what: str) -> Sequence[Chosen]:
        """List the values of a type; of a list, those of its members.

        Raises:
            InputError: for a type whose values cannot be listed; `what` says what has it.
        """
        found: Sequence[Chosen] | None = None
        match wanted.kind:
            case "flag":
                found = (False, True)
            case "enum":
                found = self.model.enums[wanted.name].texts
            case "number" if wanted.low is not None and wanted.high is not None:
                found = range(wanted.low, min(wanted.high + 1, wanted.low + LONGEST))
            case "place":
                found = self.places()
            case "record" | "set":
                found = self._members(wanted)
        if found is None:
            raise InputError([Fault(f"the values of `{what}` cannot be listed", what, f"it is a {wanted}")])
        return (None, *found) if wanted.optional else found

    def _members(self, wanted: Type) -> Sequence[Chosen]:
        if wanted.name in self.model.enums:
            return self.model.enums[wanted.name].texts
        return self.places() if wanted.name == "place" else self.ids(wanted.name)
