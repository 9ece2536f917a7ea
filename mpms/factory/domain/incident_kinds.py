"""The kinds of incidents that the factory opens."""

from __future__ import annotations

from mpms.domain.incidents.kinds import IncidentKind

STANDS = "robot"
"""About a robot that has a goal and does not drive."""

KINDS = (
    IncidentKind("goal", "failed drive"),
    IncidentKind(STANDS, "robot does not drive on", outside=True),
    IncidentKind("question", "question", outside=True, each=True, quoted=True),
    IncidentKind("mail", "unreadable mail", outside=True, each=True),
    IncidentKind("load", "load left behind", outside=True, each=True, quoted=True),
    IncidentKind("stock", "material runs short", outside=True, each=True, quoted=True),
    IncidentKind("tank", "tank nobody follows", outside=True, each=True, quoted=True),
    IncidentKind("worker", "worker away", quoted=True),
    IncidentKind("mailbox", "mailbox out of reach", outside=True),
    IncidentKind("mail server", "mail server out of reach"),
    IncidentKind("mail account", "mail account"),
    IncidentKind("reply", "lost reply", outside=True, each=True),
)
