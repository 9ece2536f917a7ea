"""What the page of elements says about each element beside the result of the lint.

The results are not here: they come from the tables that the lint uses.
"""

from __future__ import annotations

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Tasks": {
        "task": ("Task", "Passes at once."),
        "manualTask": ("Manual task", "Passes at once: nothing tells when it is done."),
        "userTask": ("User task", "Waits for a form, shown to its groups or people."),
        "serviceTask": ("Service task", "Its topic's handler does the work."),
        "sendTask": ("Send task", "Throws a message, or its handler does the work."),
        "receiveTask": ("Receive task", "Waits for a message."),
        "scriptTask": ("Script task", "Assigns variables: `total = a + b`, or FEEL."),
        "businessRuleTask": ("Business rule task", "Makes a DMN decision."),
    },
    "Gateways": {
        "exclusiveGateway": ("Exclusive", "The first flow whose condition is true."),
        "parallelGateway": ("Parallel", "All flows; waits for all that come in."),
        "inclusiveGateway": (
            "Inclusive",
            "All flows whose condition is true; waits for all that can still come.",
        ),
        "eventBasedGateway": ("Event-based", "The first event that comes."),
        "complexGateway": (
            "Complex",
            "Goes on once its activation condition is true, which sees "
            "`activationCount` and the tokens on each flow by its id; what comes later "
            "ends there and stands in the history. When nothing more can come it "
            "begins anew; flows that ask for `waitingForStart` are looked at then.",
        ),
    },
    "Subprocesses": {
        "subProcess": (
            "Subprocess",
            "Has variables of its own if it maps some. An event subprocess begins "
            "with its event.",
        ),
        "transaction": ("Transaction", "A cancel end compensates what was done."),
        "callActivity": ("Call activity", "Another process, an instance of its own."),
        "adHocSubProcess": (
            "Ad-hoc subprocess",
            "Its active elements begin, or people choose on the tablet what is done "
            "next; ends by its completion condition, or when nothing is left.",
        ),
    },
}

POSITIONS = {
    "start": "start of a process",
    "event start": "start of an event subprocess",
    "inner start": "start of a subprocess",
    "catch": "waiting in the flow",
    "boundary": "at the border",
    "throw": "throwing in the flow",
    "end": "end",
}
"""The columns of the table of events, in the order of a drawing."""

KINDS = {
    "none": "plain",
    "message": "message",
    "signal": "signal",
    "timer": "timer",
    "conditional": "condition",
    "error": "error",
    "escalation": "escalation",
    "compensate": "compensation",
    "cancel": "cancel",
    "link": "link",
    "terminate": "terminate",
}
"""The rows of the table of events."""

LOOPS = (
    ("Multi-instance, parallel", "One turn for each item or number, all at once."),
    ("Multi-instance, sequential", "One turn after the other."),
    ("Completion condition", "Looked at after every turn; true cancels the others."),
    ("Standard loop", "Again while the condition is true, tested before or after."),
)
