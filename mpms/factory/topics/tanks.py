"""What a process of an order does with its tank: mix in it, have it cleaned."""

from __future__ import annotations

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Done, Job, NotYet
from mpms.factory.domain.mixing import (
    Next,
    TankReading,
    TankRun,
    TankState,
    key_of,
    what_next,
)
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.ports.tanks import Tank, TankAway, Tanks

SAYS = {state: state.name.lower() for state in TankState}


class MixInTank:
    """``tank.mix``: ask the tank, follow it until it has finished.

    The key is that of the job: whoever takes the job over after a crash finds at the
    tank what its predecessor began. Between two looks nobody is kept waiting.
    """

    def __init__(self, tanks: Tanks, uow: UnitOfWork) -> None:
        self._tanks, self._uow = tanks, uow

    def __call__(self, job: Job) -> Answer:
        name = str(job.inputs["tank"])
        tank = self._tanks.named(name)
        if tank is None:
            return Done()  # whoever confirmed the form has started it
        key = key_of(job.idempotency_key)
        try:
            reading = tank.read()
            step, why = what_next(reading, key)
            if step is Next.ASK:
                tank.ask(key, str(job.inputs.get("product") or ""))
                reading = tank.read()
                step, why = what_next(reading, key)
        except TankAway as away:
            return self._silent(job, key, tank, str(away))
        return self._heard(job, key, tank, reading, step, why)

    def _heard(
        self, job: Job, key: str, tank: Tank, reading: TankReading, step: Next, why: str
    ) -> Answer:
        state = SAYS[reading.state] if reading.key == key else "waiting"
        if reading.key != key and reading.asked == key:
            state = "asked"
        if step is Next.FAIL and state not in {"fault", "refused"}:
            state = "fault"
        run, _ = self._note(job, key, state, why, reading)
        name = run.tank
        match step:
            case Next.DONE:
                with self._uow() as tx:
                    tx.tanks.fill(
                        name,
                        product=str(job.inputs.get("product") or ""),
                        order_number=run.order_number,
                    )
                return Done({"mixed": True})
            case Next.FAIL:
                code = "TankRefused" if state == "refused" else "TankFault"
                raise BusinessError(code, f"{name}: {why}")
        return NotYet(tank.poll_s, f"{name}: {why or state}")

    def _silent(self, job: Job, key: str, tank: Tank, why: str) -> Answer:
        run, silent_s = self._note(job, key, "silent", why, None)
        if silent_s < tank.patience_s:
            return NotYet(tank.poll_s, f"{run.tank} does not answer: {why}")
        raise BusinessError(
            "TankSilent",
            f"{run.tank} has not answered for {silent_s:.0f} s ({why})."
            " Look whether it mixes.",
        )

    def _note(
        self, job: Job, key: str, state: str, why: str, reading: TankReading | None
    ) -> tuple[TankRun, float]:
        with self._uow() as tx:
            before, run, silent_s = tx.tanks.note(
                key,
                tank=str(job.inputs["tank"]),
                order_number=str(job.inputs.get("order_number") or job.business_key),
                state=state,
                why=why,
                reading=reading,
            )
            if before != state:
                _tell(tx, job, run, before)
        return run, silent_s


def _tell(tx: Transaction, job: Job, run: TankRun, before: str | None) -> None:
    """A line of the history, and so of the batch record, when something changes."""
    data = {
        "order": run.order_number,
        "tank": run.tank,
        "old": before,
        "new": run.state,
        "why": run.why or None,
        "temperature_c": run.temperature_c,
        "speed_rpm": run.speed_rpm,
        "key": run.key,
    }
    tx.events.append(
        "tank state",
        actor=run.tank,
        instance_id=job.instance_id,
        element=job.element,
        task_id=job.task_id,
        data={name: value for name, value in data.items() if value is not None},
    )


class PrepareTank:
    """``tank.prepare``: whether the tank must be cleaned before this product."""

    def __init__(self, tanks: Tanks) -> None:
        self._tanks = tanks

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        tank = str(job.inputs["tank"])
        if not self._tanks.cleaned_between(tank):
            return Done({"clean_needed": False, "last_product": ""})
        content = tx.tanks.content(tank)
        product = str(job.inputs.get("product") or "")
        dirty = content is not None and content.cleaned_at is None
        needed = dirty and content is not None and content.product != product
        last = content.product if content is not None else ""
        return Done({"clean_needed": needed, "last_product": last})


def note_cleaned(tx: Transaction, job: Job) -> Answer:
    """``tank.cleaned``: somebody has confirmed that the tank is clean."""
    tank = str(job.inputs["tank"])
    by = tx.picks.last_answer_by(job.instance_id) or job.topic
    content = tx.tanks.content(tank)
    tx.tanks.clean(tank, by=by)
    tx.events.append(
        "tank cleaned",
        actor=by,
        instance_id=job.instance_id,
        element=job.element,
        data={
            "tank": tank,
            "order": job.inputs.get("order_number") or job.business_key,
            "after": "" if content is None else content.product,
            "how": str(job.inputs.get("how") or ""),
        },
    )
    return Done()
