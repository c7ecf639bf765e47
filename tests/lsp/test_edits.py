"""Layout, quick fixes, new names and what may be written next."""

from pathlib import Path

import pytest
from titm_rules.diagnostics import Fault, InputError, RulesetError, Span
from titm_rules.editions.rule_files import check_files
from titm_rules.files import data_folder
from titm_rules.lsp.completion import complete
from titm_rules.lsp.edits import apply, can_rename, character_of, column_at, layout_edits, quick_fixes, rename, units
from titm_rules.lsp.workspace import Symbol
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import ITEM_WORDS

from tests.lsp.conftest import RULES, VOCABULARY, Writer

RULESETS = data_folder("rulesets")


# ---------------------------------------------------------------------- layout
@pytest.mark.parametrize("name", ["cold-ford/game.rules", "titm/1999/09_combat.rules"])
def test_the_layout_is_that_of_fmt(name):
    text = (RULESETS / name).read_text(encoding="utf-8")
    assert layout_edits(text, "x") == []
    squeezed = text.replace("  ", " ").replace("\n\n", "\n")
    edits = layout_edits(squeezed, "x")
    assert apply(squeezed, edits) == format_rules(squeezed, "x") != squeezed


@pytest.mark.parametrize(
    "text", ["type kind is b,   c.", "type kind is b, c.", "\n\ntype kind is b, c.", "type kind is b,\n   c.\n\n\n"]
)
def test_the_layout_of_a_text_that_ends_anyhow(text):
    assert apply(text, layout_edits(text, "x")) == format_rules(text, "x")


def test_only_lines_that_change_are_touched_and_none_of_what_cannot_be_read():
    [edit] = layout_edits("type kind is b, c.\ntype other is   e, f.\ntype third is h, i.\n", "x")
    assert (edit.line, edit.end_line, edit.text) == (2, 3, "type other is e, f.\n")
    assert layout_edits("type a   is", "x") == []


# ---------------------------------------------------------------------- quick fixes
@pytest.mark.parametrize(("old", "new"), [
    ("march has 3 points.", "marhc has 3 points."),
    ("closed holds when river of way", "closed holds when rivver of way"),
    ("foe is red when owner is blue", "foe is red when owner is bleu"),
    ("lifts 5.3 when", "lifts 5.33 when"),
    ('clause 3.1 "Three', 'cluase 3.1 "Three'),
    ("supply may not step when way is closed", "supply may not step when way is cloosed"),
    ("  supply costs 1.\n", "  supply costs 1\n"),
    ("supply may not step when way is closed", "supply may not stepp when way is closed"),
])  # fmt: skip
def test_what_was_meant_mends_the_fault(rules, old, new):
    before = rules.text
    faults = rules.write(old, new).faults
    [mend] = quick_fixes(faults[0])
    assert apply(rules.text, [mend.edit]) == before


def test_a_clause_that_is_not_in_force_is_mended_whole(tmp_path):
    path, text = tmp_path / "mine.rules", 'replace clause 8.33-majr "A" "B."\n  move costs 1.\n'
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesetError) as caught:
        check_files([path])
    [mend] = quick_fixes(caught.value.faults[0])
    assert apply(text, [mend.edit]) == text.replace("majr", "major")


def test_a_fault_that_suggests_nothing_has_no_quick_fix(rules):
    assert quick_fixes(rules.write("march has 3 points.", "march has 3 points 4.").faults[0]) == []
    assert quick_fixes(Fault("`a` is wrong", "$.path", "", "did you mean `b`?")) == []
    assert quick_fixes(Fault("`a` is wrong", Span("x", 1, 1, 2), "", "did you mean `b`?", "nothing here")) == []


# ---------------------------------------------------------------------- new names
def renamed(rules, words, pointed, name):
    changes = rename(rules.workspace, rules.path, rules.at(words, pointed)[1], name)
    texts = {path.name: apply(rules.workspace.text(path), edits) for path, edits in changes.items()}
    for path in changes:
        rules.workspace.put(path, texts[path.name])
    assert rules.checked.faults == ()
    return texts


def test_a_definition_is_renamed_everywhere_and_nothing_else(rules):
    texts = renamed(rules, "closed holds", "closed", "barred")
    assert set(texts) >= {Path(RULES).name, VOCABULARY}
    assert "closed" not in texts[Path(RULES).name].replace('"', "")
    assert texts[VOCABULARY].count("barred") == 1


def test_a_role_is_renamed_in_its_declaration_and_in_the_clauses_about_it(rules):
    texts = renamed(rules, "closed holds when river of way", "way", "path-taken")
    assert "define flag closed of path-taken: hexside." in texts[VOCABULARY]
    assert "closed holds when river of path-taken and not ford of path-taken." in texts[Path(RULES).name]
    assert "march may not step when way is closed" in texts[Path(RULES).name], "the way of a march is another"


def test_a_local_name_is_renamed_in_its_sentence(rules):
    texts = renamed(rules, "some v in units standing at place-entered where v is not u", "v in", "other")
    assert "some other in units standing at place-entered where other is not u" in texts[Path(RULES).name]
    assert set(texts) == {Path(RULES).name}


