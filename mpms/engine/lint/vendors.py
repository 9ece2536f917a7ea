"""What other engines and editors write into a file, and what to write instead.

BPMN lets everybody ignore the extensions of others. That is right for colours and
notes (``editors``); it is wrong for words that change what is executed, so the dialects
of engines are known here, with what to write instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mpms.engine.lint import camunda_vocabulary as camunda_words
from mpms.engine.lint.meanings import shown
from mpms.engine.reading.facts import Facts, Trait

_IN_CAMUNDA = "say it in the words of Camunda Platform 7 or Camunda 8, or remove it"


@dataclass(frozen=True)
class Vendor:
    """An engine whose extensions carry meaning.

    ``like_camunda``: it is a relative of Camunda 7 and has most of its words.
    """

    name: str
    like_camunda: bool = False
    ignored: frozenset[str] = frozenset()
    instead: dict[str, str] = field(default_factory=dict)


_RELATIVE = {
    "@type": "set camunda:type to 'external' and give a camunda:topic",
    "@skipExpression": "draw a gateway around the task",
    "@elementIndexVariable": "the number of a turn is in the variable loopCounter",
    "field": "set camunda:type to 'external', a topic, and camunda:inputOutput",
    "executionListener": "write camunda:executionListener with an expression, or draw "
    "the work as a step of its own",
    "taskListener": "write camunda:taskListener with an expression, or draw the work "
    "as a step of its own",
    "formProperty": "draw a form file and name it in camunda:formKey",
}
_RELATIVE_IGNORED = frozenset(
    {"@modelbpmnid", "@category", "@localScope", "@formFieldValidation"}
    | {"@async", "@asyncAfter", "@asyncBefore"}  # every step here is durable
)

VENDORS = {
    "flowable": Vendor("Flowable", True, _RELATIVE_IGNORED, _RELATIVE),
    "activiti": Vendor("Activiti", True, _RELATIVE_IGNORED, _RELATIVE),
    "drools": Vendor(
        "jBPM",
        ignored=frozenset(
            {"@packageName", "@version", "@selectable", "@dockerinfo", "metaData"}
            | {"@adHoc", "@elementname", "import", "global"}
        ),
        instead={
            "@taskName": "make it a service task with camunda:type 'external' and a "
            "topic",
            "onEntry-script": "draw a script task before this one",
            "onExit-script": "draw a script task after this one",
            "@ruleFlowGroup": "write the rules as a DMN table and name it in "
            "camunda:decisionRef",
            "@waitForCompletion": "a call activity always waits",
            "@independent": "a call activity is always ended with its caller",
        },
    ),
    "spiffworkflow": Vendor(
        "SpiffArena",
        ignored=frozenset({"unitTests", "category", "processVariables"}),
        instead={
            "serviceTaskOperator": "set camunda:type to 'external' and give a topic",
            "calledDecisionId": "name the decision in camunda:decisionRef",
            "preScript": "draw a script task before this one, or use "
            "camunda:inputOutput",
            "postScript": "draw a script task after this one, or use "
            "camunda:inputOutput",
            "properties": "draw a form file and name it in camunda:formKey",
            "instructionsForEndUser": "write the text into the form",
        },
    ),
}

_EXPORTERS = {
    "signavio": "Signavio",
    "bizagi": "Bizagi",
    "camunda modeler": "Camunda Modeler",
    "camunda web modeler": "Camunda Modeler",
    "operaton modeler": "Camunda Modeler",
    "bpmn-js": "bpmn.io",
    "bpmn.io": "bpmn.io",
    "adonis": "ADONIS",
    "visio": "Visio",
    "flowable": "Flowable",
}
_TICK = "open the file in Camunda Modeler, click on the empty canvas and tick"
_EXECUTABLE = {
    "Camunda Modeler": "click on the empty canvas or the pool and tick 'Executable'",
    "Signavio": "set the attribute 'Is executable' of the process to yes",
    "Bizagi": f"Bizagi Modeler exports pictures: {_TICK} 'Executable'",
    "bpmn.io": f"bpmn.io has no switch for it: {_TICK} 'Executable'",
    "ADONIS": f"ADONIS exports pictures: {_TICK} 'Executable'",
}


def vendor_refusal(trait: Trait) -> str:
    """Why a word of another engine is refused; empty if it changes nothing."""
    vendor = VENDORS[trait.dialect]
    key = f"@{trait.word}" if trait.is_attribute else trait.word
    if key in vendor.ignored:
        return ""
    written = f"{trait.dialect}:{shown(trait.word)}"
    advice = vendor.instead.get(key, "")
    known = camunda_words.WORDS.get(key) if vendor.like_camunda else None
    if known is not None and not advice:
        if known.result == "ignored":
            return ""
        if known.result == "honoured":
            advice = f"write camunda:{trait.word} instead"
        else:
            reason = known.reason.replace("{value}", shown(trait.value))
            return f"drawn for {vendor.name}: {_translated(reason, trait, written)}"
    return f"drawn for {vendor.name} ({written} is not honoured): " + (
        advice or _IN_CAMUNDA
    )


def _translated(reason: str, trait: Trait, written: str) -> str:
    """A reason about Camunda's word, about the word that stands in the file."""
    own = f"camunda:{trait.word}"
    return reason.replace(own, written) if own in reason else f"{written}: {reason}"


def not_executable(facts: Facts | None) -> str:
    """The reason for a mere picture, with what to do in the tool that drew it."""
    reason = "the process is marked as not executable (isExecutable is false)"
    advice = _EXECUTABLE.get(tool_of(facts), "set isExecutable to true in the file")
    return f"{reason}; if it is meant to run: {advice}"


def tool_of(facts: Facts | None) -> str:
    """The editor that wrote the file, if it says so."""
    for trait in facts.traits if facts else ():
        if (trait.owner, trait.word, trait.is_attribute) == (
            "definitions",
            "exporter",
            True,
        ):
            exporter = trait.value.casefold()
            return next((n for mark, n in _EXPORTERS.items() if mark in exporter), "")
    return ""
