"""A weight that somebody wrote down counts when a second person has read it, too.

A scale without a wire tells the record nothing by itself: it is two people who say what
it showed. The one who wrote the weight down cannot be the one who confirms it.
"""

from __future__ import annotations

from mpms.domain.forms import AnswersInvalid, FieldProblem
from mpms.domain.instances.instances import Instance
from mpms.domain.tasks import FormAnswer, FormTask
from mpms.factory.domain.records import Entry
from mpms.factory.ports.store import Transaction

FORM = "confirm_weight"
FIELD, LABEL = "second_kg", "Weight that you read, in kg"
SAME_PERSON = "somebody else must read the scale; you have written the weight down."


def check_second(
    tx: Transaction, instance: Instance, task: FormTask, answer: FormAnswer
) -> None:
    """AnswersInvalid if one person would be both; else the weighing is told."""
    if task.form != FORM or instance.snapshot is None:
        return
    first = tx.picks.answered_before(instance.id, task.task_id)
    if first == answer.answered_by:
        raise AnswersInvalid([FieldProblem(FIELD, LABEL, SAME_PERSON)])
    number, variables = instance.business_key, instance.snapshot.variables
    measured_kg, second_kg = variables.get("measured_kg"), answer.answers.get(FIELD)
    if not number or measured_kg != second_kg or not tx.records.orders_of([number]):
        return  # both weigh again
    material = variables.get("material")
    tx.records.note(
        Entry(
            number,
            "weighed",
            answer.answered_by,
            where=task.element,
            instrument=str(variables.get("by_hand_scale") or "by hand"),
            raw=f"{measured_kg} kg, written down by {first or '?'},"
            f" read again by {answer.answered_by}",
            data={
                "material": material.get("code")
                if isinstance(material, dict)
                else None,
                "measured_kg": measured_kg,
                "first": first,
                "second": answer.answered_by,
            },
        )
    )
