"""Selections: which sets of members may be chosen, counted by how many of each kind they hold."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import comb, prod
from typing import Any

from titm_rules.diagnostics import Fault, InputError
from titm_rules.engines.compiled.alike import Alike
from titm_rules.engines.compiled.program import Program
from titm_rules.rules.model import Selection, head_key
from titm_rules.world.records import Situation

MAX_COMBINATIONS = 1 << 15


class SelectionKernel:
    """One selection form, compiled."""

    def __init__(self, program: Program, form: Selection) -> None:
        self.form = form
        given = [name for name, _ in form.given]
        self.members = program.term(form.members, given)
        self.barred = program.head(head_key(form.name, "choose"))
        self.rank = program.term(form.rank, [*given, form.picked[0]]) if form.rank is not None else None
        self.member_key = Alike(
            program, [head_key(form.name, "choose")], form.picked[1].name, [form.rank] if form.rank is not None else []
        )

    def legal_numbers(
        self, root: Situation, given: Mapping[str, Any]
    ) -> Iterator[tuple[list[list[Any]], tuple[int, ...]]]:
        """Yield the kinds of members, and how many of each a legal set may hold.

        Raises:
            InputError: where there are more combinations than can be tried.
        """
        values = tuple(given[name] for name, _ in self.form.given)
        kinds: defaultdict[Any, list[Any]] = defaultdict(list)
        members = self.members(root, *values)
        place = {one: number for number, one in enumerate(members)}
        for one in members:
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
        legal: dict[tuple[int, ...], int] = {}
        for numbers in itertools.product(*(range(len(group) + 1) for group in groups)):
            sample = [one for group, number in zip(groups, numbers, strict=True) for one in group[:number]]
            sample.sort(key=place.__getitem__)
            if not self.barred(root, sample, *values):
                legal[numbers] = self.rank(root, *values, sample) if self.rank is not None else 0
        for numbers, rank in legal.items():
            if rank == min(legal.values()):
                yield groups, numbers

    def count(self, root: Situation, given: Mapping[str, Any]) -> int:
        """Count the legal sets."""
        return sum(
            prod(comb(len(group), number) for group, number in zip(groups, numbers, strict=True))
            for groups, numbers in self.legal_numbers(root, given)
        )

    def lowest(self, root: Situation, given: Mapping[str, Any]) -> int | None:
        """What the legal sets have least of; nothing if there are none, or if sets have no rank."""
        values = tuple(given[name] for name, _ in self.form.given)
        picked = next(self.choices(root, given), None)
        return self.rank(root, *values, list(picked)) if self.rank is not None and picked is not None else None

    def choices(self, root: Situation, given: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the legal sets, members in the order of the situation."""
        for groups, numbers in self.legal_numbers(root, given):
            parts = [itertools.combinations(group, number) for group, number in zip(groups, numbers, strict=True)]
            for picked in itertools.product(*parts):
                yield tuple(sorted(itertools.chain(*picked), key=lambda one: one.index_))

    def is_legal(self, root: Situation, given: Mapping[str, Any], picked: tuple[Any, ...]) -> bool:
        """Whether one set is legal."""
        values = tuple(given[name] for name, _ in self.form.given)
        members = self.members(root, *values)
        if len(set(picked)) < len(picked) or any(one not in members for one in picked):
            return False
        if self.barred(root, [one for one in members if one in picked], *values):
            return False
        return self.rank is None or set(picked) in map(set, self.choices(root, given))
