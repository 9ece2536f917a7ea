"""Files that are no BPMN 2.0 at all, by the element they begin with.

Who exports from a drawing tool often gets the tool's own format; the answer says
which one it is and what to export instead.
"""

from __future__ import annotations

_AGAIN = "it holds shapes and no process, so draw it again in a BPMN editor"

_BY_WORD = {
    "mxfile": f"a drawing of draw.io: {_AGAIN}",
    "mxGraphModel": f"a drawing of draw.io: {_AGAIN}",
    "VisioDocument": (
        "a drawing of Visio: export it as BPMN 2.0 with the add-in, or draw it "
        "again in a BPMN editor"
    ),
    "svg": "a picture (SVG): save the diagram as BPMN 2.0",
    "html": "a web page",
    "graphml": f"a drawing of yEd: {_AGAIN}",
    "Package": "an XPDL file: export the model as BPMN 2.0 instead",
    "pnml": "a Petri net (PNML): export the model as BPMN 2.0 instead",
    "epml": "an event-driven process chain (EPML): draw it as BPMN 2.0",
    "ADOXML": (
        "an export of ADONIS in its own format: choose 'BPMN 2.0 DI' when exporting"
    ),
    "BizAgiProcessModeler": (
        "Bizagi's own format: choose 'Export, BPMN' in Bizagi Modeler"
    ),
}
_BY_NAMESPACE = {
    "http://schema.omg.org/spec/BPMN/2.0": "a draft of BPMN 2.0",
    "http://www.omg.org/spec/BPMN/20090501/MODEL": "a draft of BPMN 2.0",
    "http://www.omg.org/spec/CMMN/20151109/MODEL": "CMMN, which is not executed",
    "http://bpmn.org/spec/BPMN/1.2": "BPMN 1.2",
}


def foreign_file(namespace: str, word: str) -> str | None:
    """What a file is that begins with this element, and what to do; if it is known."""
    if word in _BY_WORD:
        return _BY_WORD[word]
    if kind := _BY_NAMESPACE.get(namespace):
        return f"written in {kind}; export the model as BPMN 2.0"
    return None
