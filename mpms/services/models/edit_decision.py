"""Read, change and try a decision table; nothing here is deployed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mpms.domain.errors import MpmsError, ServerBusy
from mpms.domain.models.decision_sheets import Decided, DecisionSheet, SheetRule
from mpms.domain.models.definitions import LATEST
from mpms.ports.models.models import DeployedRow
from mpms.ports.store import UnitOfWork
from mpms.ports.trials import Trials
from mpms.services.models.show import ModelUnknown


class RulesMisfit(MpmsError):
    """A rule has one cell for each input and each output of the table."""


@dataclass(frozen=True)
class DecisionPage:
    """One version of a decision, and the other decisions of its file."""

    shown: DeployedRow
    versions: Sequence[DeployedRow]  # the newest first
    xml: bytes
    sheet: DecisionSheet
    beside: Sequence[DecisionSheet]


@dataclass(frozen=True)
class Tried:
    """What came of trying: a result, or why there is none."""

    decided: Decided | None
    error: str = ""


def show_decision(
    uow: UnitOfWork,
    engine: Trials,
    key: str,
    version: int | None = None,
    *,
    xml: bytes | None = None,
) -> DecisionPage:
    """Without a version the newest; ``xml`` is a draft to be shown instead of it.

    ModelUnknown, ModelRefused.
    """
    with uow() as tx:
        versions = [row for row in tx.models.decisions() if row.key == key]
        shown = next((row for row in versions if version in (None, row.version)), None)
        content = None if shown is None else tx.models.decision(key, shown.version)
    if shown is None or content is None:
        raise ModelUnknown(f"No such version of the decision {key} is deployed.")
    file = content if xml is None else xml
    sheets = engine.sheets(file)
    sheet = next((one for one in sheets if one.key == key), None)
    if sheet is None:
        raise ModelUnknown(f"The file holds no decision {key}.")
    beside = [one for one in sheets if one.key != key]
    return DecisionPage(shown, versions, file, sheet, beside)


def try_decision(
    uow: UnitOfWork,
    engine: Trials,
    xml: bytes,
    key: str,
    variables: Mapping[str, Any],
    *,
    now: datetime,
) -> Tried:
    """Decide as a process would; a decision of another file is the deployed one.

    No transaction is open while it is tried. ServerBusy.
    """

    def deployed(key: str, binding: str = LATEST) -> bytes | None:
        with uow() as tx:
            return tx.definitions.decision(key, binding)

    try:
        decided = engine.decide(xml, key, dict(variables), now=now, decisions=deployed)
        return Tried(decided)
    except ServerBusy:
        raise
    except MpmsError as failure:
        return Tried(None, str(failure))


def write_rules(
    engine: Trials,
    page: DecisionPage,
    rules: Sequence[SheetRule],
    *,
    hit_policy: str | None = None,
    aggregation: str | None = None,
) -> bytes:
    """The file with these rules in place of its own. RulesMisfit, ModelRefused."""
    old = page.sheet
    if not old.is_table:
        raise RulesMisfit("This decision is no table, so it has no rules.")
    cells = (len(old.inputs), len(old.outputs))
    if any((len(rule.inputs), len(rule.outputs)) != cells for rule in rules):
        raise RulesMisfit
    policy = hit_policy or old.hit_policy
    total = old.aggregation if aggregation is None else aggregation
    new = replace(
        old,
        rules=tuple(rules),
        hit_policy=policy,
        aggregation=total if policy == "COLLECT" else "",
    )
    return engine.write_sheet(page.xml, new)
