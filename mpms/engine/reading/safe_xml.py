"""Model files come by upload, so their XML is read as if it were hostile.

Size and document type are looked at before the parser sees a byte: an entity bomb
or a file of 50 MB costs nothing. The parser itself loads and resolves nothing.
"""

from __future__ import annotations

import re

from lxml import etree

from mpms.domain.errors import ModelRefused

MAX_BYTES = 10_000_000
MAX_DEPTH = 100
MAX_ATTRIBUTES = 200  # of one element: reading them all is quadratic in lxml
MAX_MARKS = 400_000  # opening brackets: bounds the memory of the parsed tree

_BYTE_ORDER_MARK = re.compile(rb"\xef\xbb\xbf|\xff\xfe|\xfe\xff")
_PROLOG_PART = re.compile(rb"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_TOO_DEEP = f"the XML is nested deeper than {MAX_DEPTH} levels"
_DOCTYPE = "the XML has a document type (DOCTYPE); models must not have one"


def parse_safely(xml: bytes) -> etree._Element:
    """The root element, without comments; ``ModelRefused`` says what is wrong."""
    _refuse_at_once(xml)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(xml, parser)
    except (etree.XMLSyntaxError, LookupError, ValueError) as error:
        if "depth" in str(error):
            raise ModelRefused(_TOO_DEEP) from error
        raise ModelRefused(f"the file is not readable XML: {error}") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise ModelRefused(_DOCTYPE)
    _refuse_extremes(root)
    return root


def _refuse_at_once(xml: bytes) -> None:
    if len(xml) > MAX_BYTES:
        raise ModelRefused(
            f"the file has {len(xml) / 1e6:.1f} MB; a model may have at most "
            f"{MAX_BYTES // 1_000_000} MB"
        )
    if not xml.strip():
        raise ModelRefused("the file is empty")
    if xml.count(b"<") > MAX_MARKS:
        raise ModelRefused(f"the XML has more than {MAX_MARKS} tags")
    if _has_doctype(xml):
        raise ModelRefused(_DOCTYPE)


def _has_doctype(xml: bytes) -> bool:
    """Looks at the prolog only, where alone a document type may stand.

    Encodings of two and four bytes become readable by dropping their zero bytes.
    """
    prolog = xml.replace(b"\0", b"")
    mark = _BYTE_ORDER_MARK.match(prolog)
    position = mark.end() if mark else 0
    while part := _PROLOG_PART.match(prolog, position):
        position = part.end()
    return prolog.startswith(b"<!DOCTYPE", position)


def _refuse_extremes(root: etree._Element) -> None:
    depth = 0
    for event, node in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise ModelRefused(_TOO_DEEP)
        if event == "start" and len(node.attrib) > MAX_ATTRIBUTES:
            raise ModelRefused(f"an element has more than {MAX_ATTRIBUTES} attributes")
