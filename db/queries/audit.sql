-- name: audit_lines
-- What people did, newest first. The first kinds left out are those of the index, then
-- those that plug-ins leave out; what remains of machines is told by who wrote it. Who
-- types commands need not be in people.
-- ids: lines about a thing, where audit_about has found them all.
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
            e.actor = ANY (%(machines)s::text[])
            OR e.kind = ANY (%(by_people)s::text[])
        )
    )
    AND e.kind <> ALL (%(never)s::text[])
    AND (%(actor)s::text IS NULL OR e.actor = %(actor)s::text)
    AND (%(kind)s::text IS NULL OR e.kind = %(kind)s::text)
    AND (%(since)s::timestamptz IS NULL OR e.at >= %(since)s::timestamptz)
    AND (%(until)s::timestamptz IS NULL OR e.at < %(until)s::timestamptz)
    AND (%(ids)s::bigint[] IS NULL OR e.id = ANY (%(ids)s::bigint[]))
    AND (
        %(begins)s::text IS NULL
        OR e.instance_id = %(instance_id)s::uuid
        OR i.business_key = %(business_key)s::text
        OR things_of(e.data) @@ lower(%(begins)s)::tsquery
    )
    AND (
        %(below_at)s::timestamptz IS NULL
        OR (e.at, e.id) < (%(below_at)s::timestamptz, %(below_id)s::bigint)
    )
ORDER BY e.at DESC, e.id DESC
LIMIT %(limit)s;

-- name: audit_about
-- Lines about a thing, as many as asked for. Nobody can say beforehand how many lines
-- have a value that begins so; if they are few, they are fetched, and sorted then.
SELECT id FROM events
WHERE
    things_of(data) @@ lower(%(begins)s)::tsquery
    AND kind NOT IN (
        'entered', 'left', 'cancelled', 'variable', 'thrown', 'caught', 'failed',
        'decided', 'stuck', 'retried', 'job failed', 'goal sent', 'goal ended',
        'robot chosen', 'robot released', 'robot state'
    )
UNION ALL
SELECT e.id FROM instances AS i
INNER JOIN events AS e ON e.instance_id = i.id
WHERE i.business_key = %(business_key)s
UNION ALL
SELECT id FROM events WHERE instance_id = %(instance_id)s::uuid
LIMIT %(limit)s;
