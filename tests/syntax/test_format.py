"""The formatter: one layout, and nothing but white space changes."""

import random
import re

import pytest
from titm_rules.diagnostics import RulesetError
from titm_rules.syntax.format import WIDTH, format_rules
from titm_rules.syntax.parser import parse_item, parse_rules, split_items

from tests.syntax.programs import BAD, GOOD, RULESETS, bare, header

FILES = [*RULESETS, *GOOD]


def squeezed(text):
    return re.sub(r"\s+", "", text)


def assert_sound(text, laid):
    """The layout is stable, and only white space differs: no comment, article or word is lost."""
    assert squeezed(laid) == squeezed(text)
    assert bare(parse_rules(laid, "x")) == bare(parse_rules(text, "x"))
    assert format_rules(laid, "x") == laid


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_files_keep_their_meaning(path):
    text = path.read_text(encoding="utf-8")
    laid = format_rules(text, path.name)
    assert_sound(text, laid)
    assert [line for line in laid.splitlines() if len(line) > WIDTH and "#" not in line] == []
    assert laid.endswith(".\n")
    assert "\n\n\n" not in laid


def mangled(text, rng, comments):
    """Scatter line breaks, blanks and (if wanted) comments and articles between the words of each item."""
    out = []
    for _, item in split_items(text):
        end = 0
        for token in parse_item(item)[0]:
            out.append(rng.choice((" ", "  ", "\n ", "\n\n  ", "\t")) if end else "")
            if comments and end and rng.random() < 0.1:
                out.append(rng.choice(("# one\n  ", "\n  # two\n  ", "\n\n # three\n\n    # four\n ", "the ", "an ")))
            out.append(str(token))
            end = token.end_pos or 0
        out.append("\n" * rng.choice((1, 2, 4)))
    return "".join(out)


