"""Code of others in MPMS: what a package may add, and how it is found.

A package names one ``Plugin`` in the entry-point group ``mpms.plugins``. It may serve
topics of models, bring pages, and ship models and forms. What handlers need is here;
views of pages take their rights from ``mpms.web.rights``. A plug-in that cannot be used
is named with its cause and keeps workers and servers from starting: a topic that is
silently not served would wait for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from mpms.domain.errors import BusinessError, MpmsError
from mpms.domain.jobs import Answer, Deferred, Done, Job, NotYet, Reach
from mpms.domain.people import Role
from mpms.services.handlers import DEFAULT_LIMIT_S, Handlers, Outside

__all__ = [
    "BusinessError",
    "Deferred",
    "Done",
    "Job",
    "NotYet",
    "Page",
    "Plugin",
    "PluginRefused",
    "Reach",
    "Role",
    "Topic",
]

GROUP = "mpms.plugins"
MODELS = (".bpmn", ".dmn", ".form")


class PluginRefused(MpmsError):
    """A plug-in cannot be used."""


@dataclass(frozen=True)
class Topic:
    """The work of a topic.

    An outside function takes a ``Job`` and may take its time; an inside one takes the
    transaction and the ``Job`` and does nothing but change the database; a pure one
    takes the variables and computes. Each gives variables, or an ``Answer``.
    """

    function: Callable[..., Any]
    reach: Reach = Reach.OUTSIDE
    limit_s: float = DEFAULT_LIMIT_S
    about: str = ""
    takes: Mapping[str, str] = field(default_factory=dict)  # variable: what it means
    gives: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """Pages of a plug-in, in the menu of these roles; its views name their rights."""

    blueprint: str  # "package.module:name", loaded by the server alone
    address: str
    title: str
    roles: frozenset[Role] = frozenset(Role)


@dataclass(frozen=True)
class Plugin:
    """What a package adds."""

    name: str
    topics: Mapping[str, Topic] = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    models: Path | None = None  # a directory with .bpmn, .dmn and .form files


@dataclass(frozen=True)
class Installed:
    """A plug-in and the package that brings it. ``fault``: why it cannot be used."""

    entry: str
    package: str
    version: str
    where: str
    plugin: Plugin | None
    fault: str = ""


@cache
def installed() -> tuple[Installed, ...]:
    """Every plug-in of this environment, also those that cannot be used."""
    return read(entry_points(group=GROUP))


def loaded() -> tuple[Plugin, ...]:
    """Every plug-in. PluginRefused if one cannot be used."""
    faults = [
        f"The plug-in {each.entry} of {each.package} {each.version} cannot be used:"
        f" {each.fault}"
        for each in installed()
        if each.fault
    ]
    if faults:
        raise PluginRefused(" ".join(faults) + " Correct or uninstall it.")
    return tuple(each.plugin for each in installed() if each.plugin is not None)


def handlers() -> Handlers:
    """The topics of all plug-ins. PluginRefused."""
    return handlers_of(loaded())


def topics() -> frozenset[str]:
    """Of all plug-ins that can be used."""
    usable = (each.plugin for each in installed() if each.plugin is not None)
    return frozenset(topic for plugin in usable for topic in plugin.topics)


def joined(own: Handlers) -> Handlers:
    """Our topics and those of all plug-ins. PluginRefused."""
    theirs = handlers()
    if both := sorted(own.topics() & theirs.topics()):
        raise PluginRefused(
            f"A plug-in serves {', '.join(both)}, which MPMS serves itself."
        )
    return own.merged([theirs])


def models_of(name: str) -> dict[str, bytes]:
    """The files that a plug-in ships, by name. PluginRefused."""
    for plugin in loaded():
        if plugin.name == name:
            found = plugin.models.iterdir() if plugin.models is not None else ()
            files = sorted(path for path in found if path.suffix in MODELS)
            if not files:
                raise PluginRefused(f"The plug-in {name} ships no models.")
            return {path.name: path.read_bytes() for path in files}
    known = ", ".join(plugin.name for plugin in loaded()) or "none"
    raise PluginRefused(f"There is no plug-in {name}; installed: {known}.")


def read(entries: Iterable[EntryPoint]) -> tuple[Installed, ...]:
    """Load these; each that does not fit the ones before it has a fault."""
    found: list[Installed] = []
    owners: dict[tuple[str, str], str] = {}
    for entry in sorted(entries, key=lambda each: each.name):
        plugin, fault = _load(entry)
        if plugin is not None:
            for key in _claims(plugin):
                other = owners.setdefault(key, entry.name)
                if other != entry.name:
                    plugin, fault = None, f"{other} has the {key[0]} {key[1]!r} already"
                    break
        distribution = entry.dist
        found.append(
            Installed(
                entry.name,
                package=distribution.name if distribution else entry.module,
                version=distribution.version if distribution else "",
                where=_where(entry),
                plugin=plugin,
                fault=fault,
            )
        )
    return tuple(found)


def handlers_of(plugins: Iterable[Plugin]) -> Handlers:
    made = Handlers()
    for plugin in plugins:
        for name, topic in plugin.topics.items():
            if topic.reach is Reach.PURE:
                made.add_pure(name, topic.function)
            elif topic.reach is Reach.INSIDE:
                made.add_inside(name, _answering(topic.function))
            else:
                function = cast(Outside, _answering(topic.function))
                made.add_outside(name, function, limit_s=topic.limit_s)
    return made


def _answering(function: Callable[..., Any]) -> Callable[..., Answer]:
    """A plain function gives variables or nothing; both mean that it is done."""

    @wraps(function)
    def answer(*given: Any) -> Answer:
        made = function(*given)
        if made is None or isinstance(made, Mapping):
            return Done(dict(made or {}))
        if isinstance(made, Answer):
            return made
        raise TypeError(
            f"it gave {type(made).__name__}; a handler gives variables or an answer"
        )

    return answer


def _load(entry: EntryPoint) -> tuple[Plugin | None, str]:
    try:
        plugin = entry.load()
    except Exception as failure:  # whatever a stranger's module does
        return None, f"{type(failure).__name__}: {failure}"
    if not isinstance(plugin, Plugin):
        return None, f"{entry.value} is a {type(plugin).__name__} and no Plugin"
    return (plugin, "") if not (fault := _fault(plugin)) else (None, fault)


def _fault(plugin: Plugin) -> str:
    if not plugin.name:
        return "it has no name"
    for name, topic in plugin.topics.items():
        if not callable(topic.function):
            return f"the work of the topic {name!r} is no function"
        if not topic.limit_s > 0:
            return f"the topic {name!r} is given {topic.limit_s:g} s"
    for page in plugin.pages:
        if not page.address.startswith("/") or ":" not in page.blueprint:
            return f"the page {page.title!r} has no address or no module:name"
    if plugin.models is not None and not plugin.models.is_dir():
        return f"its models are not in {plugin.models}"
    return ""


def _claims(plugin: Plugin) -> Iterator[tuple[str, str]]:
    """What only one plug-in may have."""
    yield "name", plugin.name
    for topic in plugin.topics:
        yield "topic", topic
    for page in plugin.pages:
        yield "page", page.address


def _where(entry: EntryPoint) -> str:
    try:
        found = find_spec(entry.module)
    except (ImportError, ValueError, AttributeError):
        return ""
    return (found.origin or "") if found else ""
