"""What the workspace says of files while they are written is what lint says of them."""

from pathlib import Path

import pytest
from titm_rules.diagnostics import Span, TitmError
from titm_rules.editions.rule_files import check_files
from titm_rules.files import data_folder
from titm_rules.lsp.workspace import Workspace, plain_lines, without_items

from tests.lsp.conftest import RULES, VOCABULARY

BAD = sorted((data_folder("grammar") / "bad").glob("*.rules"))
SHIPPED = ("titm/1999/08_movement.rules", "titm/game.rules", "titm/2016-10-01/sheet.rules", "titm/house/skirmish.rules")


def header(path):
    """Read what the first lines of a bad file say of its fault."""
    lines = [line[2:] for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("# ")]
    return {key: value for key, _, value in (line.partition(": ") for line in lines)}


def linted(path):
    try:
        check_files([path])
    except TitmError as error:
        return list(error.faults)
    return []


def test_every_fault_of_the_language_is_shown_where_it_is():
    """Faults of amendments apart, which these files make alone and an editor sees on top of rules."""
    told = 0
    for path in BAD:
        workspace = Workspace()
        workspace.put(path, path.read_text(encoding="utf-8"))
        faults, wanted = workspace.check(path).faults, header(path)
        assert list(faults) == linted(path), path.name
        lines = [one.where.line for one in faults if one.what == wanted["fault"] and isinstance(one.where, Span)]
        assert lines[:1] in ([], [int(wanted["line"])]), path.name
        told += bool(lines)
    assert told >= 245


@pytest.mark.parametrize("text", ["", "# only a comment\n"])
def test_an_empty_sheet_is_no_fault_of_other_files(text, tmp_path):
    path = tmp_path / "mine.rules"
    path.write_text(text, encoding="utf-8")
    for faults in (linted(path), Workspace().check(path).faults):
        [fault] = faults
        assert (fault.what, fault.where) == ("the sheet is empty", str(path))
        assert fault.fix == "write amendments into it"


@pytest.mark.parametrize("name", SHIPPED)
def test_what_ships_has_no_fault(name):
    path = data_folder("rulesets") / name
    checked = Workspace().check(path)
    assert (checked.faults, checked.survey is None, path.resolve() in checked.paths) == ((), False, True)


def test_faults_come_and_go_as_one_types_and_a_fault_in_another_file_is_seen(rules):
    assert rules.checked.faults == ()
    [fault] = rules.write("march has 3 points.", "march has 3 pointz.").faults
    assert (fault.kind, fault.source) == ("syntax", "  march has 3 pointz.")
    assert "`pointz` is not expected here" in fault.what
    assert rules.write("march has 3 pointz.", "march has 3 points.").faults == ()
    assert rules.write("march has 3 points.", "march has lots points.").faults
    assert check_files([rules.path]), "on disk it is as it was"
    rules.workspace.drop(rules.path)
    assert rules.checked.faults == ()
    name = rules.path.parent.parent / VOCABULARY
    text = name.read_text(encoding="utf-8")
    rules.workspace.put(name, text.replace("define flag refuge of h: hex for d: unit", "define flag refuge of h: hex"))
    places = {Path(fault.where.path).name for fault in rules.checked.faults if isinstance(fault.where, Span)}
    assert places == {Path(RULES).name, VOCABULARY}


def test_vocabularies_and_texts_are_checked_with_the_game_that_is_meant(vocabulary, tmp_path):
    assert vocabulary.checked.faults == ()
    checked = vocabulary.write("type terrain is open, wood,", "type terrain is open,")
    assert {fault.what for fault in checked.faults} == {"unknown name `wood`"}
    workspace, path = Workspace(), tmp_path / "untitled"
    workspace.put(path, "define flag somewhat of u: nobody.\n")
    assert [fault.what for fault in workspace.check(path).faults] == ["unknown type `nobody`"]


def test_a_vocabulary_that_cannot_be_read_leaves_the_clauses_known(vocabulary):
    checked = vocabulary.write("die d6 from 1 to 6.", "die d6 from 1 too 6.")
    assert [fault.kind for fault in checked.faults] == ["syntax"]
    assert checked.survey is not None
    assert "3.1" in checked.survey.model.clauses


def test_a_new_file_that_was_never_saved_belongs_to_its_edition(game):
    workspace, path = Workspace(), game / "1" / "99_new.rules"
    workspace.put(path, 'clause 99.1 "New" "A new one."\n  decides nothing "it is new".\n')
    checked = workspace.check(path)
    assert checked.faults == ()
    assert checked.survey is not None
    assert {"3.1", "99.1"} <= set(checked.survey.model.clauses)
    assert not path.exists()


def test_house_rules_are_checked_on_top_of_the_newest_edition(game):
    workspace, path = Workspace(), game / "house" / "four.rules"
    workspace.put(path, 'replace 3.1 with clause 3.1 "Four" "Four points."\n  march has 4 points.\n')
    assert workspace.check(path).faults == ()
    workspace.put(path, 'replace 3.99 with clause 3.1 "Four" "Four points."\n  march has 4 points.\n')
    assert workspace.check(path).faults[0].what == "clause 3.99 is not in force"


def test_files_of_one_edition_are_checked_once_and_again_when_one_has_changed_on_disk(rules):
    vocabulary = rules.path.parent.parent / VOCABULARY
    assert rules.workspace.check(vocabulary) is rules.checked
    assert rules.checked.faults == ()
    vocabulary.write_text(vocabulary.read_text(encoding="utf-8").replace("type stage is", "type stages is"), "utf-8")
    assert rules.checked.faults == ()
    rules.workspace.refresh()
    assert rules.checked.faults


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_may_end_in_any_way(rules, end):
    rules.write("march has 3 points.", "march has 3 pointz.")
    before = rules.checked.faults
    rules.workspace.put(rules.path, "\ufeff" + rules.text.replace("\n", end))
    assert rules.checked.faults == before
    assert plain_lines(f"a{end}b") == "a\nb"
    assert rules.workspace.text(rules.path.with_name("none.rules")) == ""


def test_what_cannot_be_read_is_left_out_and_the_rest_stays_where_it_is(rules):
    before = rules.at("clause 4.1", "4.1")
    checked = rules.write("march has 3 points.", 'march has "3 points.')
    assert checked.faults
    assert rules.at("clause 4.1", "4.1") == before
    blanked = without_items(rules.text, set())
    assert blanked.count("\n") == rules.text.count("\n")
    assert "clause 3.1" not in blanked
    assert "clause 3.2" in blanked


def test_only_the_item_that_changes_is_parsed_again(rules, monkeypatch):
    from titm_rules.syntax import parser

    rules.checked  # noqa: B018 -- reads all
    read = []
    load = parser.load_parser()
    monkeypatch.setattr(load, "parse", lambda text, **more: read.append(text) or type(load).parse(load, text, **more))
    rules.write("march has 3 points.", "march has 5 points.")
    assert rules.checked.faults == ()
    assert [text.split("\n")[0] for text in read if text.startswith("clause")] == ['clause 3.1 "Three points"']


def test_a_survey_of_unsound_rules_still_tells_what_it_made_out(rules):
    checked = rules.write("march has 3 points.", "march has 3 points when u is nobody.")
    assert checked.survey is not None
    assert checked.survey.faults == checked.faults != ()
    assert checked.survey.model.heads["march.points"].statements


def test_nothing_of_an_unsaved_text_is_kept(rules, tmp_path, monkeypatch):
    monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path / "cache"))
    rules.write("march has 3 points.", "march has 5 points.")
    rules.checked  # noqa: B018 -- checks
    assert not (tmp_path / "cache").exists()
