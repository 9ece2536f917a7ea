"""How the mail and the robots of the factory are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mpms.factory.domain.worlds import World
from mpms.factory.ports.fleet import SavedFleet
from mpms.factory.ports.mail.vitals import MailFacts
from mpms.factory.services.robots.board import RobotCard, robot_board
from mpms.ports.workers import Contact
from mpms.services.admin.health import Finding, Light

SILENT_S = 900.0
STALLED_S = 120.0


@dataclass(frozen=True)
class FactoryHealth:
    """A part of the plant's health."""

    world: World

    def __call__(self, uow: Any, now: datetime) -> Sequence[Finding]:
        with uow() as tx:
            mail = tx.mail_vitals.mail()
            contacts = tx.workers.contacts()
            fleet = check_fleet(
                tx.fleet.saved(),
                len(tx.fleet.robots_at_work()),
                len(tx.fleet_requests.at_work()),
                now,
            )
        return (
            check_mail_in(contacts.get("imap"), mail, now),
            check_mail_out(contacts.get("smtp"), mail),
            check_robots(robot_board(uow, self.world)),
            fleet,
        )


def of_desk(desk: Any) -> FactoryHealth:
    return FactoryHealth(desk.world)


def check_mail_in(contact: Contact | None, mail: MailFacts, now: datetime) -> Finding:
    values: dict[str, object] = {"last_read_at": mail.last_read_at}
    if contact is None:
        return Finding("mail_in", Light.GREY, "unused", values)
    values |= {"reached_at": contact.reached_at}
    if contact.broken:
        values["why"] = contact.failure or ""
        return Finding("mail_in", Light.RED, "away", values)
    reached_at = contact.reached_at
    if reached_at is None or (now - reached_at).total_seconds() > SILENT_S:
        return Finding("mail_in", Light.YELLOW, "silent", values)
    return Finding("mail_in", Light.GREEN, "fine", values)


def check_mail_out(contact: Contact | None, mail: MailFacts) -> Finding:
    values: dict[str, object] = {
        "waiting": mail.replies_waiting,
        "lost": mail.replies_lost,
        "last_sent_at": mail.last_sent_at,
    }
    if contact is not None and contact.broken and mail.replies_waiting:
        values["why"] = contact.failure or ""
        return Finding("mail_out", Light.RED, "away", values)
    if mail.replies_lost:
        return Finding("mail_out", Light.YELLOW, "lost", values)
    if contact is None:
        return Finding("mail_out", Light.GREY, "unused", values)
    return Finding("mail_out", Light.GREEN, "fine", values)


def check_robots(robots: Sequence[RobotCard]) -> Finding:
    wanted = [card for card in robots if card.out is None]
    away = [card for card in wanted if card.worker is None or card.state.link != "up"]
    values: dict[str, object] = {
        "robots": len(robots),
        "connected": len(wanted) - len(away),
        "out": len(robots) - len(wanted),
    }
    if not wanted:
        return Finding("robots", Light.GREY, "unused", values)
    if away:
        first = away[0]
        values |= {"name": first.info.id, "why": first.state.why_not or ""}
        light = Light.RED if len(away) == len(wanted) else Light.YELLOW
        return Finding("robots", light, "away", values)
    return Finding("robots", Light.GREEN, "fine", values)


def check_fleet(
    saved: SavedFleet, robots_at_work: int, requests: int, now: datetime
) -> Finding:
    """Robots that have tasks drive, and each stretch is saved."""
    values: dict[str, object] = {"robots": robots_at_work, "requests": requests}
    if saved.state is None and not requests:
        return Finding("fleet", Light.GREY, "unused", values)
    if not saved.led:
        light = Light.RED if requests or robots_at_work else Light.YELLOW
        return Finding("fleet", light, "not_led", values)
    saved_s = 0.0 if saved.saved_at is None else (now - saved.saved_at).total_seconds()
    if robots_at_work and saved_s > STALLED_S:
        return Finding("fleet", Light.RED, "stalled", values | {"since_s": saved_s})
    return Finding("fleet", Light.GREEN, "fine", values)
