"""Where the material of orders comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.factory.domain.stock import Pick, PickState


class Picks(Repository):
    """Rows of ``order_picks``."""

    def of_order(self, order_number: str) -> Sequence[Pick]:
        return self.of_orders([order_number])

    def of_orders(self, order_numbers: Iterable[str]) -> Sequence[Pick]:
        rows = self._statements.rows(
            "picks_of_orders", order_numbers=list(order_numbers)
        )
        return [_pick(row) for row in rows]

    def replace(self, order_number: str, picks: Sequence[Pick]) -> None:
        """These instead of those that are still planned."""
        self._statements.run("picks_delete_planned", order_number=order_number)
        self._statements.run(
            "picks_insert",
            order_number=order_number,
            picks=[p.pick for p in picks],
            lines=[p.line for p in picks],
            materials=[p.material for p in picks],
            places=[p.place for p in picks],
            grams=[p.grams for p in picks],
            lots=[p.lot for p in picks],
        )

    def save(self, pick: Pick) -> None:
        self._statements.run(
            "picks_save",
            order_number=pick.order_number,
            pick=pick.pick,
            line=pick.line,
            material=pick.material,
            place=pick.place,
            grams=pick.grams,
            lot=pick.lot,
            state=pick.state.value,
            robot=pick.robot,
            loaded_lot=pick.loaded_lot,
            loaded_place=pick.loaded_place,
            loaded_grams=pick.loaded_grams,
            loaded_by=pick.loaded_by,
        )

    def drop_planned(self, order_number: str) -> int:
        """Nobody fetches the rest any more; how many those were."""
        return self._statements.run("picks_drop_planned", order_number=order_number)

    def promised(
        self, lots: Iterable[str], *, without: str | None = None
    ) -> dict[tuple[str, str], int]:
        """(Lot, place) to grams that open orders, but for one, have been promised."""
        rows = self._statements.rows("picks_promised", lots=list(lots), without=without)
        return {(lot, place): grams for lot, place, grams in rows}

    def carried(self, robot: str) -> Sequence[Pick]:
        """What lies on a robot."""
        rows = self._statements.rows("picks_carried", robot=robot)
        return [_pick(row) for row in rows]

    def carriers(self) -> dict[str, str]:
        """Robot to the order whose material lies on it."""
        return dict(self._statements.rows("picks_carriers"))

    def left_over(self) -> Sequence[Pick]:
        """What lies on robots of ended orders, and no process brings back."""
        return [_pick(row) for row in self._statements.rows("picks_left_over")]

    def told_left_over(self, kind: str) -> Sequence[tuple[int, str]]:
        """(Id, message) of the open incidents of this kind."""
        rows = self._statements.rows("picks_told_left_over", kind=kind)
        return [(number, message) for number, message in rows]

    def lock_left_over(self) -> None:
        """Nobody else tells of such loads until this transaction ends."""
        self._statements.run("picks_lock_left_over")

    def answered_before(self, instance_id: str, task_id: str) -> str | None:
        """Who answered the form before this one."""
        row = self._statements.row(
            "picks_answered_before", instance_id=instance_id, task_id=task_id
        )
        return None if row is None else str(row[0])

    def last_answer_by(self, instance_id: str) -> str | None:
        """Who answered the last form of a process."""
        row = self._statements.row("picks_last_answer_by", instance_id=instance_id)
        return None if row is None else str(row[0])

    def plan_times(self, times: Iterable[tuple[str, int, datetime, datetime]]) -> None:
        """(Order, pick, from, to) as planned now."""
        listed = list(times)
        if not listed:
            return
        orders, picks, starts, ends = zip(*listed, strict=True)
        self._statements.run(
            "picks_plan_times",
            **{
                "orders": list(orders),
                "picks": list(picks),
                "from": list(starts),
                "to": list(ends),
            },
        )


def _pick(row: Row) -> Pick:
    order, pick, line, material, place, grams, lot, state, *rest = row
    return Pick(order, pick, line, material, place, grams, lot, PickState(state), *rest)
