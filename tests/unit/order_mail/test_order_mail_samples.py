"""The contract's own examples, and messages as many programs write them."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mpms.factory.adapters.mail.sandbox.workbook import read_workbook
from mpms.factory.domain.order_mail import (
    Catalogue,
    OrderDraft,
    Outcome,
    RememberedMail,
    Senders,
)
from mpms.factory.domain.order_mail.reading import read_order_mail

DIRECTORIES = ("orders", "orders_more", "orders_buyers")
DATA = Path(__file__).resolve().parents[2] / "data"


def messages_of(directory: str) -> list[str]:
    expected = json.loads((DATA / directory / "expected.json").read_bytes())
    return [f"{directory}/{entry['file']}" for entry in expected["messages"]]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    """Every message of both directories, read in order from an empty state."""
    found: dict[str, Outcome] = {}
    for directory in DIRECTORIES:
        path = DATA / directory
        catalogue = Catalogue.from_json((path / "catalogue.json").read_bytes())
        senders = Senders.from_json((path / "senders.json").read_bytes())
        memory = RememberedMail()
        for name in messages_of(directory):
            raw = (DATA / name).read_bytes()
            found[name] = read_order_mail(
                raw, catalogue, senders, memory, read_workbook=read_workbook
            )
            memory.remember(found[name])
    return found


def wanted(name: str) -> dict[str, Any]:
    directory, file = name.split("/")
    expected = json.loads((DATA / directory / "expected.json").read_bytes())
    return next(entry for entry in expected["messages"] if entry["file"] == file)


def stated(order: OrderDraft, keys: set[str]) -> dict[str, object]:
    """An order in the form of expected.json, with the keys it looks at."""
    everything = {
        "number": order.number,
        "product": order.product,
        "due": order.due.isoformat() if order.due else None,
        "priority": order.priority,
        "lines": [(line.material, line.kg, line.lot) for line in order.lines],
    }
    return {key: everything[key] for key in keys}


@pytest.mark.covers("A10")
@pytest.mark.parametrize("name", [n for each in DIRECTORIES for n in messages_of(each)])
def test_a_sample_gives_the_expected_outcome(
    name: str, outcomes: dict[str, Outcome]
) -> None:
    expected, outcome = wanted(name), outcomes[name]
    assert (outcome.outcome, outcome.reply) == (expected["outcome"], expected["reply"])
    if "reason" in expected:
        assert expected["reason"] in outcome.codes
        told = " ".join(f"{why.where} {why.sentence}" for why in outcome.reasons)
        assert [part for part in expected.get("names", ()) if part not in told] == []
        assert outcome.order is None
        return
    assert outcome.order is not None
    order = dict(expected["order"])
    order["lines"] = [
        (line["material"], Decimal(line["kg"]), line.get("lot"))
        for line in order["lines"]
    ]
    assert stated(outcome.order, set(order)) == order


def test_there_are_fifteen_samples_and_forty_more_twice() -> None:
    assert len(messages_of("orders")) == 15
    assert len(messages_of("orders_more")) >= 40
    assert len(messages_of("orders_buyers")) >= 40


def test_every_file_of_all_directories_is_expected() -> None:
    for directory in DIRECTORIES:
        files = {f"{directory}/{p.name}" for p in (DATA / directory).glob("*.eml")}
        assert files == set(messages_of(directory))


def test_every_language_is_answered_in_itself(outcomes: dict[str, Outcome]) -> None:
    assert {
        outcomes[f"orders/{name}"].language
        for name in (
            "01_plain_english.eml",
            "02_outlook_html_table_spanish.eml",
            "03_gmail_german_litres.eml",
            "05_xlsx_turkish.eml",
        )
    } == {"en", "es", "de", "tr"}


def test_every_sample_order_is_complete(outcomes: dict[str, Outcome]) -> None:
    for outcome in outcomes.values():
        if outcome.order is not None:
            assert outcome.order.sender == outcome.sender
            assert all(line.name for line in outcome.order.lines)
