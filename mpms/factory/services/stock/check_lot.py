"""Refuse a wrong lot while the worker still stands at the sack, beside the field."""

from __future__ import annotations

from datetime import UTC

from mpms.domain.forms import AnswersInvalid, FieldProblem
from mpms.domain.instances.instances import Instance
from mpms.domain.tasks import FormAnswer, FormTask
from mpms.factory.domain.stock import LotRefused, PickState, grams_of
from mpms.factory.ports.store import Transaction
from mpms.factory.services.stock.load import refuse_lot

FORM = "load_material"  # any form of this name, of a process that works for an order
FIELD, LABEL, WEIGHT = "lot", "Lot number", "weighed_kg"
OF_WEIGHT = {"not_enough", "promised"}


def check_lot(
    tx: Transaction, instance: Instance, task: FormTask, answer: FormAnswer
) -> None:
    """AnswersInvalid names the field and why this lot cannot be taken."""
    if task.form != FORM or instance.snapshot is None:
        return
    order = tx.orders.of_instance(instance.id)
    number = instance.business_key if order is None else order.number
    material = instance.snapshot.variables.get("material")
    if not number or not isinstance(material, dict):
        return
    wanted = material.get("pick")
    picks = tx.picks.of_order(number)
    pick = next((each for each in picks if each.pick == wanted), None)
    if pick is None or pick.state not in {PickState.PLANNED, PickState.RETURNED}:
        return
    lot, weighed = answer.answers.get(FIELD), answer.answers.get(WEIGHT)
    try:
        refuse_lot(
            tx,
            pick,
            lot if isinstance(lot, str) else None,
            grams=grams_of(weighed) if isinstance(weighed, int | float) else None,
            today=answer.answered_at.astimezone(UTC).date(),
        )
    except LotRefused as refused:
        key = WEIGHT if weighed is not None and refused.code in OF_WEIGHT else FIELD
        raise AnswersInvalid(
            [FieldProblem(key, LABEL, refused.reason, dict(refused.values))]
        ) from refused
