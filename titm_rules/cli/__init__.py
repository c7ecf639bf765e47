"""The `titm` command: arguments in, text out; it decides nothing."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    import sys

    from titm_rules.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # What a terminal cannot show is escaped: an id may hold any character.
            stream.reconfigure(errors="backslashreplace")

    app(prog_name="titm")
