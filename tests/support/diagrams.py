"""How a model is drawn: the boxes, labels and lines of its diagram."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lxml import etree

BPMN = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"
BPMNDI = "{http://www.omg.org/spec/BPMN/20100524/DI}"
DC = "{http://www.omg.org/spec/DD/20100524/DC}"
DI = "{http://www.omg.org/spec/DD/20100524/DI}"


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def contains(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


class Diagram:
    """A model with its diagram, by element id."""

    def __init__(self, path: Path) -> None:
        root = etree.parse(path).getroot()
        process = root.find(f"{BPMN}process")
        assert process is not None
        self.root, self.process = root, process
        self.flows = {flow.get("id", ""): flow for flow in self.all("sequenceFlow")}
        self.nodes = {
            node.get("id", ""): node
            for node in process
            if node.find(f"{BPMN}incoming") is not None
            or node.find(f"{BPMN}outgoing") is not None
        }
        shapes = list(root.iter(f"{BPMNDI}BPMNShape"))
        self.shapes = {
            shape.get("bpmnElement", ""): box_of(shape.find(f"{DC}Bounds"))
            for shape in shapes
        }
        self.labels = {
            holder.get("bpmnElement", ""): box_of(bounds)
            for tag in ("BPMNShape", "BPMNEdge")
            for holder in root.iter(BPMNDI + tag)
            for bounds in holder.iterfind(f"{BPMNDI}BPMNLabel/{DC}Bounds")
        }
        self.edges = {
            edge.get("bpmnElement", ""): [
                (float(point.get("x", "")), float(point.get("y", "")))
                for point in edge.iterfind(f"{DI}waypoint")
            ]
            for edge in root.iter(f"{BPMNDI}BPMNEdge")
        }

    def all(self, tag: str) -> Iterator[etree._Element]:
        return self.root.iter(BPMN + tag)

    def drawn(self, node: str) -> Box:
        return self.shapes[node]

    def attached(self, node: str) -> str | None:
        return self.nodes[node].get("attachedToRef")


def box_of(bounds: etree._Element | None) -> Box:
    assert bounds is not None
    x, y, width, height = (
        float(bounds.get(name, "")) for name in ("x", "y", "width", "height")
    )
    return Box(x, y, x + width, y + height)


def touches_border(point: tuple[float, float], tag: str, box: Box) -> bool:
    x, y = point
    middle_x, middle_y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    half_width, half_height = (box.right - box.left) / 2, (box.bottom - box.top) / 2
    across, along = abs(x - middle_x) / half_width, abs(y - middle_y) / half_height
    if tag.endswith("Gateway"):
        return math.isclose(across + along, 1)
    if tag.endswith("Event"):
        return math.isclose(math.hypot(across, along), 1)
    return math.isclose(max(across, along), 1)
