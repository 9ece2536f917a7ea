"""What ``mpms plugins`` does."""

from __future__ import annotations

from mpms.plugins import Plugin, Setting, loading
from mpms.plugins.loading import Installed
from mpms.settings import Settings


def listing(settings: Settings) -> int:
    """Each plug-in, where it comes from and what it adds; 1 if one cannot be used."""
    found = loading.installed()
    if not found:
        print("No plug-in is installed. docs/howto/extend.md tells how to write one.")
    for each in found:
        print("\n".join(_told(each)))
    return 1 if any(each.fault for each in found) else 0


def _told(each: Installed) -> list[str]:
    lines = [f"{each.entry}  {each.package} {each.version}  {each.where}"]
    if each.plugin is None:
        return [*lines, f"  cannot be used: {each.fault}"]
    return lines + [f"  {line}" for line in _added(each.plugin)]


def _added(plugin: Plugin) -> list[str]:
    lines = [
        f"topic  {name}  {topic.reach.value}" + (f"  {topic.about}" * bool(topic.about))
        for name, topic in plugin.topics.items()
    ]
    lines += [f"page   {page.address}  {page.title}" for page in plugin.pages]
    lines += [
        f"setting  {loading.variable_of(plugin, name)}"
        f"  {_value(setting, loading.settings_of(plugin)[name])}  {setting.about}"
        for name, setting in plugin.settings.items()
    ]
    lines += [f"history  {kind.name}" for kind in plugin.kinds]
    lines += [f"store  {name}" for name in plugin.stores]
    if plugin.models is not None:
        names = loading.models_of(plugin.name)
        lines += [f"model  {name}" for name in names]
    return lines


def _value(setting: Setting, value: str) -> str:
    return "(secret)" if setting.secret and value else value or "(not set)"
