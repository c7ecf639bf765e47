"""The recorded games that ship: they begin in every scenario, and each can be replayed under its own edition."""

import pytest
from titm_rules.catalog import files_of, game_folders
from titm_rules.formats.case_files import is_scenario, read_case_file, shipped_cases
from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import open_recorded_start, replay, rules_of_record
from titm_rules.syntax.game_record import read_record

RECORDS = [path for game in game_folders() for path in files_of(game, "games/*.txt")]


def record_of(path):
    return read_record(path.read_text(encoding="utf-8"), str(path))


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_a_recorded_game_is_legal_to_its_last_line(path):
    record = record_of(path)
    rules = rules_of_record(record, Rules())
    assert record.digest
    assert replay(record, open_recorded_start(record, rules, str(path))).is_legal


def test_games_begin_in_every_scenario_and_in_several_editions():
    records = [record_of(path) for path in RECORDS]
    scenarios = {
        name for game in game_folders() for name, path in shipped_cases(game).items()
        if is_scenario(read_case_file(path))
    }  # fmt: skip
    assert len(records) == 11
    assert scenarios <= {record.start for record in records}
    assert len({record.edition for record in records if record.game == "titm"}) >= 5
