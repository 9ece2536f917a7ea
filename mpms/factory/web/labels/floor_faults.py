"""Faults of a drawn floor, as its editor shows them."""

from __future__ import annotations

from typing import Any

from mpms.factory.ports.worlds import WorldFault
from mpms.web.texts import t


def fault_shown(fault: WorldFault) -> dict[str, Any]:
    """The part in the reader's words; what is wrong with it as the check says it."""
    parts = {
        "places": t("Place"),
        "waiting": t("Waiting place"),
        "inputs": t("Input"),
        "outputs": t("Output"),
        "storage": t("Storage place"),
        "charging": t("Charging zone"),
        "lanes": t("Lane"),
        "zones": t("Zone"),
        "robots": t("Robot"),
        "robot_types": t("Type"),
        "walls": t("Wall"),
        "doors": t("Door"),
        "packages": t("Package type"),
        "stock": t("Stock at"),
    }
    text = fault.text
    for begin in (f"{fault.section}.{fault.name} ", f"{fault.section}.{fault.name}."):
        text = text.removeprefix(begin)
    return {
        "section": fault.section,
        "name": fault.name,
        "what": parts.get(fault.section, t("Floor")),
        "text": text,
        "refuses": fault.refuses,
    }
