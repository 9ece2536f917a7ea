"""A batch record as people see it: for its page, its PDF and the API."""

from __future__ import annotations

from dataclasses import dataclass

from mpms.domain.errors import MpmsError
from mpms.domain.models.definitions import Definition
from mpms.factory.domain.errors import RecordUnknown
from mpms.factory.domain.records import PLANT, Head
from mpms.factory.domain.records.reading import RecordRead, read_record
from mpms.factory.domain.records.seals import Verify
from mpms.factory.domain.records.verifying import Fault, Verifier
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.ports.engine import Engine


@dataclass(frozen=True)
class Model:
    """A version of a model that worked for the order."""

    instance: str
    key: str
    version: int
    name: str
    digest: str
    definition: Definition | None  # None: it is not here any more


@dataclass(frozen=True)
class RecordShown:
    """A record with what is known beside it."""

    read: RecordRead
    models: tuple[Model, ...]
    names: dict[str, str]  # of elements
    fault: Fault | None  # what is wrong with its lines
    plant_head: Head  # the last line of the plant's record

    def named(self, element: str | None) -> str:
        return self.names.get(element or "", element or "")


def show_record(
    uow: UnitOfWork, engine: Engine, number: str, verify: Verify
) -> RecordShown:
    """RecordUnknown."""
    with uow() as tx:
        lines = tx.records.lines(number)
        if not lines or number == PLANT:
            raise RecordUnknown(f"There is no batch record of {number}.")
        head = tx.records.head(PLANT)
        own = tx.records.head(number)
        read = read_record(number, lines)
        models = tuple(_model(tx, said.data) for said in read.models)
    verifier = Verifier([own, head], (), verify)
    verifier.promise(number, {1: lines[0].hash})
    verifier.others(lines)
    faults = verifier.report.faults
    names: dict[str, str] = {}
    for model in models:
        if model.definition is not None:
            for step in engine.steps(model.definition):
                if step.name:  # a gateway without a name is no step
                    names[step.id] = step.name
    return RecordShown(read, models, names, faults[0] if faults else None, head)


def _model(tx: Transaction, data: object) -> Model:
    assert isinstance(data, dict)  # noqa: S101
    definition = None
    try:
        found = tx.definitions.of_version(data["process"], data["version"])
        # A model of another plant, or of a database filled anew, is another one.
        definition = found if found.digest == data.get("sha256") else None
    except MpmsError:
        pass
    return Model(
        data["instance"],
        data["process"],
        data["version"],
        str(data.get("name") or data["process"]),
        str(data.get("sha256") or ""),
        definition,
    )
