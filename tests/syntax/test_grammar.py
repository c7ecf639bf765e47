"""The grammar, and what the parser says of text that it cannot read."""

import tomllib
from collections import defaultdict

import pytest
from lark import Lark
from titm_rules.diagnostics import RulesetError, Span
from titm_rules.files import grammar_text
from titm_rules.syntax import builder
from titm_rules.syntax.parser import ITEM_WORDS, MAX_FAULTS, MAX_FILE_CHARACTERS, load_parser, parse_rules, split_items

from tests.syntax.programs import BAD, ROOT, RULESETS, underlined

HILL = 'clause 1 "Hills" "Hills are high."\n  hill holds '


def faults(text):
    with pytest.raises(RulesetError) as caught:
        parse_rules(text, "x.rules")
    return list(caught.value.faults)


def test_the_grammar_has_no_conflicts_and_its_item_words_are_known():
    # Strict mode refuses shift/reduce conflicts and terminals that collide.
    Lark(grammar_text(), parser="lalr", lexer="contextual", start="item", strict=True)
    first = load_parser().parse_interactive("", start="item").accepts()
    words = {load_parser().get_terminal(name).pattern.value for name in first}
    assert sorted(words) == sorted(ITEM_WORDS)


@pytest.mark.parametrize("path", RULESETS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_rule_sets_parse_with_places_inside_their_lines(path):
    text = path.read_text(encoding="utf-8")
    source = parse_rules(text, "x.rules")
    lines = text.split("\n")
    for clause in source.clauses:
        span = clause.id.span
        assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == clause.id.text
        for sentence in clause.sentences:
            subject = getattr(sentence, "subject", None)
            if subject is not None:
                span = subject.span
                assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == subject.text


def test_all_faults_of_a_file_at_once():
    text = (
        "# nothing wrong here\ndice d6 from 1 to 6.\ntype side is red, blue.\n\n"
        'clause 1 "Hills" "Text\n    over two lines."\n  hill holds if it is.\n\ntype order is hold'
    )
    assert [(str(fault.where), fault.what) for fault in faults(text)] == [
        ("x.rules:2:1", "`dice` cannot start an item"),
        ("x.rules:7:14", "`if` is not expected here"),
        ("x.rules:9:18", "the end of the item is not expected here"),
    ]


def test_a_fault_is_shown_with_its_line_and_a_caret():
    [fault] = faults(f"type side is red, blue.\n{HILL}unless it is > 3.\n")
    assert fault.render() == (
        "x.rules:3:27: `>` is not expected here\n"
        "3 |   hill holds unless it is > 3.\n"
        "                              ^\n"
        "why: comparisons are written in words\n"
        "fix: write `is at least`, `is at most`, `is more than`, `is less than` or `is`"
    )


def test_an_unclosed_text_spoils_one_item_and_what_was_expected_is_listed():
    [fault] = faults("edition X.")
    assert (underlined(fault), fault.why) == ("X", "expected a text in quotes")
    [fault] = faults("place hex height.")
    assert (underlined(fault), fault.why) == ("height", "expected `has`")
    found = faults('clause 1 "Hills "Hills are high."\n  see 2.\ndie d6 from 1 till 6.\nclause 2 "a" "b\n  see 1.\n')
    assert [fault.where.line for fault in found if isinstance(fault.where, Span)] == [1, 3, 4]


@pytest.mark.parametrize(
    "nested",
    ["not " * 61 + "x", "x" + " + 1" * 61 + " is 1", "x of " * 61 + "x is 1", "some a1 in b where " * 61 + "x",
     "not " * 50_000 + "x"],
    ids=["negations", "sums", "fields", "lists", "without end"],
)  # fmt: skip
def test_deep_nesting_is_refused(nested):
    [fault] = faults(f"{HILL}when {nested}.\n")
    assert fault.what == "the expression is nested too deeply"
    assert fault.why == "an expression has at most 60 levels"
    assert fault.source.startswith("  hill holds when ")


def test_files_answers_and_parentheses_have_a_size():
    # They leave no trace in the tree, so they cost nothing.
    deep = parse_rules(f"{HILL}when {'(' * 5000}x{')' * 5000}.\n", "x.rules")
    flat = parse_rules(f"{HILL}when x.\n", "x.rules")
    assert [c.sentences[0].when.op for c in (*deep.clauses, *flat.clauses) if c.sentences[0].when] == ["name", "name"]
    [fault] = faults(f"question q answers {'x: (' * 5000}b: c{'; y: z)' * 5000}.\n")
    assert fault.what == "the expression is nested too deeply"
    [fault] = faults(" " * (MAX_FILE_CHARACTERS + 1))
    assert (fault.what, fault.why) == ("the file is too large", f"limit: {MAX_FILE_CHARACTERS} characters")
    assert len(faults("nonsense\n" * 100_000)) == MAX_FAULTS


@pytest.mark.parametrize(("text", "items"), [
    ("", []),
    ("# only a comment\n", []),
    ("\n# first\ndie d6 from 1 to 6.\n", [3]),
    ("die d6\n  from 1\n\n  to 6.\ndie d8 from 1 to 8.", [1, 5]),
    ("die d6\n# in between\n  from 1 to 6.\ngame\n", [1, 4]),
])  # fmt: skip
def test_items_start_at_the_left_margin(text, items):
    assert [line for line, _ in split_items(text)] == items


def test_every_typical_mistake_is_made_by_a_bad_program():
    mistakes = tomllib.loads((ROOT / "grammar" / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]
    said = "\n".join(path.read_text(encoding="utf-8") for path in BAD)
    assert [entry["fix"] for entry in mistakes if f"# fix: {entry['fix']}\n" not in said] == []


# ---------------------------------------------------------------------- the builder's table
EXPRESSIONS = ("expr", "set_or_sum", "cell", "slot", "constant")
READ_BY_THEIR_PARENT = {  # a method or a row reads these children itself
    "follows", "carries_back", "source", "type_value", "alias", "also", "or_nothing", "default_value", "default_same",
    "choice", "because", "on", "number_key", "type_key", "always_each", "bare", "thrown", "numbered", "subjects",
    "kept_fields", "bars", "rising", "falling", "offer", "after", "preferred", "highest_first", "lowest_first",
}  # fmt: skip


def test_every_rule_of_the_grammar_becomes_a_node_in_exactly_one_way():
    names = defaultdict(set)
    below = defaultdict(set)
    for rule in load_parser().rules:
        if rule.alias or not (rule.options.expand1 or rule.origin.name.startswith("_")):
            names[rule.origin.name].add(str(rule.alias or rule.origin.name))
        below[rule.origin.name] |= {symbol.name for symbol in rule.expansion if not symbol.is_term}
    within = set(EXPRESSIONS)
    while more := {name for origin in within for name in below[origin]} - within:
        within |= more
    rules = {name for origin in list(names) for name in names[origin]}
    expressions = {name for origin in within for name in names[origin]} - {"bindings", "binding"}
    methods = {name.removeprefix("_build_") for name in vars(builder.Builder) if name.startswith("_build_")}
    ways = [*builder._ROWS, *methods, *builder._INNER, *builder._LISTS, *READ_BY_THEIR_PARENT, *builder.PREPOSITIONS]
    assert len(ways) == len(set(ways))
    assert rules - expressions == set(ways) - expressions
    assert not set(builder._ROWS) & expressions


def test_every_column_is_a_field_of_its_class():
    for rule, row in builder._ROWS.items():
        assert {*row.columns, *row.given} <= set(row.kinds), rule
