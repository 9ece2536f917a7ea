"""What the customer of a delivery sees and may do: whether it is there, and the code.

The address of the page is the instance, an id that nobody can guess; it shows what the
customer knows already, never the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from mpms.domain.errors import InstanceUnknown, NobodyWaits
from mpms.domain.people.people import Person
from mpms.factory.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.start import start_instance
from mpms.services.messages.correlate import correlate_message

PROCESS = "last_mile"
MESSAGE = "delivery code"
LONGEST_CODE = 20
CUSTOMER = "customer"


class DeliveryState(StrEnum):
    PREPARED = "prepared"
    ON_THE_WAY = "on the way"
    HERE = "here"
    LOCKED = "locked"
    DELIVERED = "delivered"
    ENDED = "ended"
    """Without being delivered."""


@dataclass(frozen=True)
class Delivery:
    goods: str
    place: str
    robot: str
    state: DeliveryState
    wrong_codes: int
    load_place: str
    customer: str = ""


def show_delivery(uow: UnitOfWork, link: str) -> Delivery:
    """InstanceUnknown: there is no such delivery."""
    try:
        instance_id = str(UUID(link))
    except ValueError:
        raise InstanceUnknown(link) from None
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        if tx.definitions.by_id(instance.definition_id).key != PROCESS:
            raise InstanceUnknown(link)
        waits = tx.deliveries.fitting(
            MESSAGE, None, instance_id=instance_id, business_key=None, most=1
        )
    said = {} if instance.snapshot is None else instance.snapshot.variables
    if said.get("code_state") == "right":
        state = DeliveryState.DELIVERED
    elif instance.status.ended:
        state = DeliveryState.ENDED
    elif waits:
        state = DeliveryState.HERE
    elif said.get("code_state") == "locked":
        state = DeliveryState.LOCKED
    elif said.get("handed_over"):
        state = DeliveryState.ON_THE_WAY
    else:
        state = DeliveryState.PREPARED
    return Delivery(
        str(said.get("goods") or ""),
        str(said.get("customer_place") or ""),
        str(said.get("robot") or ""),
        state,
        int(said.get("wrong_codes") or 0),
        str(said.get("load_place") or ""),
        str(said.get("customer") or ""),
    )


def list_deliveries(uow: UnitOfWork, *, most: int = 50) -> list[tuple[str, Delivery]]:
    """Their links and what became of them, the newest first."""
    with uow() as tx:
        found = [line.id for line in tx.instances.find(key=PROCESS, limit=most)]
    return [(link, show_delivery(uow, link)) for link in found]


def start_delivery(uow: UnitOfWork, advance: Advance, person: Person) -> str:
    """The task in which is said what goes where. ProcessUnknown: nobody has deployed
    the model; NotYourProcess."""
    with uow() as tx:
        link = start_instance(tx, advance, PROCESS, actor=person.login, person=person)
        tx.wake()
        return next(t.task_id for t in tx.tasks.open() if t.instance_id == link)


def hand_in_code(uow: UnitOfWork, advance: Advance, link: str, typed: str) -> bool:
    """False: nobody waits for it now. InstanceUnknown."""
    show_delivery(uow, link)
    try:
        correlate_message(
            uow,
            advance,
            MESSAGE,
            instance_id=str(UUID(link)),
            variables={"typed_code": typed.strip()[:LONGEST_CODE]},
            by=CUSTOMER,
        )
    except NobodyWaits:
        return False
    return True
