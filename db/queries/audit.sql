-- name: audit_lines
-- What people did, newest first. The first kinds left out are those of the index; what
-- remains of machines is told by who wrote it. Who types commands need not be in people.
SELECT
    e.id, e.at, e.kind, e.actor, e.instance_id, e.element, e.data,
    i.business_key, i.key
FROM events AS e
LEFT JOIN instances AS i ON i.id = e.instance_id
WHERE
    e.kind NOT IN (
        'entered', 'left', 'cancelled', 'variable', 'thrown', 'caught', 'failed',
        'decided', 'stuck', 'retried', 'job failed', 'goal sent', 'goal ended',
        'robot chosen', 'robot released', 'robot state'
    )
    AND (
        EXISTS (SELECT FROM people AS p WHERE p.login = e.actor)
        OR NOT (
            e.actor IN ('mpms', 'mail', 'fleet', 'process')
            OR e.kind LIKE 'instance %%'
            OR e.kind IN (
                'incident', 'incident over', 'order status', 'order accepted',
                'dropped'
            )
        )
    )
    AND (%(actor)s::text IS NULL OR e.actor = %(actor)s::text)
    AND (%(kind)s::text IS NULL OR e.kind = %(kind)s::text)
    AND (%(since)s::timestamptz IS NULL OR e.at >= %(since)s::timestamptz)
    AND (%(until)s::timestamptz IS NULL OR e.at < %(until)s::timestamptz)
    AND (
        %(thing)s::text IS NULL
        OR e.instance_id::text = %(thing)s::text
        OR i.business_key = %(thing)s::text
        OR e.data::text ILIKE %(part)s::text
    )
    AND (
        %(below_at)s::timestamptz IS NULL
        OR (e.at, e.id) < (%(below_at)s::timestamptz, %(below_id)s::bigint)
    )
ORDER BY e.at DESC, e.id DESC
LIMIT %(limit)s;
