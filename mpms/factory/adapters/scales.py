"""The scales on the robots, asked over rosbridge.

The weight of a load is what the robot's load cell says once it is still; nobody types
it into a form.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from mpms.factory.adapters.robots.where import address_of, namespace_of
from mpms.factory.domain.weighing import Weight
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.robots import RobotAway
from mpms.factory.ports.scales import ScaleUnavailable
from robot_bridge import weighing
from robot_bridge.address import UnsafeAddress
from robot_bridge.profiles import BadProfile
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.vda5050.address import is_vehicle
from robot_bridge.weighing import NotWeighed, RobotScale

TIMEOUT_S = 15.0


class BridgeScale:
    """The scales of all robots of a world; ``url`` as for ``BridgeRobots``."""

    def __init__(
        self,
        world: World,
        url: str,
        *,
        tls: TlsFiles = SYSTEM,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._world = world
        self._url = url
        self._tls = tls
        self._timeout_s = timeout_s

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        """What lies on the robot. ScaleUnavailable and RobotAway say what was
        missing."""
        info = self._world.robot(robot)
        if info is None:
            raise ScaleUnavailable(f"there is no robot {robot} with a scale")
        if is_vehicle(address_of(info, self._url)):
            raise ScaleUnavailable(f"{robot} speaks VDA 5050, which knows no scale")
        try:
            scale = RobotScale(
                address_of(info, self._url),
                info.profile,
                info.id,
                namespace=namespace_of(info, self._url),
                tls=self._tls,
            )
            kg = scale.weigh(self._timeout_s)
        except weighing.RobotAway as cause:
            raise RobotAway(str(cause)) from cause
        except (UnsafeAddress, BadProfile, NotWeighed) as cause:
            raise ScaleUnavailable(str(cause)) from cause
        return Weight(
            Decimal(str(kg)),
            f"load cell of {robot}",
            f"{scale.topic}: {kg} kg",
            datetime.now(UTC),
            stays=True,
        )
