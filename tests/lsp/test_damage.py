"""Whatever a text is while somebody types: every answer is an answer."""

import random

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.lsp.completion import complete
from titm_rules.lsp.edits import apply, layout_edits, quick_fixes, rename
from titm_rules.lsp.navigation import definition, exceptions, hover, outline, references

from tests.lsp.conftest import Writer

SCRAPS = (
    '"', "(", ")", ".", ":", "\n", "clause", "{", "}", " of ", "\0", "\x0c", "\u2028", "🏰", "🏰 is", "a\nb", "#",
    "when",
)  # fmt: skip


def damaged(text, chance):
    """Cut pieces out of a text, or put scraps into it."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text))
        end = min(len(text), start + chance.choice((0, 1, 5, 40, 400)))
        text = text[:start] + chance.choice(SCRAPS) * chance.randint(0, 2) + text[end:]
    return text


def ask_everything(writer, chance):
    checked, text = writer.checked, writer.workspace.text(writer.path)
    shown = checked.shown.get(writer.path.resolve(), "")
    for fault in checked.faults:
        assert fault.what
        for mend in quick_fixes(fault):
            apply(text, [mend.edit])
    outline(text, shown)
    layout_edits(text, shown)
    lines = text.split("\n")
    for _ in range(8):
        line = chance.randrange(len(lines)) + 1
        column = chance.randint(1, len(lines[line - 1]) + 1)
        complete(checked.index, text, shown, line, column)
        found = checked.index.at(shown, line, column)
        if found is not None:
            assert hover(checked.index, *found)
            definition(checked.index, found[1])
            exceptions(checked.index, found[1])
            assert references(writer.workspace, writer.path, found[1])


@pytest.mark.parametrize("seed", range(4))
def test_damaged_texts_are_answered(rules, vocabulary, seed):
    chance = random.Random(seed)
    for writer in (rules, vocabulary):
        for _ in range(2):
            writer.workspace.put(writer.path, damaged(writer.text, chance))
            ask_everything(writer, chance)


def test_a_damaged_file_may_still_be_renamed_in_what_can_be_read(rules):
    symbol = rules.at("closed holds", "closed")[1]
    rules.write("march has 3 points.", "march has 3 .")
    texts = rename(rules.workspace, rules.path, symbol, "barred")
    assert {path.name for path in texts} >= {"01_rules.rules", "game.rules"}


@pytest.mark.parametrize("text", ["", "\n", " ", "clause", '"', "\ufeff", "🏰", "x" * 5_000, "(" * 5_000])
def test_texts_of_next_to_nothing(rules, text):
    rules.workspace.put(rules.path, text)
    ask_everything(rules, random.Random(0))


def test_a_file_that_is_too_large_is_a_fault(rules):
    rules.workspace.put(rules.path, "# " + "x" * 2_000_001)
    assert rules.checked.faults[0].what == "the file is too large"
    with pytest.raises(InputError):
        rename(rules.workspace, rules.path, Writer(rules.path).at("closed holds", "closed")[1], "when")
