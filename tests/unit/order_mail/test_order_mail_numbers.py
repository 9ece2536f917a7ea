"""Numbers: exact, or refused; never a factor of a thousand off."""

from decimal import Decimal

import pytest

from mpms.factory.domain.order_mail.comparing import clean_text, fold
from mpms.factory.domain.order_mail.numbers import (
    in_kg,
    known_unit,
    read_exact,
    read_number,
)
from mpms.factory.domain.order_mail.outcome import Problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("820", "820"),
        ("12.5", "12.5"),
        ("12,5", "12.5"),
        ("0.750", "0.75"),
        ("0,750", "0.75"),
        ("1250.500", "1250.5"),
        ("1.2500", "1.25"),
        ("1.250,5", "1250.5"),
        ("1,250.500", "1250.5"),
        ("1.250.000", "1250000"),
        ("1,250,000.5", "1250000.5"),
        ("1 250", "1250"),
        ("1\u00a0250,5", "1250.5"),
        ("1\u202f250.5", "1250.5"),
        ("1'250", "1250"),
        ("1\u2019250.25", "1250.25"),
        ("+3", "3"),
        ("-25", "-25"),
        ("\u221225", "-25"),
        ("007", "7"),
    ],
)
@pytest.mark.parametrize("decimal_sign", [None, ".", ","])
def test_a_clear_number_is_the_same_for_every_sender(
    text: str, value: str, decimal_sign: str | None
) -> None:
    assert read_number(text, decimal_sign) == Decimal(value)


@pytest.mark.parametrize("text", ["1.250", "12,500", "999.999", "-1.250"])
def test_the_senders_decimal_sign_decides_a_doubtful_number(text: str) -> None:
    sign = "." if "." in text else ","
    other = "," if sign == "." else "."
    as_fraction = Decimal(text.replace(",", "."))
    assert read_number(text, sign) == as_fraction
    assert read_number(text, other) == as_fraction * 1000
    doubt = read_number(text, None)
    assert isinstance(doubt, Problem)
    assert doubt.code == "ambiguous_number"


@pytest.mark.parametrize(
    "text",
    [
        *("", "kg", "5.", ".5", ",5", "1,25,5", "1.25.5", "1..5", "1.5,5.5", "--5"),
        *("- 5", "5-", "1e3", "1 25", "12 50", "1250 000", "0 500", "1 250'000"),
        *("٣", "５", "½", "1.250,", "1,250.0,5", "NaN", "Infinity", "9" * 41),
    ],
)
def test_anything_else_is_no_number(text: str) -> None:
    for decimal_sign in (None, ".", ","):
        result = read_number(text, decimal_sign)
        assert isinstance(result, Problem)
        assert result.code == "bad_number"


@pytest.mark.parametrize("value", [Decimal("1.250"), "1.250", "-3", Decimal("1E+3")])
def test_json_amounts_are_exact(value: object) -> None:
    assert read_exact(value) == Decimal(str(value))


@pytest.mark.parametrize(
    "value", [None, True, 5, [1], "1,5", "1 000", "1e3", "", Decimal("NaN"), "9" * 99]
)
def test_other_json_values_are_no_amounts(value: object) -> None:
    assert isinstance(read_exact(value), Problem)


@pytest.mark.parametrize(
    ("word", "unit"),
    [
        *(("kg", "kg"), ("KILOS", "kg"), ("Kilogramm", "kg"), ("gr", "g")),
        *(("t", "t"), ("lbs", "lb"), ("Litros", "l"), ("lt", "l"), ("ML", "ml")),
        *(("gal", None), ("kg.", None), ("", None), ("k g", None), ("%", None)),
    ],
)
def test_a_unit_is_one_of_the_listed_words(word: str, unit: str | None) -> None:
    assert known_unit(word) == unit


def test_amounts_are_rounded_half_up_to_the_gram() -> None:
    assert in_kg(Decimal("0.0005"), "kg", None) == Decimal("0.001")
    assert in_kg(Decimal("2.5"), "g", None) == Decimal("0.003")
    assert in_kg(Decimal(5), "lb", None) == Decimal("2.268")
    assert in_kg(Decimal(10), "l", Decimal("1.05")) == Decimal("10.5")


def test_absurd_amounts_are_refused_quickly() -> None:
    huge = in_kg(Decimal("1E+999999"), "kg", None)
    assert isinstance(huge, Problem)
    assert huge.code == "amount_out_of_range"
    assert in_kg(Decimal("1E-999999"), "kg", None) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TİTANYUM DİOKSİT", "titanyum dioksit"),
        ("Selülozik kıvamlaştırıcı", "SELÜLOZİK KIVAMLAŞTIRICI"),
        ("Rußpaste", "RUSSPASTE"),
        ("Phthaloblau-Paste", "phthaloblau  paste"),
        ("TiO\u2082", "TiO2"),
        ("Dio\u0301xido", "DIÓXIDO"),
    ],
)
def test_names_are_compared_without_accents_case_and_punctuation(
    one: str, other: str
) -> None:
    assert fold(one) == fold(other)


def test_free_text_keeps_everything_but_control_characters() -> None:
    assert clean_text(" <b>=1+1\x00\x1b\u0085\ud800;' ") == "<b>=1+1;'"
    assert len(clean_text("x" * 10_000)) == 200
