"""What plug-ins bring to pages of ours: lights, words, what an instance is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from flask import Flask, current_app

from mpms.plugins import INSTANCE_PARTS, Link, Plugin, loading
from mpms.services.admin.health import Finding, HealthPart
from mpms.services.instances.page import Details, InstanceDetails, no_details
from mpms.web.desk import Desk


@dataclass(frozen=True)
class LinkShown:
    """A link of a plug-in with the name of what it leads to."""

    link: Link
    value: str

    @property
    def address(self) -> str:
        return filled(self.link.address, self.value)


@dataclass(frozen=True)
class PluginParts:
    """Of all plug-ins of a site."""

    health: Sequence[Callable[[Desk], HealthPart]] = ()
    health_labels: Sequence[Callable[[Finding], Any]] = ()
    details: InstanceDetails = no_details
    queues: dict[str, str] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    shown_at: dict[str, str] = field(default_factory=dict)
    beside_instances: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def links_of(self, known: Mapping[str, str]) -> list[LinkShown]:
        return [
            LinkShown(link, known[name])
            for name, link in self.links.items()
            if name in known
        ]

    def health_of(self, desk: Desk) -> Sequence[HealthPart]:
        return [of_desk(desk) for of_desk in self.health]


def install(app: Flask, plugins: Sequence[Plugin]) -> None:
    """PluginRefused."""
    app.extensions["plugin parts"] = parts = PluginParts(
        [loading.brought(p, p.health) for p in plugins if p.health],
        [loading.brought(p, p.health_labels) for p in plugins if p.health_labels],
        _joined([loading.brought(p, p.details) for p in plugins if p.details]),
        {name: title for each in plugins for name, title in each.queues.items()},
        {name: link for each in plugins for name, link in each.links.items()},
        {name: at for each in plugins for name, at in each.shown_at.items()},
        {
            where: [
                p.instance_parts[where] for p in plugins if where in p.instance_parts
            ]
            for where in INSTANCE_PARTS
        },
    )

    def shown_at(what: str, key: object = "") -> str | None:
        at = parts.shown_at.get(what)
        return None if at is None else filled(at, str(key))

    app.jinja_env.globals.update(
        links_of=parts.links_of,
        plugin_links=parts.links.values,
        filled=filled,
        shown_at=shown_at,
        instance_parts=parts.beside_instances.get,
    )


def current_parts() -> PluginParts:
    found = current_app.extensions.get("plugin parts") if current_app else None
    return found if isinstance(found, PluginParts) else PluginParts()


def filled(address: str, value: str) -> str:
    """An address with {key} or {value} in it."""
    quoted = quote(value, safe="")
    return address.format(key=quoted, value=quoted)


def _joined(found: Sequence[InstanceDetails]) -> InstanceDetails:
    def details(tx: Any, instance_id: str) -> Details:
        known: dict[str, str] = {}
        of_task: dict[str, dict[str, str]] = {}
        for each in found:
            told = each(tx, instance_id)
            known |= told.known
            for task_id, more in told.of_task.items():
                of_task.setdefault(task_id, {}).update(more)
        return Details(known, of_task)

    return details
