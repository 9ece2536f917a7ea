"""What the pages of orders read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.orders.views import (
    AttachmentRow,
    DriveRow,
    HistoryRow,
    IncidentRow,
    LineRow,
    MailRow,
    OrderCounts,
    OrderFilter,
    OrderPlace,
    OrderRow,
    OrderSort,
    RunRow,
    StepRow,
    WaitRow,
)

NEWEST = (1 << 63) - 1


class OrderViews(Repository):
    """Reads over orders, their processes, mails and history."""

    def page(
        self,
        wanted: OrderFilter,
        *,
        below: OrderPlace | None = None,
        limit: int,
        decision_form: str,
    ) -> Sequence[OrderRow]:
        rows = self._statements.rows(
            "order_overview_page",
            number=wanted.number,
            open=wanted.open_only,
            statuses=_statuses(wanted),
            due_before=wanted.due_before,
            stuck=wanted.stuck,
            idle=wanted.idle,
            decision_form=decision_form,
            pattern=_pattern(wanted.text),
            before_at=None if below is None else below.received_at,
            before_number=None if below is None else below.number,
            limit=limit,
        )
        return [_order(row) for row in rows]

    def sorted(
        self, wanted: OrderFilter, sort: OrderSort, *, limit: int, decision_form: str
    ) -> Sequence[OrderRow]:
        rows = self._statements.rows(
            "order_overview_sorted",
            open=wanted.open_only,
            statuses=_statuses(wanted),
            due_before=wanted.due_before,
            priority=wanted.priority,
            since=wanted.since,
            stuck=wanted.stuck,
            decision_form=decision_form,
            pattern=_pattern(wanted.text),
            sort=sort.column,
            down=sort.down,
            skip=sort.skip,
            limit=limit,
        )
        return [_order(row) for row in rows]

    def waits(self, instance_ids: Iterable[str]) -> Sequence[WaitRow]:
        ids = list(instance_ids)
        if not ids:
            return []
        rows = self._statements.rows("order_overview_waits", instance_ids=ids)
        return [WaitRow(*row) for row in rows]

    def counts(self, *, today: date, cap: int, decision_form: str) -> OrderCounts:
        row = self._statements.row(
            "order_overview_counts", today=today, cap=cap, decision_form=decision_form
        )
        return OrderCounts(*(row or (0, 0, 0, 0, 0, 0)))

    def found(self, wanted: OrderFilter, *, cap: int) -> int:
        row = self._statements.row(
            "order_overview_found",
            open=wanted.open_only,
            statuses=_statuses(wanted),
            pattern=_pattern(wanted.text) or "%",
            cap=cap,
        )
        return 0 if row is None else int(row[0])

    def usual_s(self, orders: int) -> float | None:
        row = self._statements.row("order_overview_usual_s", orders=orders)
        return None if row is None or row[0] is None else float(row[0])

    def last_number(self, first: str, last: str) -> str | None:
        row = self._statements.row("order_overview_last_number", first=first, last=last)
        return None if row is None else row[0]

    def lines(self, number: str) -> Sequence[LineRow]:
        rows = self._statements.rows("order_page_lines", number=number)
        return [LineRow(*row) for row in rows]

    def runs(self, instance_id: str) -> Sequence[RunRow]:
        rows = self._statements.rows("order_page_instances", instance_id=instance_id)
        return [RunRow(*row) for row in rows]

    def history(
        self,
        number: str,
        instance_ids: Iterable[str],
        *,
        hidden: Iterable[str],
        variables: Iterable[str],
        before: int | None,
        limit: int,
    ) -> Sequence[HistoryRow]:
        rows = self._statements.rows(
            "order_page_history",
            number=number,
            instance_ids=list(instance_ids),
            hidden=list(hidden),
            variables=list(variables),
            before=NEWEST if before is None else before,
            limit=limit,
        )
        return [HistoryRow(*row) for row in rows]

    def steps(
        self, instance_ids: Iterable[str], elements: Iterable[str]
    ) -> Sequence[StepRow]:
        rows = self._statements.rows(
            "order_page_steps",
            instance_ids=list(instance_ids),
            elements=list(elements),
        )
        return [
            StepRow(instance_id, element, rounds, entered, left, _seconds(took), live)
            for instance_id, element, rounds, entered, left, took, live in rows
        ]

    def drives(self, instance_ids: Iterable[str], *, limit: int) -> Sequence[DriveRow]:
        rows = self._of("order_page_goals", instance_ids, limit)
        return [DriveRow(*row) for row in rows]

    def incidents(
        self, instance_ids: Iterable[str], *, limit: int
    ) -> Sequence[IncidentRow]:
        rows = self._of("order_page_incidents", instance_ids, limit)
        return [IncidentRow(*row) for row in rows]

    def attachments(
        self, instance_ids: Iterable[str], *, limit: int
    ) -> Sequence[AttachmentRow]:
        rows = self._of("order_page_attachments", instance_ids, limit)
        return [AttachmentRow(*row) for row in rows]

    def mail(self, number: str) -> MailRow | None:
        return _mail(self._statements.row("order_page_mail", number=number))

    def mail_by_message(
        self, sender: str, message_id: str, *, latest: int
    ) -> MailRow | None:
        return _mail(
            self._statements.row(
                "order_page_mail_by_message",
                sender=sender,
                message_id=message_id,
                latest=latest,
            )
        )

    def _of(self, name: str, instance_ids: Iterable[str], limit: int) -> list[Row]:
        return self._statements.rows(name, instance_ids=list(instance_ids), limit=limit)


def _statuses(wanted: OrderFilter) -> list[str] | None:
    if wanted.statuses is None:
        return None
    return [status.value for status in wanted.statuses]


def _pattern(text: str) -> str | None:
    """A text that is looked for as it stands; % and _ mean themselves."""
    if not text:
        return None
    for sign in ("\\", "%", "_"):
        text = text.replace(sign, f"\\{sign}")
    return f"%{text}%"


def _order(row: Row) -> OrderRow:
    head: list[Any] = list(row)
    head[3] = OrderStatus(head[3])
    head[11] = head[11] or Decimal(0)
    head[13] = head[13] or Decimal(0)
    return OrderRow(*head)


def _seconds(took: Decimal | None) -> float:
    return max(0.0, float(took or 0))


def _mail(row: Row | None) -> MailRow | None:
    return None if row is None else MailRow(*row)
