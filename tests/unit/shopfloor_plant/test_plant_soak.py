"""Eight simulated hours among boxes and people: nothing fails, nothing is touched."""

from __future__ import annotations

import pytest

from shopfloor.grid import Grid
from shopfloor.plant import MissionReport
from shopfloor.plant.soak import soak
from shopfloor.sim.world import World

SEED = 11
HOURS = 8.0


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)  # about half an hour on a free core
@pytest.mark.covers("A71")
def test_eight_hours_of_missions_without_failure(
    arco_lab: World, lab_grid: Grid
) -> None:
    print(f"seed {SEED}")

    def tell(label: str, report: MissionReport) -> None:
        print(
            f"{label}: {report.distance_m:.1f} m in {report.seconds:.0f} s", flush=True
        )

    result = soak(arco_lab, SEED, HOURS * 3600.0, grid=lab_grid, told=tell)
    print(result.as_facts())
    assert result.seconds >= HOURS * 3600.0
    assert result.failed_legs == []
    assert result.contacts == 0
    assert result.deadlocks == 0
