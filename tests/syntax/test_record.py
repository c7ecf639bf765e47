"""Records of games as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from titm_rules.diagnostics import InputError
from titm_rules.syntax.game_record import GameRecord, RecordedAction, read_record

HEAD = "edition 1999\nstart two-hills 0123456789abcdef\n"
WORDS = st.text("abcXYZ019-_.+%>'äß", min_size=1, max_size=8)
ACTIONS = st.builds(
    RecordedAction,
    stamp=st.sampled_from(["1", "16-1", "22-3"]),
    by=WORDS,
    kind=WORDS,
    words=st.lists(WORDS, max_size=4).map(tuple),
    dice=st.lists(st.integers(0, 10), max_size=5).map(tuple),
)
READINGS = st.lists(st.tuples(WORDS, WORDS), max_size=2).map(tuple)


def faults(text):
    with pytest.raises(InputError) as caught:
        read_record(text, "game.txt")
    return caught.value.faults


@given(st.lists(ACTIONS, max_size=6), READINGS, st.lists(WORDS, max_size=2).map(tuple))
def test_what_is_written_reads_back(actions, readings, overlays):
    record = GameRecord("1999", "two-hills", "0123456789abcdef", readings, tuple(actions), overlays)
    assert read_record(record.write()) == record


def test_lines_of_records_are_read_and_bad_ones_named_at_once():
    record = read_record(f"# a game\n\n{HEAD}16-1 German advance 4 # by the road\n\n16-1 Allied blow x : 7 10\n")
    assert record.actions == (
        RecordedAction("16-1", "German", "advance", ("4",)),
        RecordedAction("16-1", "Allied", "blow", ("x",), (7, 10)),
    )
    assert [action.line for action in record.actions] == [5, 7]
    [action] = read_record(f"{HEAD}16-1 German advance 4 12 : 3\n").actions
    assert (action.words, action.dice) == (("4", "12"), (3,))
    found = faults(f"{HEAD}German advance\n16-1 German go : x\n16-1\nsixteen German go\n")
    assert [str(fault.where).split(":")[1] for fault in found] == ["3", "4", "5", "6"]
    assert all(fault.fix for fault in found)


@pytest.mark.parametrize(
    "text", ["", "edition 1999\n", f"{HEAD}edition 1998\n", f"{HEAD}start a 0123456789abcdef\n"],
    ids=["empty", "no start", "two editions", "two starts"],
)  # fmt: skip
def test_a_record_has_one_edition_and_one_start(text):
    assert any("a record has one" in fault.why for fault in faults(text))


def test_a_start_may_leave_its_digest_out_and_records_have_a_size():
    record = read_record("edition 1999\nstart two-hills\n16-1 German go\n")
    assert (record.start, record.digest) == ("two-hills", "")
    assert read_record(record.write()) == record
    assert faults(f"{HEAD}16-1 German go {'x' * 5000}\n")[0].kind == "too-large"
    assert faults("#" * (8 * 1024 * 1024 + 1))[0].kind == "too-large"
    assert len(faults("nonsense\n" * 10_000)) <= 52
