"""What is kept of the rules between runs: made anew when it must be, trusted only where it may be."""

import os
import pickle
import pickletools
import time
from pathlib import Path

import pytest
import titm_rules
from titm_rules.editions import cache
from titm_rules.editions.cache import READING, cached, reading_code
from titm_rules.editions.load import link_edition, load_model
from titm_rules.editions.registry import edition_name
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.files import read_sealed, sealed
from titm_rules.ir.model import Model
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import Oracle

from tests.builders import fault_of

PACKAGE = Path(titm_rules.__file__).parent
OWNED, SHEETS = "1997-03-01", ("1997-08-20", "1998-01-15")


class Trap:
    """What a stranger would put into a pickle: reading it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (os.mkdir, (str(self.path),))


def written(made):
    """What an entry holds that somebody else has written, digest and all."""
    return sealed(pickle.dumps(made))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache folder, which is in use."""
    monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def rules(tmp_path):
    made = tmp_path / "rules"
    made.mkdir()
    (made / "game.rules").write_text("one")
    return made


@pytest.fixture
def entry(folder, rules):
    """The file of the value of `x`, which says "made"."""
    cached(rules, "x", (), str, lambda: "made")
    [path] = folder.glob("*.model")
    return path


def test_every_package_that_reads_rules_and_the_model_itself_are_watched():
    watched = {path.parent for path in reading_code()}
    assert watched == {PACKAGE, *(PACKAGE / name for name in READING), PACKAGE.parent / "grammar"}
    assert PACKAGE / "diagnostics.py" in reading_code()
    files = {Path(link_edition.__code__.co_filename), PACKAGE / "ir" / "model.py", PACKAGE / "syntax" / "builder.py"}
    assert files <= set(reading_code())


@pytest.fixture(scope="module")
def made():
    """A large model; of the module, so that it is loaded before the empty cache is in use."""
    return load_model("1999")


def test_a_model_is_read_back_as_it_was_made_until_a_file_changes(made, folder, rules):
    assert cached(rules, "a model", (), Model, lambda: made) is made
    assert cached(rules, "a model", (), Model, lambda: pytest.fail("made again")) == made
    assert cached(rules, "x", (), str, lambda: "first") == "first"
    (rules / "game.rules").write_text("two")
    assert cached(rules, "x", (), str, lambda: "second") == "second"


def test_files_are_part_of_the_name_of_an_entry_and_python_is_not(rules, entry, monkeypatch):
    first = cache.digest(rules, "x", ())
    monkeypatch.setattr(cache.sys.implementation, "cache_tag", "cpython-3999")
    assert cache.digest(rules, "x", ()) == first
    (rules / "game.rules").rename(rules / "game.rule")
    (rules / "game.rule").write_text("sone")
    assert cache.digest(rules, "x", ()) != first
    with entry.open("rb") as file:
        assert next(pickletools.genops(read_sealed(file)))[1] == cache.PROTOCOL == 5


def test_what_came_with_the_package_is_read_before_the_cache(rules, entry, tmp_path, monkeypatch):
    ready = tmp_path / "ready"
    ready.mkdir()
    monkeypatch.setattr(cache, "READY", ready)
    (ready / entry.name).write_bytes(written("shipped"))
    assert cached(rules, "x", (), str, lambda: "made again") == "shipped"
    assert cached(rules, "y", (), str, lambda: "made again") == "made again"
    (ready / entry.name).write_bytes(written(Trap(tmp_path / "sprung")))
    assert cached(rules, "x", (), str, lambda: "made again") == "made"
    assert not (tmp_path / "sprung").exists()
    monkeypatch.setenv("TITM_RULES_CACHE", "off")
    (ready / entry.name).write_bytes(written("shipped"))
    assert cached(rules, "x", (), str, lambda: "made again") == "made again"


@pytest.mark.parametrize("text", [b"", b"\x80", b"x" * 100, pickle.dumps("x"), written(7), written("cut")[:-1]])
def test_a_broken_entry_is_made_anew_and_none_can_run_anything(rules, entry, text, tmp_path):
    entry.write_bytes(written(Trap(tmp_path / "sprung")))
    assert cached(rules, "x", (), str, lambda: "made again") == "made again"
    assert not (tmp_path / "sprung").exists()
    entry.write_bytes(text)
    assert cached(rules, "x", (), str, lambda: "made again") == "made again"
    assert cached(rules, "x", (), str, lambda: pytest.fail("made a third time")) == "made again"


def given_away(entry):
    entry.write_bytes(written("a stranger's"))
    os.chown(entry, 12_345, -1)


def open_to_all(entry):
    entry.write_bytes(written("a stranger's"))
    entry.chmod(0o666)


