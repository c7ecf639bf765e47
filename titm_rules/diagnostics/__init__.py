"""Places in a text, faults with what, where, why and fix, and the error family."""

from titm_rules.diagnostics.errors import (
    Fault,
    InputError,
    RulesetError,
    TitmError,
    Undecided,
    cut,
    did_you_mean,
    moved_to,
)
from titm_rules.diagnostics.span import Span

__all__ = ["Fault", "InputError", "RulesetError", "Span", "TitmError", "Undecided", "cut", "did_you_mean", "moved_to"]