@pytest.mark.parametrize("path", RULESETS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_scattered_text_is_laid_out_soundly_whatever_its_breaks(path):
    text = mangled(path.read_text(encoding="utf-8"), random.Random(path.stem), comments=True)
    assert_sound(text, format_rules(text, "x"))
    text = mangled(path.read_text(encoding="utf-8"), random.Random(path.stem), comments=False)
    other = mangled(text, random.Random(1), comments=False)
    assert [line for line in format_rules(text, "x").splitlines() if line] == [
        line for line in format_rules(other, "x").splitlines() if line
    ]


LAYOUTS = {
    "a short declaration stands on one line":
        ("record signal has\n  from-hex:hex,\n  to-hex : hex .", "record signal has from-hex: hex, to-hex: hex.\n"),
    "a long one has a line for each part": (
        "record signal has from-hex: hex, to-hex: hex, at-night: flag default no, "
        "weather: weather-kind or nothing default nothing.",
        "record signal has\n  from-hex: hex,\n  to-hex: hex,\n  at-night: flag default no,\n"
        "  weather: weather-kind or nothing default nothing.\n",
    ),
    "a clause has a line for each sentence and is never on one":
        ('clause 1 "Hills" "Hills are slow." slow holds when height of h is 3. slow holds.',
        'clause 1 "Hills"\n  "Hills are slow."\n  slow holds when height of h is 3.\n  slow holds.\n'),
    "blank lines part clauses, and only where the author left one declarations": (
        "type a1 is b, c.\ntype d is e, f.\n\n\n\n"
        'type g is h.\nclause 1 "x" "y"\n  see 2.\nclause 2 "x" "y"\n  see 1.\ntype i is j.',
        "type a1 is b, c.\ntype d is e, f.\n\n"
        'type g is h.\n\nclause 1 "x"\n  "y"\n  see 2.\n\nclause 2 "x"\n  "y"\n  see 1.\n\ntype i is j.\n',
    ),
    "comments stay where they were": (
        "# the file\n\n\n# the type\ntype side is red,  # it goes first\n  blue.   # the end\n# what follows\n"
        'clause 1 "x" "y"\n  # the only sentence\n  see 2.\n  # there is no more\n\n\n# last\n',
        "# the file\n\n# the type\ntype side is\n  red,  # it goes first\n  blue.  # the end\n\n# what follows\n"
        'clause 1 "x"\n  "y"\n  # the only sentence\n  see 2.\n  # there is no more\n\n# last\n',
    ),
    "a comment on a declaration keeps close to the one before":
        ("type a1 is b.\n# of d\ntype d is e.", "type a1 is b.\n# of d\ntype d is e.\n"),
    "signs and parentheses": (
        'clause 1 "x" "y" climb is( 1+-2 )*the n /3 rounded down when h is one of( 1 , the two ).',
        'clause 1 "x"\n  "y"\n  climb is (1 + -2) * the n / 3 rounded down when h is one of (1, the two).\n',
    ),
    "articles stay, and a text is filled": (
        'clause 1 "x" "' + "many words " * 12 + '" the hill holds when the height of a hex is an even.',
        'clause 1 "x"\n  "' + "many words " * 8 + "many\n"
        '    words many words many words many words"\n  the hill holds when the height of a hex is an even.\n',
    ),
    "what questions take and answer": (
        "question look on skirmish takes spot: hex, other: hex answers height: height of spot, difference: "
        "(height of spot - height of other), hill: hill of spot.",
        "question look on skirmish\n  takes spot: hex, other: hex\n  answers height: height of spot,\n"
        "    difference: (height of spot - height of other),\n    hill: hill of spot.\n",
    ),
    "a short event stands on one line":
        ("event wait on skirmish  by mover : for   each\n s in the scouts .",
        "event wait on skirmish by mover: for each s in the scouts.\n"),
    "a long event has a line for each part": (
        "event shoot on skirmish by mover: for each s in scouts where(side of s is mover) for first t in scouts "
        "where (not tired of t) given loud: flag rolls strength of s dice for shot of s against t.",
        "event shoot on skirmish by mover:\n  for each s in scouts where (side of s is mover)\n"
        "  for first t in scouts where (not tired of t)\n  given loud: flag\n"
        "  rolls strength of s dice for shot of s against t.\n",
    ),
    "so have a view and a summary": (
        "view duel of spot: hex on skirmish: attacker: mover, fighters: each s in scouts standing at spot: "
        "(strength: strength of s; uphill: hill of spot).\nsummary on skirmish: day: day, impulse-of-the-day: impulse, "
        "reds: number of s in scouts where (side of s is red).",
        "view duel of spot: hex on skirmish:\n  attacker: mover,\n  fighters: each s in scouts standing at spot: "
        "(strength: strength of s; uphill: hill of spot).\nsummary on skirmish:\n  day: day,\n"
        "  impulse-of-the-day: impulse,\n  reds: number of s in scouts where (side of s is red).\n",
    ),
    "effects": (
        'clause 1 "x" "y" go sets for  each s in scouts where(tired of s),place of s to spot , day to day+1 '
        "unless night. "
        "go puts scout in scouts with id=id of r,place = spot. go removes s from scouts.",
        'clause 1 "x"\n  "y"\n  go sets for each s in scouts where (tired of s), place of s to spot, day to day + 1 '
        "unless\n    night.\n  go puts scout in scouts with id = id of r, place = spot.\n  go removes s from scouts.\n",
    ),
    "no item": ("\n# a comment\n\n\n# and one\n#more\n", "# a comment\n\n# and one\n#more\n"), "nothing": (" \n\n", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "laid"), LAYOUTS.values(), ids=LAYOUTS)
def test_layout(text, laid):
    assert format_rules(text, "x") == laid
    assert format_rules(laid, "x") == laid


def test_text_that_does_not_parse_is_refused():
    unparsed = next(path for path in BAD if path.stem == "42_clause_if")
    with pytest.raises(RulesetError) as caught:
        format_rules(unparsed.read_text(encoding="utf-8"), "x")
    assert [fault.what for fault in caught.value.faults] == [header(unparsed)["fault"]]
