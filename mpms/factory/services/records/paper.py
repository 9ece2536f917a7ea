"""What the PDF of a batch record says, as plain data for its template."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any

from mpms.factory.domain.records.pictures import route_svg
from mpms.factory.domain.records.reading import Loaded, Said
from mpms.factory.domain.worlds import World
from mpms.factory.ports.documents import Documents
from mpms.factory.services.floor.plan import floor_plan
from mpms.factory.services.records.show import RecordShown

Words = Callable[[Said], str]
PAPER_TIME = "%Y-%m-%d %H:%M:%S"


def record_pdf(
    shown: RecordShown,
    documents: Documents,
    *,
    world: World | None,
    address: str,
    words: Words,
    texts: dict[str, str],
    zone: tzinfo | None = None,
) -> bytes:
    """DocumentsMissing, DocumentFailed. ``address``: of the page, for the QR code.

    ``words`` says a line in the reader's language, ``texts`` are its headings.
    """
    files = {"code.svg": documents.code(address)}
    models = []
    for number, model in enumerate(shown.models):
        picture = ""
        if model.definition is not None:
            picture = f"model{number}.svg"
            visited = shown.read.visited.get(model.instance, set())
            files[picture] = documents.model(model.definition.xml, visited)
        models.append(
            {
                "name": model.name,
                "key": model.key,
                "version": model.version,
                "digest": model.digest,
                "picture": picture,
            }
        )
    if shown.read.routes:
        files["route.svg"] = route_picture(shown, world)
    data = paper_data(shown, words, zone) | {
        "address": address,
        "models": models,
        "route": "route.svg" if shown.read.routes else "",
        "texts": texts,
    }
    return documents.pdf("record", data, files)


def route_picture(shown: RecordShown, world: World | None) -> str:
    if world is None:
        return route_svg(shown.read.routes)
    plan = floor_plan(world)
    return route_svg(shown.read.routes, plan.walls, plan.racks)


def paper_data(
    shown: RecordShown, words: Words, zone: tzinfo | None = None
) -> dict[str, Any]:
    read = shown.read

    def at(instant: datetime | None) -> str:
        if instant is None:
            return ""
        return instant.astimezone(zone).strftime(PAPER_TIME)

    ordered = read.order.get("lines") or []
    catalogue = read.order.get("catalogue") or {}
    recipe = read.order.get("recipe") or {}
    return {
        "number": read.record,
        "product": read.order.get("product") or "",
        "customer": read.order.get("customer") or "",
        "due": read.order.get("due") or "",
        "status": read.status,
        "accepted": _with_zone(read.accepted.at, zone) if read.accepted else "",
        "recipe": recipe.get("name") or "",
        "recipe_version": recipe.get("version") or "",
        "recipe_digest": recipe.get("sha256") or "",
        "batch": recipe.get("batch") or "",
        "catalogue": catalogue.get("version") or "",
        "catalogue_digest": catalogue.get("sha256") or "",
        "ordered": [
            {
                "material": line["material"],
                "name": line["name"],
                "kg": line["required_kg"],
                "lot": line.get("lot") or "",
            }
            for line in ordered
        ],
        "loads": [_load(each, at) for each in read.loads],
        "weighings": [
            {
                "at": at(said.at),
                "material": said.data.get("material") or "",
                "kg": _number(said.data.get("measured_kg")),
                "instrument": said.content.get("instrument") or said.who,
                "raw": said.content.get("raw") or "",
            }
            for said in read.weighings
        ],
        "steps": [
            {
                "name": shown.named(step.element),
                "entered": at(step.entered_at),
                "left": at(step.left_at),
                "by": step.by,
                "said": ", ".join(
                    f"{key}: {_value(value)}" for key, value in step.values.items()
                ),
            }
            for step in read.steps
            if step.element in shown.names
        ],
        "drives": [
            {
                "at": at(said.at),
                "robot": said.who,
                "place": said.data.get("place") or "",
                "state": said.data.get("state") or "",
                "why": said.why or "",
            }
            for said in read.drives
        ],
        "events": [
            {"at": at(said.at), "who": said.name, "text": words(said)}
            for said in sorted(
                (*read.events, *read.weighed_again), key=lambda said: said.line
            )
        ],
        "signatures": [
            {
                "at": at(said.at),
                "name": said.name,
                "login": said.who,
                "meaning": said.data.get("meaning") or "",
                "why": said.why or "",
            }
            for said in read.signatures
        ],
        "lines": len(read.lines),
        "unsealed": read.unsealed,
        "fault": "" if shown.fault is None else str(shown.fault),
        "last_hash": read.lines[-1].hash,
        "key": read.seals[-1].data.get("key", "") if read.seals else "",
        "plant_head": f"{shown.plant_head.lines}:{shown.plant_head.hash}",
    }


def _load(load: Loaded, at: Callable[[datetime], str]) -> dict[str, str]:
    return {
        "material": load.material,
        "name": load.name,
        "lot": load.lot or "",
        "kg": _number(load.kg),
        "required": _number(load.required_kg),
        "limits": _limits(load),
        "deviation": _signed(load.deviation_kg),
        "by": load.by,
        "at": at(load.at),
    }


def _limits(load: Loaded) -> str:
    if load.required_kg is None or load.within_kg is None:
        return ""
    lowest, highest = (
        load.required_kg - load.within_kg,
        load.required_kg + load.within_kg,
    )
    return f"{lowest:.3f} – {highest:.3f}"


def _with_zone(instant: datetime, zone: tzinfo | None) -> str:
    """All times of the paper are of this zone."""
    return instant.astimezone(zone).strftime(f"{PAPER_TIME} (%Z)")


def _value(value: object) -> object:
    return {True: "✓", False: "✗"}[value] if isinstance(value, bool) else value


def _number(value: object) -> str:
    return "" if value is None else f"{Decimal(str(value)):.3f}"


def _signed(value: Decimal | None) -> str:
    return "" if value is None else f"{value:+.3f}"
