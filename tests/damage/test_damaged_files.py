"""Files of positions and maps that nobody vouches for: read, or refused with a place, never a traceback."""

import json
import random

import pytest
import yaml
from titm_rules.diagnostics import InputError
from titm_rules.formats.safe_json import read_data
from titm_rules.maps.lint import lint_map
from titm_rules.maps.maps import build_map
from titm_rules.oracle.position import Position

from tests.builders import fault_of, position
from tests.fuzz.files import EDITION, small_map
from tests.fuzz.mutate import as_bytes, retyped

GOOD = position("B-s major; s-x minor blown", "m German foot 3 s; e Allied armor 2 x entrenched")
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

# file name, what is in it (None: there is none), where the error points (after the name of the file), its kind
REFUSED = [
    ("bomb.yaml", BOMB.encode(), ":1", "bad-yaml"), ("alias.yaml", b"day: 17\nareas: *nowhere\n", ":2", "bad-yaml"),
    ("cycle.yaml", b"a: &a\n  b: *a\n", ":1", "bad-yaml"),
    ("python.yaml", b"a: !!python/object/apply:os.system ['true']\n", ":1:4", "bad-yaml"),
    ("tag.yaml", b"a: !surprise 1\n", ":1:4", "bad-yaml"), ("key.yaml", b"? [1, 2]\n: 3\n", ":1:3", "bad-yaml"),
    ("open.yaml", b"a: [1, 2\n", ":2:1", "bad-yaml"),
    ("twice.yaml", b"a: 1\nb: {c: 1, d: 2, c: 3}\n", ":2:17", "bad-yaml"),
    ("twice-deep.yaml", b"- - a: 1\n    a: 1\n", ":2:5", "bad-yaml"), ("tab.yaml", b"a:\n\tb: 1\n", ":2:1", "bad-yaml"),
    ("two.yaml", b"--- 1\n--- 2\n", ":2:1", "bad-yaml"), ("null.yaml", b"a: \x00\n", "", "bad-yaml"),
    ("deep.yaml", b"[" * 5_000 + b"]" * 5_000, ":1", "too-deep"), ("deepest.yaml", b"[" * 400_000, ":1", "too-deep"),
    ("nested.yaml", b"".join(b" " * n + b"a:\n" for n in range(100)), ":65", "too-deep"),
    ("latin.yaml", b"a: \xff\n", "", "no-file"), ("latin.json", b'{"a": "\xff"}', "", "no-file"),
    ("open.json", b'{"a": [1,', "", "bad-json"), ("twice.json", b'{"a": 1, "a": 2}', "", "bad-json"),
    ("nan.json", b'{"a": NaN}', "", "bad-json"), ("deep.json", b"[" * 100 + b"]" * 100, "", "too-deep"),
    ("empty.json", b"", "", "bad-json"), ("big.json", b" " * (8 * 1024 * 1024 + 1), "", "too-large"),
    ("big.yaml", b"#" * (8 * 1024 * 1024 + 1), "", "too-large"),
    *((name, None, "", "no-file") for name in ("gone.yaml", "gone.json", ".")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "place", "kind"), REFUSED, ids=[row[0] for row in REFUSED])
def test_file_is_refused(tmp_path, name, text, place, kind):
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text)
    fault = fault_of(read_data, path)
    assert (fault.kind, str(fault.where)) == (kind, f"{path}{place}")
    assert fault.what


@pytest.mark.parametrize("name", ["good.yaml", "good.yml", "good.json"])
def test_good_file_is_read(tmp_path, name):
    path = tmp_path / name
    path.write_text(json.dumps(GOOD) if name.endswith("json") else yaml.safe_dump(GOOD), encoding="utf-8")
    assert read_data(path) == GOOD
    assert Position.from_file(path).ask("supplied", unit="m")["supplied"] is True


NO_POSITION = ["", "~\n", "17\n", "- 1\n", "hello\n", "day: 17\n", "2020-01-01\n", "1: 2\n", "day: .nan\n"]


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_what_is_read_again_is_as_in_the_file_whatever_was_made_of_it(tmp_path, suffix):
    path = tmp_path / f"good.{suffix}"
    path.write_text('{"rows": [{"id": "a", "ends": ["b", "c"]}]}')
    first = read_data(path)
    first["rows"][0]["ends"].append("d")
    assert read_data(path) == {"rows": [{"id": "a", "ends": ["b", "c"]}]}
    path.write_text('{"rows": []}')
    assert read_data(path) == {"rows": []}


@pytest.mark.parametrize("text", NO_POSITION)
def test_file_that_is_no_position(tmp_path, text):
    path = tmp_path / "position.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Position.from_file(path)
    assert all(str(fault.where).startswith((str(path), "$.position")) for fault in caught.value.faults)


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_bytes_at_random(tmp_path, suffix):
    """Every file is read as a position or refused with what, where and kind."""
    text = yaml.safe_dump(GOOD) if suffix == "yaml" else json.dumps(GOOD)
    refused = []
    for seed in range(150):
        rng = random.Random(f"{suffix} {seed}")
        path = tmp_path / f"{seed}.{suffix}"
        path.write_bytes(as_bytes(retyped(text, rng, 5), rng))
        try:
            Position.from_file(path)
        except InputError as error:
            refused.append(error.faults)
    assert len(refused) > 75
    assert all(fault.what and fault.kind and str(fault.where) for faults in refused for fault in faults)


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
