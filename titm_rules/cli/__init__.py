"""The `titm` command: arguments in, text out; it decides nothing."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from titm_rules.cli.app import app
    from titm_rules.cli.terminal import guard_output

    guard_output()
    app(prog_name="titm")
