"""The operations of the factory.

Some stand in sections of the core, such as where materials lie in the section Plant:
a client looks for them there.
"""

from __future__ import annotations

from mpms.factory.web.api import (
    catalogue,
    connections,
    experiments,
    figures,
    fleet,
    floor,
    mails,
    new_orders,
    order_changes,
    orders,
    overview,
    places,
    records,
    robots,
    stock,
    tables,
    tasks,
    vehicles,
    worlds,
)

SECTIONS = (
    *dict.fromkeys(
        part.section
        for part in (
            *(
                orders,
                new_orders,
                order_changes,
                mails,
                tasks,
                floor,
                fleet,
                figures,
                experiments,
            ),
            *(catalogue, tables, robots, connections, places, worlds, overview, stock),
            vehicles,
        )
    ),
    records.lots,
)
