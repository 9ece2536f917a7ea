"""Why a warehouse refuses something, one class a cause.

A refused command, spawn or world changes nothing; the text is what people read.
"""


class WarehouseRefused(ValueError):
    """What was asked cannot be done."""


class VerbUnknown(WarehouseRefused):
    """A command line with a verb that no robot knows, or with wrong words."""


class FieldWrong(WarehouseRefused):
    """A field that is missing, no number, or out of range."""


class RobotUnknown(WarehouseRefused):
    """A command to a robot that is not there."""


class TakesNoCommand(WarehouseRefused):
    """A command to something that is no robot, a belt for instance."""


class RobotBusy(WarehouseRefused):
    """Commands are carried out by idle robots only."""


class NoGridPoint(WarehouseRefused):
    """A place between grid points."""


class OutsideFloor(WarehouseRefused):
    """A place beyond the edge of the floor."""


class UnitUnknown(WarehouseRefused):
    """There is no such storage unit."""


class UnitFar(WarehouseRefused):
    """A robot lifts what stands above it and nothing else."""


class UnitHeld(WarehouseRefused):
    """Another robot carries the storage unit, or this one does already."""


class RobotLoaded(WarehouseRefused):
    """The robot carries another storage unit."""


class UnitNotHeld(WarehouseRefused):
    """The robot does not carry what it is to drop."""


class NameTaken(WarehouseRefused):
    """Something else has this name."""


class NameWrong(WarehouseRefused):
    """A name that cannot be part of a topic's name."""


class CellTaken(WarehouseRefused):
    """Something else stands there."""


class NotThere(WarehouseRefused):
    """There is nothing of this name."""


class KindUnknown(WarehouseRefused):
    """A kind of thing that warehouses do not have."""


class NoRoom(WarehouseRefused):
    """More than the floor or the shelves hold."""


class NotEmpty(WarehouseRefused):
    """A world is inserted into an empty warehouse only."""


class WorldUnknown(WarehouseRefused):
    """A preset or file that does not exist."""


class WorldWrong(WarehouseRefused):
    """A world that cannot be built; the text has a line for every mistake."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)
