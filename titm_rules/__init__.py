"""Tigers in the Mist: the rules as checked, citable, executable text."""

from titm_rules.diagnostics import InputError, RulesetError, TitmError
from titm_rules.explain.verdict import Finding, Verdict
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import load_scenario
from titm_rules.oracle.position import Outcome, Position
from titm_rules.play.action import Action
from titm_rules.render import register as _register  # noqa: F401 -- positions draw themselves from here on
from titm_rules.version import __version__

__all__ = [
    "Action",
    "Edition",
    "Finding",
    "InputError",
    "Outcome",
    "Position",
    "RulesetError",
    "TitmError",
    "Verdict",
    "__version__",
    "load_scenario",
]
