"""What ``mpms incidents`` does."""

from __future__ import annotations

from mpms import bootstrap
from mpms.cli.database import plain, who, with_services
from mpms.ports.incidents.inbox import CauseFilter
from mpms.services.incidents.close import close_cause, close_incident
from mpms.settings import Settings

MOST = 1_000
LONGEST = 100


def listing(settings: Settings, *, sort: str = "longest", cause: str | None) -> int:
    """Open causes, or the incidents of one."""

    def show(services: bootstrap.Services) -> None:
        with services.uow() as tx:
            tx.incidents.name_causes(MOST)
            if cause is None:
                for row in tx.inbox.causes(CauseFilter(sort=sort), limit=MOST):
                    told = _short(row.message)
                    print(f"{row.cause}  {row.incidents:>6}  {row.kind:<12} {told}")
            else:
                for one in tx.inbox.incidents(cause, after=None, limit=MOST):
                    where = one.business_key or one.instance_id or ""
                    print(f"{one.id:>8}  {where:<20} {_short(one.message)}")

    return with_services(settings, show)


def close(settings: Settings, what: str, reason: str) -> int:
    """One incident by its number, or all of a cause."""

    def run(services: bootstrap.Services) -> None:
        why = plain(reason)
        if what.isdecimal():
            close_incident(services.uow, int(what), by=who(), note=why)
            closed = 1
        else:
            closed = close_cause(services.uow, plain(what), by=who(), note=why)
        print(f"{closed} put aside")

    return with_services(settings, run)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
