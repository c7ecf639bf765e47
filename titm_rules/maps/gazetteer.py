"""Names of places and connections: spellings, numbers and accents that mean the same thing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import product

from titm_rules.diagnostics import cut, did_you_mean
from titm_rules.formats.fields import MAX_TEXT
from titm_rules.formats.safe_json import bad

_NOT_A_WORD = re.compile(r"(?!(?<=[0-9])-[0-9])[^0-9a-z]")


@lru_cache(maxsize=16_384)
def normalize_name(name: str) -> str:
    """Normalize to small letters and digits; a hyphen between numbers stays, since 3-35 is not 33-5."""
    apart = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss"))
    return _NOT_A_WORD.sub("", apart)


class Gazetteer:
    """Finds the id of a place or a connection by any name; one of the `twins`, which mean two things, finds nothing."""

    def __init__(self) -> None:
        self.twins: dict[str, set[str]] = {}
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def add(self, identity: str, names: Iterable[str]) -> None:
        """Note the names of one thing; its id is one of them."""
        self._ids[identity] = identity
        for name in (identity, *names):
            key = normalize_name(name)
            other = self._names.setdefault(key, identity)
            if other != identity:
                self.twins.setdefault(name, {other}).add(identity)

    def find(self, name: str) -> str | None:
        """Return the id of a name; `None` if it is unknown or ambiguous."""
        if len(name) > MAX_TEXT:
            return None
        return self._ids.get(name) or (None if name in self.twins else self._names.get(normalize_name(name)))

    def need(self, name: str, where: str, what: str) -> str:
        """Return the id of a name; raises `InputError` if there is none; it suggests the nearest."""
        found = self.find(name)
        if found is None:
            why = "the map has no place of this name"
            raise bad(f"unknown {what} `{cut(name)}`", where, self._nearest(name[:MAX_TEXT]), "unknown-name", why)
        return found

    def _nearest(self, name: str) -> str:
        numbers = [int(known) for known in self._names if known.isdecimal()]
        if normalize_name(name).isdecimal() and numbers:
            return f"numbers go from {min(numbers)} to {max(numbers)}"
        near = get_close_matches(normalize_name(name), self._names, n=1)
        return f"did you mean `{self._names[near[0]]}`?" if near else did_you_mean(name, self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)


def names_of_place(row: Mapping[str, object]) -> list[str]:
    """List what else a place is called: its aliases and its number."""
    aliases = row.get("aliases", ())
    number = row.get("number")
    return [*(aliases if isinstance(aliases, list) else ()), *([str(number)] if number is not None else [])]


def names_of_connection(ends: list[str], called: Mapping[str, list[str]], aliases: Iterable[str] = ()) -> list[str]:
    """List what else a connection is called: its ends under their id and their number, in both orders."""
    one, other = ([end, *called.get(end, ())] for end in ends)
    return [*aliases, *(name for a, b in product(one, other) for name in (f"{a}-{b}", f"{b}-{a}"))]
