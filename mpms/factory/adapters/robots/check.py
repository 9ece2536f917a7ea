"""Tests the way to a robot by listening; beside ``robots`` and ``floor`` the only
place that knows ``robot_bridge``."""

from __future__ import annotations

import dataclasses

from mpms.factory.adapters.robots.where import address_of, namespace_of
from mpms.factory.domain.worlds import World
from mpms.factory.ports.checks import CheckStep, ProfileShown, Tell
from robot_bridge.look import Seen, look
from robot_bridge.profiles import BadProfile, load_profile
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.vda5050.address import is_vehicle, without_password
from robot_bridge.vda5050.profile import load_vehicle_profile
from robot_bridge.vda5050.watch import look_at_vehicle


class DriverCheck:
    """Robots that a driver of a plug-in speaks with: how, nobody here knows."""

    def profile(self, robot: str) -> ProfileShown | None:
        return None

    def check(self, robot: str, tell: Tell) -> None:
        tell(CheckStep("configured", None, "by_plugin"))


class BridgeCheck:
    """Robots of the world at the address of the settings, and no others."""

    def __init__(
        self, world: World, url: str | None, *, tls: TlsFiles = SYSTEM
    ) -> None:
        self._world = world
        self._url = url
        self._tls = tls

    def profile(self, robot: str) -> ProfileShown | None:
        info = self._world.robot(robot)
        if info is None:
            return None
        url = self._address(robot) or ""
        try:
            if is_vehicle(url):
                vehicle = load_vehicle_profile(info.profile)
                return ProfileShown(
                    vehicle.name,
                    vehicle.description,
                    f"VDA 5050 {vehicle.version}",
                    "vda5050",
                    (),
                    without_password(url),
                )
            profile = load_profile(info.profile)
        except BadProfile as cause:
            return ProfileShown(info.profile, str(cause), "", "", (), "")
        topics = []
        for each in dataclasses.fields(profile.topics):
            spec = getattr(profile.topics, each.name)
            if spec is not None:
                name = profile.resolve(spec.name, robot, self._namespace(robot))
                topics.append((each.name, name, profile.spell(spec.type)))
        return ProfileShown(
            profile.name,
            " ".join(profile.description.split()),
            str(profile.dialect.value),
            profile.driver,
            tuple(topics),
            self._address(robot) or "",
        )

    def check(self, robot: str, tell: Tell) -> None:
        info = self._world.robot(robot)
        url = self._address(robot)
        if info is None or url is None:
            tell(CheckStep("configured", None, "in_memory"))
            return

        def told(seen: Seen) -> None:
            tell(CheckStep(seen.step, seen.ok, seen.cause, seen.detail, seen.values))

        if is_vehicle(url):
            look_at_vehicle(url, info.profile, told, tls=self._tls)
            return
        look(
            url,
            info.profile,
            robot,
            told,
            namespace=self._namespace(robot),
            tls=self._tls,
        )

    def _address(self, robot: str) -> str | None:
        info = self._world.robot(robot)
        if self._url is None or info is None:
            return None
        return address_of(info, self._url)

    def _namespace(self, robot: str) -> str | None:
        info = self._world.robot(robot)
        if self._url is None or info is None:
            return None
        return namespace_of(info, self._url)
