"""A worker who does not come: a reminder, then whoever leads is told."""

from __future__ import annotations

from mpms.factory.services.tasks.watch_workers import KIND, WatchWorkers
from tests.integration.services_records.conftest import RecordPlant


def waits(plant: RecordPlant, minutes: int) -> list[tuple[str, str | None]]:
    """Let the open step be so old, look once, and give the incidents about it."""
    plant.rows(
        f"UPDATE tasks SET created_at = now() - interval '{minutes} minutes';"
        f" UPDATE claims SET claimed_at = now() - interval '{minutes} minutes'"
    )
    WatchWorkers(plant.uow, patience_s=900.0)()
    return plant.rows(
        f"SELECT message, resolved_by FROM incidents WHERE kind = '{KIND}'"
    )


def reminded(plant: RecordPlant) -> int:
    ((count,),) = plant.rows("SELECT count(*) FROM events WHERE kind = 'task reminded'")
    return int(count)


def test_who_is_away_is_reminded_then_loses_the_step_and_leaders_are_told(
    plant: RecordPlant,
) -> None:
    plant.accept("MO-2026-0001")
    ((task_id,),) = plant.rows("SELECT task_id::text FROM tasks")
    with plant.uow() as tx:
        assert tx.claims.take(task_id, "ada")
    assert (waits(plant, 14), reminded(plant)) == ([], 0)
    assert (waits(plant, 16), reminded(plant)) == ([], 1)
    assert (waits(plant, 17), reminded(plant)) == ([], 1)
    ((words, over),) = waits(plant, 31)
    assert "ada has taken it and not done it" in words
    assert over is None
    assert plant.rows("SELECT * FROM claims") == []
    assert len(waits(plant, 60)) == 1
    plant.confirm_everything()
    ((_, over),) = waits(plant, 1)
    assert over is not None
    assert reminded(plant) == 1


def test_a_suspended_order_waits_for_nobody(plant: RecordPlant) -> None:
    plant.accept("MO-2026-0001")
    plant.rows(
        "UPDATE instances SET suspended_by = 'sofia', suspended_at = now()"
        " WHERE status = 'active'"
    )
    assert (waits(plant, 60), reminded(plant)) == ([], 0)
