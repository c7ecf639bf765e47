"""What is told to be sound without pydantic is what pydantic takes, with the same values in the same order."""

import copy
import json
import random
from dataclasses import replace

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.formats.record_schemas import inputs_class, question_class, situation_class, validate
from titm_rules.formats.validate import MAX_TEXT, _Tests, sound_input, sound_situation
from titm_rules.formats.values import check_situation
from titm_rules.service.capabilities import conformance_cases

ODD = (
    None, True, False, 0, 1, -1, 2.0, 1e9, 10**9, 10**9 + 1, -(10**9), 10**30,
    "", "x", "x" * MAX_TEXT, "x" * (MAX_TEXT + 1), "ü", "\ud800", "German",
    [], ["x"], ["x", "y"], ["x"] * 101, [1], [[]], {}, {"x": 1}, {"x": True}, {"": 1}, {"id": "x"}, ("x",), b"x",
)  # fmt: skip


def by_pydantic(made_of, raw):
    try:
        return validate(made_of, raw, "$")
    except InputError:
        return None


def same(found, wanted):
    """Whether two values are written alike, keys in the same order."""
    return repr(found) == repr(wanted)


def spoilt(raw, rng):
    """Change one thing somewhere in a value."""
    raw = copy.deepcopy(raw)
    inner, path = raw, []
    while isinstance(inner, dict | list) and inner and (not path or rng.random() < 0.8):
        key = rng.choice(list(inner)) if isinstance(inner, dict) else rng.randrange(len(inner))
        path.append((inner, key))
        inner = inner[key]
    holder, key = rng.choice(path) if rng.random() < 0.2 else path[-1]
    how = rng.random()
    if how < 0.6:
        holder[key] = copy.deepcopy(rng.choice(ODD))
    elif how < 0.8:
        del holder[key]
    elif isinstance(holder, dict):
        holder[rng.choice(["strange", "kind", "id", "place", 7])] = copy.deepcopy(rng.choice(ODD))
    else:
        holder.extend(copy.deepcopy(holder))
    return raw


@pytest.mark.parametrize(("game", "every"), [("titm", 9), ("bitterwoods", 2)])
def test_inputs_of_questions_whole_and_spoilt(game, every):
    rng, sound, not_sound = random.Random(3), 0, 0
    for case in list(conformance_cases(game))[::every]:
        model = Edition(case["edition"], game=game).model
        if case["query"] not in model.questions:
            continue
        question, raw = model.questions[case["query"]], case["input"]
        for given in (raw, *(spoilt(raw, rng) for _ in range(3))):
            if not given:
                continue
            found, wanted = sound_input(model, question, given), by_pydantic(question_class(model, question), given)
            assert same(found, wanted), given
            sound, not_sound = sound + (found is not None), not_sound + (found is None)
            rest = {name: value for name, value in given.items() if name != question.situation}
            assert same(
                sound_input(model, question, rest, whole=False), by_pydantic(inputs_class(model, question), rest)
            )
    assert sound > 40
    assert not_sound > 40


@pytest.mark.parametrize("name", ["campaign", "two-bridges"])
def test_whole_positions_and_spoilt_ones(name):
    position = Position.from_file(name)
    model, raw, rng = position.edition.model, json.loads(json.dumps(dict(position._data))), random.Random(name)
    made_of = situation_class(model, position.situation)
    for given in (raw, *(spoilt(raw, rng) for _ in range(25))):
        assert same(sound_situation(model, position.situation, given), by_pydantic(made_of, given))


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_object_is_not_sound(odd):
    model = Edition().model
    assert sound_situation(model, "position", odd) is None
    with pytest.raises(InputError):
        check_situation(model, "position", odd, "$")


def test_values_are_copied():
    raw = dict(Position.from_file("two-bridges")._data)
    found = sound_situation(Edition().model, "position", raw)
    assert found == raw
    assert found["areas"] is not raw["areas"]
    assert found["areas"][0] is not raw["areas"][0]


def test_tests_that_an_interruption_leaves_unfinished_are_made_again(monkeypatch):
    position = Position.from_file("two-bridges")
    model = replace(position.edition.model, records=dict(position.edition.model.records))  # nothing is made yet

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(_Tests, "_object", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sound_situation(model, "position", dict(position._data))
    assert sound_situation(model, "position", dict(position._data)) == dict(position._data)


@pytest.mark.parametrize("name", ["reachable", "supplied"])
def test_questions_of_one_name_are_told_apart_by_their_inputs(name):
    """Editions that have the same records share them, and may put a question in other ways."""
    model = Edition().model
    question = model.questions[name]
    other = replace(model, questions={**model.questions, name: replace(question, inputs=question.inputs[:1])})
    for one in (model, other, model):
        fields = one.questions[name].inputs
        assert {field.alias for field in inputs_class(one, one.questions[name]).model_fields.values()} == {
            spec.json for spec in fields
        }
        raw = {spec.json: ["x"] for spec in fields}
        assert same(
            sound_input(one, one.questions[name], raw, whole=False),
            by_pydantic(inputs_class(one, one.questions[name]), raw),
        )
