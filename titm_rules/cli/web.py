"""`titm serve`: the analysis board, and the protocol over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from titm_rules.cli.guard import LEGAL
from titm_rules.formats.jsonin import bad
from titm_rules.service.budget import Budget


def serve_page(host: str, port: int, names: Sequence[str], engine: str, budget: Budget) -> int:
    """Serve until interrupted.

    Raises:
        InputError: if the extra `web` is not installed.
    """
    try:
        from titm_rules.web.server import serve
    except ImportError:
        fix = "pip install 'titm_rules[web]'"
        raise bad("serving needs libraries that are not installed", "titm serve", fix, "no-library") from None
    serve(host, port, names, engine, budget, typer.echo)
    return LEGAL
