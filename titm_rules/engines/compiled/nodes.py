"""The nodes of `ast`, which all stand at one place: `compile` wants to know where, and generated code has no text.

To give each node a place of its own takes longer than to compile it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ast import *  # noqa: F403
else:
    _PLACE = {"lineno": 1, "end_lineno": 1, "col_offset": 0, "end_col_offset": 0, "__slots__": ()}
    _NODES = {title: node for title, node in vars(ast).items() if isinstance(node, type) and issubclass(node, ast.AST)}
    globals().update(
        (title, type(title, (node,), _PLACE) if {"lineno"} & {*node._attributes} else node)
        for title, node in _NODES.items()
    )
