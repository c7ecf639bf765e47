"""What is told to be sound without pydantic is what pydantic takes, with the same values in the same order."""

import copy
import json
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from titm_rules import Edition, InputError, Position
from titm_rules.formats.case_files import conformance_cases
from titm_rules.formats.fields import MAX_TEXT
from titm_rules.formats.record_schemas import schemas_of, validate
from titm_rules.formats.validate import Readers, Unsound, check_situation, readers_of
from titm_rules.ir.model import MISSING, FieldSpec, RecordSpec
from titm_rules.ir.types import Measure, Type

ODD = (
    None, True, False, 0, 1, -1, 2.0, 1e9, 10**9, 10**9 + 1, -(10**9), 10**30,
    "", "x", "x" * MAX_TEXT, "x" * (MAX_TEXT + 1), "ü", "\ud800", "German",
    [], ["x"], ["x", "y"], ["x"] * 101, [1], [[]], {}, {"x": 1}, {"x": True}, {"": 1}, {"id": "x"}, ("x",), b"x",
)  # fmt: skip
MODEL = Edition().model


def read(model, made, raw):
    """Read a value in the fast way and by pydantic; give what comes of both, which must be written alike."""
    results = []
    for way, error in ((lambda: made(readers_of(model))(raw), Unsound),
                       (lambda: validate(made(schemas_of(model)), raw, "$"), InputError)):  # fmt: skip
        try:
            results.append(way())
        except error:
            results.append(None)
    fast, slow = results
    assert repr(fast) == repr(slow), raw  # keys in the same order
    return fast


def of_record(name):
    return lambda walk: walk.record(name)


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


# ---------------------------------------------------------------------- fields of every type
RECORDS = [name for name, spec in MODEL.records.items() if spec.role != "situation"]
NUMBERS = st.builds(
    lambda kind, bounds, measure: Type(kind, "", *bounds, measure=measure),
    st.sampled_from(["number", "number_map"]),
    st.sampled_from([(None, None), (0, 2), (-1, 1)]),
    st.sampled_from([None, Measure("point", 3)]),
)
TYPES = NUMBERS | st.one_of(
    st.sampled_from(["flag", "text", "place", "path", "assignment", "sequence", "flag_map"]).map(Type),
    st.sampled_from(list(MODEL.enums)).map(lambda name: Type("enum", name)),
    st.sampled_from(RECORDS).map(lambda name: Type("record", name)),
    st.builds(Type, st.sampled_from(["set", "pair"]), st.sampled_from([*MODEL.enums, *RECORDS, "place", "number"])),
)
INTEGERS = st.sampled_from([-2, -1, 0, 1, 2, 3, 10**9, 10**9 + 1, "1/3", "2 1/3", "4/5"])


def values(wanted):
    """Draw values that fit a type, or nearly; now and then something else."""
    inner = st.sampled_from(["x", "y", "ü", ""])
    match wanted.kind:
        case "flag" | "flag_map":
            inner = st.booleans()
        case "number" | "number_map":
            inner = INTEGERS
        case "enum":
            inner = st.sampled_from(MODEL.enums[wanted.name].words)
        case "record" if not MODEL.records[wanted.name].has_id:
            inner = objects(MODEL.records[wanted.name].fields)
        case "set" | "pair" if wanted.name != "place":
            kind = "enum" if wanted.name in MODEL.enums else "number" if wanted.name == "number" else "record"
            inner = values(Type(kind, wanted.name))
    if wanted.kind in ("set", "pair", "path", "sequence"):
        inner = st.lists(inner, max_size=3)
    elif wanted.kind in ("number_map", "flag_map", "assignment"):
        inner = st.dictionaries(st.sampled_from(["x", "y", ""]), inner, max_size=2)
    return st.integers(0, 9).flatmap(lambda n: inner if n else st.sampled_from(ODD))


def objects(fields):
    made = st.fixed_dictionaries({}, optional={spec.json: values(spec.type) for spec in fields})
    return made.flatmap(lambda given: st.sampled_from([given] * 9 + [{**given, "strange": 1}]))


@settings(max_examples=300)
@given(types=st.lists(st.tuples(TYPES, st.booleans(), st.booleans()), min_size=1, max_size=2), data=st.data())
def test_fields_of_every_type(types, data):
    fields = [
        FieldSpec(f"f{n}", f"f{n}", replace(kind, optional=optional), MISSING if needed else None)
        for n, (kind, optional, needed) in enumerate(types)
    ]
    model = replace(MODEL, records={**MODEL.records, "odd": RecordSpec("odd", "plain", tuple(fields))})
    for _ in range(3):
        read(model, of_record("odd"), data.draw(objects(fields)))


# ---------------------------------------------------------------------- what the rules declare
@pytest.mark.parametrize(("game", "every"), [("titm", 9), ("bitterwoods", 2)])
def test_inputs_of_questions_whole_and_spoilt(game, every):
    rng, sound, not_sound = random.Random(3), 0, 0
    for case in list(conformance_cases(game))[::every]:
        model = Edition(case["edition"], game=game).model
        if case["query"] not in model.questions:
            continue
        question, raw = model.questions[case["query"]], case["input"]
        for asked in (raw, *(spoilt(raw, rng) for _ in range(3))):
            if not asked:
                continue
            found = read(model, lambda walk, question=question: walk.question(question), asked)
            sound, not_sound = sound + (found is not None), not_sound + (found is None)
            rest = {name: value for name, value in asked.items() if name != question.situation}
            read(model, lambda walk, question=question: walk.question(question, whole=False), rest)
    assert sound > 40
    assert not_sound > 40


@pytest.mark.parametrize("name", ["campaign", "two-bridges"])
def test_whole_positions_and_spoilt_ones(name):
    position = Position.from_file(name)
    raw, rng = json.loads(json.dumps(dict(position._data))), random.Random(name)
    for data in (raw, *(spoilt(raw, rng) for _ in range(25))):
        read(position.edition.model, of_record(position.situation), data)


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_object_is_not_sound(odd):
    assert read(MODEL, of_record("position"), odd) is None
    with pytest.raises(InputError):
        check_situation(MODEL, "position", odd, "$")


def test_values_are_copied():
    raw = dict(Position.from_file("two-bridges")._data)
    found = readers_of(MODEL).record("position")(raw)
    assert found == raw
    assert found["areas"] is not raw["areas"]
    assert found["areas"][0] is not raw["areas"][0]


def test_tests_that_an_interruption_leaves_unfinished_are_made_again(monkeypatch):
    data = dict(Position.from_file("two-bridges")._data)
    model = replace(MODEL, records=dict(MODEL.records))  # nothing is made yet

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Readers, "build", interrupted)
        with pytest.raises(KeyboardInterrupt):
            check_situation(model, "position", data, "$")
    assert readers_of(model).record("position")(data) == data


@pytest.mark.parametrize("name", ["reachable", "supplied"])
def test_questions_of_one_name_are_told_apart_by_their_inputs(name):
    """Editions that have the same records share them, and may put a question in other ways."""
    question = MODEL.questions[name]
    other = replace(MODEL, questions={**MODEL.questions, name: replace(question, inputs=question.inputs[:1])})
    for model in (MODEL, other, MODEL):
        asked = model.questions[name]
        made = schemas_of(model).question(asked, whole=False)
        assert {field.alias for field in made.model_fields.values()} == {spec.json for spec in asked.inputs}
        raw = {spec.json: ["x"] for spec in asked.inputs}
        read(model, lambda walk, asked=asked: walk.question(asked, whole=False), raw)
