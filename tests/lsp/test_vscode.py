"""The folder for VS Code: sound JSON, and the words of the grammar, no more and no fewer."""

import json
import re
from pathlib import Path

from titm_rules.syntax.parser import ITEM_WORDS, words_of_language

FOLDER = Path(__file__).resolve().parents[2] / "editors" / "vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes" / "titm.tmLanguage.json").read_text(encoding="utf-8"))
PARTS = GRAMMAR["repository"]


def words(part):
    """List the words that a pattern names one by one."""
    found = re.search(r"\((?:\?:)?([a-z|]+)\)", PARTS[part]["match"])
    assert found is not None
    return set(found[1].split("|"))


def test_keywords_are_the_words_that_the_grammar_writes():
    assert words("keyword") | words("article") == set(words_of_language())
    assert words("item") == set(ITEM_WORDS)
    assert words("item") <= words("keyword")
    text = (FOLDER.parents[1] / "grammar" / "titm.lark").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if not line.startswith(("//", "TEXT", "REF", "NAME", "INT"))]
    written = set(re.findall(r'"([a-z]+)"', "\n".join(lines)))
    spoken = {"for", "each", "first", "the", "a", "an"}  # in patterns: `for each`, `for first`, articles
    assert set(words_of_language()) == written | spoken


def every_pattern(part):
    if isinstance(part, dict):
        own = [value for key, value in part.items() if key in ("match", "begin", "end")]
        return own + [text for value in part.values() for text in every_pattern(value)]
    return [text for one in part for text in every_pattern(one)] if isinstance(part, list) else []


def test_every_pattern_compiles_and_colours_and_every_part_is_there():
    for pattern in every_pattern(GRAMMAR):
        re.compile(pattern)
    included = set(re.findall(r'"include": "#(\w+)"', json.dumps(GRAMMAR)))
    assert included == set(PARTS)
    assert GRAMMAR["scopeName"] == "source.titm"
    for part, text, matched in (
        ("keyword", "march may not step when", ["may", "not", "when"]), ("keyword", "when-raining is-when", []),
        ("article", "the-hill the a b-a", ["the", "a"]), ("name", "side-to-move", ["side-to-move"]),
        ("comment", "x # when", ["# when"]), ("date", "dated 1997-08-20 reads", ["1997-08-20"]),
    ):  # fmt: skip
        assert [found[0] for found in re.finditer(PARTS[part]["match"], text)] == matched


def test_the_package_names_files_that_are_there_and_its_configuration_is_sound():
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    gives = package["contributes"]
    [language], [grammar] = gives["languages"], gives["grammars"]
    for name in (package["main"], language["configuration"], grammar["path"]):
        assert (FOLDER / name).is_file()
    assert language["extensions"] == [".rules"]
    assert grammar["scopeName"] == GRAMMAR["scopeName"]
    assert gives["configuration"]["properties"]["titm.command"]["default"] == ["titm", "lsp"]
    found = json.loads((FOLDER / "language-configuration.json").read_text(encoding="utf-8"))
    assert re.findall(found["wordPattern"], "side-to-move of 8.34b.") == ["side-to-move", "of", "8.34b"]
    assert found["comments"] == {"lineComment": "#"}
