"""What a question is about: a situation, what differs from it, and perhaps a place in it that is seen by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case, Rules, open_case
from titm_rules.oracle.position import Position


@dataclass(frozen=True)
class Subject:
    """What a question is about.

    Attributes:
        base: a file, or the name of what ships.
        changes: what differs from it, as a notation writes it.
        at: the place whose view is meant, such as that of a battle; empty: the whole, or as the file says.
    """

    base: Path
    changes: str = ""
    at: str = ""

    def open(self, rules: Rules) -> Case:
        """Open it as a case.

        Raises:
            InputError: for a file that cannot be used, changes that do not fit it, or a place that is not there.
        """
        case = open_case(self.base, rules, self.changes)
        at = self.at or case.at
        return seen_at(case, at, "--at" if self.at else f"{self.base}: $.at") if at else case


def seen_at(case: Case, place: str, path: str = "--at") -> Case:
    """Give the case of a place of a situation, as the rules see it by itself: the battle there, say.

    Raises:
        InputError: if the rules see no place of such a situation by itself, or the place is not there.
    """
    views = [name for name, view in case.edition.model.views.items() if view.situation == case.situation]
    wanted = case.edition.questions[case.query].situation if case.query in case.edition.questions else ""
    if wanted not in views and len(views) != 1:
        fix = f"ask about one of: {', '.join(views)}" if views else "leave the place out"
        raise bad(f"no place of a {case.situation} is a situation by itself", path, fix, "bad-value")
    view = wanted if wanted in views else views[0]
    position = Position.from_dict(case.data, case.edition, case.situation)
    return replace(case, situation=view, data=position.view(view, place, path), at="")
