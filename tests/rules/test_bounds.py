"""Bounds of numbers hold whatever the fields are, and are no wider than they need to be."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from titm_rules.ir.bounds import ANY, Bounds, Interval
from titm_rules.ir.terms import Apply, Arithmetic, Const, Root
from titm_rules.ir.types import NUMBER, Type

RANGES = {"few": (0, 3), "signed": (-2, 2), "many": (5, 9)}
FIELDS = {name: Root(name, Type("number", "", low, high)) for name, (low, high) in RANGES.items()}
FREE = Root("free", NUMBER)
BOUNDS = Bounds({})


def terms():
    leaves = st.one_of(
        st.integers(-5, 5).map(lambda number: Const(number, NUMBER)), st.sampled_from(list(FIELDS.values()))
    )
    return st.recursive(leaves, lambda inner: st.one_of(
        st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "//"]), inner, inner, st.just(NUMBER)),
        st.builds(Apply, st.sampled_from(["least", "most"]), st.tuples(inner, inner), st.just(NUMBER)),
    ), max_leaves=6)  # fmt: skip


def value(term, fields):
    match term:
        case Const(value=number):
            return number
        case Root(field=name):
            return fields[name]
        case Apply(op=op, args=args):
            return (min if op == "least" else max)(value(one, fields) for one in args)
        case Arithmetic(op=op, left=left, right=right):
            one, other = value(left, fields), value(right, fields)
            return {"+": one + other, "-": one - other, "*": one * other, "//": one // other if other else 0}[op]


@given(terms(), st.fixed_dictionaries({name: st.integers(*ends) for name, ends in RANGES.items()}))
def test_no_value_lies_outside(term, fields):
    low, high = BOUNDS.of(term)
    assert low <= value(term, fields) <= high


@pytest.mark.parametrize(("term", "wanted"), [
    (Arithmetic("-", FIELDS["few"], FIELDS["signed"], NUMBER), (-2, 5)),
    (Arithmetic("*", FIELDS["few"], FIELDS["signed"], NUMBER), (-6, 6)),
    (Apply("most", (Const(0, NUMBER), FIELDS["signed"]), NUMBER), (0, 2)),
    (Apply("least", (FIELDS["few"], FIELDS["many"]), NUMBER), (0, 3)),
    (Arithmetic("*", FIELDS["few"], FREE, NUMBER), ANY),
    (Apply("most", (Const(0, NUMBER), FREE), NUMBER), (0, inf)),
    (Root("maybe", Type("number", "", 2, 4, optional=True)), (0, 4)),  # nothing counts as 0
])  # fmt: skip
def test_bounds_are_as_narrow_as_the_ranges(term, wanted):
    assert BOUNDS.of(term) == Interval(*wanted)
