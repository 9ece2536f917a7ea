"""What Prometheus is told: the plant from the database, requests from this process.

Counters of the plant are tallies that all workers keep together; gauges are counted
when somebody asks. Requests are labelled by the pattern of their address, never by the
address itself, whose numbers would make a new series for every order.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from flask import Flask, Response, current_app, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from mpms.domain.errors import DatabaseAway
from mpms.plugins import Metric as Family
from mpms.plugins import loading
from mpms.ports.admin.metrics import Measured
from mpms.web.desk import Desk

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
FAMILIES: Mapping[str, Family] = {
    "instances": Family("Instances that run.", ("process", "state")),
    "instances_total": Family("Instances that began and ended.", ("process", "state")),
    "incidents": Family("Open incidents.", ("kind",)),
    "jobs": Family("Jobs that wait or were given up.", ("topic", "state")),
    "jobs_total": Family("Jobs that were run and that failed.", ("topic", "outcome")),
    "tasks": Family("Open forms.", ("state",)),
    "timers": Family("Times that instances wait for.", ("state",)),
    "history_lines_total": Family("Lines of the history.", ("kind",)),
    "queue_size": Family("What is due and waits for a worker.", ("queue",)),
    "queue_oldest_seconds": Family("How long the first of a queue waits.", ("queue",)),
}
QUEUES = ("deliveries", "jobs", "timers")


class Plant(Collector):
    """Asks the database once a scrape."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def describe(self) -> Iterator[Metric]:
        return iter(())  # or registering would ask the database

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("mpms_database_up", "1 if the database answers.")
        streams = GaugeMetricFamily("mpms_streams", "Pages that are kept up to date.")
        streams.add_metric([], self._desk.live.open_streams)
        yield streams
        try:
            with self._desk.uow() as tx:
                measured = tx.metrics.now()
        except DatabaseAway:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        yield up
        yield from _families([*measured, *_empty_queues(measured)])


def _empty_queues(measured: Sequence[Measured]) -> list[Measured]:
    """A queue without a row is empty, not unknown."""
    seen = {row.first for row in measured if row.metric == "queue_size"}
    return [
        Measured(metric, queue, "", 0.0)
        for queue in QUEUES
        if queue not in seen
        for metric in ("queue_size", "queue_oldest_seconds")
    ]


def _families(measured: list[Measured]) -> Iterator[Metric]:
    for name, each in {**FAMILIES, **loading.metrics()}.items():
        kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        family = kind(f"mpms_{name}", each.about, labels=list(each.labels))
        for row in measured:
            if row.metric == name:
                family.add_metric(
                    [row.first, row.second][: len(each.labels)], row.value
                )
        yield family


class Requests:
    """How many, how long, and how they ended."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.answered = Counter(
            "mpms_requests",
            "Requests that were answered.",
            ["method", "route", "status"],
            registry=registry,
        )
        self.seconds = Histogram(
            "mpms_request_seconds",
            "How long an answer took; of a stream its beginning.",
            ["method", "route"],
            buckets=SECONDS,
            registry=registry,
        )

    def begin(self) -> None:
        g.asked_at = time.perf_counter()

    def end(self, answer: Response) -> Response:
        route = "none" if request.url_rule is None else request.url_rule.rule
        method = request.method if request.method in METHODS else "other"
        took_s = time.perf_counter() - g.get("asked_at", time.perf_counter())
        self.seconds.labels(method, route).observe(took_s)
        self.answered.labels(method, route, str(answer.status_code)).inc()
        return answer


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def install(app: Flask) -> None:
    registry = app.extensions["metrics"] = CollectorRegistry(auto_describe=False)
    registry.register(Plant(app.extensions["desk"]))
    requests = Requests(registry)
    app.before_request(requests.begin)
    app.after_request(requests.end)


def current_registry() -> CollectorRegistry:
    return cast(CollectorRegistry, current_app.extensions["metrics"])
