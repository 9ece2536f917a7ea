"""Finds the plug-ins of this environment and joins what they bring.

A plug-in that cannot be used is named with its cause and keeps workers and servers from
starting: a topic that is silently not served would wait for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, wraps
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from mpms.domain.history.kinds import CORE, LISTS, Kinds
from mpms.domain.incidents.kinds import CORE as CORE_INCIDENTS
from mpms.domain.jobs import Answer, Done, Reach
from mpms.domain.models.topics import KnownTopic
from mpms.plugins.plugin import (
    INSTANCE_PARTS,
    PLACES,
    QUESTIONS,
    Metric,
    Plugin,
    PluginRefused,
    Topic,
    WorkContext,
    Working,
)
from mpms.services.instances.hooks import AllHooks, InstanceHooks
from mpms.services.jobs.handlers import Handlers, Outside

GROUP = "mpms.plugins"
FACTORY = "factory"  # ours: whoever takes what it has is refused, not it
MODELS = (".bpmn", ".dmn", ".form")
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
VARIABLE = re.compile(r"MPMS_[A-Z0-9_]{1,60}")


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
    """Every plug-in of this environment, the factory first; also those with a fault."""
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
    return frozenset(known_topics())


def known_topics() -> dict[str, KnownTopic]:
    """The same with what each of them does, for people who draw models."""
    return {
        name: KnownTopic(
            name,
            topic.about,
            topic.takes,
            topic.gives,
            "MPMS" if plugin.name == FACTORY else plugin.name,
        )
        for plugin in usable()
        for name, topic in plugin.topics.items()
    }


def kinds() -> Kinds:
    """Of lines and incidents: the core's and those of all plug-ins. PluginRefused."""
    plugins = loaded()
    return Kinds.of(
        (kind for plugin in plugins for kind in plugin.kinds),
        incidents=(kind for plugin in plugins for kind in plugin.incidents),
        decisions=(each for plugin in plugins for each in plugin.decisions),
        lists={name: at for plugin in plugins for name, at in plugin.lists.items()},
        subjects=(name for plugin in plugins for name in plugin.subjects),
        things=(name for plugin in plugins for name in plugin.things),
        machines=(name for plugin in plugins for name in plugin.machines),
        problems=(each for plugin in plugins for each in plugin.problems),
    )


def hooks() -> InstanceHooks:
    """Those of all plug-ins. PluginRefused."""
    return AllHooks.of(
        cast(InstanceHooks, brought(plugin, plugin.hooks)())
        for plugin in loaded()
        if plugin.hooks
    )


def stores() -> dict[str, Callable[..., object]]:
    """What makes each repository of a transaction, by name. PluginRefused."""
    return {
        name: _late(plugin, where)
        for plugin in loaded()
        for name, where in plugin.stores.items()
    }


def additions() -> dict[str, list[str]]:
    """The statements that answer each question of the core. PluginRefused."""
    found: dict[str, list[str]] = {}
    for plugin in loaded():
        for question, statement in plugin.additions.items():
            found.setdefault(question, []).append(statement)
    return found


def metrics() -> dict[str, Metric]:
    """Families of numbers of all plug-ins. PluginRefused."""
    return {name: each for plugin in loaded() for name, each in plugin.metrics.items()}


def usable() -> list[Plugin]:
    """Those without a fault."""
    return [each.plugin for each in installed() if each.plugin is not None]


def offered(part: str) -> dict[str, Callable[..., Any]]:
    """What plug-ins bring where another one asks for it, by name. PluginRefused."""
    return {
        name: _late(plugin, where)
        for plugin in loaded()
        for name, where in plugin.offers.get(part, {}).items()
    }


def start_work(
    stack: ExitStack,
    context: WorkContext,
    settings: Mapping[str, Mapping[str, Any]],
    options: Mapping[str, Any],
) -> tuple[Handlers, list[Working]]:
    """Start what plug-ins do beside a worker; the stack ends it. PluginRefused.

    ``settings`` and ``options`` are by plug-in. Gives the handlers of all topics, and
    what each plug-in does.
    """
    handlers, found = [], []
    for plugin in loaded():
        if not plugin.work:
            continue
        given = replace(
            context,
            settings=settings.get(plugin.name) or plugin.settings_in({}),
            options=options.get(plugin.name),
        )
        working = stack.enter_context(brought(plugin, plugin.work)(given))
        handlers.append(handlers_of_topics(_with_functions(plugin, working)))
        found.append(working)
    return handlers_of(loaded()).merged(handlers), found


