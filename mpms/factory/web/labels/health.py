"""The lights of mail, robots and fleet in plain words, with what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mpms.services.admin.health import Finding
from mpms.web.labels.admin import Told, duration, time_text
from mpms.web.texts import t


def told(finding: Finding) -> Told | None:
    """The cause and what to do; None for a part that is not the factory's."""
    values = finding.values
    titles = {
        "mail_in": t("Mail in"),
        "mail_out": t("Mail out"),
        "robots": t("Robots"),
        "fleet": t("Fleet"),
    }
    words: Mapping[tuple[str, str], Callable[[], tuple[str, str]]] = {
        ("mail_in", "fine"): lambda: (
            t(
                "The mailbox answers; last read at {time}.",
                time=time_text(values["reached_at"]),
            ),
            "",
        ),
        ("mail_in", "silent"): lambda: (
            t("Nobody has looked into the mailbox for a while."),
            t("Does a worker run, and does the process that reads orders?"),
        ),
        ("mail_in", "away"): lambda: (
            t("The mailbox cannot be read: {why}", why=values["why"]),
            t("Test the account on the page Mail; it says at which step it stops."),
        ),
        ("mail_in", "unused"): lambda: (
            t("No mail has been read yet."),
            t("Orders by mail need MPMS_IMAP_URL and MPMS_SMTP_URL, and a worker."),
        ),
        ("mail_out", "fine"): lambda: (
            t("{n} replies wait; all others went out.", n=values["waiting"]),
            "",
        ),
        ("mail_out", "lost"): lambda: (
            t(
                "Of {n} replies nobody knows whether they went out, or they were"
                " refused.",
                n=values["lost"],
            ),
            t("Look at them on the page Mail and ask the senders."),
        ),
        ("mail_out", "away"): lambda: (
            t("Replies cannot be sent: {why}", why=values["why"]),
            t("Test the account on the page Mail; it says at which step it stops."),
        ),
        ("mail_out", "unused"): lambda: (t("No reply has been sent yet."), ""),
        ("robots", "fine"): lambda: (
            t(
                "{connected} of {robots} robots are connected, {out} out of service.",
                connected=values["connected"],
                robots=values["robots"],
                out=values["out"],
            ),
            "",
        ),
        ("robots", "away"): lambda: (
            t(
                "{connected} of {robots} robots are connected. {name}: {why}",
                connected=values["connected"],
                robots=values["robots"],
                name=values["name"],
                why=values["why"],
            ),
            t("Test the connection on the page Robots; it says where it stops."),
        ),
        ("robots", "unused"): lambda: (
            t("All robots are out of service, or the world has none."),
            "",
        ),
        ("fleet", "fine"): lambda: (
            t("{n} robots of the fleet have tasks.", n=values["robots"]),
            "",
        ),
        ("fleet", "unused"): lambda: (t("No fleet drives the robots."), ""),
        ("fleet", "not_led"): lambda: (
            t("No worker leads the fleet; {n} requests wait.", n=values["requests"]),
            t("Start one: mpms work. Nothing is lost meanwhile."),
        ),
        ("fleet", "stalled"): lambda: (
            t(
                "{n} robots of the fleet have tasks and nothing has changed for"
                " {time}.",
                n=values["robots"],
                time=duration(values["since_s"]),
            ),
            t(
                "Look at the page Fleet for who stands and why. Take a robot that is in"
                " the way out of service; its task goes to others."
            ),
        ),
    }
    if (said := words.get((finding.part, finding.cause))) is None:
        return None
    cause, help_ = said()
    return Told(titles[finding.part], cause, help_)
