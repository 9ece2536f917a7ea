"""Puts the alerts together: who is told of incidents, by mail and on devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpms.adapters.web_push import WebPusher
from mpms.bootstrap import Services
from mpms.domain.alerts.rules import AlertRules
from mpms.services.alerts.send import SendAlerts
from mpms.services.people.send_notices import SendNotices
from mpms.settings import Settings

if TYPE_CHECKING:
    from mpms.adapters.smtp import SmtpSender
    from mpms.bootstrap.mail import MailDesk


def alert_sender(
    settings: Settings, services: Services, desk: MailDesk | None
) -> SendAlerts:
    """What a worker calls again and again to tell people of incidents."""
    return SendAlerts(
        services.uow,
        services.clock,
        _mail_sender(settings, desk),
        web_pusher(settings),
        site_url(settings),
        AlertRules(apart_s=settings.alerts_apart_s),
    )


def notice_sender(
    settings: Settings, services: Services, desk: MailDesk | None
) -> SendNotices:
    """Mails to people about their own account."""
    mail = _mail_sender(settings, desk)
    return SendNotices(services.uow, mail, site_url(settings))


def web_pusher(settings: Settings) -> WebPusher:
    """Push services want to know whom to ask when something is wrong with our posts."""
    address = site_url(settings)
    sender = settings.mail_from
    return WebPusher(f"mailto:{sender}" if sender else address)


def site_url(settings: Settings) -> str:
    """Where people open the pages: a setting, because names are known outside only."""
    if settings.site_url is not None:
        return settings.site_url
    scheme = "http" if settings.web_cert_file is None else "https"
    host = settings.web_host
    if host in ("0.0.0.0", "::"):  # noqa: S104  (compared, not bound)
        host = "localhost"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.web_port}"


def _mail_sender(settings: Settings, desk: MailDesk | None) -> SmtpSender | None:
    if desk is not None:
        return desk.mail_sender.another()
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    from mpms.bootstrap.mail import mail_sender  # only where there is a mail server

    return mail_sender(settings, settings.mail_from)
