"""The builder's table: every rule of the grammar becomes a node in exactly one way."""

from collections import defaultdict

from titm_rules.syntax import builder
from titm_rules.syntax.parser import load_parser

EXPRESSIONS = ("expr", "set_or_sum", "cell", "slot", "constant")
READ_BY_THEIR_PARENT = {  # a method or a row reads these children itself
    "follows", "carries_back", "source", "type_value", "alias", "also", "or_nothing", "default_value", "default_same",
    "choice", "because", "on", "number_key", "type_key", "always_each", "bare", "thrown", "numbered", "subjects",
    "rising", "falling", "offer", "after", "preferred", "highest_first", "lowest_first",
}  # fmt: skip


def test_every_rule_of_the_grammar_has_one_way():
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
