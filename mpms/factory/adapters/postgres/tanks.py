"""What happened in tanks."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.domain.mixing import TankReading, TankRun
from mpms.factory.ports.tanks import TankContent


class TankRows(Repository):
    """Rows of ``tank_runs`` and ``tank_contents``."""

    def note(
        self,
        key: str,
        *,
        tank: str,
        order_number: str,
        state: str,
        why: str = "",
        reading: TankReading | None = None,
    ) -> tuple[str | None, TankRun, float]:
        before = self._statements.row("tank_runs_state", key=key)
        (row,) = self._statements.rows(
            "tank_runs_note",
            key=key,
            tank=tank,
            order_number=order_number,
            state=state,
            why=why,
            temperature_c=reading and reading.temperature_c,
            speed_rpm=reading and reading.speed_rpm,
            heard=reading is not None,
        )
        return None if before is None else before[0], TankRun(*row[:-1]), row[-1]

    def of_order(self, number: str) -> Sequence[TankRun]:
        rows = self._statements.rows("tank_runs_of_order", order_number=number)
        return [TankRun(*row) for row in rows]

    def content(self, tank: str) -> TankContent | None:
        row = self._statements.row("tank_contents_get", tank=tank)
        return None if row is None else TankContent(*row)

    def fill(self, tank: str, *, product: str, order_number: str) -> None:
        self._statements.run(
            "tank_contents_fill", tank=tank, product=product, order_number=order_number
        )

    def clean(self, tank: str, *, by: str) -> None:
        self._statements.run("tank_contents_clean", tank=tank, by=by)
