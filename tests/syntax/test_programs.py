"""One tiny good and one tiny bad program for every rule of the language."""

import pytest
from titm_rules.diagnostics import RulesetError, Span
from titm_rules.files import grammar_text
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import load_parser, parse_item, split_items

from tests.syntax.programs import BAD, GOOD, header, link, underlined


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.stem)
def test_a_good_program_links_and_is_laid_out(path):
    model = link(path)
    assert model.game == "Two Hills"
    text = path.read_text(encoding="utf-8")
    assert format_rules(text, path.name) == text


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_a_bad_program_gives_its_fault_and_no_other(path):
    wanted = header(path)
    with pytest.raises(RulesetError) as caught:
        link(path)
    fault = caught.value.faults[0]
    assert isinstance(fault.where, Span)
    found = {"fault": fault.what, "under": underlined(fault), "line": str(fault.where.line)}
    assert found == {key: wanted[key] for key in found}
    assert fault.why == wanted.get("why", fault.why)
    assert fault.fix == wanted.get("fix", fault.fix)
    assert fault.why or fault.fix or fault.also, "a fault says why, or how to mend it, or shows the other place"
    assert {fault.what for fault in caught.value.faults} == {wanted["fault"]}


def test_every_good_program_has_a_bad_one():
    bad = {path.stem for path in BAD}
    assert [path.stem for path in GOOD if path.stem not in bad] == []
    numbers = {path.stem.split("_")[0] for path in GOOD}
    assert [path.stem for path in BAD if path.stem.split("_")[0] not in numbers] == []


def test_good_programs_use_every_rule_and_every_word_of_the_grammar():
    items = [parse_item(item) for path in GOOD for _, item in split_items(path.read_text(encoding="utf-8"))]
    assert tree_names() - {str(tree.data) for _, whole in items for tree in whole.iter_subtrees()} == set()
    words = {terminal.name for terminal in load_parser().terminals} - {"ARTICLE", "COMMENT", "WS"}
    assert words - {token.type for tokens, _ in items for token in tokens} == set()


def tree_names():
    """Name every kind of tree that the grammar can make; a rule `?x` only passes on what it holds."""
    grammar = grammar_text()
    names = {rule.alias or str(rule.origin.name) for rule in load_parser().rules}
    return {name for name in names if not name.startswith("_") and f"\n?{name}:" not in grammar}
