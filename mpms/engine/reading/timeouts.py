"""Task listeners of ``timeout``: each is a timer at the border of its task.

It interrupts nothing, leads nowhere and does the listener's work when it is due, as
often as its timer says. So times, repairs and migrations know it like any other timer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from mpms.domain.models.definitions import Problem
from mpms.engine.model import Element, Settings
from mpms.engine.reading.declared import Declared
from mpms.engine.reading.events import read_triggers
from mpms.engine.reading.listeners import TIMEOUT, read_listeners
from mpms.engine.reading.names import attribute, extensions, tag_of


def timeouts(
    node: etree._Element, task: Element, declared: Declared, problems: list[Problem]
) -> Iterator[Element]:
    """The timers that the listeners of a user task stand for."""
    told = [
        part
        for part in extensions(node)
        if tag_of(part)[1] == "taskListener" and attribute(part, "event") == TIMEOUT
    ]
    asker = Problem(task.id, task.name, "")
    for number, part in enumerate(told):
        work = tuple(replace(one, event="start") for one in read_listeners([part]))
        triggers = read_triggers(part, declared, None, asker, problems)
        java = part.get("class") or part.get("delegateExpression")
        if not (work or java):
            why = "a task listener of 'timeout' has neither an expression nor a script"
            problems.append(Problem(task.id, task.name, why))
        kinds = [trigger.kind for trigger in triggers]
        if kinds != ["timer"] or task.loop is not None:
            why = (
                "a task listener of 'timeout' needs a timer inside it"
                if task.loop is None
                else "a task listener of 'timeout' in a loop is not executed; draw a "
                "subprocess around the task"
            )
            problems.append(Problem(task.id, task.name, why))
            continue
        yield Element(
            id=f"{task.id}#timeout_{number}",
            name=f"{task.name or task.id}: {attribute(part, 'id') or TIMEOUT}",
            tag="boundaryEvent",
            scope=task.scope,
            lane=task.lane,
            triggers=triggers,
            attached_to=task.id,
            interrupting=False,
            settings=replace(Settings(), scripts=work),
        )
