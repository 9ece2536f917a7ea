"""A paint factory whose orders leave records, and somebody who tampers with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mpms.factory.adapters.plant_key import FileKey, read_or_make_key
from mpms.factory.adapters.plant_key import verify as verify_signature
from mpms.factory.domain.records.verifying import Verified
from mpms.factory.services.orders.accept import accept_order
from mpms.factory.services.records.seal import SealRecords
from mpms.factory.services.records.verify import verify_records
from tests.support.paint_factory import PaintFactory


class RecordPlant(PaintFactory):
    """Orders, their records and the key that seals them."""

    key: FileKey

    def accept(self, number: str) -> None:
        with self.uow() as tx:
            accept_order(tx, self.engine, self.order(number), by="buyer@plant")
        self.start("warehouse", business_key=number, order_number=number)

    def made(self, number: str) -> str:
        self.accept(number)
        self.confirm_everything()
        return number

    def seal(self) -> bool:
        return SealRecords(self.uow, self.key, quiet_s=0.0)()

    def verified(self, **more: object) -> Verified:
        return verify_records(
            self.uow,
            verify_signature,
            keys=[self.key.public],
            **more,  # type: ignore[arg-type]
        )

    def tamper(self, *statements: str) -> None:
        """As somebody who may do everything in the database, triggers or not."""
        self.rows(f"SET session_replication_role = replica; {'; '.join(statements)}")


@pytest.fixture
def plant(stocked_url: str, tmp_path: Path) -> Iterator[RecordPlant]:
    with RecordPlant(stocked_url) as plant:
        plant.key = read_or_make_key(tmp_path / "records.key")
        yield plant


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script of docs/records.md, as somebody would copy it."""
    page = Path(__file__).resolve().parents[3] / "docs" / "records.md"
    text = page.read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    path = tmp_path_factory.mktemp("script") / "verify_record.py"
    path.write_text(code, encoding="utf-8")
    return path


Tampering = Callable[[RecordPlant], None]
