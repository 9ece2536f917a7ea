"""Say what is wrong with a file before it is deployed, and what it names in vain.

What is refused cannot be deployed. A form or process that is not there yet may come
with the next file, so that is a warning only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork
from mpms.services.deploy_models import check_file


@dataclass(frozen=True)
class Finding:
    """One sentence about one place of a file."""

    element: str
    name: str
    reason: str
    refuses: bool = True


def check_model(
    uow: UnitOfWork,
    engine: Engine,
    name: str,
    content: bytes,
    *,
    beside: Mapping[str, bytes] | None = None,
) -> list[Finding]:
    """The worst first; ``beside`` are files that are deployed together with it."""
    found = [
        Finding(p.element, p.name, p.reason) for p in check_file(engine, name, content)
    ]
    if not name.endswith(".bpmn"):
        return found
    with uow() as tx:
        forms = {row.key for row in tx.models.forms()}
        decisions = {row.key for row in tx.models.decisions()}
        processes = {row.key for row in tx.models.processes()}
    for other, bytes_ in (beside or {}).items():
        if check_file(engine, other, bytes_):
            continue
        if other.endswith(".bpmn"):
            processes |= {key for key, _ in engine.processes(bytes_)}
        elif other.endswith(".dmn"):
            decisions |= {key for key, _ in engine.decisions(bytes_)}
    missing = engine.check_names(
        content,
        forms=frozenset(forms),
        decisions=frozenset(decisions),
        processes=frozenset(processes),
    )
    return found + [Finding(p.element, p.name, p.reason, False) for p in missing]
