"""The wall screen: the plant with depth, what is in its tanks and on its robots, and
what waits for a decision, to be read from five metres.

The floor itself comes in the frames of the map; what an order has in its tank and on
its robot changes rarely and is asked for when orders or tasks change.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template

from mpms.factory.web.desk import current_desk
from mpms.factory.web.pages.map import known_plan
from mpms.services.incidents.list_alarms import list_alarms
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.site.signed_in import current_person

pages = Blueprint("wall", __name__)


@pages.get("/floor")
@allowed(EVERYBODY)
def page() -> str:
    return render_template("wall.html", plan=known_plan(), **_alarms())


@pages.get("/floor/alarms")
@allowed(EVERYBODY)
def alarms() -> str:
    return render_template("_wall_alarms.html", **_alarms())


@pages.get("/floor/orders.json")
@allowed(EVERYBODY)
def orders() -> dict[str, Any]:
    """What is in the tanks and on the robots now."""
    with current_desk().uow() as tx:
        made = tx.orders.on_floor()
    return {
        "orders": [
            {
                "number": row.number,
                "product": row.product,
                "tank": row.tank,
                "share": row.share,
                "robot": row.robot,
                "load": row.load,
                "stopped": row.stopped,
            }
            for row in made
        ]
    }


def _alarms() -> dict[str, Any]:
    """Those who may decide see all of it; others that something waits."""
    return {
        "alarms": list_alarms(current_desk().uow),
        "leads": current_person().leads,
    }
