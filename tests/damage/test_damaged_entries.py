"""What is kept between runs and was damaged is never used: compiled rules, in the cache and in a wheel, and parts."""

import random
from dataclasses import replace

import pytest
from titm_rules import files
from titm_rules.catalog import game_folder
from titm_rules.editions import cache, load
from titm_rules.editions.load import link_edition, load_model
from titm_rules.files import read_sealed, sealed
from titm_rules.oracle.batch import read_part, write_part

SMALL = "cold-ford"
SEEDS = range(200)
ROWS = [{"question": "reachable", "asked": 12}, {"id": "ä", "count": 3}, {"id": "b", "count": 11}]


def damaged(whole, seed):
    """Flip a bit, or some, or cut the end off, or put something after it or into it."""
    rng = random.Random(f"entry {seed}")
    text, at = bytearray(whole), rng.randrange(len(whole))
    match seed % 6:
        case 0:
            return bytes(text[:at])
        case 1:
            return whole + rng.choice([b"\0", b".", b"\n", whole, b"x" * 1000])
        case 2:
            return whole[:at] + bytes([rng.randrange(256)]) + whole[at:]
        case 3:
            for _ in range(8):
                text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
        case _:
            text[at] ^= 1 << rng.randrange(8)
    return bytes(text)


@pytest.fixture
def entry(tmp_path, monkeypatch):
    """The entry of the rules of a game, in a cache folder of its own."""
    monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path / "cache"))
    load._rules.cache_clear()
    load_model("1", SMALL)
    return max((tmp_path / "cache").glob("*.model"), key=lambda path: path.stat().st_size)


@pytest.fixture
def rules():
    return link_edition(game_folder(SMALL), "1")


@pytest.fixture
def linked(rules, monkeypatch):
    """The editions that were linked, one after the other."""
    found = []
    monkeypatch.setattr(load, "link_edition", lambda _, edition, __=(): found.append(edition) or rules)
    return found


def loaded():
    """Load the rules as a new process does."""
    load._rules.cache_clear()
    return replace(load_model("1", SMALL), home="")


def test_a_damaged_entry_is_never_other_rules_and_is_made_again(entry, rules, linked):
    whole = entry.read_bytes()
    for seed in SEEDS:
        entry.write_bytes(damaged(whole, seed))
        is_same = loaded() == rules == loaded()
        assert (is_same, linked) == (True, ["1"]), seed
        assert entry.read_bytes() == whole
        linked.clear()


def test_a_damaged_entry_of_a_wheel_is_never_other_rules(entry, rules, linked, tmp_path, monkeypatch):
    whole = entry.read_bytes()
    shipped = tmp_path / "ready" / entry.name
    shipped.parent.mkdir()
    entry.rename(shipped)
    monkeypatch.setattr(cache, "READY", shipped.parent)
    is_same = loaded() == rules
    assert (is_same, linked) == (True, [])
    for seed in SEEDS:
        shipped.write_bytes(damaged(whole, seed))
        is_same = loaded() == rules == loaded()
        assert (is_same, linked) == (True, ["1"]), seed
        linked.clear()
        entry.unlink()  # in the user's folder, where it was made again


def test_a_damaged_part_is_never_other_rows(tmp_path):
    path = tmp_path / "part.jsonl"
    write_part(path, ROWS)
    assert read_part(path) == ROWS
    whole = path.read_bytes()
    for seed in SEEDS:
        path.write_bytes(damaged(whole, seed))
        assert read_part(path) is None, seed


def test_nothing_is_read_past_the_bound_nor_of_what_is_not_a_file(tmp_path, monkeypatch):
    path = tmp_path / "entry"
    path.write_bytes(sealed(b"x" * 100))
    with path.open("rb") as file:
        assert read_sealed(file) == b"x" * 100
    monkeypatch.setattr(files, "MAX_SEALED", 99)
    with path.open("rb") as file:
        assert read_sealed(file) is None
        assert file.tell() <= len(path.read_bytes())
    assert read_part(tmp_path) is None
    assert read_part(tmp_path / "gone") is None