def a_fifo(entry):
    """Make it something that is read without an end."""
    entry.unlink()
    os.mkfifo(entry, 0o600)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs users and modes of files, and FIFOs")
@pytest.mark.parametrize("spoil", [given_away, open_to_all, a_fifo])
def test_an_entry_that_a_stranger_may_have_made_is_not_read(folder, rules, entry, spoil):
    if spoil is given_away and os.getuid() != 0:
        pytest.skip("only root can give files away")
    spoil(entry)
    assert cached(rules, "x", (), str, lambda: "mine") == "mine"


def failing(error):
    def fail(*_, **__):
        raise error

    return fail


def test_where_nothing_can_be_written_the_answer_is_the_same(folder, rules, monkeypatch):
    for module, name in ((cache.tempfile, "mkstemp"), (cache.os, "unlink"), (cache.os, "replace")):
        monkeypatch.setattr(module, name, failing(OSError(30, "Read-only file system")))
    assert cached(rules, "x", (), str, lambda: "made") == "made"


def test_no_part_is_left_of_what_cannot_be_written_and_nothing_is_put_there_for_strangers(folder, rules, monkeypatch):
    monkeypatch.setattr(cache.os, "replace", failing(OSError(28, "No space left on device")))
    assert cached(rules, "x", (), str, lambda: "made") == "made"
    assert list(folder.iterdir()) == []
    monkeypatch.setattr(cache.os, "replace", failing(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        cached(rules, "x", (), str, lambda: "made")
    assert list(folder.iterdir()) == []
    with cache.read_only():
        cached(rules, "x", (), str, lambda: "made")
    assert list(folder.iterdir()) == []


def test_old_entries_go(folder, rules, monkeypatch):
    monkeypatch.setattr(cache, "MOST_ENTRIES", 3)
    long_ago = time.time() - cache.LONGEST_UNUSED_S - 10
    folder.mkdir(mode=0o700)
    for name in ("a.model", "b.part"):
        (folder / name).write_text("x")
        os.utime(folder / name, (long_ago, long_ago))
    for number in range(5):
        cached(rules, str(number), (), int, lambda number=number: number)
    assert len(list(folder.glob("*.model"))) == 3
    assert not (folder / "a.model").exists()
    assert not list(folder.glob("*.part"))


def test_the_entries_in_use_stay(folder, rules, monkeypatch):
    monkeypatch.setattr(cache, "MOST_ENTRIES", 2)
    cached(rules, "used", (), str, lambda: "used")
    for number in range(4):
        for path in folder.glob("*.model"):  # time goes by
            os.utime(path, (path.stat().st_mtime - 100,) * 2)
        cached(rules, "used", (), str, lambda: pytest.fail("it is gone"))
        cached(rules, str(number), (), int, lambda number=number: number)


def test_an_oracle_keeps_no_mixtures(folder, tmp_path):
    write_skeleton("skirmish", tmp_path)
    own = tmp_path / "skirmish"
    for name, clause in (("2/sheet", "1.9"), ("house/mine", "my:1")):
        (own / name).parent.mkdir()
        (own / f"{name}.rules").write_text(f'add clause {clause} "Late" "Said later." decides nothing "a test".\n')
    with (own / "game.rules").open("a") as file:
        file.write('edition "2" "Second edition" dated 2026-02-01 follows "1" reads "2" from "a test".\n')
    position = Position.from_file(own / "scenarios" / "first" / "position.yaml").to_dict()
    request = {"edition": "1", "query": "reachable", "input": {"position": position, "unit": "r1"}}
    assert Oracle(game=str(own)).ask(request)["ok"]
    before = set(folder.iterdir())
    assert before
    for more in ({"edition": "1+2"}, {"overlays": ["mine"]}):
        assert Oracle(game=str(own)).ask({**request, **more})["ok"]
    assert set(folder.iterdir()) == before


# ---------------------------------------------------------------------- names of editions
def test_sheets_in_any_order_are_one_edition():
    names = ["+".join([OWNED, *order]) for order in (SHEETS, SHEETS[::-1])]
    assert {edition_name(name) for name in names} == {names[0]}
    assert load_model(names[1]) is load_model(names[0])


@pytest.mark.parametrize(("name", "kind"), [
    ("+".join([OWNED, SHEETS[0], SHEETS[0]]), "unknown-edition"),
    ("1999" + "+2002-07-25" * 100, "too-large"),
    ("x" * 1_000_000, "too-large"),
])  # fmt: skip
def test_names_that_only_fill_memory_are_refused(name, kind):
    fault = fault_of(load_model, name)
    assert (fault.kind, fault.where) == (kind, "$.edition")
    assert len(fault.render()) < 400
