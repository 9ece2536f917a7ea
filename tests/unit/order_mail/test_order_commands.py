"""``mpms orders check``: a directory in, one entry a message out, nothing changed."""

import json
import shutil
from pathlib import Path

import pytest

from mpms.cli.orders_check import OrderDirectoryInvalid, check
from mpms.factory.domain.order_mail import CatalogueInvalid


def test_the_samples_are_checked_in_the_expected_order(data: Path) -> None:
    before = {path: path.read_bytes() for path in (data / "orders").iterdir()}
    results = check(data / "orders")
    expected = json.loads((data / "orders" / "expected.json").read_bytes())["messages"]
    assert [r["file"] for r in results] == [e["file"] for e in expected]
    for result, wanted in zip(results, expected, strict=True):
        assert set(result) == {"file", "outcome", "reply", "reasons", "order"}
        assert (result["outcome"], result["reply"]) == (
            wanted["outcome"],
            wanted["reply"],
        )
        reasons = result["reasons"]
        assert isinstance(reasons, list)
        assert ("reason" not in wanted) or wanted["reason"] in reasons
    json.dumps(results)
    assert {path: path.read_bytes() for path in (data / "orders").iterdir()} == before


@pytest.fixture
def directory(tmp_path: Path, data: Path) -> Path:
    for name in ("catalogue.json", "senders.json", "01_plain_english.eml"):
        shutil.copy(data / "orders" / name, tmp_path)
    return tmp_path


def test_without_expectations_messages_are_taken_by_name(directory: Path) -> None:
    shutil.copy(directory / "01_plain_english.eml", directory / "00_first.eml")
    first, second = check(directory)
    assert (first["file"], first["outcome"]) == ("00_first.eml", "accepted")
    assert (second["outcome"], second["reasons"]) == ("ignored", ["duplicate_message"])


def test_a_broken_directory_is_refused_with_its_cause(directory: Path) -> None:
    with pytest.raises(OrderDirectoryInvalid, match="is no directory"):
        check(directory / "nowhere")
    (directory / "expected.json").write_text("[]")
    with pytest.raises(OrderDirectoryInvalid, match="no list of messages"):
        check(directory)
    (directory / "expected.json").write_text('{"messages": [{"file": "../x.eml"}]}')
    with pytest.raises(OrderDirectoryInvalid, match=r"x\.eml"):
        check(directory)
    (directory / "catalogue.json").write_text("{}")
    with pytest.raises(CatalogueInvalid, match="materials"):
        check(directory)
    (directory / "catalogue.json").unlink()
    with pytest.raises(OrderDirectoryInvalid, match=r"catalogue\.json cannot be read"):
        check(directory)
