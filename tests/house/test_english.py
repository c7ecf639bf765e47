"""The texts of the project are plain English: words that docs, docstrings, help and messages do not use.

The words are dialect where they stand for a plainer one (`told` for *shown*, `anew` for *again*). Code is exempt, also
where it is quoted in backticks or stands in the braces of an f-string. The words of rule files are not covered yet.
"""

import io
import re
import tokenize
from pathlib import Path

import pytest
from docs.tools.rule_words import measured, sentences, texts, words

ROOT = Path(__file__).resolve().parents[2]
DIALECT = re.compile(
    r"\b(anew|whoever|broken off|break off|by itself|by themselves|is meant|on top|let go|is told|are told|was told|"
    r"tells|told|stands for|stands in|comes to|come to|rests on|(?<!there )is no(?! longer)|(?<!there )are no|"
    r"somebody else's)\b",
    re.IGNORECASE,
)
CODE = re.compile(r"```.*?```|`[^`]*`|\{[^{}]*\}", re.S)
# Made from the grammar, its programs and the messages about them, or from verdicts.
GENERATED = {"docs/reference/language.md", "docs/reference/words.md", "docs/reference/changes.md"}
PAGES = [
    path
    for path in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    if path.relative_to(ROOT).as_posix() not in GENERATED
]
MODULES = sorted((ROOT / "titm_rules").rglob("*.py"))
# What is right where it stands: the file, the words, and why.
ALLOWED = {
    ("titm_rules/ir/model.py", "by itself"): "a value of actions in records and the protocol",
    ("titm_rules/cli/draw.py", "told"): "a key of the JSON that `titm demo --json` prints",
    ("titm_rules/compare/counterexamples.py", "rests on"): "words of proofs that kept results and shipped pages hold",
    ("titm_rules/compare/results.py", "rests on"): "words of the shipped page of differences",
    ("docs/reference/differences.md", "rests on"): "made by `compare/results.py`",
}


def prose(path):
    """Yield the texts of a file without the code in them: all of a page; comments and string literals of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield CODE.sub("", text)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield CODE.sub("", token.string)


def dialect(path):
    return {match[0].lower() for text in prose(path) for match in DIALECT.finditer(text)}


@pytest.mark.parametrize("path", [*PAGES, *MODULES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_texts_are_plain(path):
    name = path.relative_to(ROOT).as_posix()
    assert {word for word in dialect(path) if (name, word) not in ALLOWED} == set()


def test_nothing_is_allowed_that_is_not_there():
    assert [(name, word) for name, word in ALLOWED if word not in dialect(ROOT / name)] == []


def test_words_are_found_in_prose_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("The rest is told by whoever asks.")
    assert dialect(page) == {"is told", "whoever"}
    page.write_text("`told` is a name, and {told} a slot. There is no other; it is no longer used.")
    assert dialect(page) == set()


# ---------------------------------------------------------------------- sentences of rules
CLAUSE = 'clause 1 "Title"\n  "Restated."\n  move costs 1 when {condition}{says}.\n'


def test_no_sentence_of_a_clause_or_course_is_over_forty_words():
    assert measured(texts(""))[2] == []


def test_words_are_counted_but_for_those_that_a_clause_says():
    for count, says, found in (
        (40, "", []), (41, "", ["41 words"]), (40, ' says "told to a reader. It decides nothing"', []),
    ):  # fmt: skip
        rules = {"x.rules": CLAUSE.format(condition=" ".join("w" * (count - 4)), says=says)}
        assert [one.split(": ")[2] for one in measured(rules)[2]] == found


def test_a_number_with_a_point_ends_no_sentence():
    assert [words(one) for one in sentences(" lifts 8.33-minor when x. see 8.2b.")] == [4, 2]
