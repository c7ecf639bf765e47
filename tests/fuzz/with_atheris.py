"""Lines of the protocol by coverage: `pip install 'titm_rules[fuzz]'`, then `python -m tests.fuzz.with_atheris`.

Takes the options of libFuzzer, such as `-max_total_time=600` and a folder of lines to begin with.
"""

import sys

import atheris

with atheris.instrument_imports(include=["titm_rules"]):
    from titm_rules.service.protocol import Oracle

    from tests.fuzz.lines import BUDGET, check_line

ORACLE = Oracle("compiled", BUDGET)


def one(raw: bytes) -> None:
    check_line(raw, ORACLE)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
