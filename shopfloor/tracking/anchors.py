"""Where the anchors hang, in the frame of the plant's map."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shopfloor.tracking.errors import DuplicateAnchor, TooFewAnchors, TrackingRefused

# Nearer than this two anchors count as one: they say the same.
APART_M = 0.05


@dataclass(frozen=True)
class Anchor:
    id: str
    x_m: float
    y_m: float
    z_m: float | None = None

    def rise_m(self, tag_height_m: float | None) -> float:
        """Vertical distance to the tag; zero where a height is not known."""
        if self.z_m is None or tag_height_m is None:
            return 0.0
        return self.z_m - tag_height_m


def by_id(anchors: Iterable[Anchor], *, purpose: str, needed: int) -> dict[str, Anchor]:
    """Anchors by name; at least ``needed`` of them at different places."""
    found: dict[str, Anchor] = {}
    for anchor in anchors:
        if anchor.id in found:
            raise DuplicateAnchor(anchor.id)
        heights = () if anchor.z_m is None else (anchor.z_m,)
        if not all(map(math.isfinite, (anchor.x_m, anchor.y_m, *heights))):
            raise TrackingRefused(f"the position of anchor {anchor.id!r} is not finite")
        found[anchor.id] = anchor
    places = distinct_places(found)
    if places < needed:
        raise TooFewAnchors(needed, places, purpose)
    return found


def distinct_places(anchors: Mapping[str, Anchor]) -> int:
    places: list[Anchor] = []
    for anchor in anchors.values():
        if all(
            math.hypot(anchor.x_m - other.x_m, anchor.y_m - other.y_m) > APART_M
            for other in places
        ):
            places.append(anchor)
    return len(places)
