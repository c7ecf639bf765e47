"""The comparison of two versions asks what can be answered, and sees a difference."""

import sys
from itertools import chain

import pytest

from tests.versions.__main__ import GAMES, THIS, Comparison, of_cases, worlds

STUB = (sys.executable, "-c", "import sys\nfor line in sys.stdin: print('{\"answer\": {}}', flush=True)")


@pytest.fixture
def compared(request):
    comparison = Comparison(request.param, texts=True)
    yield comparison
    comparison.this.close()
    comparison.other.close()


@pytest.mark.parametrize("compared", [THIS], indirect=True)
def test_a_version_does_not_differ_from_itself(compared, capsys):
    for game in GAMES:
        requests = [*of_cases(7, game, 20), *(worlds(7, 20) if game == GAMES[0] else ())]
        answers = compared.ask(requests, game)
        assert sum("answer" in each for each in answers) > len(answers) / 3, "most draws make no sense"
    assert (compared.tally["differ"], capsys.readouterr().out) == (0, "")


@pytest.mark.parametrize("compared", [STUB], indirect=True)
def test_a_version_that_answers_otherwise_differs(compared, capsys):
    requests = list(chain(worlds(7, 10), of_cases(7, "titm", 10)))
    compared.ask(requests, "titm")
    assert compared.tally["differ"] == len(requests) == capsys.readouterr().out.count("DIFFERS titm")
