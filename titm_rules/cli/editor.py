"""`titm lsp`: the language server."""

from __future__ import annotations

from titm_rules.cli.guard import LEGAL
from titm_rules.formats.jsonin import bad


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
