"""Selections: which sets of members may be chosen, counted by how many of each kind they hold."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import comb, prod
from typing import Any

from titm_rules.compiler.alike import Alike
from titm_rules.compiler.program import Program
from titm_rules.diagnostics import Fault, InputError
from titm_rules.model.model import Selection, head_key

MAX_COMBINATIONS = 1 << 15


class SelectionKernel:
    """One selection form, compiled."""

    def __init__(self, program: Program, form: Selection) -> None:
        self.form = form
        self.members = program.term(form.members, [name for name, _ in form.given])
        self.barred = program.head(head_key(form.name, "choose"))
        self.member_key = Alike(program, [head_key(form.name, "choose")], form.picked[1].name)

    def legal_numbers(self, root: Any, given: Mapping[str, Any]) -> Iterator[tuple[list[list[Any]], tuple[int, ...]]]:
        """Yield the kinds of members, and how many of each a legal set may hold.

        Raises:
            InputError: where there are more combinations than can be tried.
        """
        values = tuple(given[name] for name, _ in self.form.given)
        kinds: defaultdict[Any, list[Any]] = defaultdict(list)
        for one in self.members(root, *values):
            kinds[self.member_key.key(root, one)].append(one)
        groups = list(kinds.values())
        if prod(len(group) + 1 for group in groups) > MAX_COMBINATIONS:
            raise InputError(
                [
                    Fault(
                        "too many different members to try every set",
                        "$.input",
                        f"limit: {MAX_COMBINATIONS} combinations",
                        "ask about fewer",
                        kind="too-large",
                    )
                ]
            )
        for numbers in itertools.product(*(range(len(group) + 1) for group in groups)):
            sample = [one for group, number in zip(groups, numbers, strict=True) for one in group[:number]]
            if not self.barred(root, sample, *values):
                yield groups, numbers

    def count(self, root: Any, given: Mapping[str, Any]) -> int:
        """Count the legal sets."""
        return sum(
            prod(comb(len(group), number) for group, number in zip(groups, numbers, strict=True))
            for groups, numbers in self.legal_numbers(root, given)
        )

    def choices(self, root: Any, given: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the legal sets, members in the order of the situation."""
        for groups, numbers in self.legal_numbers(root, given):
            parts = [itertools.combinations(group, number) for group, number in zip(groups, numbers, strict=True)]
            for picked in itertools.product(*parts):
                yield tuple(sorted(itertools.chain(*picked), key=lambda one: one.index))

    def is_legal(self, root: Any, given: Mapping[str, Any], picked: tuple[Any, ...]) -> bool:
        """Whether one set is legal."""
        values = tuple(given[name] for name, _ in self.form.given)
        members = self.members(root, *values)
        if len(set(picked)) < len(picked) or any(one not in members for one in picked):
            return False
        return not self.barred(root, list(picked), *values)
