"""How names are spelled: as the rules write them, and as fields outside."""

from __future__ import annotations


def attribute(name: str) -> str:
    """Spell a name of the rules as a field outside: hyphens become underscores."""
    return name.replace("-", "_")


def spoken(name: str) -> str:
    """Spell a field as the rules do: underscores become hyphens."""
    return name.replace("_", "-")
