"""Plain text: which lines count, and what one line says."""

from collections.abc import Callable

import pytest

from mpms.factory.domain.order_mail import Outcome

Build = Callable[..., bytes]
Read = Callable[[bytes], Outcome]
HARBOUR = "buyer@harbourpaints.example.org"  # no decimal profile
SALES = "sales@plant.example.com"  # may forward


def lines_of(outcome: Outcome) -> list[tuple[str, str]]:
    assert outcome.order is not None, outcome.reasons
    return [(line.material, f"{line.kg}") for line in outcome.order.lines]


@pytest.mark.parametrize(
    ("line", "material", "kg"),
    [
        ("RM-001 820 kg", "RM-001", "820.000"),
        ("Water 820 kg", "RM-001", "820.000"),
        ("- Water: 820 kg", "RM-001", "820.000"),
        ("* RM-001 | Water | 820 | kg", "RM-001", "820.000"),
        ("• 820 kg Water", "RM-001", "820.000"),
        ("12) 820 kg - RM-001 Water", "RM-001", "820.000"),
        ("1. 5 kg Water", "RM-001", "5.000"),
        ("RM-001;Water;820;kg", "RM-001", "820.000"),
        ("RM-001\tWater\t820\tkg", "RM-001", "820.000"),
        ("Water = 820 kg", "RM-001", "820.000"),
        ("Water - 820 kg", "RM-001", "820.000"),
        ("Water – 820 kg", "RM-001", "820.000"),
        ("WATER 1 250 kg", "RM-001", "1250.000"),
        ("RM-001 1 250,5 kg", "RM-001", "1250.500"),
        ("1 250 kg RM-001", "RM-001", "1250.000"),
        ("RM-001\u00a0Water\u00a01\u00a0250\u00a0kg", "RM-001", "1250.000"),
        ("RM-011 Oxide grade 130 | 100 kg", "RM-011", "100.000"),
        ("RM-011 Oxide grade 130  100 kg", "RM-011", "100.000"),
        ("Ammonia solution 25 % 10 kg", "RM-009", "10.000"),
        ("10 kg Ammonia solution 25 %", "RM-009", "10.000"),
        ("TiO2 300 kg", "RM-002", "300.000"),
        ("Phthaloblau-Paste 3 kg", "RM-012", "3.000"),
        ("RM-001 whatever; they' call -- it 5 kg", "RM-001", "5.000"),
        ("Water +5 kg", "RM-001", "5.000"),
        ("Water 500 ml", "RM-001", "0.500"),
    ],
)
def test_a_line_of_the_contract_is_read(
    line: str, material: str, kg: str, build: Build, read: Read
) -> None:
    outcome = read(build(f"Materials:\n{line}\n", sender=HARBOUR))
    assert lines_of(outcome) == [(material, kg)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Water 820", "missing_unit"),
        ("RM-001 Water 1 250", "missing_unit"),
        ("Water 80 gal", "unknown_unit"),
        ("Water 80 kg.", "unknown_unit"),
        ("Water", "bad_line"),
        ("820 kg", "bad_line"),
        ("Water 80 fl oz", "bad_line"),
        ("Water 820kg", "bad_line"),
        ("Water ~820 kg", "bad_line"),
        ("Water –25 kg", "bad_line"),
        ("80 gal Water", "bad_line"),
        ("5 kg Water 5 kg", "bad_line"),
        ("RM-001 RM-002 5 kg", "bad_line"),
        ("RM-001 " + "x" * 2000 + " 5 kg", "bad_line"),
        ("Water -25 kg", "non_positive_amount"),
        ("-25 kg Water", "non_positive_amount"),
        ("Water 0 kg", "non_positive_amount"),
        ("Water 1.250 kg", "ambiguous_number"),
        ("RM-011 Oxide grade 130 100 kg", "ambiguous_number"),
        ("RM-011 Oxide 130 22.75 kg", "bad_number"),
        ("Water 1,2,3 kg", "bad_number"),
        ("Watter 5 kg", "unknown_material"),
        ("Tap water 5 kg", "unknown_material"),
        ("rm-001 5 kg", "unknown_material"),
        ("RM-0011 5 kg", "unknown_material"),
        ("RM-999 Water 5 kg", "unknown_material"),
        ("Talc 5 l", "no_density"),
        ("Water 3000.001 kg", "amount_out_of_range"),
        ("Water 4 t", "amount_out_of_range"),
    ],
)
def test_a_doubtful_line_rejects_the_order_and_is_named(
    line: str, code: str, build: Build, read: Read
) -> None:
    outcome = read(build(f"Materials:\nTalc 5 kg\n{line}\n", sender=HARBOUR))
    assert (outcome.outcome, outcome.reply) == ("rejected", "rejection")
    assert code in outcome.codes
    assert outcome.reasons[0].where.startswith(f"#2 {line[:20]}")


def test_every_doubtful_line_is_reported_at_once(build: Build, read: Read) -> None:
    outcome = read(build("Due: soon\nMaterials:\nWatter 5 gal\nTalc 5\n"))
    assert set(outcome.codes) == {
        *("bad_date", "unknown_material", "unknown_unit", "missing_unit")
    }


def test_the_block_ends_at_a_blank_line(build: Build, read: Read) -> None:
    outcome = read(build("Materials:\n\n\nWater 5 kg\n\nTalc 5 gallons or so\n"))
    assert lines_of(outcome) == [("RM-001", "5.000")]


