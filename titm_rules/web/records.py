"""Request bodies of the routes that are not questions."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from titm_rules.editions.registry import MAX_NAME
from titm_rules.formats.record_schemas import TAG
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.web.library import shipped_rules

WordText = Annotated[str, StringConstraints(max_length=MAX_NAME)]

_Form = Discriminator(lambda value: f"{TAG}text" if isinstance(value, str) else f"{TAG}object")


class Shown(BaseModel):
    """A position that is to be drawn, and its rules; `placed` says whether its places are laid out."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    game: WordText
    edition: WordText
    overlays: Annotated[tuple[WordText, ...], Field(max_length=8, strict=False)] = ()
    situation: WordText = "position"
    placed: bool = True
    position: Annotated[Annotated[str, Tag(f"{TAG}text")] | Annotated[dict[str, Any], Tag(f"{TAG}object")], _Form]

    def rules(self) -> Edition:
        """Give the rules.

        Raises:
            InputError: for a game, an edition or house rules that do not ship.
        """
        return shipped_rules(self.game, self.edition, self.overlays)

    def made(self, rules: Edition) -> Position:
        """Make the position.

        Raises:
            InputError: with every fault of it.
        """
        if isinstance(self.position, str):
            return Position.from_notation(self.position, rules, "$.position", self.situation)
        return Position.from_dict(self.position, rules, self.situation)
