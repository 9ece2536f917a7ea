"""Deployments have no rows here: what came in one transaction has one instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def deployment_id(at: datetime) -> str:
    return str((at - EPOCH) // timedelta(microseconds=1))
