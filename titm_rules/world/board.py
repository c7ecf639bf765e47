"""The places and connections of a situation: made once for all situations that have the same."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from titm_rules.rules.model import FieldSpec, Model
from titm_rules.rules.types import Type

FIXED = ("place", "connection")  # the roles of records that a board holds
_KEPT = 8
_MANY = 64  # owners of tables, and tables of one owner
Worked = TypeVar("Worked")


class SharedBoard:
    """Places and connections; nobody changes them.

    Attributes:
        rows: the values that each list of places or connections was made from, by its JSON name and its record, if the
            board is kept.
        items: the records of each list, by its JSON name; `named` are the same by their ids.
        places: all places.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.rows: dict[tuple[str, str], list[Any]] = {}
        self.items: dict[str, list[Any]] = {}
        self.named: dict[str, dict[str, Any]] = {}
        self.places: list[Any] = []
        self._tables: defaultdict[Any, dict[tuple[Any, ...], Any]] = defaultdict(dict)

    def table(self, owner: object, key: tuple[Any, ...], make: Callable[[], Worked]) -> Worked:
        """Give what an engine has worked out from the board alone, whatever stands on it; make it if it is new.

        Args:
            owner: the part of the engine that asks.
            key: what else it rests on.
            make: works it out.
        """
        if owner not in self._tables and len(self._tables) >= _MANY:
            self._tables.clear()
        known = self._tables[owner]
        if key not in known:
            if len(known) >= _MANY:
                known.clear()
            known[key] = make()
        found: Worked = known[key]
        return found


_BOARDS: OrderedDict[int, SharedBoard] = OrderedDict()


def known_board(model: Model, lists: Sequence[FieldSpec], data: Mapping[str, Any]) -> SharedBoard | None:
    """Give the board that a situation with the same values has had lately."""
    rows = _rows(lists, data)
    for number, board in tuple(_BOARDS.items()):
        if board.model.records is model.records and board.rows == rows:
            _BOARDS.pop(number, None)
            _BOARDS[number] = board  # it was asked for last
            return board
    return None


def remember_board(board: SharedBoard, lists: Sequence[FieldSpec], data: Mapping[str, Any]) -> None:
    """Keep a board for situations to come, unless its records name others that are not part of it."""
    types = {one.type for fspec in lists for one in board.model.records[fspec.type.name].fields}
    if board.places and all(_is_of_board(board.model, one) for one in types):
        board.rows = {key: [row.copy() for row in rows] for key, rows in _rows(lists, data).items()}
        _BOARDS[id(board)] = board
        if len(_BOARDS) > _KEPT:
            _BOARDS.popitem(last=False)


def forget_boards() -> None:
    """Let go of all boards: each is made anew for the next situation on it."""
    _BOARDS.clear()


def _rows(lists: Sequence[FieldSpec], data: Mapping[str, Any]) -> dict[tuple[str, str], list[Any]]:
    return {(one.json, one.type.name): data.get(one.json) or [] for one in lists}


def _is_of_board(model: Model, wanted: Type) -> bool:
    """Whether a value of a type names no record outside the board."""
    record = model.records.get(wanted.name)
    if record is None or record.role in FIXED:
        return True
    return not record.has_id and all(_is_of_board(model, one.type) for one in record.fields)
