"""The public interface is documented: every public name, and every public method and property of its classes."""

import inspect

import titm_rules
from titm_rules.cli import main
from titm_rules.world import chance


def members(name, value):
    """Yield a public name and, for a class, what it defines without an underscore."""
    yield name, value
    if inspect.isclass(value):
        for attribute, member in vars(value).items():
            function = getattr(member, "func", getattr(member, "__func__", member))
            if not attribute.startswith("_") and (inspect.isfunction(function) or isinstance(member, property)):
                yield f"{name}.{attribute}", function


PUBLIC = [
    pair
    for name in titm_rules.__all__
    if not name.startswith("__")
    for pair in members(f"titm_rules.{name}", getattr(titm_rules, name))
] + [
    pair
    for name, value in vars(chance).items()
    if getattr(value, "__module__", "") == chance.__name__ and not name.startswith("_")
    for pair in members(f"titm_rules.world.chance.{name}", value)
]


def test_what_is_public_is_documented():
    assert len(PUBLIC) > 60
    shown = [*PUBLIC, ("titm_rules.cli.main", main)]
    assert [name for name, value in shown if not (getattr(value, "__doc__", None) or "").strip()] == []
