"""Fills a database with finished and running instances and their history.

    python bench/web_parts/fill_history.py DSN [--finished N] [--running N]

The instances look like orders of the paint factory: one of two versions of one process,
six variables, sixteen lines of history each, spread over ninety days. Rows are made by
PostgreSQL itself, so a million takes minutes. Running instances wait at a form or at a
robot; one in twenty has an incident.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg2

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from mpms.domain.instances.steps import Start  # noqa: E402
from mpms.domain.models.definitions import Definition  # noqa: E402
from mpms.engine.runner import SpiffEngine  # noqa: E402
from mpms.factory.adapters.memory import SystemClock  # noqa: E402

KEY = "bench_order"
ELEMENTS = ("begin", "fetch", "load", "weigh", "ok", "drive", "pour", "done")
CHUNK = 50_000


def model(version: int) -> bytes:
    """A line of work, with one step more in every version."""
    camunda = "http://camunda.org/schema/1.0/bpmn"
    work = 'camunda:type="external" camunda:topic="bench.work"'
    parts = [
        '<startEvent id="begin"/>',
        f'<serviceTask id="fetch" name="Fetch" {work}/>',
        '<userTask id="load" name="Load" camunda:candidateGroups="worker"/>',
        f'<serviceTask id="weigh" name="Weigh" {work}/>',
        '<exclusiveGateway id="ok"/>',
        f'<serviceTask id="drive" name="Drive" {work}/>',
        '<userTask id="pour" name="Pour" camunda:candidateGroups="worker"/>',
        '<endEvent id="done"/>',
    ]
    flows = "".join(
        f'<sequenceFlow id="f{i}" sourceRef="{a}" targetRef="{b}"/>'
        for i, (a, b) in enumerate(pairwise(ELEMENTS))
    )
    return (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
        f' xmlns:camunda="{camunda}" targetNamespace="bench">'
        f'<process id="{KEY}" name="Order, version {version}" isExecutable="true">'
        f"{''.join(parts)}{flows}</process></definitions>"
    ).encode()


def fill(dsn: str, *, finished: int, running: int, say: Any = print) -> list[int]:
    """Add the rows; returns the ids of the two versions."""
    with closing(psycopg2.connect(dsn)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            versions = [_deploy(cursor, number) for number in (1, 2)]
            cursor.execute("SET session_replication_role = replica")  # no checks
            indexes = _drop_indexes(cursor)
            for first in range(0, finished, CHUNK):
                began = time.monotonic()
                _finished(cursor, versions, first, min(CHUNK, finished - first))
                say(f"{first + CHUNK:,} finished, {time.monotonic() - began:.1f} s")
            say("indexing")
            for statement in indexes:
                cursor.execute(statement)
            _running(cursor, versions[1], running)
            _hours(cursor, versions, finished)
            say("analysing")
            cursor.execute("VACUUM ANALYZE")
    return versions


def _drop_indexes(cursor: Any) -> list[str]:
    """An index that is built at the end costs a tenth; how to build them again."""
    cursor.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
        " AND tablename IN ('events', 'instances', 'found_values')"
        " AND indexname NOT IN (SELECT conname FROM pg_constraint)"
    )
    found = cursor.fetchall()
    for name, _ in found:
        cursor.execute(f"DROP INDEX {name}")
    return [statement for _, statement in found]


def _deploy(cursor: Any, number: int) -> int:
    cursor.execute(
        "INSERT INTO definitions (key, version, name, digest, xml, deployed_by)"
        " VALUES (%s, %s, %s, %s, %s, 'bench') RETURNING id",
        (KEY, number, f"Order, version {number}", f"bench-{number}", model(number)),
    )
    return int(cursor.fetchone()[0])


_FINISHED = """
WITH made AS MATERIALIZED (
    SELECT
        n, gen_random_uuid() AS id,
        (%(versions)s::bigint[])[1 + n %% 2] AS definition_id,
        now() - make_interval(secs => 7776000.0 * random()) AS ended_at,
        300 + 3000 * random() AS seconds
    FROM generate_series(%(first)s, %(first)s + %(count)s - 1) AS n
), kept AS (
    INSERT INTO instances (
        id, definition_id, key, business_key, status, state, variables, revision,
        started_at, changed_at, ended_at
    )
    SELECT
        id, definition_id, %(key)s, 'BO-' || n,
        CASE WHEN n %% 50 = 0 THEN 'cancelled' WHEN n %% 77 = 0 THEN 'failed'
            ELSE 'completed' END,
        %(state)s,
        json_build_object(
            'order_number', 'BO-' || n, 'product', 'P-' || n %% 40,
            'robot', 'robot' || 1 + n %% 3, 'index', n %% 6,
            'measured_kg', round((100 * random())::numeric, 2), 'ok', n %% 9 > 0
        ),
        16, ended_at - make_interval(secs => seconds), ended_at, ended_at
    FROM made
), lines AS (
    INSERT INTO events (at, kind, actor, instance_id, element, task_id, data)
    SELECT
        m.ended_at - make_interval(secs => m.seconds * (1 - (place - kind) / 8.0)),
        CASE kind WHEN 1 THEN 'entered' ELSE 'left' END, 'bench', m.id,
        (%(elements)s::text[])[place],
        md5(m.id::text || place)::uuid, '{}'
    FROM made AS m
    CROSS JOIN generate_series(1, 8) AS place
    CROSS JOIN generate_series(0, 1) AS kind
)
INSERT INTO found_values (instance_id, name, value, ended_at)
SELECT m.id, v.name, v.value, m.ended_at
FROM made AS m
CROSS JOIN LATERAL (
    VALUES
        ('order_number', 'BO-' || m.n), ('product', 'P-' || m.n %% 40),
        ('robot', 'robot' || 1 + m.n %% 3), ('index', (m.n %% 6)::text),
        ('ok', (m.n %% 9 > 0)::text)
) AS v (name, value)
"""


def _finished(cursor: Any, versions: list[int], first: int, count: int) -> None:
    cursor.execute(
        _FINISHED,
        {
            "first": first,
            "count": count,
            "versions": versions,
            "key": KEY,
            "elements": list(ELEMENTS),
            "state": b"[1,[]]",
        },
    )


def _running(cursor: Any, definition_id: int, count: int) -> None:
    """Real states, each with ids of its own, at the robot's first drive."""
    engine, now = SpiffEngine(), SystemClock().now()
    definition = Definition("bench-2", KEY, 2, "", model(2))
    for number in range(count):
        variables = {"order_number": f"BR-{number}", "product": f"P-{number % 40}"}
        step = engine.advance(definition, None, Start(variables), now=now)
        wait = step.waits[0]
        cursor.execute(
            """
            WITH made AS (
                INSERT INTO instances (
                    id, definition_id, key, business_key, state, variables, started_at,
                    changed_at
                )
                VALUES (
                    gen_random_uuid(), %(definition)s, %(key)s, %(business_key)s,
                    %(state)s, %(variables)s,
                    now() - make_interval(secs => 86400 * random()),
                    now() - make_interval(secs => 3600 * random())
                )
                RETURNING id, changed_at
            ), stands AS (
                INSERT INTO visits (
                    task_id, instance_id, definition_id, element, entered_at
                )
                SELECT %(task)s::uuid, id, %(definition)s, 'fetch', changed_at
                FROM made
            ), works AS (
                INSERT INTO jobs (
                    task_id, instance_id, element, topic, retry_delays_s, state, run_at
                )
                SELECT
                    %(task)s::uuid, id, 'fetch', 'bench.work', '{1}',
                    CASE WHEN %(stuck)s THEN 'given_up' ELSE 'ready' END,
                    now() + interval '1 day'
                FROM made
            ), trouble AS (
                INSERT INTO incidents (
                    kind, message, instance_id, task_id, element, cause
                )
                SELECT
                    'job', 'RobotFailed: wheel ' || %(number)s %% 7 || ' is blocked',
                    id, %(task)s::uuid, 'fetch', 'job/fetch/RobotFailed'
                FROM made
                WHERE %(stuck)s
            ), lines AS (
                INSERT INTO events (at, kind, actor, instance_id, element, task_id)
                SELECT changed_at, 'entered', 'bench', id, 'fetch', %(task)s::uuid
                FROM made
            )
            INSERT INTO found_values (instance_id, name, value)
            SELECT id, 'order_number', %(business_key)s FROM made
            UNION ALL
            SELECT id, 'product', %(product)s FROM made
            """,
            {
                "definition": definition_id,
                "key": KEY,
                "business_key": variables["order_number"],
                "product": variables["product"],
                "state": step.snapshot.state,
                "variables": json.dumps(step.snapshot.variables),
                "task": wait.task_id,
                "number": number,
                "stuck": number % 20 == 0,
            },
        )


