"""DMN files as XML trees, read so that a file can do no harm.

No DTD, no entities, no network, bounded size. All DMN namespaces of versions 1.1 to
1.5 are read alike: the tables did not change between them.
"""

from lxml import etree

from ..expressions.faults import shown

MAX_BYTES = 2_000_000

NAMESPACES = frozenset(
    {
        "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
        "http://www.omg.org/spec/DMN/20151101/dmn11.xsd",  # older Camunda
        "http://www.omg.org/spec/DMN/20180521/MODEL/",
        "https://www.omg.org/spec/DMN/20191111/MODEL/",
        "https://www.omg.org/spec/DMN/20211108/MODEL/",
        "https://www.omg.org/spec/DMN/20230324/MODEL/",
    }
)


class DocumentRefused(Exception):
    """The file is no DMN file that may be read."""


def read_document(xml: bytes) -> etree._Element:
    if len(xml) > MAX_BYTES:
        raise DocumentRefused(f"the file is larger than {MAX_BYTES} bytes")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(xml, parser)
    except (etree.XMLSyntaxError, ValueError) as cause:
        raise DocumentRefused(f"the file is no readable XML: {cause}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise DocumentRefused("the file has a DTD (<!DOCTYPE ...>), which is refused")
    if local(root) != "definitions":
        raise DocumentRefused(
            f"the file is no DMN file: its root is {shown(str(root.tag))}"
        )
    return root


def namespace_of(xml: bytes) -> str:
    """What a file calls itself to those that import it; empty if it cannot be read."""
    try:
        return read_document(xml).get("namespace") or ""
    except DocumentRefused:
        return ""


def local(element: etree._Element) -> str:
    """The tag without namespace, or nothing if it is none of DMN's."""
    name = etree.QName(element)
    return name.localname if name.namespace in NAMESPACES else ""


def children(element: etree._Element, *tags: str) -> list[etree._Element]:
    return [child for child in element if local(child) in tags]


def text_of(element: etree._Element | None) -> str:
    """The content of the ``text`` child."""
    for child in children(element, "text") if element is not None else ():
        return (child.text or "").strip()
    return ""
