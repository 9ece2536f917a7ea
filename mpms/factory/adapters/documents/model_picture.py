"""A BPMN diagram as SVG with the way that tokens took, for paper.

Pages draw diagrams in the browser; a document has none, and a record must show the path
when the instance is long gone. Only what the diagram interchange says is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from html import escape

from lxml import etree

DI = "{http://www.omg.org/spec/BPMN/20100524/DI}"
DC = "{http://www.omg.org/spec/DD/20100524/DC}"
WAY = "{http://www.omg.org/spec/DD/20100524/DI}"
MARGIN, LETTER, LINE = 20.0, 6.3, 14.0
SEEN, SEEN_FILL, PLAIN = "#1264a3", "#d9ecfa", "#8a929c"
Box = tuple[float, float, float, float]


def model_svg(xml: bytes, visited: Set[str]) -> str:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    root = etree.fromstring(xml, parser)
    kinds = {
        str(node.get("id")): (etree.QName(node).localname, node.get("name") or "")
        for node in root.iter(etree.Element)
        if node.get("id")
    }
    boxes: list[Box] = []
    back: list[str] = []
    edges: list[str] = []
    front: list[str] = []
    for edge in root.iter(f"{DI}BPMNEdge"):
        points = [
            (float(p.get("x", 0)), float(p.get("y", 0)))
            for p in edge.iter(f"{WAY}waypoint")
        ]
        boxes += [(x, y, 0.0, 0.0) for x, y in points]
        edges.append(_edge(points, edge.get("bpmnElement") in visited))
    for shape in root.iter(f"{DI}BPMNShape"):
        bounds = shape.find(f"{DC}Bounds")
        if bounds is None:
            continue
        box = (
            float(bounds.get("x", 0)),
            float(bounds.get("y", 0)),
            float(bounds.get("width", 0)),
            float(bounds.get("height", 0)),
        )
        element = str(shape.get("bpmnElement"))
        kind, name = kinds.get(element, ("", ""))
        boxes.append(box)
        outer = kind in ("participant", "lane")
        label = shape.find(f"{DI}BPMNLabel/{DC}Bounds")
        at = None
        if label is not None:
            middle = float(label.get("x", 0)) + float(label.get("width", 0)) / 2
            at = middle, float(label.get("y", 0)) + LINE - 3
        (back if outer else front).extend(
            _shape(kind, name, box, at, seen=element in visited)
        )
    if not boxes:
        return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'
    left, top = min(b[0] for b in boxes) - MARGIN, min(b[1] for b in boxes) - MARGIN
    width = max(b[0] + b[2] for b in boxes) + MARGIN - left
    height = max(b[1] + b[3] for b in boxes) + MARGIN + LINE - top
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif"'
        f' viewBox="{left:g} {top:g} {width:g} {height:g}">'
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
        f' fill="#ffffff"/>{"".join([*back, *edges, *front])}</svg>'
    )


def _edge(points: list[tuple[float, float]], seen: bool) -> str:
    if len(points) < 2:
        return ""
    line = " ".join(f"{x:g},{y:g}" for x, y in points)
    colour, width = (SEEN, 3) if seen else (PLAIN, 1.2)
    (x1, y1), (x2, y2) = points[-2], points[-1]
    length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-6)
    dx, dy = (x2 - x1) / length * 8, (y2 - y1) / length * 8
    tip = (
        f"{x2:g},{y2:g} {x2 - dx - dy / 2:g},{y2 - dy + dx / 2:g}"
        f" {x2 - dx + dy / 2:g},{y2 - dy - dx / 2:g}"
    )
    return (
        f'<polyline points="{line}" fill="none" stroke="{colour}"'
        f' stroke-width="{width}"/><polygon points="{tip}" fill="{colour}"/>'
    )


def _shape(
    kind: str, name: str, box: Box, label: tuple[float, float] | None, *, seen: bool
) -> Iterator[str]:
    x, y, w, h = box
    label_x, label_y = label or (x + w / 2, y + h + LINE)
    colour, width = (SEEN, 3) if seen else (PLAIN, 1.5)
    fill = SEEN_FILL if seen else "#ffffff"
    paint = f'fill="{fill}" stroke="{colour}" stroke-width="{width}"'
    if kind in ("participant", "lane"):
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="none"'
            f' stroke="#c3c8ce"/>'
        )
        yield (
            f'<text transform="translate({x + 19:g} {y + h / 2:g}) rotate(-90)"'
            f' text-anchor="middle" font-size="12" fill="#5b6470">{escape(name)}</text>'
        )
    elif kind.endswith("Event"):
        thick = width + 2 if kind == "endEvent" else width
        yield (
            f'<circle cx="{x + w / 2:g}" cy="{y + h / 2:g}" r="{w / 2:g}"'
            f' fill="{fill}" stroke="{colour}" stroke-width="{thick}"/>'
        )
        yield from _words(name, label_x, label_y, 90, above=False)
    elif kind.endswith("Gateway"):
        corners = (
            f"{x + w / 2:g},{y:g} {x + w:g},{y + h / 2:g}"
            f" {x + w / 2:g},{y + h:g} {x:g},{y + h / 2:g}"
        )
        yield f'<polygon points="{corners}" {paint}/>'
        if kind == "parallelGateway":
            yield (
                f'<path d="M{x + w / 2:g} {y + 12:g}v{h - 24:g}M{x + 12:g}'
                f' {y + h / 2:g}h{w - 24:g}" stroke="{colour}" stroke-width="4"/>'
            )
        yield from _words(name, label_x, label_y, 110, above=False)
    else:
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="8" {paint}/>'
        )
        yield from _words(name, x + w / 2, y + h / 2, w - 8, above=True)


def _words(name: str, x: float, y: float, room: float, *, above: bool) -> Iterator[str]:
    lines: list[str] = []
    for word in name.split():
        if lines and (len(lines[-1]) + 1 + len(word)) * LETTER <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    first = y - (len(lines) - 1) * LINE / 2 + 4 if above else y
    for number, line in enumerate(lines[:5]):
        yield (
            f'<text x="{x:g}" y="{first + number * LINE:g}" text-anchor="middle"'
            f' font-size="12" fill="#1b1f24">{escape(line)}</text>'
        )
