"""Read JSON and YAML from untrusted sources: bounded in size and depth, never evaluated."""

from __future__ import annotations

import json
import math
import pickle
import re
import sys
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NoReturn

from titm_rules.diagnostics import Fault, InputError, cut
from titm_rules.files import MAX_BYTES, read_text

MAX_DEPTH = 64
_PARSING_DEEP_IS_FATAL = sys.platform == "emscripten"  # the stack of WebAssembly ends before Python's limit is reached
_TEXTS = 32  # of YAML, whose values are kept
# All but brackets. A text that has no end reaches to the end of all, and nothing is read twice.
_BETWEEN = re.compile(r'(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[^"\[\]{}]++)++', re.DOTALL)
_AS_ONE = str.maketrans("{}", "[]")
_NESTS = (dict, list)


def bad(what: str, where: str = "$", fix: str = "", kind: str = "bad-json", why: str = "") -> InputError:
    return InputError([Fault(what, where, why, fix, kind=kind)])


def parse_json(text: str, where: str = "$") -> Any:
    """Parse JSON; raises `InputError` for text that is too large or too deep, or that is not JSON."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise bad("the input is over 8 MiB", where, "send less at a time", "too-large")
    if _PARSING_DEEP_IS_FATAL and _has_deep_brackets(text):
        raise _too_deep(where)
    try:
        found = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_twins)
    except (ValueError, RecursionError, _Twin) as error:
        raise _refused(error, text, where) from None
    if _is_too_deep(found):
        raise _too_deep(where)
    return found


def _too_deep(where: str) -> InputError:
    return bad(f"the input is nested over {MAX_DEPTH} deep", where, "flatten it", "too-deep")


def _is_too_deep(value: object) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner for one in level if type(one) in _NESTS
            for inner in (one.values() if type(one) is dict else one) if type(inner) in _NESTS
        ]  # fmt: skip
        if not level:
            return False
    return True


def _refused(error: Exception, text: str, where: str) -> InputError:
    """Say why a text is refused; one that is too deep is refused for that, whatever else is wrong with it."""
    if _has_deep_brackets(text):
        return _too_deep(where)
    if isinstance(error, json.JSONDecodeError):
        what = f"this is not JSON: {error.msg.removesuffix(' at')} at "
        if where.startswith("$"):
            return bad(f"{what}column {error.pos + 1}", where, "send one JSON object a line")
        return bad(f"{what}line {error.lineno}, column {error.colno}", where, "see whether the file is whole")
    if isinstance(error, _Twin):
        return bad(f"key `{error}` appears twice in one object", where, "keep one of them")
    return bad(f"this is not JSON: {str(error)[:200]}", where)


def _has_deep_brackets(text: str) -> bool:
    """Whether brackets stand in each other over `MAX_DEPTH` deep; each round takes the innermost away."""
    marks = _BETWEEN.sub("", text).translate(_AS_ONE)
    for _ in range(MAX_DEPTH):
        fewer = marks.replace("[]", "")
        if len(fewer) == len(marks):
            return marks.count("[") > MAX_DEPTH
        marks = fewer
    return "[" in marks


class _Twin(Exception):
    pass


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Twin(key[:80])
            seen.add(key)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {cut(text)} is too large")
    return number


def read_data(path: Path) -> Any:
    """Read a JSON or YAML file; raises `InputError` if it cannot be read, is too large or is malformed."""
    text = read_text(path, fix="name a JSON or YAML file")
    return parse_yaml(text, str(path)) if path.suffix in (".yaml", ".yml") else parse_json(text, str(path))


def dumped(value: object, suffix: str) -> str:
    """Write a value as `read_data` reads it back: as JSON where a file is named so, else as YAML."""
    if suffix == ".json":
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    import yaml

    plain = json.loads(json.dumps(value))  # YAML refuses numbers that know their unit, and tuples
    text: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
    return text


def parse_yaml(text: str, where: str = "$") -> Any:
    """Parse YAML with plain values only; anchors are refused, so that nothing can unfold, and so is a key said twice.

    Parsing takes long, and the same few files are read over and over: the last texts are parsed once. Every caller gets
    its own copy. Raises `InputError` for text that is not such YAML.
    """
    return pickle.loads(_parsed_yaml(text, where))


@lru_cache(_TEXTS)
def _parsed_yaml(text: str, where: str) -> bytes:
    """Parse YAML into values that are copied at once. JSON is YAML too, and is read much faster as what it is."""
    if text.startswith("{"):
        with suppress(InputError):
            return pickle.dumps(parse_json(text, where), pickle.HIGHEST_PROTOCOL)
    import yaml

    loader = _loader()
    depth = 0
    try:
        for count, token in enumerate(yaml.scan(text, Loader=loader)):
            line = f"{where}:{token.start_mark.line + 1}"
            if isinstance(token, yaml.AliasToken | yaml.AnchorToken):
                raise bad("anchors and aliases are not read", line, "write the value out", "bad-yaml")
            depth += _deeper(type(token).__name__)
            if depth > MAX_DEPTH:
                raise _too_deep(line)
            if count > 500_000:
                raise bad("the file holds over 500000 words and marks", where, "split it, or write JSON", "too-large")
        return pickle.dumps(yaml.load(text, Loader=loader), pickle.HIGHEST_PROTOCOL)
    except InputError:
        raise
    except _Twin as error:
        key, line, column = error.args
        what = f"key `{key}` appears twice in one mapping"
        raise bad(what, f"{where}:{line}:{column}", "keep one of them", "bad-yaml") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        if mark and "nesting depth" in str(error):  # the limit of the scanner itself, from PyYAML 6.0.4 on
            raise _too_deep(f"{where}:{mark.line + 1}") from None
        place = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        problem = getattr(error, "problem", None) or "malformed"
        raise bad(f"this is not YAML: {problem}", place, kind="bad-yaml") from None
    except (RecursionError, ValueError) as error:
        raise bad(f"this is not YAML: {str(error)[:200]}", where, kind="bad-yaml") from None


@cache
def _loader() -> Any:
    """Make a loader of plain values that wants every key of a mapping once."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            found = set()
            for key, _ in node.value:
                if (key.tag, str(key.value)) in found:
                    raise _Twin(str(key.value)[:80], key.start_mark.line + 1, key.start_mark.column + 1)
                found.add((key.tag, str(key.value)))
            return super().construct_mapping(node, deep)

    return Loader


def _deeper(token: str) -> int:
    """Say whether a token of YAML opens a level (1), closes one (-1) or does neither."""
    if token.endswith(("SequenceStartToken", "MappingStartToken")):
        return 1
    return -1 if token.endswith(("SequenceEndToken", "MappingEndToken", "BlockEndToken")) else 0
