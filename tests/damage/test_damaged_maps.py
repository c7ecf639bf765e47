"""Map files that nobody vouches for: what is no map, and lists that are not there; tests/fuzz spoils whole files."""

import pytest
from titm_rules.maps.lint import lint_map
from titm_rules.maps.maps import build_map

from tests.builders import fault_of
from tests.fuzz.files import EDITION, small_map


def test_the_map_before_it_is_spoiled_is_read():
    board = build_map(EDITION.model, small_map(), "test.yaml")
    assert {fault.kind for fault in lint_map(board, EDITION.answer)} == {"fact"}


@pytest.mark.parametrize("raw", [None, 7, "areas", [], ["areas"]])
def test_what_is_no_map_at_all(raw):
    """Such a file is told so in words of the reader's, not with the name of a class."""
    fault = fault_of(build_map, EDITION.model, raw, "test.yaml")
    assert (fault.what, fault.where) == ("keys and values belong here", "test.yaml")


COUNT = {"id": "f", "says": "", "source": "rulebook", "count": {"table": "aeras", "least": 1}}


@pytest.mark.parametrize(("change", "where", "fix"), [
    ({"changes": {"bridges": {"table": "connection", "field": "bridge"}}}, "changes.bridges.table", "`connections`"),
    ({"changes": {"bridges": {"table": "connections", "field": "bridges"}}}, "changes.bridges.field", "`bridge`"),
    ({"facts": [COUNT]}, "facts.f.table", "`areas`"),
])  # fmt: skip
def test_lists_that_are_not_there(change, where, fix):
    fault = fault_of(build_map, EDITION.model, {**small_map(), **change}, "test.yaml")
    assert str(fault.where).endswith(where)
    assert fix in fault.fix
