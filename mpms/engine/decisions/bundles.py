"""Files that import each other, kept together.

A decision is found by its id, not by the file it came in. So a file that imports
others gets a copy of them when they are deployed together: what it decides then does
not change when one of them is deployed anew without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from lxml import etree

from .documents import DocumentRefused, children, local, read_document

SPACE = "urn:mpms:dmn"
_HOLDER = f"{{{SPACE}}}imported"


def with_imports(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same DMN files, each with the files that it imports inside."""
    read = {name: _read(xml) for name, xml in files.items()}
    roots = {name: root for name, root in read.items() if root is not None}
    by_space = {root.get("namespace") or "": root for root in roots.values()}
    return {
        name: (_bundled(roots[name], by_space) if name in roots else None) or xml
        for name, xml in files.items()
    }


def imported_files(root: etree._Element) -> list[bytes]:
    """The files inside a bundle."""
    return [
        etree.tostring(inner)
        for holder in children(root, "extensionElements")
        for part in holder.iterchildren(_HOLDER)
        for inner in part
    ]


def _read(xml: bytes) -> etree._Element | None:
    try:
        return read_document(xml)
    except DocumentRefused:
        return None  # whoever checks the file says why


def _bundled(
    root: etree._Element, by_space: Mapping[str, etree._Element]
) -> bytes | None:
    wanted: dict[str, etree._Element] = {}
    pending = [root]
    while pending:
        for element in children(pending.pop(), "import"):
            space = element.get("namespace") or ""
            found = by_space.get(space)
            if found is not None and found is not root and space not in wanted:
                wanted[space] = found
                pending.append(found)
    if not wanted:
        return None
    whole = deepcopy(root)
    holder = next(iter(children(whole, "extensionElements")), None)
    if holder is None:
        holder = etree.Element(f"{{{etree.QName(root).namespace}}}extensionElements")
        first = 1 if len(whole) and local(whole[0]) == "description" else 0
        whole.insert(first, holder)
    for old in list(holder.iterchildren(_HOLDER)):
        holder.remove(old)
    part = etree.SubElement(holder, _HOLDER)
    part.extend(deepcopy(found) for found in wanted.values())
    return etree.tostring(whole)
