"""Tigers in the Mist: the rules as checked, citable, executable text."""

__version__ = "0.1.0"

# The version stands first: modules imported below read it.
from titm_rules.diagnostics import InputError, RulesetError, TitmError
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Action, Position
from titm_rules.oracle.verdict import Finding, Verdict

__all__ = [
    "Action",
    "Edition",
    "Finding",
    "InputError",
    "Position",
    "RulesetError",
    "TitmError",
    "Verdict",
    "__version__",
]
