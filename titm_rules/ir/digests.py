"""Digests of checked rules: of what they decide, and of their wording; neither depends on where a rule stands."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace

from titm_rules.diagnostics import Frozen, Span
from titm_rules.ir.model import Model, RuleDigests, View

DIGITS = 16
# Texts for people, by class; elsewhere texts are values.
_WORDING = {
    "RangePart": ("refusal",), "ConditionPart": ("says",), "Statement": ("says", "phrase"), "Lift": ("says",),
    "Question": ("says", "asked", "sayings"), "Always": ("says",), "Reading": ("question", "texts", "because"),
}  # fmt: skip
_RULES = (
    "enums", "records", "heads", "forms", "questions", "events", "views", "summaries", "readings", "victories",
    "always",
)  # fmt: skip


def with_digests(model: Model) -> Model:
    """Give rules their digests, whatever readings are chosen; they are stored with them."""
    texts = (*_RULES, "clauses", "courses", "title")
    rules, wording = _joined(_Digest(False), model, _RULES), _joined(_Digest(True), model, texts)
    return replace(model, digests=RuleDigests(rules, wording))


def _joined(digest: _Digest, model: Model, names: Iterable[str]) -> str:
    return _hash(*(digest.of(getattr(model, name)) for name in names)).hex()[:DIGITS]


class _Digest:
    """Digests values bottom up (a Merkle tree); a part that is shared is worked out once."""

    def __init__(self, with_wording: bool) -> None:
        self._with_wording = with_wording
        self._known: dict[Frozen, bytes] = {}

    def of(self, value: object) -> bytes:
        if isinstance(value, View):  # which has no hash, as a part of it is a map
            return self._of_parts(value)
        if isinstance(value, Frozen):
            known = self._known.get(value)
            if known is None:
                known = self._known[value] = self._of_parts(value)
            return known
        if isinstance(value, Mapping):
            return _hash(b"map", *(part for name in sorted(value) for part in (_plain(name), self.of(value[name]))))
        if isinstance(value, tuple):
            return _hash(b"tuple", *map(self.of, value))
        return _plain(value)

    def _of_parts(self, value: Frozen) -> bytes:
        name = type(value).__name__
        left_out = () if self._with_wording else _WORDING.get(name, ())
        known = ((one.name, getattr(value, one.name)) for one in fields(value))  # type: ignore[arg-type]  # a dataclass
        parts = (self.of(part) for field, part in known if field not in left_out and not isinstance(part, Span))
        return _hash(name.encode(), *parts)


def _plain(value: object) -> bytes:
    return f"{type(value).__name__} {value}".encode("utf-8", "surrogatepass")


def _hash(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join([len(part).to_bytes(4, "big") + part for part in parts])).digest()
