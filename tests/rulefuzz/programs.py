"""Random small rule sets: pieces and places, definitions, routes, allocations, selections, rolls and events.

The text is drawn from a `Random`, and most of it passes the checks. The checker refuses the rest (a sentence without
effect, two in conflict), as it should.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from random import Random

from titm_rules.checker.expressions import ExpressionChecker
from titm_rules.checker.forms import FormChecker
from titm_rules.checker.link import link_model
from titm_rules.checker.schema import Faults, build_schema
from titm_rules.diagnostics import RulesetError
from titm_rules.ir.model import Head, Model
from titm_rules.syntax.ast import FormDecl, SourceFile
from titm_rules.syntax.parser import parse_rules

from tests.rulefuzz.writer import Words, Writer

GROUND = """\
game "Fuzz".
type side is red, blue.
type sort is foot, horse, gun.
type state is whole, broken.
type mp is number in 3 parts.
die d6 from 1 to 6.
reading R1 "Is it dark?": light "no" default, dark "yes".
define flag dim on field.
clause 0 "Dim" "It is dim in the dark, and at night." dim holds when R1 is dark. dim holds when night and day is 1.
place hex has height: number 0 to 2 default 0, wood: flag default no.
place cave has depth: number 0 to 2 default 1, wood: flag default no.
connection trail has
  ends: pair of place, steep: flag default no, bridge: state default whole, toll: number 0 to 3 default 1.
connection river has ends: pair of place, toll: number 0 to 3 default 0.
piece scout has
  place: place or nothing, side: side, sort: sort, strength: number 0 to 3 default 1, tired: flag default no,
  pay: mp 0 to 3 default 1/3, buddy: scout or nothing default nothing, home: place or nothing default same as place.
piece post has place: place, side: side, strength: number 0 to 3 default 1.
record shot has id: text, sort: sort, force: number 0 to 3 default 1, aim: scout or nothing default nothing.
situation field has
  day: number 1 to 3 default 1, night: flag default no, turn: side default red, hexes: list of hex,
  caves: list of cave default none, trails: list of trail default none, rivers: list of river default none,
  scouts: list of scout default none, posts: list of post default none, shots: list of shot default none,
  marked: names of scout default none, spoilt: names of trail default none, front: place or nothing default nothing,
  spent: number 0 to 9 default 0.