def _with_functions(plugin: Plugin, working: Working) -> dict[str, Topic]:
    """PluginRefused if topics and functions are not the same."""
    promised = {n for n, topic in plugin.topics.items() if topic.function is None}
    if promised != working.functions.keys():
        odd = ", ".join(sorted(promised ^ working.functions.keys()))
        raise PluginRefused(
            f"The plug-in {plugin.name} declares topics for which {plugin.work} shall"
            f" bring the functions, and only one of both knows: {odd}"
        )
    return {
        name: replace(plugin.topics[name], function=function)
        for name, function in working.functions.items()
    }


def brought(plugin: Plugin, where: str) -> Any:
    """What a plug-in names as ``module:name``. PluginRefused."""
    module, _, name = where.partition(":")
    try:
        return getattr(import_module(module), name)
    except Exception as failure:  # whatever a stranger's module does
        raise PluginRefused(
            f"The plug-in {plugin.name} names {where}, which cannot be loaded:"
            f" {type(failure).__name__}: {failure}"
        ) from failure


def missing(plugin: Plugin) -> list[str]:
    """What it names as ``module:name`` and cannot be loaded, with the cause."""
    places = [plugin.work, plugin.hooks, plugin.operations, *plugin.stores.values()]
    places += [plugin.testdrive, plugin.details, plugin.health, plugin.health_labels]
    places += [line.when for line in plugin.menu]
    places += [page.blueprint for page in plugin.pages]
    places += [where for part in plugin.offers.values() for where in part.values()]
    found = []
    for where in filter(None, places):
        try:
            brought(plugin, where)
        except PluginRefused as refused:
            found.append(str(refused))
    return found


def _late(plugin: Plugin, where: str) -> Callable[..., object]:
    """Loaded when it is first used, and once."""
    found: list[Any] = []

    def make(*given: Any, **named: Any) -> object:
        if not found:
            found.append(brought(plugin, where))
        return found[0](*given, **named)

    return make


def models_of(name: str) -> dict[str, bytes]:
    """The files that a plug-in ships, by name. PluginRefused."""
    for plugin in loaded():
        if plugin.name == name:
            files = model_files(plugin)
            if not files:
                raise PluginRefused(f"The plug-in {name} ships no models.")
            return {path.name: path.read_bytes() for path in files}
    known = ", ".join(plugin.name for plugin in loaded()) or "none"
    raise PluginRefused(f"There is no plug-in {name}; installed: {known}.")


def model_files(plugin: Plugin) -> list[Path]:
    found = plugin.models.iterdir() if plugin.models is not None else ()
    return sorted(path for path in found if path.suffix in MODELS)


def read(entries: Iterable[EntryPoint]) -> tuple[Installed, ...]:
    """Load these; each that does not fit the ones before it has a fault."""
    found: list[Installed] = []
    owners = _taken()
    for entry in sorted(entries, key=lambda each: (each.name != FACTORY, each.name)):
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
    asked = {part for each in found if each.plugin for part in each.plugin.asks}
    return tuple(_asked_for(each, asked) for each in found)


def _asked_for(each: Installed, asked: set[str]) -> Installed:
    """With a fault if it offers what nobody asks for: it would never be used."""
    for part in () if each.plugin is None else each.plugin.offers.keys() - asked:
        known = ", ".join(sorted(asked)) or "nothing"
        fault = f"it offers {part!r}, which nobody asks for; asked for is: {known}"
        return replace(each, plugin=None, fault=fault)
    return each


def handlers_of(plugins: Iterable[Plugin]) -> Handlers:
    return Handlers().merged(handlers_of_topics(each.topics) for each in plugins)


