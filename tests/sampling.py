"""Which values of a long list the normal run takes; the slow run takes all."""

import pytest


def one_in(every, values):
    """Return values for `parametrize`: each so many-th for every run, the others for the slow one."""
    return [value if not number % every else _slow(value) for number, value in enumerate(values)]


def _slow(value):
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
