"""The past of an instance, for the slider that moves diagram and map."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint, url_for

from mpms.factory.services.robots.replay import replay_instance
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels import replay as labels
from mpms.web.labels.history import timeline_kinds
from mpms.web.pages.cockpit_instance import READERS
from mpms.web.rights import allowed

pages = Blueprint("replay", __name__)


@pages.get("/cockpit/i/<uuid:instance_id>/replay.json")
@allowed(READERS)
def data(instance_id: UUID) -> dict[str, Any]:
    desk = current_desk()
    past = replay_instance(
        desk.uow, desk.engine, desk.world, str(instance_id), kinds=timeline_kinds()
    )
    model = url_for("cockpit.definition", definition_id=past.instance.definition_id)
    return labels.as_json(past, model, desk.clock.now())
