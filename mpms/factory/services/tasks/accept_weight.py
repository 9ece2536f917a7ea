"""A supervisor accepts a load whose weight is outside the tolerance.

The deviation is the supervisor's, who signs in again and says why; the record keeps the
reason and what the signature means. The worker confirms the load once more, and the
scale must show the same weight: another one is checked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mpms.domain.errors import MpmsError
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import SetVariables
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.factory.domain.orders import Order
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.records.prove import prove
from mpms.ports.people.hasher import Hasher
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import refresh, required
from mpms.services.people.limit_attempts import forget_attempts

FORM = "load_material"
MEANING = "deviation approved"
ACCEPTED = "{name} has accepted {kg} kg. Confirm the load once more."


class NothingToAccept(MpmsError):
    """No weight of this load was refused."""


class NotSupervisor(MpmsError):
    """Only a supervisor may accept a weight outside the tolerance."""


@dataclass(frozen=True)
class Refused:
    """A weighing outside the tolerance."""

    material: str
    kg: float
    required_kg: float


def refused_in(form: str | None, variables: Mapping[str, Any]) -> Refused | None:
    """The weighing that sent the worker back, if there is one."""
    material, kg = variables.get("material"), variables.get("measured_kg")
    if form != FORM or not variables.get("message") or not isinstance(material, dict):
        return None
    if "accepted_kg" not in variables or variables["accepted_kg"] == kg:
        return None  # a model without it, or accepted already
    if isinstance(kg, bool) or not isinstance(kg, int | float):
        return None
    return Refused(str(material.get("code")), kg, float(material["required_kg"]))


def refused_weight(tx: Transaction, task: FormTask) -> Refused | None:
    """The same of a task that waits."""
    if task.form != FORM:
        return None
    return _refused(task, tx.instances.get(task.instance_id))


def _refused(task: FormTask, instance: Instance) -> Refused | None:
    snapshot = instance.snapshot
    return refused_in(task.form, {} if snapshot is None else snapshot.variables)


@dataclass(frozen=True)
class AcceptWeight:
    uow: UnitOfWork
    advance: Advance
    hasher: Hasher

    def __call__(
        self,
        task_id: str,
        person: Person,
        password: str,
        *,
        reason: str,
        address: str,
    ) -> Refused:
        """TaskGone, NotSupervisor, ReasonMissing, NothingToAccept, SignatureRefused,
        TooManyAttempts, InstanceBusy."""
        why = required(reason)
        if not person.leads:
            raise NotSupervisor
        with self.uow() as tx:
            number = _number(tx, tx.tasks.get(task_id).instance_id)
        key = prove(
            self.uow,
            self.hasher,
            person,
            password,
            address=address,
            about={"order": number},
        )
        with self.uow() as tx:
            task = tx.tasks.get(task_id)
            instance = tx.instances.lock(task.instance_id)
            snapshot = instance.snapshot
            found = refused_in(
                task.form, {} if snapshot is None else snapshot.variables
            )
            if found is None:
                raise NothingToAccept
            said = ACCEPTED.format(name=person.name, kg=f"{found.kg:g}")
            tx.events.append(
                "weight accepted",
                actor=person.login,
                instance_id=instance.id,
                element=task.element,
                task_id=task_id,
                data={
                    "order": number,
                    "material": found.material,
                    "kg": found.kg,
                    "required_kg": found.required_kg,
                    "meaning": MEANING,
                    "by": "password",
                    "reason": why,
                },
            )
            changed = {"accepted_kg": found.kg, "message": said}
            step = self.advance(
                tx, instance, SetVariables(changed, (), None), actor=person.login
            )
            refresh(tx, instance, step)
            forget_attempts(tx, key)
        return found


def _number(tx: Transaction, instance_id: str) -> str:
    order: Order | None = tx.orders.of_instance(instance_id)
    if order is not None:
        return order.number
    return tx.instances.get(instance_id).business_key or ""
