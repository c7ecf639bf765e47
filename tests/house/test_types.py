"""Types tell something: few parameters may be anything, and a name has one meaning."""

import ast
from collections.abc import Iterator
from pathlib import Path

import titm_rules

PACKAGE = Path(titm_rules.__file__).parent
ANYTHING = ("Any", "Any | None", "Optional[Any]")
MOST_ANYTHING = 58


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def parameters(tree: ast.Module) -> Iterator[ast.arg]:
    """Yield the parameters of all functions, those with stars too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            args = node.args
            found = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            yield from (one for one in found if one is not None)


def test_few_parameters_may_be_anything():
    found = [
        f"{path.relative_to(PACKAGE)}:{one.lineno} {one.arg}"
        for path, tree in trees()
        for one in parameters(tree)
        if one.annotation is not None and ast.unparse(one.annotation) in ANYTHING
    ]
    assert len(found) <= MOST_ANYTHING, "\n".join(found)


def test_no_alias_is_another_name_for_anything():
    aliases = [
        f"{path}:{node.lineno}"
        for path, tree in trees()
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.value) in ANYTHING
    ]
    assert aliases == []


def test_words_that_once_meant_several_things_mean_one():
    named = [
        node.name if isinstance(node, ast.ClassDef) else ast.unparse(node.targets[0])
        for _, tree in trees()
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.Assign)
    ]
    assert {
        word: named.count(word) for word in ("Step", "Told", "Part", "Plan", "Standing") if named.count(word) > 1
    } == {}
