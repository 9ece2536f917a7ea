"""Why grid traffic refuses something, one class a cause."""


class GridRefused(ValueError):
    """What was asked cannot be planned; the message names the cause.

    ``robot``: the number of the robot whose start or goal is at fault, if one is.
    """

    def __init__(self, text: str, robot: int | None = None) -> None:
        super().__init__(text)
        self.robot = robot


class CellUnknown(GridRefused):
    """A cell outside the floor or inside a wall."""


class CellTaken(GridRefused):
    """Two robots in one cell, or with one goal."""


class RobotUnknown(GridRefused):
    """A robot that was never added, or is gone."""


class RobotKnown(GridRefused):
    """A robot that is added twice."""


class ReportRefused(GridRefused):
    """A report that no robot can truly give: it was never sent there."""


class PlannerUnknown(GridRefused):
    """A planner that does not exist; the message lists those that do."""


class ExtraMissing(ImportError):
    """Grid traffic needs libraries that a bare install does not bring."""
