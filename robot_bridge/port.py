"""The port: what the rest of the world may ask of a robot, whatever its make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from robot_bridge.reports import Snapshot


class RobotPort(Protocol):
    """Orders return at once; what becomes of them arrives as reports.

    One navigation command is open at a time. Instants are Unix seconds of the wall
    clock.
    """

    @property
    def robot_id(self) -> str: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def navigate(
        self,
        command_id: str,
        x: float,
        y: float,
        yaw: float = 0.0,
        *,
        frame: str | None = None,
        expires_at: float | None = None,
        maybe_sent_at: float | None = None,
        via: Sequence[tuple[float, float]] = (),
    ) -> None:
        """``via``: where roads meet on the way. A robot that finds its own way takes
        no notice."""
        ...

    def cancel(self, command_id: str) -> None: ...

    def permit(self, until_s: float) -> None:
        """Nothing is sent from this instant of the *monotonic* clock on."""
        ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def action(
        self,
        command_id: str,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        expires_at: float | None = None,
    ) -> None: ...

    def snapshot(self) -> Snapshot: ...