def test_a_witness_is_renamed_in_its_text_and_a_member_that_is_it_alone(example):
    writer = example("64_some_is")
    text = renamed(writer, "some s in stack has moved", "s in", "laggard")["example.rules"]
    assert 'some laggard in stack has moved says "{laggard has} moved already".' in text
    assert "some s in stack where it is tired" in text, "the member of another sentence"
    assert renamed(example("64_some_is"), "{s has}", "s", "laggard")["example.rules"] == text
    text = renamed(example("64_some_is"), "where it is tired", "it is", "walker")["example.rules"]
    assert "some walker in stack where it is tired and its place is not its home" in text


def test_a_reading_is_renamed_by_its_name_and_keeps_its_number(example):
    writer = example("12_reading_named")
    text = renamed(writer, "what-is-a-hill is wide", "what", "hills")["example.rules"]
    assert "reading R1 as hills " in text
    assert "hills is wide" in text
    with pytest.raises(InputError, match="know the reading by this name"):
        rename(writer.workspace, writer.path, Symbol("name", "R1"), "hills")


def test_a_target_is_renamed_in_the_preferences(example):
    text = renamed(example("83_prefers"), "need not take target", "target", "mark")["example.rules"]
    assert "picks mark: scout" in text
    assert "fire prefers mark where strength of mark is strength of firer" in text
    assert "fire need not take mark when mark is tired" in text


def test_a_parameter_is_renamed_in_the_words_of_its_definition(example):
    writer = example("13_define_worded")
    with pytest.raises(InputError, match="would make the rules wrong"):  # the clause takes it from its mover
        rename(writer.workspace, writer.path, writer.at("enemies of {s}", "s}")[1], "visitor")
    text = renamed(writer, "{h} holds", "h", "spot")["example.rules"]
    assert "hostile of spot: hex" in text
    assert "standing at spot where" in text
    assert 'worded "{spot} holds' in text


def test_a_field_and_a_value_keep_the_name_that_positions_use_and_an_alias_stays(rules):
    texts = renamed(rules, "closed holds when river of way", "river", "stream")
    assert 'stream as "river": flag default no, ford' in texts[VOCABULARY]
    texts = renamed(rules, "halt sets stage to fighting", "fighting", "in-battle")
    assert 'type stage is marching, in-battle as "fighting", over.' in texts[VOCABULARY]
    texts = renamed(rules, "foe is blue when owner is red", "blue", "navy")
    assert 'navy as "Blue"' in texts[VOCABULARY]
    assert 'as "blue"' not in texts[VOCABULARY]


@pytest.mark.parametrize(("words", "pointed", "name", "why"), [
    ("closed holds", "closed", "held", "`held` would make the rules wrong"),
    ("closed holds", "closed", "when", "is not a word of the language"),
    ("closed holds", "closed", "two words", "a name has letters, digits and hyphens"),
    ("instead of 3.1 when", "3.1", "3.0", "that of the printed rules"),
    ("halt sets stage", "halt", "stop-here", "programs and positions know the event by this name"),
    ("some v in units standing at place-entered where v is not u", "v in", "u", "is already bound"),
])  # fmt: skip
def test_a_name_that_would_spoil_the_rules_is_refused(rules, words, pointed, name, why):
    with pytest.raises(InputError) as caught:
        rename(rules.workspace, rules.path, rules.at(words, pointed)[1], name)
    assert why in str(caught.value)


@pytest.mark.slow
def test_a_game_of_many_editions_is_renamed_through_all_of_them():
    path = RULESETS / "titm" / "game.rules"
    writer = Writer(path)
    symbol = writer.at("define number fire-strength of", "fire-strength")[1]
    changes = rename(writer.workspace, path, symbol, "strength-in-fire")
    assert len({file.parent for file in changes}) >= 2
    assert can_rename(writer.checked.index, symbol) == ""


# ---------------------------------------------------------------------- what may come next
def offers(writer, begun):
    """Write the beginning of an item at the end; give what may come next, with its kind, the nearest first."""
    checked = writer.append(f"\n{begun}")
    lines = writer.text.split("\n")
    found = complete(checked.index, writer.text, writer.shown, len(lines), len(lines[-1]) + 1)
    return {offer.text: offer.kind for offer in found}


CLAUSE = 'clause 99 "New" "A new one."\n  '


FIRE = 'clause 9 "New" "A new one."\n  fire '


