"""Map and scenario files that nobody vouches for: read, or refused with a place, never a traceback."""

import copy
import random

import pytest
import yaml
from titm_rules.diagnostics import InputError
from titm_rules.maps.expand import open_situation
from titm_rules.maps.lint import lint_map
from titm_rules.maps.maps import build_map
from titm_rules.maps.scenarios import check_whole, read_scenario, scenario_folders
from titm_rules.oracle.position import Position

from tests.fuzz.mutate import holder, spots
from tests.maps.conftest import EDITION, raw_map

WRONG = [None, True, -1, 7, 1e300, "", "x", "Bastogne", [], ["x"], {}, {"x": 1}, [[]], "areas", "a" * 300]
SMALL = {"day": 17, "impulse": 1, "side_to_move": "German"}


def spoil(raw, rng):
    """Remove or replace some values."""
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(list(spots(raw)))
        if rng.random() < 0.3:
            del holder(raw, path)[path[-1]]
        else:
            holder(raw, path)[path[-1]] = copy.deepcopy(rng.choice(WRONG))
    return raw


def faults_of(use):
    """Give the faults that refuse an input; any other error goes through."""
    try:
        use()
    except InputError as error:
        return error.faults
    return ()


def small_map():
    """A part of the reconstruction as a board of its own, with the facts and sources of the attested map."""
    raw, attested = raw_map(), raw_map("attested")
    inside = {name for names in raw.pop("parts")["seventh-army"]["places"].values() for name in names}
    for table in ("areas", "zones"):
        raw[table] = [row for row in raw[table] if row["id"] in inside]
    for table in ("connections", "zone_neighbours"):
        raw[table] = [row for row in raw[table] if inside.issuperset(row["ends"])]
    facts = [*attested["facts"], *raw["facts"]]
    return {**raw, "holds": [], "facts": facts, "sources": {**attested["sources"], **raw["sources"]}}


def seeds(quick, slow):
    """Number what is spoiled: the first few always, the others in the long run."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, slow))]


@pytest.mark.parametrize("seed", seeds(75, 300))
def test_map(seed):
    raw = spoil(small_map(), random.Random(seed))

    def use():
        board = build_map(EDITION.model, raw, "test.yaml")
        lint_map(board, EDITION.answer)
        named = {"map": board.name, **SMALL, "bridges": {"58-59": "blown"}}
        open_situation(EDITION.model, "position", named, "$", board)

    assert all(fault.what and fault.where for fault in faults_of(use))


def test_the_map_before_it_is_spoiled_is_read():
    board = build_map(EDITION.model, small_map(), "test.yaml")
    assert {fault.kind for fault in lint_map(board, EDITION.answer)} == {"fact"}


@pytest.mark.parametrize("seed", seeds(50, 200))
@pytest.mark.parametrize("name", ["seventh-army", "sauer-crossing"])
def test_scenario(seed, name, tmp_path):
    raw = yaml.safe_load((scenario_folders()[name] / "scenario.yaml").read_text(encoding="utf-8"))
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(spoil(raw, random.Random(seed))), encoding="utf-8")

    def use():
        found = read_scenario(EDITION.model, path)
        Position.from_dict(found.position, EDITION, found.situation)
        list(check_whole(found, EDITION.answer))

    assert all(fault.what and fault.where for fault in faults_of(use))


@pytest.mark.parametrize("raw", [None, 7, "areas", [], ["areas"]])
def test_what_is_no_map_at_all(raw):
    """Such a file is told so in words of the reader's, not with the name of a class."""
    with pytest.raises(InputError) as caught:
        build_map(EDITION.model, raw, "test.yaml")
    [fault] = caught.value.faults
    assert (fault.what, fault.where) == ("keys and values belong here", "test.yaml")


COUNT = {"id": "f", "says": "", "source": "rulebook", "count": {"table": "aeras", "least": 1}}


@pytest.mark.parametrize(("change", "where", "fix"), [
    ({"changes": {"bridges": {"table": "connection", "field": "bridge"}}}, "changes.bridges.table", "`connections`"),
    ({"changes": {"bridges": {"table": "connections", "field": "bridges"}}}, "changes.bridges.field", "`bridge`"),
    ({"facts": [COUNT]}, "facts.f.table", "`areas`"),
])  # fmt: skip
def test_lists_that_are_not_there(change, where, fix):
    with pytest.raises(InputError) as caught:
        build_map(EDITION.model, {**small_map(), **change}, "test.yaml")
    [fault] = caught.value.faults
    assert str(fault.where).endswith(where)
    assert fix in fault.fix
