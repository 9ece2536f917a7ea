"""A material that somebody adds on the pages can be ordered by the next mail, and the
robot drives to its place: no process is started again."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from mpms.factory.domain.order_mail import Catalogue, Material, Recipe, RecipeLine
from mpms.factory.services.catalogue.change import (
    remove_material,
    save_material,
    save_recipe,
)
from mpms.factory.services.catalogue.current import CurrentCatalogue
from tests.support.mail_office import MailOffice, write_order

ZINC = Material("RM-321", "Zinc phosphate", ("Zinkphosphat",), Decimal(400), place="B")
REASONS = "SELECT outcome, reasons FROM mails ORDER BY id"


@pytest.fixture
def pages(office: MailOffice) -> CurrentCatalogue:
    """What another process, the one with the pages, knows of the catalogue."""
    file = office.desk.materials.read_file()
    return CurrentCatalogue(lambda: file)


def save(
    office: MailOffice, pages: CurrentCatalogue, material: Material, **more: Any
) -> None:
    save_material(
        office.uow,
        pages,
        office.world,
        material,
        by="adam",
        reason="new primer",
        **more,
    )


def test_a_mail_is_refused_before_and_an_order_after_somebody_adds_the_material(
    office: MailOffice, pages: CurrentCatalogue
) -> None:
    lines = "- RM-321 Zinc phosphate 25 kg"
    office.send(write_order("MO-2026-0001", lines=lines))
    assert office.intake() == (1, 0)
    ((outcome, reasons),) = office.rows(REASONS)
    assert outcome == "rejected"
    assert [reason["code"] for reason in reasons] == ["unknown_material"]

    save(office, pages, ZINC)
    office.send(write_order("MO-2026-0002", lines=lines))
    office.send(write_order("MO-2026-0003", lines="- Zinkphosphat 401 kg"))
    assert office.intake() == (2, 1)
    assert office.rows(
        "SELECT order_number, material, required_kg FROM order_lines"
    ) == [("MO-2026-0002", "RM-321", 25)]

    save(office, pages, replace(ZINC, max_kg=Decimal(500)), replaces="RM-321")
    office.send(write_order("MO-2026-0004", lines="- Zinkphosphat 401 kg"))
    assert office.intake() == (1, 1)

    remove_material(office.uow, pages, "RM-321", by="adam", reason="sold out")
    office.send(write_order("MO-2026-0005", lines=lines))
    assert office.intake() == (1, 0)


def test_the_reader_is_replaced_once_a_change_and_not_for_each_mail(
    office: MailOffice, pages: CurrentCatalogue
) -> None:
    office.send(write_order("MO-2026-0001"))
    office.intake()
    first = office.desk.sandbox.child_pid
    office.send(write_order("MO-2026-0002"))
    office.intake()
    assert office.desk.sandbox.child_pid == first
    save(office, pages, ZINC)
    office.send(write_order("MO-2026-0003"))
    office.intake()
    second = office.desk.sandbox.child_pid
    assert second not in (None, first)
    office.send(write_order("MO-2026-0004"))
    office.intake()
    assert office.desk.sandbox.child_pid == second


def test_a_recipe_of_the_pages_is_made_by_the_next_mail(
    office: MailOffice, pages: CurrentCatalogue
) -> None:
    save(office, pages, ZINC)
    lines = (RecipeLine("RM-001", Decimal(40)), RecipeLine("RM-321", Decimal(10)))
    primer = Recipe("Grey primer", (), Decimal(100), "kg", lines)
    save_recipe(office.uow, pages, primer, by="adam", reason="new product")
    head, _, _ = write_order("MO-2026-0001").partition(b"\r\n\r\n")
    text = b"Order: MO-2026-0001\r\nRecipe: Grey primer\r\nBatch: 50 kg\r\n"
    office.send(head + b"\r\n\r\n" + text)
    assert office.intake() == (1, 1)
    assert office.rows("SELECT material, required_kg FROM order_lines") == [
        ("RM-001", 20),
        ("RM-321", 5),
    ]


def test_the_robot_drives_to_the_place_that_the_pages_say(
    office: MailOffice, pages: CurrentCatalogue
) -> None:
    office.open()
    save(office, pages, ZINC)
    water = (pages.file.catalogue or Catalogue(())).by_code("RM-001")
    assert water is not None
    assert office.world.material_places["RM-001"] != "D"
    save(office, pages, replace(water, place="D"), replaces="RM-001")
    office.send(write_order("MO-2026-0001", lines="- RM-321 25 kg"))
    office.send(write_order("MO-2026-0002", lines="- RM-001 25 kg"))
    office.look()
    driven = "SELECT i.business_key, g.place FROM drives g JOIN instances i ON"
    assert sorted(office.rows(f"{driven} i.id = g.instance_id")) == [
        ("MO-2026-0001", "B"),
        ("MO-2026-0002", "D"),
    ]
