"""`titm lsp` and `titm mcp`: servers for an editor and for an assistant."""

from __future__ import annotations

from titm_rules.cli.guard import LEGAL
from titm_rules.formats.jsonin import bad
from titm_rules.service.budget import Budget


def serve_editor() -> int:
    """Serve one editor over standard input and output.

    Raises:
        InputError: if the extra `lsp` is not installed.
    """
    try:
        from titm_rules.lsp.server import serve
    except ImportError:
        fix = "pip install 'titm_rules[lsp]'"
        raise bad("the language server needs a library that is not installed", "titm lsp", fix, "no-library") from None
    serve()
    return LEGAL


def serve_assistant(engine: str, budget: Budget, game: str) -> int:
    """Serve one assistant over standard input and output.

    Raises:
        InputError: if the extra `mcp` is not installed, or for a game that is not there.
    """
    try:
        from titm_rules.mcp.server import serve
    except ImportError:
        fix = "pip install 'titm_rules[mcp]'"
        what = "the server for assistants needs a library that is not installed"
        raise bad(what, "titm mcp", fix, "no-library") from None
    serve(engine, budget, game)
    return LEGAL
