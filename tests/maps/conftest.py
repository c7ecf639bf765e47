"""The maps that ship, as values that a test may spoil."""

import pickle
from functools import cache

import pytest
from titm_rules.maps.exchange import header_of, rows_of
from titm_rules.maps.lint import DOUBT, lint_map
from titm_rules.maps.maps import build_map, load_map
from titm_rules.oracle.edition import Edition

EDITION = Edition("1999")


def board(name="ardennes-reconstructed"):
    return load_map(EDITION.model, name)


def raw_map(name="ardennes-reconstructed"):
    """Give the values of a map file, free to be changed."""
    return pickle.loads(packed_map(name))


@cache
def packed_map(name):
    found = board(name)
    return pickle.dumps({**header_of(found), **rows_of(found)})


def lint_raw(raw, doubts=False):
    """Lint changed values, with or without doubts."""
    changed = build_map(EDITION.model, raw, "test.yaml", board().held)
    return [fault for fault in lint_map(changed, EDITION.answer) if doubts or fault.kind != DOUBT]


def whats(faults):
    return [fault.what for fault in faults]


@pytest.fixture
def raw():
    return raw_map()


def row_of(raw, table, name):
    return next(row for row in raw[table] if row.get("id") == name or "-".join(row.get("ends", ())) == name)
