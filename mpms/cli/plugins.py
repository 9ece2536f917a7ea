"""What ``mpms plugins`` does."""

from __future__ import annotations

from mpms.plugins import Plugin, Topic, loading
from mpms.plugins.loading import Installed
from mpms.settings import Settings
from mpms.settings.shown import plugin_settings_shown


def listing(settings: Settings) -> int:
    """Each plug-in, where it comes from and what it adds; 1 if one cannot be used.

    Here everything is loaded that workers and servers load when they need it.
    """
    found = loading.installed()
    if not found:
        print("No plug-in is installed. docs/howto/extend.md tells how to write one.")
    good = True
    for each in found:
        faults = [each.fault] if each.plugin is None else loading.missing(each.plugin)
        lines = [f"cannot be used: {fault}" for fault in faults]
        lines += [] if each.plugin is None else _added(each.plugin, settings)
        print(f"{_called(each)}  {each.package} {each.version}  {each.where}")
        print("".join(f"  {line}\n" for line in lines), end="")
        good = good and not faults
    return 0 if good else 1


def _called(each: Installed) -> str:
    """By its own name, which commands and settings use."""
    if each.plugin is None or each.plugin.name == each.entry:
        return each.entry
    return f"{each.plugin.name} (entry point {each.entry})"


def _added(plugin: Plugin, settings: Settings) -> list[str]:
    lines = [
        line for name, topic in plugin.topics.items() for line in _topic(name, topic)
    ]
    lines += [f"page   {page.address}  {page.title}" for page in plugin.pages]
    lines += [
        f"setting  {each.name}  {each.value or '(not set)'}  {each.meaning}"
        for each in plugin_settings_shown(plugin, settings)
    ]
    lines += [f"history  {kind.name}" for kind in plugin.kinds]
    lines += [
        f"menu   {line.where}  {line.address}  {line.title}" for line in plugin.menu
    ]
    lines += [f"incident  {each.name}  {each.title}" for each in plugin.incidents]
    lines += [f"alarm  {each.forms}  {each.sentence}" for each in plugin.decisions]
    lines += [f"store  {name}" for name in plugin.stores]
    lines += [f"model  {path.name}" for path in loading.model_files(plugin)]
    lines += [f"answers  {question}  {by}" for question, by in plugin.additions.items()]
    for part, parts in plugin.offers.items():
        lines += [f"offers  {part}  {name}  {where}" for name, where in parts.items()]
    if plugin.migrations is not None:
        names = sorted(path.name for path in plugin.migrations.glob("*.sql"))
        lines += [f"migration  {name}" for name in names]
    named = {
        "worker": plugin.work,
        "hooks": plugin.hooks,
        "API": plugin.operations,
        "lights": plugin.health,
        "details": plugin.details,
    }
    lines += [f"{what}  {where}" for what, where in named.items() if where]
    return lines


def _topic(name: str, topic: Topic) -> list[str]:
    about = f"  {topic.about}" if topic.about else ""
    said = {"takes": topic.takes, "gives": topic.gives}
    return [
        f"topic  {name}  {topic.reach.value}{about}",
        *(f"  {word}  {v}: {m}" for word, of in said.items() for v, m in of.items()),
    ]