def handlers_of_topics(topics: Mapping[str, Topic]) -> Handlers:
    """Those that have a function of their own."""
    made = Handlers()
    for name, topic in topics.items():
        if topic.retry_delays_s is not None:
            made.retry_delays_s[name] = topic.retry_delays_s
        if topic.function is None:
            continue
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
    if not NAME.fullmatch(plugin.name):
        return f"{plugin.name!r} is no name: small letters, digits and _"
    for name, topic in plugin.topics.items():
        if topic.function is not None and not callable(topic.function):
            return f"the work of the topic {name!r} is no function"
        if topic.function is None and not plugin.work:
            return f"the topic {name!r} has no function, and nothing brings one"
        if not topic.limit_s > 0:
            return f"the topic {name!r} is given {topic.limit_s:g} s"
        if any(not delay_s >= 0 for delay_s in topic.retry_delays_s or ()):
            return f"the topic {name!r} is tried again after a negative time"
    for name, setting in plugin.settings.items():
        if setting.variable and not VARIABLE.fullmatch(setting.variable):
            return f"the setting {name!r} has the variable {setting.variable!r}"
    for page in plugin.pages:
        if not page.address.startswith("/") or ":" not in page.blueprint:
            return f"the page {page.title!r} has no address or no module:name"
    for question in plugin.additions.keys() - QUESTIONS.keys():
        known = ", ".join(QUESTIONS)
        return f"it answers {question!r}, which nobody asks; asked are: {known}"
    for kind in plugin.kinds:
        if unknown := set(kind.changes) - LISTS - plugin.lists.keys():
            known = ", ".join(sorted(LISTS | plugin.lists.keys()))
            odd = ", ".join(sorted(unknown))
            return f"its lines {kind.name!r} change {odd}; there are: {known}"
    for question in plugin.shown_at.keys() - plugin.additions.keys() - PLACES.keys():
        return f"it shows {question!r}, which it does not answer"
    for where in plugin.instance_parts.keys() - set(INSTANCE_PARTS):
        known = ", ".join(INSTANCE_PARTS)
        return f"it has a part of the page of an instance {where!r}; there are: {known}"
    named = {
        "work": plugin.work,
        "hooks": plugin.hooks,
        "API": plugin.operations,
        "details": plugin.details,
        "health": plugin.health,
        "health_labels": plugin.health_labels,
        **{f"when of {line.title}": line.when for line in plugin.menu},
    }
    brought = {n: where for part in plugin.offers.values() for n, where in part.items()}
    for what, where in {**named, **plugin.stores, **brought}.items():
        if where and ":" not in where:
            return f"{what} is {where!r} and not module:name"
    for what, directory in (
        ("models", plugin.models),
        ("templates", plugin.templates),
        ("texts", plugin.texts),
        ("queries", plugin.queries),
        ("migrations", plugin.migrations),
    ):
        if directory is not None and not directory.is_dir():
            return f"its {what} are not in {directory}"
    return ""


def _claims(plugin: Plugin) -> Iterator[tuple[str, str]]:
    """What only one plug-in may have."""
    yield "name", plugin.name
    for topic in plugin.topics:
        yield "topic", topic
    for page in plugin.pages:
        yield "page", page.address
    for kind in plugin.kinds:
        yield "kind of history lines", kind.name
    for each in plugin.incidents:
        yield "kind of incidents", each.name
    for name in plugin.lists:
        yield "list of pages", name
    for store in plugin.stores:
        yield "store", store
    for setting in plugin.settings:
        yield "setting", plugin.variable_of(setting)
    for part, names in plugin.offers.items():
        for name in names:
            yield part, name


def _taken() -> dict[tuple[str, str], str]:
    """What the core has."""
    return {
        **{("kind of history lines", kind.name): "MPMS" for kind in CORE},
        **{("kind of incidents", kind.name): "MPMS" for kind in CORE_INCIDENTS},
        **{("list of pages", name): "MPMS" for name in LISTS},
    }


def _where(entry: EntryPoint) -> str:
    try:
        found = find_spec(entry.module)
    except (ImportError, ValueError, AttributeError):
        return ""
    return (found.origin or "") if found else ""