def _hours(cursor: Any, versions: list[int], finished: int) -> None:
    hours = 24 * 90
    cursor.execute(
        """
        INSERT INTO element_hours (
            definition_id, hour, element, visits, cancelled, seconds, waited_s,
            longest_s
        )
        SELECT
            d, date_trunc('hour', now(), 'UTC') - make_interval(hours => h), e,
            %(each)s, 0, %(each)s * 60 * random(), %(each)s * 20 * random(), 600
        FROM unnest(%(versions)s::bigint[]) AS d
        CROSS JOIN generate_series(0, %(hours)s) AS h
        CROSS JOIN unnest(%(elements)s::text[]) AS e
        """,
        {
            "versions": versions,
            "elements": list(ELEMENTS),
            "hours": hours,
            "each": finished // (2 * hours) + 1,
        },
    )
    cursor.execute(
        """
        INSERT INTO process_hours (
            definition_id, hour, started, completed, cancelled, failed, seconds
        )
        SELECT
            d, date_trunc('hour', now(), 'UTC') - make_interval(hours => h),
            %(each)s, %(each)s, 0, 0, %(each)s * 1800
        FROM unnest(%(versions)s::bigint[]) AS d
        CROSS JOIN generate_series(0, %(hours)s) AS h
        """,
        {"versions": versions, "hours": hours, "each": finished // (2 * hours) + 1},
    )
    cursor.execute(
        """
        INSERT INTO readers (name, transaction, line)
        SELECT 'tallies', max(transaction::text::bigint)::text::xid8, max(id)
        FROM events
        ON CONFLICT (name) DO UPDATE
        SET transaction = EXCLUDED.transaction, line = EXCLUDED.line
        """
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dsn")
    parser.add_argument("--finished", type=int, default=1_000_000)
    parser.add_argument("--running", type=int, default=10_000)
    given = parser.parse_args()
    fill(given.dsn, finished=given.finished, running=given.running)


if __name__ == "__main__":
    main()
