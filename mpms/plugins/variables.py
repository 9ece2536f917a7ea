"""Which variables of the environment are settings of plug-ins, and their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mpms.plugins.loading import installed, usable
from mpms.plugins.plugin import PluginRefused


def settings(environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What is set for each plug-in, else the defaults. SettingInvalid."""
    return {plugin.name: plugin.settings_in(environment) for plugin in usable()}


def is_setting(variable: str) -> bool:
    """Tell whether a plug-in reads it; what one with a fault reads, nobody knows."""
    return any(
        variable.startswith(f"MPMS_{each.entry}_".upper())
        if each.plugin is None
        else variable in each.plugin.variables
        for each in installed()
    )


def secrets() -> frozenset[str]:
    """Variables whose values nobody may read; addresses may hold a password."""
    return frozenset(
        plugin.variable_of(name)
        for plugin in usable()
        for name, setting in plugin.settings.items()
        if setting.secret or setting.address
    )


def require_own_settings(core: frozenset[str]) -> None:
    """PluginRefused if a plug-in calls a setting as the core does."""
    for plugin in usable():
        for variable in core & plugin.variables:
            raise PluginRefused(
                f"The plug-in {plugin.name} has a setting {variable}, which MPMS has"
                " itself."
            )
