"""Why a map is refused, one class per cause."""


class MapRefused(ValueError):
    """A map that cannot be used; the message names the cause."""


class MapUnreadable(MapRefused):
    """The file is missing, is no map, or contradicts itself."""


class MapEmpty(MapRefused):
    """A map without a single cell."""


class MapTooLarge(MapRefused):
    """More cells than a planner can hold in memory."""


class MapContentUnknown(MapRefused):
    """A cell or a field that means nothing we know."""


class ScenarioRefused(ValueError):
    """A scenario file that does not fit its map or its format."""
