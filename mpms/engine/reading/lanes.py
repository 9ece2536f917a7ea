"""Which lane an element is in: the deepest one, and the subprocess's if none."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from mpms.engine.reading.names import (
    attribute,
    children,
    referred,
    shown_name,
    tag_of,
    text_of,
)

_DEEPER_SUBPROCESS = 1000  # more than lanes can be nested in one lane set


@dataclass
class Lanes:
    """The lanes of one process."""

    names: dict[str, None] = field(default_factory=dict)  # in file order
    of: dict[str, str] = field(default_factory=dict)
    disputed: dict[str, tuple[str, str]] = field(default_factory=dict)
    _depths: dict[str, int] = field(default_factory=dict)

    def add(self, lane_set: etree._Element, container_depth: int) -> None:
        """Takes in a lane set; ``container_depth`` counts enclosing subprocesses."""
        depth = container_depth * _DEEPER_SUBPROCESS
        stack = [(lane, depth) for lane in _lanes(lane_set)]
        while stack:
            lane, depth = stack.pop()
            self._add_lane(lane, depth)
            for part in children(lane):
                if tag_of(part)[1] == "childLaneSet":
                    stack.extend((inner, depth + 1) for inner in _lanes(part))

    def _add_lane(self, lane: etree._Element, depth: int) -> None:
        name = shown_name(lane) or attribute(lane, "id") or ""
        if not name:
            return
        self.names[name] = None
        for part in children(lane):
            id_ = referred(text_of(part)) if tag_of(part)[1] == "flowNodeRef" else None
            if id_ is None:
                continue
            known = self._depths.get(id_, -1)
            if depth == known and self.of[id_] != name:
                self.disputed[id_] = (self.of[id_], name)
            elif depth > known:
                self.of[id_], self._depths[id_] = name, depth
                self.disputed.pop(id_, None)


def _lanes(lane_set: etree._Element) -> list[etree._Element]:
    """Last first, as a stack wants them."""
    return [lane for lane in children(lane_set) if tag_of(lane)[1] == "lane"][::-1]
