"""Checks over all clauses together: cycles, tables, conflicts, silence, readings."""

from __future__ import annotations

from collections.abc import Mapping

from titm_rules.model.model import ClauseInfo, Form, Head
from titm_rules.model.schema import Schema


def check_heads(heads: dict[str, Head], forms: Mapping[str, Form], schema: Schema, infos: Mapping[str, ClauseInfo]) -> None:
    """Placeholder."""
