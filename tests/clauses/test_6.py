"""Sequence of play: 6.0."""

from tests.builders import position
from tests.clauses.rows import moves, rows


def world(day: int, impulse: int):
    return position("B-s major; s-x major", "m German foot 2 s", day, impulse)


ROWS = [
    moves("6.0-IV-VII.x", world(22, 1), "m", "s x", 1, "the only impulse of the 22nd"),
    moves("6.0-IV-VII.x", world(22, 2), "m", "s x", None, "there is no second"),
    moves("6.0-IV-VII.x", world(21, 3), "m", "s x", 1, "other days have three"),
]


@rows(ROWS)
def test_6(row, engine):
    assert row.answer(engine) == row.expected
