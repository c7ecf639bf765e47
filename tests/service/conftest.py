"""Tests of the service break work off, after which all that is held is looked through for circles."""

import gc
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _only_what_comes_is_looked_through() -> Iterator[None]:
    """What other tests have made before stays out of it: a server does not hold it either."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _what_python_swallows_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception may first land where Python swallows it and says so: in a callback of hypothesis, say.

    Pytest would keep it for its report, and with it all that the broken work held.
    """
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
