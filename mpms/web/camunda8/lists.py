"""Lists: which part of one is wanted, in which order, and how it is written."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import Field

from mpms.domain.camunda8 import COUNTED, Found, Page
from mpms.web.camunda8.routes import Asked, RequestInvalid

MOST = 10_000
USUAL = 100
Row = TypeVar("Row")


class Part(Asked):
    limit: int = Field(default=USUAL, ge=0, le=MOST)
    from_: int = Field(default=0, ge=0, alias="from")
    after: str | None = None

    @property
    def offset(self) -> int:
        """RequestInvalid."""
        if self.after is None:
            return self.from_
        try:
            return max(0, int(base64.b64decode(self.after, validate=True)))
        except (binascii.Error, ValueError):
            raise RequestInvalid("'after' is no cursor of a list of MPMS.") from None


class Order(Asked):
    field: str
    order: str = "ASC"


class Search(Asked):
    """What every search says; its filter is its own."""

    page: Part = Field(default=Part())
    sort: list[Order] = Field(default=[])

    def part(self, *sorted_by: str) -> Page:
        """RequestInvalid."""
        for order in self.sort:
            if order.field not in sorted_by or order.order not in ("ASC", "DESC"):
                raise RequestInvalid(
                    f"This list cannot be sorted by '{order.field}', '{order.order}';"
                    f" only by {', '.join(sorted_by)}."
                )
        if self.page.offset + self.page.limit > COUNTED:
            raise RequestInvalid(
                f"Only the first {COUNTED} of a list can be seen; filter more."
            )
        newest_first = bool(self.sort) and self.sort[0].order == "DESC"
        return Page(self.page.limit, self.page.offset, newest_first)


def listed(
    found: Found[Row], page: Page, shape: Callable[[Row], dict[str, Any]]
) -> dict[str, Any]:
    """The part of a list as Camunda 8 writes it."""
    rows = [shape(row) for row in found.rows]
    return {
        "items": rows,
        "page": {
            "totalItems": min(found.total, COUNTED),
            "hasMoreTotalItems": found.total > COUNTED,
            "startCursor": _cursor(page.offset) if rows else None,
            "endCursor": _cursor(page.offset + len(rows)) if rows else None,
        },
    }


def _cursor(offset: int) -> str:
    return base64.b64encode(str(offset).encode()).decode()
