"""Names stand wherever ids do: spellings, accents, numbers, both ends of a road."""

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.maps.maps import Gazetteer, normalize_name

from tests.builders import fault_of
from tests.maps.conftest import board

# any name, the id that it finds
PLACES = [
    ("Bastogne", "Bastogne"),
    ("bastogne", "Bastogne"),
    ("109", "Bastogne"),
    ("Holzhum", "Holzthum"),
    ("Ettlebruck", "Ettelbruck"),
    ("Saeul", "Sauel"),
    ("Sael", "Sauel"),
    ("Spimont", "Sprimont"),
    ("Liège", "Liege"),
    ("Lüttich", "Liege"),
    ("Prüm", "Prum"),
    ("St Vith", "St. Vith"),
    ("Sankt Vith", "St. Vith"),
    ("Henri Chapelle", "Henri-Chapelle"),
    ("trois-ponts", "Trois Ponts"),
    ("C", "C"),
    *((name, None) for name in ("", "Bastognes Nord", "163", "O", "Clervaux")),
]
CONNECTIONS = [
    *((name, "Ettelbruck-Mersch") for name in ("Ettelbruck-Mersch", "mersch ettlebruck", "58-59", "59-58")),
    ("3-35", "Stadtkyll-Kronenburg"),
    ("33-5", "Budesheim-Olzheim"),
    ("335", None),
    ("C-8", "C-Bitburg"),
]


@pytest.mark.parametrize(
    ("kind", "name", "identity"),
    [*(("place", *row) for row in PLACES), *(("connection", *row) for row in CONNECTIONS)],
)
def test_a_name_finds_its_place_or_connection(kind, name, identity):
    assert getattr(board(), f"{kind}_names").find(name) == identity


def test_every_id_finds_itself_and_a_name_of_two_things_neither():
    for names in (board().place_names, board().connection_names):
        assert [name for name in names if names.find(name) != name] == []
        assert names.twins == {}
    names = Gazetteer()
    names.add("North Ham", ["Ham"])
    names.add("South Ham", ["Ham"])
    assert names.find("Ham") is None
    assert names.twins == {"Ham": {"North Ham", "South Ham"}}
    assert names.find("northham") == "North Ham"
    fault = fault_of(board().place_names.need, "Luettig", "$.here", "place")
    assert (fault.what, fault.where, fault.fix) == ("unknown place `Luettig`", "$.here", "did you mean `Liege`?")


@pytest.mark.parametrize("number", ["0", "163", "999", "9" * 300])
def test_a_number_that_no_place_has_is_not_likened_to_a_name(number):
    with pytest.raises(InputError) as caught:
        board().place_names.need(number, "$.here", "place")
    assert caught.value.faults[0].fix == "numbers go from 1 to 162"


def test_plain():
    assert normalize_name("St. Vith") == normalize_name("ST VITH") == "stvith"
    assert normalize_name("Straße") == "strasse"
    assert normalize_name("3-35") != normalize_name("33-5")
