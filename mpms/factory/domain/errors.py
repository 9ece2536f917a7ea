"""What can go wrong in the factory; each error names its cause."""

from mpms.domain.errors import Conflict, NotFound


class OrderUnknown(NotFound):
    """There is no such order."""


class RecordUnknown(NotFound):
    """There is no such batch record."""


class OrderNumberTaken(Conflict):
    """An order with this number is there already."""


class RobotBusy(Conflict):
    """The robot has an open goal already; goals are given one by one."""


class LotTaken(Conflict):
    """A lot with this number is there already."""


class LotUnknown(NotFound):
    """There is no such lot."""


class StockMissing(Conflict):
    """There is not as much at that place."""
