"""Random expressions in the words of any vocabulary: every one of them fits the type that is wanted.

A `Writer` knows what may be named at a place in the text; its methods write expressions of one type each.
Decisions are drawn from a `Random`, so that a seed names an expression and hypothesis can shrink one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from titm_rules.ir.model import EnumSpec, Form, Head, Reading, RecordSpec
from titm_rules.ir.types import PLACE, Type, hyphenated

Fits = Callable[[Type], bool]
NUMBERS = (0, 0, 1, 1, 2, 3)
SHARES = ("1/3", "2/3", "1 1/3", "1", "0")  # of what counts thirds


@dataclass(frozen=True)
class Words:
    """What a rule set lets its clauses speak of."""

    enums: Mapping[str, EnumSpec]
    records: Mapping[str, RecordSpec]
    readings: Mapping[str, Reading]
    heads: Mapping[str, Head]
    forms: Mapping[str, Form]


@dataclass
class Writer:
    """Writes expressions.

    Attributes:
        words: the vocabulary.
        situation: what the text is about.
        names: roles and variables, with their types.
        asks: heads that may be asked, by key.
        target: the name of what is picked, where `picks of` it may be asked.
    """

    rng: Random
    words: Words
    situation: str
    names: dict[str, Type]
    asks: Collection[str] = ()
    target: str = ""
    _fresh: int = 0
    _calls: int = 0

    # ------------------------------------------------------------------ choosing
    def _one(self, ways: list[Callable[[], str]]) -> str:
        return self.rng.choice(ways)()

    def _flip(self, share: float = 0.5) -> bool:
        return self.rng.random() < share

    def _named(self, fits: Fits) -> list[str]:
        return [name for name, wanted in self.names.items() if fits(wanted)]

    # ------------------------------------------------------------------ what fields there are
    def _any(self, found: list[str]) -> str:
        """Choose one of the texts that are not empty; empty if all are."""
        texts = [text for text in found if text]
        return self.rng.choice(texts) if texts else ""

    def _value(self, fits: Fits, more: Callable[[], str] = str) -> str:
        """Write a name, or a field of the situation or of a record, of a type; empty if there is none at hand."""
        return self._any([*self._named(fits), *self._roots(fits), *self._field_of(fits), more()])

    def _field_of(self, fits: Fits, simple: bool = False) -> list[str]:
        fields = self._fields(fits)
        return [self._of(*self.rng.choice(fields), simple=simple)] if fields else []

    def _roots(self, fits: Fits) -> list[str]:
        record = self.words.records.get(self.situation)
        return [hyphenated(spec.name) for spec in (record.fields if record else ()) if fits(spec.type)]

    def _fields(self, fits: Fits) -> list[tuple[str, str]]:
        """List fields by record and name."""
        return [
            (record.name, hyphenated(spec.name))
            for record in self.words.records.values()
            if record.role != "situation" and self._at_hand(record.name)
            for spec in record.fields
            if fits(spec.type)
        ]

    def _at_hand(self, record: str) -> bool:
        """Whether a record of this kind can be named here."""
        if any(
            wanted.name == record or (wanted.kind == "place" and self._is_place(record))
            for wanted in self.names.values()
        ):
            return True
        return bool(self._lists(record)) and self._fresh < 6

    def _is_place(self, record: str) -> bool:
        return record in self.words.records and self.words.records[record].role == "place"

    # ------------------------------------------------------------------ truth
    def flag(self, depth: int = 2) -> str:
        """Write a condition."""
        plain: list[Callable[[], str]] = [self._compared, self._compared_amounts]
        plain += [self._comparison_of_ranks, self._flag_field, self._identity, self._kind, self._membership]
        plain += [lambda: self._asked("any"), lambda: self._asked("any")]
        if self.words.readings:
            plain.append(self._reading)
        if depth > 0:
            plain += (
                [lambda: self._logic(depth)] * 2 + [lambda: self._some(depth)] * 2 + [self._nonempty, self._possible]
            )
        for _ in range(20):
            found = self._one(plain)
            if found:
                return found
        return self._compared()

    def _compared(self) -> str:
        left = self.number(1)
        if left.isdigit():
            left = f"({left} + {self.number(0)})"
        words = self.rng.choice(("at least", "at most", "more than", "less than"))
        right = str(self.rng.choice(NUMBERS)) if self._flip(0.8) else self.number(0)
        return f"{left} is {'not ' if self._flip(0.2) else ''}{words} {right}"

    def _compared_amounts(self) -> str:
        left, word = self._measured(), self.rng.choice(("is", "is not", "is at least", "is less than"))
        return f"{left} {word} {self.amount(1)}" if left else ""

    def _comparison_of_ranks(self) -> str:
        name = self.rng.choice(list(self.words.enums))
        values = self.words.enums[name].values
        one, no = self.rank(name), "not " if self._flip(0.3) else ""
        if not one:
            return ""
        if self._flip(0.2) and len(values) > 2:
            return f"{one} is {no}one of ({', '.join(self.rng.sample(values, 2))})"
        return f"{one} is {no}{(self._flip(0.2) and self.rank(name)) or self.rng.choice(values)}"

    def rank(self, enum: str) -> str:
        """Write a value of an enumeration that is not a constant; empty if there is none at hand."""
        fits = _is("enum", enum)
        return self._value(fits, lambda: self._asked("value", fits))

    def _flag_field(self) -> str:
        fits = _is("flag")
        found = [text for text in (*self._named(fits), *self._roots(fits), *self._field_of(fits)) if text]
        return ("not " if found and self._flip(0.3) else "") + self._any(found)

    def _identity(self) -> str:
        name = self.rng.choice(list(self.words.records))
        left, right = self.record(name), "nothing" if self._flip(0.3) else self.record(name)
        return f"{left} is {'not ' if self._flip() else ''}{right}" if left and right else ""

    def _kind(self) -> str:
        place = self.place()
        kinds = [record.name for record in self.words.records.values() if record.role == "place"]
        return f"{place} is a {self.rng.choice(kinds)}" if place and len(kinds) > 1 else ""

    def _membership(self) -> str:
        for name in self.rng.sample(sorted(self.words.records), len(self.words.records)):
            one = self.record(name)
            if one and self._is_place(name) and self.place() and self._flip(0.4):
                return f"{one} is in (neighbours of {self.place()} by trails)"
            if one and self._lists(name):
                return f"{one} is {'not ' if self._flip(0.3) else ''}in {self.list_of(name, 0)}"
        return ""

    def _reading(self) -> str:
        reading = self.rng.choice(list(self.words.readings.values()))
        return f"{reading.name} is {self.rng.choice(reading.choices)}"

    def _logic(self, depth: int) -> str:
        if self._flip(0.2):
            return f"not ({self.flag(depth - 1)})"
        return f"({self.flag(depth - 1)} {self.rng.choice(('and', 'or'))} {self.flag(depth - 1)})"

    def _some(self, depth: int) -> str:
        kinds = [name for name in self.words.records if self._lists(name)]
        if not kinds:
            return ""
        name = self.rng.choice(kinds)
        base = self.list_of(name, depth - 1)
        with self._inner(name) as var:
            return f"({self.rng.choice(('some', 'every'))} {var} in {base} where ({self.flag(depth - 1)}))"

    def _nonempty(self) -> str:
        kinds = [name for name in self.words.records if self._lists(name)]
        return f"some {self.list_of(self.rng.choice(kinds), 1)}" if kinds else ""

    def _possible(self) -> str:
        call = self._asked("roll")
        return f"{call} is possible" if call else ""

    # ------------------------------------------------------------------ numbers
    def number(self, depth: int = 1) -> str:
        """Write a number."""
        ways: list[Callable[[], str]] = [lambda: str(self.rng.choice(NUMBERS))]
        ways += [lambda: self._value(_is_plain)] * 2
        ways += [lambda: self._asked("value", _is_plain), self._whole, lambda: self._asked("sum", _is_plain)]
        if self.target:
            ways += [self._picks] * 2
        if depth > 0:
            ways += [lambda: self._arithmetic(depth), lambda: self._total(depth), lambda: self._count(depth)]
            ways += [self._distance]
            ways += [lambda: self._asked("route"), lambda: self._asked("roll")]
        for _ in range(10):
            found = self._one(ways)
            if found:
                return found
        return str(self.rng.choice(NUMBERS))

    def _distance(self) -> str:
        start, goal = self.place(), self.place()
        return f"(distance from {start} to {goal} by {self.rng.choice(('trails', 'rivers'))})" if start and goal else ""

    def _whole(self) -> str:
        left = self._measured()
        divisor, way = self.rng.choice(("1", "1/3", "2")), self.rng.choice(("up", "down"))
        return f"({left} / {divisor} rounded {way})" if left else ""

    def amount(self, depth: int = 1) -> str:
        """Write a number of what counts thirds."""
        ways: list[Callable[[], str]] = [lambda: self.rng.choice(SHARES), self._measured, self._measured]
        if depth > 0:
            ways += [lambda: self._amounts(depth), lambda: f"({self.number(0)} * {self.amount(0)})"]
            ways += [lambda: f"least of ({self.amount(depth - 1)}, {self.amount(depth - 1)})"]
        return self._one(ways) or self.rng.choice(SHARES)

    def _amounts(self, depth: int) -> str:
        return f"({self.amount(depth - 1)} {self.rng.choice('+-')} {self.amount(depth - 1)})"

    def _measured(self) -> str:
        """Write a number that is known to count thirds; empty if there is none at hand."""
        found = self._field_of(_is_measured)
        return self._any(found + [self._asked(mode, _is_measured) for mode in ("value", "sum")])

    def _picks(self) -> str:
        record = self.names[self.target].name
        return f"picks of {self.target if self._flip(0.7) else self.record(record) or self.target}"

    def _arithmetic(self, depth: int) -> str:
        left, right = self.number(depth - 1), self.number(depth - 1)
        if self._flip(0.2):
            return f"({left} / {self.rng.choice((1, 2, 3))} rounded down)"
        return f"({left} {self.rng.choice(('+', '+', '-', '*'))} {right})"

    def _count(self, depth: int) -> str:
        kinds = [name for name in self.words.records if self._lists(name)]
        return f"(number of {self.list_of(self.rng.choice(kinds), depth - 1)})" if kinds else ""

    def _total(self, depth: int) -> str:
        kinds = [name for name in self.words.records if self._lists(name)]
        if not kinds:
            return ""
        name = self.rng.choice(kinds)
        base = self.list_of(name, depth - 1)
        op = self.rng.choice(("total", "highest", "lowest"))
        with self._inner(name) as var:
            where = f" where ({self.flag(0)})" if self._flip(0.4) else ""
            return f"({op} {self.number(0)} over {var} in {base}{where})"

    # ------------------------------------------------------------------ records, places and lists
    def record(self, name: str) -> str:
        """Write a record of a kind; empty if there is none at hand."""
        fits = _is("record", name)
        found = self._named(fits)
        if self._fields(fits) and self._flip(0.3):
            found += self._field_of(fits, simple=True)
        return self._any(found + self._roots(fits))

    def place(self) -> str:
        """Write a place; empty if there is none at hand."""
        found = self._named(
            lambda wanted: wanted.kind == "place" or (wanted.kind == "record" and self._is_place(wanted.name))
        )
        return self._any(found + self._roots(_is("place")) + self._field_of(_is("place"), simple=True))

    def _lists(self, record: str) -> list[str]:
        return self._named(_is("set", record)) + self._roots(_is("set", record))

    def list_of(self, record: str, depth: int = 1, argument: bool = False) -> str:
        """Write a list of records of a kind, of which there is one at hand; as an `argument` one without a place."""
        name = self.rng.choice(self._lists(record))
        role, place = self.words.records[record].role, self.place()
        if depth <= 0:
            return name
        ways: list[Callable[[], str]] = [
            lambda: name,
            lambda: self._those(name, record, depth),
            lambda: self._without(name, record),
        ]
        specs = {spec.name for spec in self.words.records[record].fields}
        if argument:
            return self._one(ways)
        if place and role == "piece" and "place" in specs:
            ways += [lambda: f"{name} standing at ({place})"] * 2
        if place and role == "connection":
            ways += [lambda: f"{name} touching ({place})"] * 2
        return self._one(ways)

    def _those(self, name: str, record: str, depth: int) -> str:
        with self._inner(record) as var:
            return f"(those {var} in {name} where ({self.flag(depth - 1)}))"

    def _without(self, name: str, record: str) -> str:
        one = self.record(record)
        if not one:
            return name
        return f"({name} {self.rng.choice(('besides', 'besides', 'including'))} ({one}))"

    def _of(self, record: str, name: str, simple: bool = False) -> str:
        """Write a field of a record; empty if none of its kind is at hand."""
        bases = self._named(
            lambda wanted: (
                (wanted.kind == "record" and wanted.name == record)
                or (wanted.kind == "place" and self._is_place(record))
                or (wanted.kind == "set" and wanted.name == record)
            )
        )
        base = self.rng.choice(bases) if bases else ""
        if not simple and self._flip(0.15):
            base = self.record(record) or base
        return f"{name} of ({base})" if base and " " in base else f"{name} of {base}" if base else ""

    # ------------------------------------------------------------------ asking heads and forms
    def _asked(self, mode: str, fits: Fits = lambda _: True) -> str:
        """Write a call of a head; empty if there is none that can be asked here."""
        heads = [self.words.heads[key] for key in self.asks] if self._calls < 2 else []
        heads = [one for one in heads if one.mode == mode and fits(one.type) and one.situation in ("", self.situation)]
        self._calls += 1
        call = self._call(self.rng.choice(heads)) if heads else ""
        self._calls -= 1
        return call

    def _call(self, head: Head) -> str:
        text = head.key
        for (_, wanted), prep in zip(head.params, head.preps, strict=True):
            if prep == "from" and head.mode == "route" and self._flip(0.4):
                continue
            argument = self.argument(wanted)
            if not argument:
                return ""
            text += f" {prep} ({argument})" if not argument.startswith("(") else f" {prep} {argument}"
        return f"({text})" if head.params else text

    def argument(self, wanted: Type) -> str:
        """Write a value of a type; empty if there is none at hand."""
        match wanted.kind:
            case "flag":
                return self.rng.choice(("yes", "no"))
            case "number":
                low, high = wanted.low or 0, wanted.high if wanted.high is not None else 3
                return str(self.rng.randint(low, min(high, low + 3)))
            case "enum":
                return self.rank(wanted.name) or self.rng.choice(self.words.enums[wanted.name].values)
            case "place":
                return self.place()
            case "record":
                return self.record(wanted.name)
            case "set" if wanted.name in self.words.records and self._lists(wanted.name):
                return self.list_of(wanted.name, 0 if self._flip() else 1, argument=True)
        return ""

    @contextmanager
    def _inner(self, record: str) -> Iterator[str]:
        """Open a scope with one more variable."""
        self._fresh += 1
        var = f"x{self._fresh}"
        self.names[var] = PLACE if record == "place" else Type("record", record)
        yield var
        del self.names[var]


def _is(kind: str, name: str = "") -> Fits:
    return lambda wanted: wanted.kind == kind and name in ("", wanted.name)


def _is_plain(wanted: Type) -> bool:
    return wanted.kind == "number" and wanted.measure is None


def _is_measured(wanted: Type) -> bool:
    return wanted.measure is not None
