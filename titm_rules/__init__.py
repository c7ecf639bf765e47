"""Tigers in the Mist: the rules as checked, citable, executable text."""

__version__ = "0.1.0"

# The version stands first: modules imported below read it.
from titm_rules.diagnostics import InputError, RulesetError, TitmError
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.oracle.verdict import Finding, Verdict
from titm_rules.play.action import Action

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
