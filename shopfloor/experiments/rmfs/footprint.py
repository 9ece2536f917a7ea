"""The measures of a run, as one flat record."""

from __future__ import annotations

from typing import Any

import numpy as np

from fleet.rmfs.orders import Station
from shopfloor.experiments.rmfs import drive_kernels as drive
from shopfloor.experiments.rmfs.simulation import Simulation
from shopfloor.experiments.rmfs.traffic import arrays as traffic

TASKS = ("None", "ParkPod", "RepositionPod", "Insert", "Extract", "Rest")
STATES = (
    "PickupPod",
    "SetdownPod",
    "GetItems",
    "PutItems",
    "Rest",
    "Move",
    "Evade",
    "UseElevator",
)


def footprint(run: Simulation) -> dict[str, Any]:
    """Named measures; rates are by hour of simulated time."""
    tally, warehouse, traffic_ = run.tally, run.warehouse, run.traffic
    span_s = max(warehouse.now, 1e-9)
    hours = span_s / 3600.0
    robots = len(warehouse.robots)
    orders, bundles = max(1, tally.orders_done), max(1, tally.bundles)
    picks, others = warehouse.pick_stations, warehouse.replenishment_stations
    bound = sum(3600.0 / station.item_s for station in picks)
    items_per_h = tally.items / hours
    driven_m = traffic_.driven_m
    real = traffic_.real
    found: dict[str, Any] = {
        "simulated_h": hours,
        "robots": robots,
        "pods": warehouse.stock.pods,
        "places": len(warehouse.places),
        "pick_stations": len(picks),
        "replenishment_stations": len(others),
        "orders_per_h": tally.orders_done / hours,
        "items_per_h": items_per_h,
        "items_per_h_upper_bound": bound,
        "score": items_per_h / bound,
        "lines_per_h": tally.lines / hours,
        "pile_on": tally.items / max(1, tally.pods_handled),
        "bundles_per_h": tally.bundles / hours,
        "bundle_pile_on": tally.bundles
        / max(1, sum(station.pods_handled for station in others)),
        "distance_km_per_h": driven_m / 1000.0 / hours,
        "distance_m": driven_m,
        "distance_m_per_robot": driven_m / robots,
        "distance_m_per_item": driven_m / max(1, tally.items),
        "distance_m_per_order": driven_m / orders,
        "trips_per_h": tally.trips / hours,
        "trip_s": tally.trip_s / max(1, tally.trips),
        "trip_m": driven_m / max(1, tally.trips),
        "pick_station_idle": _idle(picks, span_s),
        "replenishment_station_idle": _idle(others, span_s),
        "order_turnover_s": tally.turnover_s / orders,
        "order_throughput_s": tally.throughput_s / orders,
        "bundle_turnover_s": tally.bundle_turnover_s / bundles,
        "late_share": tally.orders_late / orders,
        "lateness_s": tally.lateness_s / max(1, tally.orders_late),
        "orders_placed": tally.orders_placed,
        "orders": tally.orders_done,
        "orders_late": tally.orders_late,
        "orders_waiting": len(warehouse.backlog),
        "orders_at_stations": sum(len(station.orders) for station in picks),
        "orders_refused": tally.orders_refused,
        "items_ordered": tally.items_ordered,
        "items": tally.items,
        "lines": tally.lines,
        "bundles_placed": tally.bundles_placed,
        "bundles": tally.bundles,
        "bundle_units": tally.bundle_units,
        "bundles_waiting": len(warehouse.bundles_waiting),
        "pods_handled": tally.pods_handled,
        "tasks": sum(tally.tasks.values()),
        "inventory_level": warehouse.stock.level,
        "deadlocks_cut": traffic_.count(traffic.DEADLOCKS),
        "stepped_aside": traffic_.count(traffic.ASIDES),
        "passed_below_pods": traffic_.count(traffic.TUNNELS),
        "delays": tally.delays,
        "delayed_s": tally.delayed_s,
        "charges": run.batteries.charges,
        "charging_share": run.batteries.charging_s / (span_s * robots),
        "battery_least": run.batteries.least,
        "elevator_rides": traffic_.count(traffic.LIFTS),
        "turns": traffic_.count(traffic.TURNS),
        "waiting_share": float(real[:, drive.WAITED_S].sum()) / (span_s * robots),
        "turning_share": float(real[:, drive.TURNED_S].sum()) / (span_s * robots),
        "events": run.events + traffic_.count(traffic.EVENTS),
        "wall_s": run.wall_s,
        "cpu_s": run.cpu_s,
        "x_realtime": span_s / max(run.cpu_s, 1e-9),
        "events_per_s": (run.events + traffic_.count(traffic.EVENTS))
        / max(run.cpu_s, 1e-9),
    }
    for task in TASKS:
        found[f"tasks_{task}"] = tally.tasks[task]
        found[f"task_share_{task}"] = tally.task_s[task] / (span_s * robots)
    lifted_s = float(real[:, drive.LIFTED_S].sum())
    evaded_s = float(real[:, drive.EVADED_S].sum())
    states_s = {**tally.state_s, "Evade": evaded_s, "UseElevator": lifted_s}
    states_s["Move"] = states_s.get("Move", 0.0) - lifted_s - evaded_s
    for state in STATES:
        found[f"state_share_{state}"] = states_s.get(state, 0.0) / (span_s * robots)
    for problem, count in run.deciders.asked.items():
        found[f"decisions_{problem}"] = count
        found[f"decision_ms_{problem}"] = (
            1000.0 * run.deciders.spent_s[problem] / max(1, count)
        )
    for station in warehouse.stations:
        found |= _of_station(station, hours)
    return {name: readable(value) for name, value in found.items()}


def readable(value: Any) -> Any:
    """A number in as many digits as it may matter for."""
    return float(f"{value:.9g}") if isinstance(value, float) else value


def _idle(stations: list[Station], span_s: float) -> float:
    """Share of the time in which nobody was served."""
    busy = [min(station.busy_s, span_s) / span_s for station in stations]
    return 1.0 - float(np.mean(busy)) if busy else 0.0


def _of_station(station: Station, hours: float) -> dict[str, Any]:
    name = f"station_{station.number}"
    done = station.items if station.picks else station.bundles_done
    return {
        f"{name}_kind": station.kind,
        f"{name}_per_h": done / hours,
        f"{name}_pods": station.pods_handled,
        f"{name}_pile_on": done / max(1, station.pods_handled),
        f"{name}_idle": _idle([station], hours * 3600.0),
    }
