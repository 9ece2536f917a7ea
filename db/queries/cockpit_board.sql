-- name: cockpit_trends
-- Instances that began and ended, hour by hour, of each process.
SELECT
    d.key, h.hour, sum(h.started), sum(h.completed), sum(h.cancelled),
    sum(h.failed), sum(h.seconds)
FROM process_hours AS h
JOIN definitions AS d ON d.id = h.definition_id
WHERE h.hour >= %(since)s::timestamptz
GROUP BY d.key, h.hour
ORDER BY d.key, h.hour;

-- name: cockpit_versions
-- The versions of a process, the newest first, and how many instances run each.
SELECT d.id, d.version, d.name, d.deployed_at, d.deployed_by, COALESCE(a.active, 0)
FROM definitions AS d
LEFT JOIN (
    SELECT definition_id, count(*) AS active
    FROM instances
    WHERE ended_at IS NULL AND key = %(key)s
    GROUP BY definition_id
) AS a ON a.definition_id = d.id
WHERE d.key = %(key)s
ORDER BY d.version DESC;

-- name: cockpit_places
-- Where the tokens of these instances stand; without element: their open incidents.
SELECT v.instance_id, v.element, count(*), count(n.id)
FROM visits AS v
LEFT JOIN incidents AS n ON n.task_id = v.task_id AND n.resolved_at IS NULL
WHERE v.instance_id = ANY (%(ids)s::uuid[])
GROUP BY v.instance_id, v.element
UNION ALL
SELECT instance_id, NULL, 0, count(*)
FROM incidents
WHERE resolved_at IS NULL AND instance_id = ANY (%(ids)s::uuid[])
GROUP BY instance_id;
