"""House rules that come as text and lie in no file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from titm_rules.diagnostics import Fault, InputError

MAX_RULE_TEXT = 64 * 1024
COMBINED = "+"  # joins the names of sheets to that of the rules they are applied to
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class HouseRules:
    """A text of house rules under a name; it is checked like a file when an edition is made with it."""

    name: str
    text: str

    def __post_init__(self) -> None:
        """Check name and size.

        Raises:
            InputError: for a name that is no word, or a text over 64 KiB.
        """
        if not _NAME.fullmatch(self.name):
            fix = "write small letters, digits and hyphens"
            raise InputError([Fault("this is no name for house rules", "$.name", fix=fix, kind="bad-value")])
        if len(self.text.encode("utf-8", "surrogatepass")) > MAX_RULE_TEXT:
            what = f"the house rules `{self.name}` are over {MAX_RULE_TEXT // 1024} KiB"
            raise InputError([Fault(what, "$.text", fix="send fewer clauses", kind="too-large")])

    @property
    def stem(self) -> str:
        """What verdicts call them, as they do a file by its name."""
        return self.name

    def __str__(self) -> str:
        return f"{self.name}.rules"


Overlay = str | HouseRules


def is_mixed(edition: str, overlays: Sequence[Overlay]) -> bool:
    """Whether rules are a mixture of sheets, or have house rules on top: too many such rules can be asked for."""
    return COMBINED in edition or bool(overlays)