@pytest.mark.parametrize(("name", "begun", "first", "wanted", "unwanted"), [
    (RULES, CLAUSE, "", {"march": "name", "closed": "name", "lifts": "word", "decides": "word"},
        {"strength", "red", "3.1"}),
    (RULES, CLAUSE + "march may not ", "", {"start": "word", "step": "word", "end": "word"},
        {"march", "cost", "try"}),
    (RULES, CLAUSE + "march may not step wh", "", {"when": "word"}, {"march"}),
    (RULES, CLAUSE + "march may not step when ", "", {"way": "role", "stage": "field", "held": "name"}, {"3.1"}),
    (RULES, CLAUSE + "march may not step when the side of u is ", "", {"red": "value", "blue": "value"}, {"3.1"}),
    (RULES, CLAUSE + "march may not step when some z in units where ", "", {"z": "local"}, set()),
    (RULES, CLAUSE + "lifts 5", "", {"5.3": "clause", "3.1": "clause"}, {"march"}),
    (RULES, "define flag new of u: ", "", {"unit": "type", "terrain": "type", "number": "word"}, {"march", "red"}),
    (RULES, "define flag new of u: unit on ", "", {"position": "type"}, {"unit"}),
    (RULES, "cl", "", dict.fromkeys(ITEM_WORDS, "word"), {"march"}),
    ("83_prefers", FIRE, "", {"prefers": "word", "need": "word"}, {"target"}),
    ("83_prefers", FIRE + "prefers ", "target", {"after": "word", "highest": "word"}, {"firer", "strength"}),
    ("83_prefers", FIRE + "prefers after ", "1", {"2": "clause"}, {"target"}),
    ("83_prefers", FIRE + "prefers after 1, 2 ", "target", {"lowest": "word"}, {"firer"}),
    ("83_prefers", FIRE + "prefers target where ", "", {"target": "role", "firer": "role"}, {"prefers"}),
    ("83_prefers", FIRE + "need not ", "take", {}, {"target"}),
    ("83_prefers", FIRE + "need not take ", "target", {}, {"firer", "strength"}),
    ("64_some_is", CLAUSE + "march may not start when some z in stack where its ", "place",
        {"home": "field", "tired": "field", "height": "field"}, {"stack", "march"}),
    ("64_some_is", CLAUSE + "march may not start when some z in stack has ", "tired",
        {"moved": "field", "lonely": "name", "not": "word"}, {"home", "height", "stack"}),
    ("64_some_is", CLAUSE + "march may not start when some z in stack where z has not ", "tired",
        {"moved": "field"}, {"home"}),
    ("64_some_is", CLAUSE + 'march may not start when some z in stack has moved says "stop, {', "",
        {"z": "local", "stack": "role"}, {"says"}),
    ("64_some_is", CLAUSE + 'march may not start when some z in stack has moved says "stop, {z} ', None, {}, {"z"}),
    ("82_touching_distance", CLAUSE + "climbs is ", "", {"distance": "function", "neighbours": "function"}, set()),
    ("44_value_otherwise", CLAUSE + "chance is low ", "", {"otherwise": "word", "when": "word"}, set()),
    ("85_course_keeps", "course c \"C\" keeps tired of scout until ", "", {"lead": "name"}, {"tired"}),
    ("37_steps", "walk w on skirmish along ", "march", {"march": "name"}, {"skirmish"}),
    ("37_steps", "event e on skirmish: steps ", "going", {}, {"march"}),
    ("12_reading_named", CLAUSE + "hill holds when what-is-a-hill is ", "strict", {"wide": "value"}, set()),
    ("12_reading_named", "reading R2 as ", None, {}, {"hill"}),
    ("13_define_worded", "define flag new of p: hex on skirmish ", "", {"worded": "word"}, {"p"}),
    ("13_define_worded", 'define flag new of p: hex on skirmish worded "{', "p", {"p": "local"}, set()),
])  # fmt: skip
def test_what_may_come_next(writers, name, begun, first, wanted, unwanted):
    """`first` is the best offer; None: there is no offer, and empty: any may be."""
    found = offers(writers(name), begun)
    assert {name: found.get(name) for name in wanted} == wanted
    assert not unwanted & set(found)
    assert first == "" or next(iter(found), None) == first


def test_values_of_what_is_compared_come_first_and_nothing_inside_a_text_or_behind_nonsense(rules):
    assert list(offers(rules, CLAUSE + "march may not step when the side of u is "))[:2] == ["red", "blue"]
    assert offers(rules, 'clause 99 "New') == {}
    assert offers(rules, "clause 99 of of ") == {}


def test_the_middle_of_a_file_is_as_good_as_its_end(rules):
    line, column = rules.place("march must stop when ford of way", "ford")
    found = complete(rules.checked.index, rules.text, rules.shown, line, column)
    assert {"way", "stage"} <= {offer.text for offer in found}


# ---------------------------------------------------------------------- columns
@pytest.mark.parametrize(
    ("encoding", "counts"), [("utf-8", (1, 2, 3, 4)), ("utf-16", (1, 1, 1, 2)), ("utf-32", (1, 1, 1, 1))]
)
def test_columns_are_counted_as_the_editor_does(encoding, counts):
    assert tuple(units(letter, encoding) for letter in "aé–🏰") == counts
    line = "aé–🏰b"
    for column in range(1, len(line) + 2):
        assert column_at(line, character_of(line, column, encoding), encoding) == column
    assert column_at(line, 99, encoding) == len(line) + 1
    assert units("\ud83c", "utf-16") == 1  # half a character
