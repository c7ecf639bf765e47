"""Types tell something: few parameters may be anything, and a name has one meaning."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import titm_rules

PACKAGE = Path(titm_rules.__file__).parent
ANYTHING = ("Any", "Any | None", "Optional[Any]")
MOST_ANYTHING = 58
CAPITALISED = re.compile(r"[A-Z]\w*[a-z]\w*")


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


def meanings() -> dict[str, set[str]]:
    """Give, for each name that a module gives to a class or to a type, what it means there."""
    found = defaultdict(set)
    for path, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                found[node.name].add(f"class of {path.relative_to(PACKAGE)}")
            elif isinstance(node, ast.Assign) and CAPITALISED.fullmatch(name := ast.unparse(node.targets[0])):
                found[name].add(ast.unparse(node.value))
    return found


def test_a_name_of_a_class_or_a_type_means_one_thing():
    assert {name: told for name, told in meanings().items() if len(told) > 1} == {}
