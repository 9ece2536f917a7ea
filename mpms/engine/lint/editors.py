"""Namespaces whose words are for an editor or a drawing, so that they change nothing.

Any other namespace may be that of an engine: its words are refused by name, because
nobody here can tell what they would have done. To ignore one more, add a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mpms.engine.lint.meanings import Word, only, shown
from mpms.engine.reading.facts import Trait


@dataclass(frozen=True)
class Editor:
    """A tool and how its namespaces begin; ``but`` are words that do more than show."""

    name: str
    note: str
    spaces: tuple[str, ...]
    but: Mapping[str, Word] = field(default_factory=dict)


_MODELER_WORDS = {
    "initiator-can-complete": only(
        "(false)?",
        "that whoever started the process may complete this task is not honoured; name "
        "who does it in camunda:assignee or camunda:candidateGroups",
    )
}

EDITORS = (
    Editor("bpmn.io", "colours", ("http://bpmn.io/schema/bpmn/biocolor/",)),
    Editor(
        "BPMN in Color",
        "colours",
        ("http://www.omg.org/spec/BPMN/non-normative/color",),
    ),
    Editor("Signavio", "labels, colours, notes", ("http://www.signavio.com",)),
    Editor("Bizagi Modeler", "colours, notes", ("http://www.bizagi.com/bpmn20",)),
    Editor("ADONIS", "notes", ("http://www.boc-group.com",)),
    Editor("Visio", "shapes", ("http://schemas.microsoft.com/visio/",)),
    Editor(
        "Trisotech",
        "shapes, links, notes",
        (
            "http://www.trisotech.com/2014/triso/bpmn",
            "http://www.trisotech.com/2015/triso/modeling",
            "http://trisotech.com/feed",
        ),
    ),
    Editor("Yaoqiang BPMN Editor", "page and style", ("http://bpmn.sourceforge.net",)),
    Editor("Eclipse BPMN2 Modeler", "style", ("http://org.eclipse.bpmn2/ext",)),
    Editor(
        "W4 BPMN+ Composer",
        "style",
        (
            "http://www.w4.eu/spec/BPMN/20110930/GRAPH",
            "http://www.w4.eu/spec/DataComposer/20120927/Diagram/Style",
        ),
    ),
    Editor(
        "Flowable and Activiti Modeler",
        "what the editor shows beside people and groups",
        ("http://flowable.org/modeler", "http://activiti.com/modeler"),
        _MODELER_WORDS,
    ),
    Editor("BPSim", "figures for simulations", ("http://www.bpsim.org/schemas/",)),
    Editor(
        "XML",
        "formatted text, pictures, links, versions",
        (
            "http://www.omg.org/XMI",
            "http://www.w3.org/1999/xhtml",
            "http://www.w3.org/1999/xlink",
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/2001/XMLSchema",
        ),
    ),
)
_BY_SPACE = {space: editor for editor in EDITORS for space in editor.spaces}


def foreign_refusal(trait: Trait) -> str:
    """Why a word of a namespace without a table is refused; empty if it is not."""
    for space, editor in _BY_SPACE.items():
        if trait.dialect.startswith(space):
            word = editor.but.get(trait.word)
            return word.refusal(trait.owner, trait.value) if word else ""
    noun = "attribute" if trait.is_attribute else "element"
    space = f"the namespace '{shown(trait.dialect, 120)}'"
    whose = space if trait.dialect else "no namespace"
    return (
        f"the {noun} '{shown(trait.word)}' of {whose} is not known, and it may change "
        "what is executed; say it in the words of Camunda Platform 7 or Camunda 8, or "
        "remove it"
    )
