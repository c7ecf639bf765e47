"""Tigers in the Mist: the rules as checked, citable, executable text."""

from titm_rules.diagnostics import InputError, RulesetError, TitmError
from titm_rules.explain.verdict import Finding, Verdict
from titm_rules.ir.model import ClauseInfo
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import load_scenario
from titm_rules.oracle.joint_moves import JointMoves, joint_moves
from titm_rules.oracle.odds import Odds, Plans
from titm_rules.oracle.planning import FoundChoices
from titm_rules.oracle.position import IllegalAction, Outcome, Position, Victory
from titm_rules.oracle.supply_lines import SupplyLines, supply_lines
from titm_rules.play.action import Action, Dice
from titm_rules.play.machine import Happened, LegalActions
from titm_rules.render import register as _register  # noqa: F401 -- positions draw themselves from here on
from titm_rules.version import __version__

__all__ = [
    "Action",
    "ClauseInfo",
    "Dice",
    "Edition",
    "Finding",
    "FoundChoices",
    "Happened",
    "IllegalAction",
    "InputError",
    "JointMoves",
    "LegalActions",
    "Odds",
    "Outcome",
    "Plans",
    "Position",
    "RulesetError",
    "SupplyLines",
    "TitmError",
    "Verdict",
    "Victory",
    "__version__",
    "joint_moves",
    "load_scenario",
    "supply_lines",
]