@pytest.mark.parametrize(
    "end",
    [
        "-- \n",
        "> quoted\n",
        "On Monday, Plant wrote:\n",
        "El lunes, Plant escribió:\n",
        "Am Montag schrieb:\n",
        "Plant şunları yazdı:\n",
        "-----Original Message-----\n",
        "----- Mensaje original -----\n",
    ],
)
def test_signature_and_quote_do_not_count(end: str, build: Build, read: Read) -> None:
    below = f"{end}Order: MO-2026-0777\nMaterials:\nTalc 9 kg\n"
    outcome = read(build(f"Hello\n{below}"))
    assert outcome.codes == ("no_lines",)
    outcome = read(build(f"Materials:\nWater 5 kg\n\n{below}"))
    assert lines_of(outcome) == [("RM-001", "5.000")]


def test_a_signature_line_needs_its_blank(build: Build, read: Read) -> None:
    outcome = read(build("--\nMaterials:\nWater 5 kg\n"))
    assert lines_of(outcome) == [("RM-001", "5.000")]


def test_flowed_lines_are_joined_before_they_are_read(build: Build, read: Read) -> None:
    flowed = "text/plain; charset=utf-8; format=flowed"
    outcome = read(
        build("Materials:\nRM-001 Water \n5 kg\n Talc 2 kg\n", content_type=flowed)
    )
    assert lines_of(outcome) == [("RM-001", "5.000"), ("RM-014", "2.000")]
    deleted = "text/plain; format=flowed; delsp=yes"
    outcome = read(build("Materials:\nRM-001 Wa \nter 5 kg\n", content_type=deleted))
    assert lines_of(outcome) == [("RM-001", "5.000")]


def test_a_text_key_without_a_value_is_not_passed_over(
    build: Build, read: Read
) -> None:
    outcome = read(build("Due:\n2026-11-24\nMaterials:\nWater 5 kg\n"))
    assert outcome.codes == ("bad_date",)


def test_a_value_given_twice_must_be_the_same(build: Build, read: Read) -> None:
    body = "Due: 2026-11-24\nDue date: {}\nMaterials:\nWater 5 kg\n"
    assert read(build(body.format("2026-11-24"))).outcome == "accepted"
    assert read(build(body.format("2026-11-25"))).codes == ("conflicting_field",)


@pytest.mark.parametrize(
    ("subject", "key", "code"),
    [
        ("Order MO-2026-0901", "", None),
        ("Order", "Order no.: MO-2026-0901\n", None),
        ("_MO-2026-0901_", "", None),
        ("MO-2026-0901", "Order: MO-2026-0902\n", "conflicting_order_number"),
        ("MO-2026-0901 MO-2026-0902", "", "conflicting_order_number"),
        ("MO-2026-0901", "Order: 0901\n", "bad_order_number"),
        ("Order", "Order: mo-2026-0901\n", "bad_order_number"),
        ("Order", "Order: MO-2026-0901 (new)\n", "bad_order_number"),
        ("MO-2026-09011", "", "missing_order_number"),
        ("MO-2026-0901-2", "", "missing_order_number"),
    ],
)
def test_there_must_be_exactly_one_order_number(
    subject: str, key: str, code: str | None, build: Build, read: Read
) -> None:
    outcome = read(build(f"{key}Materials:\nWater 5 kg\n", subject=subject))
    assert outcome.codes == (() if code is None else (code,))


FORWARD = (
    "Please see below.\nPriority: high\n\n{mark}\n{gap}From: A <a@b.example>\n"
    "Subject: order\n\nMaterials:\nWater 5 kg\n"
)


@pytest.mark.parametrize(
    ("mark", "gap"),
    [
        ("---------- Forwarded message ---------", ""),
        ("Begin forwarded message:", "\n"),
    ],
)
def test_forwarded_text_is_read_for_those_who_may_forward(
    mark: str, gap: str, build: Build, read: Read
) -> None:
    body = FORWARD.format(mark=mark, gap=gap)
    outcome = read(build(body, sender=SALES))
    assert lines_of(outcome) == [("RM-001", "5.000")]
    assert outcome.order is not None
    assert outcome.order.priority == "high"
    assert read(build(body)).codes == ("forward_not_allowed",)


def test_a_second_materials_block_is_a_second_order(build: Build, read: Read) -> None:
    outcome = read(build("Materials:\nWater 5 kg\n\nMaterials:\nTalc 5 kg\n"))
    assert outcome.codes == ("multiple_orders",)


@pytest.mark.parametrize(
    ("body", "language"),
    [
        ("Pedido: MO-1\n", "es"),
        ("Auftrag: MO-1\n", "de"),
        ("Sipariş: MO-1\n", "tr"),
        ("Order: MO-1\n", "en"),
        ("Order: MO-1\nPedido: MO-1\n", "en"),
        ("nothing\n", "en"),
    ],
)
def test_reasons_speak_the_language_of_the_keys(
    body: str, language: str, build: Build, read: Read
) -> None:
    assert read(build(body)).language == language


def test_control_characters_leave_the_product(build: Build, read: Read) -> None:
    outcome = read(build("Product: a\x07b\x1b[31m\nMaterials:\nWater 5 kg\n"))
    assert outcome.order is not None
    assert outcome.order.product == "ab[31m"
