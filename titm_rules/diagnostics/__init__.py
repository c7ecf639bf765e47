"""Places in a text, faults with what, where, why and fix, and the error family."""

from titm_rules.diagnostics.errors import (
    Fault,
    InputError,
    RulesetError,
    TitmError,
    Undecided,
    did_you_mean,
)
from titm_rules.diagnostics.span import Span

__all__ = ["Fault", "InputError", "RulesetError", "Span", "TitmError", "Undecided", "did_you_mean"]
