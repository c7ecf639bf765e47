"""The reference page of the language is what its script writes today."""

from __future__ import annotations

import runpy

from tests.syntax.programs import BAD, GOOD, ROOT, header

PAGE = (ROOT / "docs" / "reference" / "language.md").read_text(encoding="utf-8")


def test_page_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "tools" / "make_language_reference.py"))
    assert script["page"]() == PAGE


def test_page_tells_of_every_program() -> None:
    for path in GOOD:
        assert path.read_text(encoding="utf-8").splitlines()[0][2:] in PAGE
    missing = [path.stem for path in BAD if header(path)["fault"] not in PAGE]
    assert missing == []


def test_page_holds_the_whole_grammar() -> None:
    grammar = (ROOT / "grammar" / "titm.lark").read_text(encoding="utf-8")
    rules = [line for line in grammar.splitlines() if line[:1].islower() or line.startswith("?")]
    missing = [rule for rule in rules if rule not in PAGE]
    assert [rule.split(":")[0] for rule in missing] == ["?item"]
