"""The kinds of history lines that the factory writes."""

from __future__ import annotations

from mpms.domain.history.kinds import Audit, Kind

LABELS = "mpms.factory.web.labels.history"
ROBOTS = ("robots",)
BOTH = ("robots", "instances")

KINDS = (
    Kind(
        "order accepted",
        ("instances",),
        "The order came from {who}",
        "info",
        Audit.BY_PEOPLE,
        fields=("order",),
    ),
    Kind(
        "order status",
        ("instances",),
        f"{LABELS}:status_changed",
        audit=Audit.BY_PEOPLE,
        fields=("order", "old", "new", "reason"),
        action="changed an order's status",
    ),
    Kind(
        "order changed",
        ("instances",),
        f"{LABELS}:order_changed",
        fields=("order", "old", "new"),
        action="changed an order's priority or due date",
    ),
    Kind(
        "order note",
        ("instances",),
        f"{LABELS}:order_noted",
        fields=("order", "text"),
        action="added a note to an order",
    ),
    Kind(
        "order question",
        ("instances", "incidents"),
        f"{LABELS}:order_asked",
        fields=("order", "text"),
        action="asked for a decision about an order",
    ),
    Kind(
        "order split",
        ("instances",),
        f"{LABELS}:order_split",
        fields=("order", "into", "share"),
        action="split an order",
    ),
    Kind("order waits for release", ("instances",), f"{LABELS}:waits_for_release"),
    Kind("task reminded", ("instances", "tasks"), f"{LABELS}:task_reminded"),
    Kind("signature refused", action="mistyped a password when signing a record"),
    Kind("order mail sent", action="sent an order mail"),
    Kind(
        "mail accepted", ("instances",), fields=("mail", "sender", "order", "reasons")
    ),
    Kind("mail rejected", ("instances",), fields=("mail", "sender", "reasons")),
    Kind("mail ignored", fields=("mail", "sender", "reasons")),
    Kind("mailbox back", ("incidents",)),
    Kind("reply sent", ("incidents",), fields=("to", "reply")),
    Kind("reply in doubt", ("incidents",), fields=("to", "reply", "error")),
    Kind("reply given up", ("incidents",), fields=("to", "reply", "error")),
    Kind("robot chosen", BOTH, f"{LABELS}:robot_chosen", audit=Audit.NEVER),
    Kind("robot released", BOTH, "{robot} is free again", audit=Audit.NEVER),
    Kind("goal sent", BOTH, f"{LABELS}:drives", audit=Audit.NEVER),
    Kind(
        "goal ended",
        (*BOTH, "incidents"),
        f"{LABELS}:drive_ended",
        audit=Audit.NEVER,
        fields=("robot", "place", "state", "reason"),
    ),
    Kind("robot waits", BOTH, f"{LABELS}:waits_for_place", fields=("robot", "place")),
    Kind(
        "robot goes on",
        (*BOTH, "incidents"),
        f"{LABELS}:goes_on",
        audit=Audit.BY_PEOPLE,
        fields=("place",),
    ),
    Kind(
        "fleet request ended",
        BOTH,
        f"{LABELS}:fleet_request_ended",
        audit=Audit.BY_PEOPLE,
        fields=("request", "state", "why", "robot"),
    ),
    Kind(
        "fleet alert", ROBOTS, audit=Audit.BY_PEOPLE, fields=("what", "about", "text")
    ),
    Kind(
        "fleet told",
        ROBOTS,
        audit=Audit.BY_PEOPLE,
        fields=("what", "about"),
        action="sent the fleet a command",
    ),
    Kind("robot state", ROBOTS, audit=Audit.NEVER),
    Kind("robot taken out", ROBOTS, action="took a robot out of service"),
    Kind("robot brought back", ROBOTS, action="brought a robot back"),
    Kind(
        "robot emptied",
        (*BOTH, "incidents"),
        f"{LABELS}:robot_emptied",
        fields=("robot", "order", "material", "lot", "kg", "place"),
        action="said that a robot is empty",
    ),
    Kind("stock is back", ("incidents",), audit=Audit.NEVER),
    Kind("load settled", ("incidents",), audit=Audit.NEVER),
    Kind("material added", action="added a material"),
    Kind("material changed", action="changed a material"),
    Kind("material removed", action="removed a material"),
    Kind("recipe added", action="added a recipe"),
    Kind("recipe changed", action="changed a recipe"),
    Kind("recipe removed", action="removed a recipe"),
    Kind("lot received", ("instances",), action="received a lot"),
    Kind("lot changed", ("instances",), audit=Audit.BY_PEOPLE, action="changed a lot"),
    Kind("stock moved", ("instances",), action="moved stock"),
    Kind("stock corrected", ("instances",), action="corrected stock"),
    Kind(
        "material loaded",
        ("instances",),
        f"{LABELS}:material_loaded",
        audit=Audit.NEVER,
        fields=("order", "material", "lot", "kg", "place", "robot"),
    ),
    Kind(
        "weight accepted",
        ("instances", "tasks"),
        f"{LABELS}:weight_accepted",
        fields=("order", "material", "kg", "required_kg", "meaning"),
        action="accepted a weight outside the tolerance",
    ),
    Kind(
        "tank state",
        ("instances",),
        f"{LABELS}:tank_state",
        audit=Audit.NEVER,
        fields=("order", "tank", "old", "new", "why", "temperature_c", "speed_rpm"),
    ),
    Kind(
        "tank cleaned",
        ("instances",),
        f"{LABELS}:tank_cleaned",
        fields=("tank", "order", "after", "how"),
        action="cleaned a tank",
    ),
    Kind("picks planned again", ("instances",), audit=Audit.NEVER, fields=("order",)),
    Kind("material used", ("instances",), audit=Audit.NEVER, fields=("order", "lot")),
    Kind(
        "material returned",
        ("instances",),
        f"{LABELS}:material_returned",
        audit=Audit.NEVER,
        fields=("order", "material", "lot", "kg", "place", "robot"),
    ),
    Kind("materials imported", action="imported materials"),
    Kind("catalogue file taken", action="restored the catalogue file"),
    Kind("floor saved", fields=("version",), action="drew the floor anew"),
    Kind("floor previewed", fields=("version",), action="previewed the floor"),
    Kind(
        "floor used", fields=("version",), action="took a version of the floor in use"
    ),
    Kind("catalogue version taken", action="restored a version of the catalogue"),
    Kind(
        "experiment asked",
        audit=Audit.BY_PEOPLE,
        fields=("experiment", "title", "runs"),
        action="asked for an experiment",
    ),
    Kind(
        "experiment stopped",
        fields=("experiment", "title"),
        action="stopped an experiment",
    ),
    Kind("experiment ended", fields=("experiment", "state", "reason")),
    Kind(
        "experiment deleted",
        fields=("experiment", "title"),
        action="deleted an experiment",
    ),
    Kind(
        "experiment shared",
        fields=("experiment", "title", "shared"),
        action="changed who sees an experiment",
    ),
)