"""
PARAMS = (
    "of s: scout", "of s: scout at p: place", "of p: place", "of t: shot against s: scout", "of l: list of scout",
    "at p: place for o: side", "of w: trail from p: place", "", "of o: side",
)  # fmt: skip

# What is asked of each form, without the beginning `question FORM_`.
MARCH_QUESTIONS = (
    "ends on field {takes} asks ends of march with {bound} as ends.",
    'cost on field {takes}, spot as "to": place asks cost of march with {bound} reaching spot as cost.',
    "path on field {takes}, path: path asks check of march with {bound} along path.",
)
CAMPS_QUESTION = "camps on field {takes} asks closings of march with {bound} as camps."
QUESTIONS = {
    "escape": (
        "trace on field takes s: scout, p: place answers own: escape of s, from_p: escape of s from p.",
        "ends on field takes s: scout asks ends of escape with ann = s as ends.",
    ),
    "climb": ("roll on field takes s: scout, p: place asks roll of climb with s = s, p = p.",),
    "aim": (
        "choices on field takes o: side asks choices of aim with o = o as choices.",
        "check on field takes o: side, picked: assignment asks check of aim with o = o as picked.",
        "holds on field takes o: side, f: shot, t: scout answers held: some choices of aim (with o = o, f = f, t = t), "
        "by_any: some choices of aim (with o = o, t = t), any: some choices of aim (with o = o).",
    ),
    "pair": (
        "choices on field asks choices of pair as choices.",
        "check on field takes picked: assignment asks check of pair as picked.",
        "holds on field takes f: scout, t: scout answers held: some choices of pair (with f = f, t = t).",
    ),
    "volley": (
        "choices on field takes n: number 0 to 4 asks choices of volley with n = n as choices.",
        "check on field takes picked: sequence asks check of volley as picked.",
        "holds on field takes n: number 0 to 4, t: scout answers held: some choices of volley (with n = n, t = t).",
    ),
    "party": (
        "choices on field takes p: place asks choices of party with p = p as choices.",
        "check on field takes p: place, picked: sequence asks check of party with p = p as picked.",
        "holds on field takes p: place, l: scout answers held: some choices of party (with p = p, l = l).",
    ),
}
KINDS = ("flag", "flag", "number", "number or nothing", "side", "mp", "mp or nothing", "total number", "total mp")

# What some programs call their fields: names that an engine might take for its own.
NAMES: tuple[dict[str, str], ...] = (
    {}, {}, {"strength": "index", "toll": "links", "day": "memo"},
    {"force": "record", "height": "standing", "spent": "engine", "steep": "key"},
)  # fmt: skip


class Program:
    """One random rule set, as text; of certain forms, or of random ones."""

    def __init__(self, rng: Random, forms: Sequence[str] = ()) -> None:
        self.rng, self.forms = rng, list(forms)
        self.names = rng.choice(NAMES)  # what this program calls some fields
        self.declared = ""
        self.clauses: list[str] = []
        self.questions: list[str] = []
        self._number = 0
        self.wild = rng.random() < 0.1  # it asks what the checks should refuse
        self._declare()
        self.declared = renamed(self.declared, self.names)
        self._ground = ground(tuple(self.names.items()))
        self._vocabulary = parse_rules(self.declared, "vocabulary.rules")
        self.words = words_of([self._ground, self._vocabulary])
        self._asks: list[str] = ["dim"]
        self._write()

    @classmethod
    def sound(cls, rng: Random, forms: Sequence[str] = ()) -> Program | None:
        """Draw a rule set; `None` if the checker refuses it."""
        program = cls(rng, forms)
        try:
            assert program.model
        except RulesetError:
            return None
        return program

    @property
    def text(self) -> str:
        """The whole rule set but for its ground."""
        return self.declared + "".join(self.questions) + "".join(self.clauses)

    @cached_property
    def model(self) -> Model:
        """The checked rules.

        Raises:
            RulesetError: for rules that do not compile.
        """
        said = parse_rules("".join(self.questions + self.clauses), "clauses.rules")
        return link_model([self._ground, self._vocabulary, said], "fuzz")

    # ------------------------------------------------------------------ declarations
    def _declare(self) -> None:
        rng = self.rng
        self.defines = []
        for number in range(rng.randint(1, 4)):
            params = rng.choice(PARAMS)
            kind = rng.choice(KINDS)
            self.defines.append((f"d{number}", kind))
            self.declared += f"define {kind} d{number} {params} on field.\n"
        kinds = ("aim", "volley", "party", "march", "escape", "climb", "pair")
        if not self.forms:
            self.forms = ["climb", "pair"] if rng.random() < 0.2 else rng.sample(kinds, rng.randint(2, 4))
        self.single = rng.random() < 0.5
        mover = "who: scout" if self.single else "who: list of scout"
        extra = rng.choice(("", " given mode: flag,"))
        self.given = bool(extra)
        stop = " interrupted by sabotage setting bridge of way from whole to broken," if rng.random() < 0.5 else ""
        self.interrupted, self.closed = bool(stop), rng.random() < 0.5
        close = " closed by camp," if self.closed else ""
        route = f"route march on field: mover {mover}, crosses way: trail from left to goal,{extra}{stop}{close}"
        texts = {
            "climb": "roll climb of s: scout at p: place on field with d6.\n",
            "escape": "route escape on field: mover ann: scout, crosses way: "
            + rng.choice(("trail", "river"))
            + " from left to goal.\n",
            "march": route.removesuffix(",") + ".\n",
            "aim": "allocation aim on field: given o: side, each f: shot in shots, picks t: scout in "
            + rng.choice(("scouts", "those x in scouts where (side of x is o)"))
            + rng.choice(("", ", in order of force of f"))
            + ".\n",
            "pair": "allocation pair on field: each f: scout in those x in scouts where (side of x is red), picks t: "
            "scout in those x in scouts where (side of x is blue)"
            + rng.choice(("", ", in order of strength of f"))
            + ".\n",
            "volley": "allocation volley on field: given n: number 0 to 4, each of n, picks t: scout in scouts.\n",
            "party": "selection party on field: given p: place, picks l: scout in "
            + rng.choice(("scouts", "scouts standing at p"))
            + ".\n",
        }
        self.forms.sort(key=list(texts).index)  # what may be asked comes before who asks it
        for name in self.forms:
            self.declared += texts[name]

    # ------------------------------------------------------------------ clauses
    def _write(self) -> None:
        for name, kind in self.defines:
            self._define(name, kind)
            self._asks.append(name)
            self._question(name)
        for name in self.forms:
            write = getattr(self, f"_{name}", None)
            self._choose(name) if write is None else write()
            self.questions += [f"question {name}_{question}\n" for question in QUESTIONS.get(name, ())]

    def writer(self, key: str) -> Writer:
        head = self.words.heads[key]
        target = "t" if head.stateful else ""
        asks = list(self._asks)
        if self.wild:
            target = next((name for name, wanted in head.params if wanted.kind == "record"), "")
            asks += [name for name in ("march", "escape") if name in self.words.heads and not key.startswith(name)]
        return Writer(self.rng, self.words, "field", dict(head.params), asks, target)

    def _clause(self, sentence: str) -> str:
        self._number += 1
        said = renamed(sentence, self.names)
        self.clauses.append(f'clause {self._number} "Clause {self._number}" "It says so."\n  {said}\n')
        return str(self._number)

    def _when(self, key: str, share: float = 0.8) -> str:
        if self.rng.random() > share:
            return ""
        return f" {self.rng.choice(('when', 'when', 'unless'))} {self.writer(key).flag(self.rng.randint(0, 2))}"

    def _several(self, key: str, sentence: str, least: int = 0, most: int = 3, share: float = 0.9) -> None:
        """Write some clauses that say one thing under different conditions, and exceptions to them."""
        made = [self._clause(f"{sentence}{self._when(key, share)}.") for _ in range(self.rng.randint(least, most))]
        self._lifts(key, made)

    def _lifts(self, key: str, made: list[str]) -> None:
        if made and self.rng.random() < 0.5:
            first = self._clause(f"lifts {self.rng.choice(made)}{self._when(key, 1)}.")
            if self.rng.random() < 0.3:
                self._clause(f"lifts {first}{self._when(key, 1)}.")

    def _define(self, name: str, kind: str) -> None:
        if kind == "flag":
            self._several(name, f"{name} holds", 1)
            return
        if kind.startswith("total"):
            self._total(name, kind)
            return
        write = {
            "number": lambda writer: writer.number(2), "number or nothing": lambda writer: writer.number(2),
            "mp": lambda writer: writer.amount(2), "mp or nothing": lambda writer: writer.amount(2),
            "side": lambda writer: writer.rank("side") or "red",
        }[kind]  # fmt: skip
        rest = ""
        if self.rng.random() < 0.3:
            rest = f"{self._when(name, 1)}. {name} is {write(self.writer(name))} otherwise"
        first = self._clause(f"{name} is {write(self.writer(name))}{rest}.")
        if self.rng.random() < 0.7:
            other = self._clause(f"{name} is {write(self.writer(name))} instead of {first}{self._when(name, 1)}.")
            if self.rng.random() < 0.4:
                self._clause(f"lifts {other}{self._when(name, 1)}.")

    def _total(self, name: str, kind: str) -> None:
        """Write what clauses add, some of it instead of what another adds."""
        made: list[str] = []
        for _ in range(self.rng.randint(0, 3)):
            writer = self.writer(name)
            amount = writer.number(1) if kind == "total number" else writer.amount(1)
            instead = f" instead of {self.rng.choice(made)}" if made and self.rng.random() < 0.3 else ""
            made.append(self._clause(f'{name} adds {amount} "more"{instead}{self._when(name)}.'))
        self._lifts(name, made)

    def _costs(self, form: str) -> None:
        key = f"{form}.cost"
        made = [self._clause(f"{form} costs {self.rng.randint(0, 2)}.")]
        for _ in range(self.rng.randint(0, 2)):
            value = self.rng.choice(
                (str(self.rng.randint(0, 3)), "toll of way" if form in ("march", "escape") else "1")
            )
            instead = f" instead of {made[0]}" if self.rng.random() < 0.3 else ""
            made.append(self._clause(f"{form} costs {value}{instead}{self._when(key, 1)}."))

    # ------------------------------------------------------------------ forms
    def _routes(self, name: str) -> None:
        self._several(f"{name}.step", f"{name} may not step")
        self._several(f"{name}.end", f"{name} may not end", most=2, share=1)
        self._several(f"{name}.stop", f"{name} must stop", most=2, share=1)
        self._several(f"{name}.start", f"{name} may not start", most=1, share=1)
        self._costs(name)
        first = self._clause(f"{name} has {self.rng.randint(1, 4)} points.")
        if self.rng.random() < 0.5:
            self._clause(
                f"{name} has {self.rng.randint(0, 4)} points instead of {first}{self._when(f'{name}.points', 1)}."
            )

    def _march(self) -> None:
        self._routes("march")
        if self.interrupted:
            self._several("sabotage.try", "sabotage may not try", most=2)
            self._costs("sabotage")
        if self.closed:
            self._several("camp.try", "camp may not try", most=2)
            self._costs("camp")
        who = "who: scout" if self.single else "who: list of scout"
        bound = "who = who" + (", mode = mode" if self.given else "")
        takes = f"takes {who}" + (", mode: flag default no" if self.given else "")
        self.questions += [
            f"question march_{question.format(takes=takes, bound=bound)}\n"
            for question in (*MARCH_QUESTIONS, *([CAMPS_QUESTION] if self.closed else []))
        ]

    def _escape(self) -> None:
        self._routes("escape")
        self._several("escape.end", "escape ends", 1, 2)
        self._asks.append("escape")

    def _climb(self) -> None:
        self._several("climb.try", "climb may not try", most=2)
        first = self._clause(f"climb succeeds on {self.rng.randint(1, 5)}.")
        if self.rng.random() < 0.5:
            self._clause(
                f"climb succeeds on {self.rng.randint(1, 6)} instead of {first}{self._when('climb.factor', 1)}."
            )
        for label in ("wind", "rain")[: self.rng.randint(0, 2)]:
            self._clause(f'climb adds {self.writer("climb.adds").number(1)} "{label}"{self._when("climb.adds", 1)}.')
        self._asks.append("climb")

    def _choose(self, name: str) -> None:
        """Bar picks; sometimes by a roll alone, which may be the only difference of two pieces."""
        if name == "pair" and "climb" in self._asks and self.rng.random() < 0.7:
            rolled = self.rng.choice(("climb of t at (place of f)", "climb of f at (place of t)"))
            asked = self.rng.choice((f"{rolled} is possible", f"({rolled}) is at most {self.rng.randint(1, 4)}"))
            self._clause(f"{name} may not choose when {asked}.")
            return
        self._several(f"{name}.choose", f"{name} may not choose", 1)

    def _party(self) -> None:
        self._several("party.choose", "party may not choose", 1)

    # ------------------------------------------------------------------ questions about definitions
    def _question(self, name: str) -> None:
        head: Head = self.words.heads[name]
        takes, call = [], name
        for (param, wanted), prep in zip(head.params, head.preps, strict=True):
            takes.append(f"{param}: {'list of ' + wanted.name if wanted.kind == 'set' else str(wanted)}")
            call += f" {prep} {param}"
        given = f" takes {', '.join(takes)}" if takes else ""
        self.questions.append(f"question ask_{name} on field{given} answers answer: {call}.\n")


@cache
def ground(names: tuple[tuple[str, str], ...]) -> SourceFile:
    """Read what all programs have in common, with some fields called otherwise."""
    return parse_rules(renamed(GROUND, dict(names)), "ground.rules")


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Call some fields otherwise."""
    for name, other in names.items():
        text = re.sub(rf"(?<![-\w]){name}(?![-\w])", other, text)
    return text


def words_of(files: Sequence[SourceFile]) -> Words:
    """Read what a vocabulary lets clauses speak of."""
    schema = build_schema(files, Faults({file.path: file.lines for file in files}))
    forms = FormChecker(ExpressionChecker(schema))
    for decl in (decl for file in files for decl in file.decls):
        if isinstance(decl, FormDecl):
            forms.declare(decl)
    assert not schema.faults.found, schema.faults.found
    return Words(schema.enums, schema.records, schema.readings, forms.checker.heads, forms.forms)
