"""Reserved words are those of the grammar, and nothing may have such a name; the two pages are up to date."""

import re
import runpy

import pytest
from lark.lexer import PatternStr
from titm_rules.diagnostics import RulesetError
from titm_rules.syntax import parser
from titm_rules.syntax.parser import load_parser, parse_rules

from tests.syntax.programs import BAD, GOOD, ROOT, header

ASKING = """
game "Two Hills".
place hex has height: number 0 to 3.
define number {} of h: hex.
"""


def words_beside_names():
    """List, for each state of the parser that takes a name, the words that it takes for themselves instead."""
    lark = load_parser()
    strings = {one.name: one.pattern.value for one in lark.terminals if isinstance(one.pattern, PatternStr)}
    strings |= {"DEFAULT": "default", "OTHERWISE": "otherwise", "NOT": "not"}
    states = lark.parser.parser.parser.parse_table.states.values()
    found = [{strings[token] for token in state if token in strings} for state in states if "NAME" in state]
    return [{word for word in words if word.isalpha()} for words in found]


def test_reserved_words_are_those_of_the_grammar():
    found = words_beside_names()
    assert set().union(*(words for words in found if {"number", "highest"} <= words)) == parser.IN_EXPRESSIONS
    assert set().union(*(words for words in found if "lifts" in words)) == parser.IN_CLAUSES
    types = [words for words in found if "pair" in words or "same" in words]
    assert set().union(*types) - {"yes", "no", "nothing", "to", "total"} == parser.IN_DECLARATIONS


@pytest.mark.parametrize("word", sorted(parser.IN_EXPRESSIONS | parser.IN_CLAUSES))
def test_no_definition_has_a_reserved_name(word):
    with pytest.raises(RulesetError, match="a word of the language") as caught:
        parse_rules(ASKING.format(word), "hills.rules")
    assert caught.value.faults[0].what.startswith(f"`{word}`")
    assert caught.value.faults[0].fix == "take another name"


@pytest.mark.parametrize("word", ["cost", "stop", "route", "place", "ends", "text"])
def test_other_words_may_be_names(word):
    [decl] = [one for one in parse_rules(ASKING.format(word), "hills.rules").decls if one.name.text == word]
    assert decl.name.text == word


# ---------------------------------------------------------------------- the pages of the language
def page(name):
    return (ROOT / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8")


PAGE = page("language")


@pytest.mark.parametrize(("script", "name"), [("make_words", "words"), ("make_language_reference", "language")])
def test_page_is_up_to_date(script, name):
    assert runpy.run_path(str(ROOT / "docs" / "tools" / f"{script}.py"))["page"]() == page(name)


def test_the_page_of_words_is_complete():
    named = set(re.findall(r"`([a-z]+)`", page("words").partition("## Fields")[0]))
    assert runpy.run_path(str(ROOT / "docs" / "tools" / "make_words.py"))["all_words"]() <= named
    for path in GOOD:
        assert path.read_text(encoding="utf-8").splitlines()[0][2:] in PAGE
    missing = [path.stem for path in BAD if header(path)["fault"] not in PAGE]
    assert missing == []
    grammar = (ROOT / "grammar" / "titm.lark").read_text(encoding="utf-8")
    rules = [line for line in grammar.splitlines() if line[:1].islower() or line.startswith("?")]
    missing = [rule for rule in rules if rule not in PAGE]
    assert [rule.split(":")[0] for rule in missing] == ["?item"]
