"""Source spans, faults with four fields, and the error family."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import dataclass_transform

_HASH = "hash_"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """A part of a syntax tree or of checked rules: every class derived from it is a frozen dataclass.

    Its hash is computed once, since trees of them are keys, and stays in its process, where texts have one hash.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)
        hash_of = cls.__hash__

        def kept_hash(self: Frozen) -> int:
            known: int | None = getattr(self, _HASH, None)  # not by its `__dict__`, which would be made for it
            if known is None:
                known = hash_of(self)
                object.__setattr__(self, _HASH, known)
            return known

        cls.__hash__ = kept_hash  # type: ignore[method-assign,assignment]

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != _HASH}


class Span(Frozen):
    """A stretch of one line of a file; lines and columns count from 1."""

    path: str
    line: int
    column: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


NOWHERE = Span("", 0, 0, 0)
MAX_WORDS = 2_000
MAX_PATH = 500
MAX_NAME = 80


def cut(text: str, most: int = MAX_NAME) -> str:
    """Shorten a text from outside, so that a message can repeat it."""
    return text if len(text) <= most else f"{text[:most]}…"


class Fault(Frozen):
    """A fault of an input: what is wrong, where, why, and how to fix it.

    `where` is a place in a text, or a path into a JSON value such as `$.units[2].kind`.
    `source` is the line of text that `where` points into, if it is known.
    """

    what: str
    where: Span | str
    why: str = ""
    fix: str = ""
    source: str = ""
    also: tuple[Span, ...] = ()
    kind: str = "rules"

    def __post_init__(self) -> None:
        for name, most in (("what", MAX_WORDS), ("where", MAX_PATH), ("why", MAX_WORDS), ("fix", MAX_WORDS)):
            text = getattr(self, name)
            if isinstance(text, str) and len(text) > most:
                object.__setattr__(self, name, cut(text, most))

    def render(self) -> str:
        """Render the fault for a person, with the source underlined; each field is on one line."""
        lines = [f"{self.where}: {self.what}".replace("\n", " ")]
        if isinstance(self.where, Span) and self.source:
            number = f"{self.where.line} | "
            width = max(1, self.where.end_column - self.where.column)
            lines.append(f"{number}{self.source}")
            lines.append(" " * (len(number) + self.where.column - 1) + "^" * width)
        lines.extend(f"see also: {other}" for other in self.also)
        more = (("why", self.why), ("fix", self.fix))
        lines.extend(f"{name}: {text}".replace("\n", " ") for name, text in more if text)
        return "\n".join(lines)


@dataclass
class TitmError(ValueError):
    """Input that cannot be used, with all its faults."""

    faults: Sequence[Fault] = field(default_factory=tuple)

    def __str__(self) -> str:
        return "\n\n".join(fault.render() for fault in self.faults)


class RulesetError(TitmError):
    """Rule text that cannot be parsed or compiled."""


class Undecided(TitmError):
    """A case that the rules do not cover: no clause, or more than one, decides a value."""

    @classmethod
    def of(cls, head: str, clauses: Iterable[str] = ()) -> Undecided:
        """Make the error for a head that no clause decides, or several `clauses`."""
        decides = ", ".join(clauses)
        what = f"{decides} all decide `{head}`" if decides else f"no clause decides `{head}` here"
        return cls(
            [Fault(f"not covered: {what}", "$.input", fix="name the clause that should decide it", kind="not-covered")]
        )


class InputError(TitmError):
    """A position, a question or a file that is not valid."""


SYSTEM_FAILURES = OSError, MemoryError, SystemError  # the last is Python's own, where it has no memory to say so


def system_fault(error: Exception, where: str = "$") -> Fault:
    """Say what the system could not do, where no file is to blame that somebody named."""
    if not isinstance(error, OSError):
        return Fault("there is not enough memory", where, "", "close other programs, or ask about less", kind="failed")
    what = f"a file cannot be read or written: {error.strerror or type(error).__name__}"
    return Fault(what, where, "", "see whether the disk is well and has room, and ask again", kind="failed")


def moved_to(error: InputError, old: str, new: str) -> InputError:
    """Move faults from one path to another, such as that in the whole input."""
    faults = []
    for fault in error.faults:
        where = fault.where
        if isinstance(where, str) and (where == old or where.startswith((f"{old}.", f"{old}["))):
            where = new + where.removeprefix(old)
        faults.append(replace(fault, where=where))
    return InputError(faults)


_WORD = re.compile(r"[^\W_]+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")


def meant_name(text: str, known: Iterable[str], where: str) -> str:
    """Find the name that a text means, as people write it: `2nd Panzer B` is `2-pz-b`.

    A text that means none comes back as it is. Raises `InputError` for one that may mean several.
    """
    names = list(known)
    found = [text] if text in names else _begun(text, names)
    if len(found) > 1:
        what = f"`{cut(text)}` may be {', '.join(found[:12])}{' or another' if len(found) > 12 else ''}"
        raise InputError([Fault(what, where, "", "name one of them", kind="unknown-name")])
    return found[0] if found else text


def group_named(text: str, known: Iterable[str]) -> list[str]:
    """List the names that begin with a text as people write it, if all begin alike, as `2-pz-a` and `2-pz-b`."""
    names = list(known)
    found = [text] if text in names else _begun(text, names)
    words = len(_WORD.findall(text[:MAX_NAME]))
    return found if len({tuple(_WORD.findall(name.casefold())[:words]) for name in found}) == 1 else []


def _begun(text: str, names: Sequence[str]) -> list[str]:
    """List the names that the words of a text begin; only those of as many words, if there are some."""
    given = [_ORDINAL.sub(r"\1", word) for word in _WORD.findall(text[:MAX_NAME].casefold())]
    parted = {name: _WORD.findall(name.casefold()) for name in names if given}
    found = [name for name, words in parted.items() if len(words) >= len(given) and all(map(_fits_word, given, words))]
    return [name for name in found if len(parted[name]) == len(given)] or found


def _fits_word(given: str, word: str) -> bool:
    """Whether a word of a name is the one that is given, or short for it, as `pz` is for `panzer`."""
    letters = iter(given)
    may_be_short = word.isalpha() and len(word) > 1 and given[0] == word[0]
    return given == word or (may_be_short and all(letter in letters for letter in word))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Suggest the nearest known word in any case, or else list the known ones, the nearest first; empty without any."""
    import difflib  # takes time to import, and most runs have nothing to suggest

    names, given = sorted(set(known)), word[:MAX_NAME].casefold()
    folded = {name.casefold(): name for name in names}
    scores = {
        name: difflib.SequenceMatcher(None, name, given).ratio()
        for name in difflib.get_close_matches(given, folded, 12, 0.3)
    }
    near = sorted(scores, key=lambda name: (-scores[name], name))
    if near and scores[near[0]] >= 0.6:
        return f"did you mean `{folded[near[0]]}`?"
    listed = dict.fromkeys([*_begun(word, names), *(folded[name] for name in near), *names])
    return f"known: {', '.join([*listed][:12])}" if names else ""
