-- name: cases_things
-- The order of each instance, the lots of its materials, and the robots of its drives.
-- A lot is known by its number alone: that is all a form says. Loads and answers that
-- hold what text cannot have no lot here, but refuse nothing.
SELECT i.id::text, 'order', o.number, 'concerns', NULL::text
FROM instances AS i
JOIN orders AS o ON o.number = i.business_key
WHERE i.id = ANY (%(ids)s::uuid[])
UNION
SELECT i.id::text, 'lot', coalesce(line.loaded_lot, line.lot), 'uses', NULL::text
FROM instances AS i
JOIN order_lines AS line ON line.order_number = i.business_key
WHERE i.id = ANY (%(ids)s::uuid[]) AND coalesce(line.loaded_lot, line.lot) <> ''
UNION
SELECT i.id::text, 'lot', load ->> 'lot', 'uses', NULL::text
FROM instances AS i
CROSS JOIN LATERAL json_array_elements(
    CASE
        WHEN json_typeof(i.variables -> 'loaded') IS DISTINCT FROM 'array' THEN '[]'
        WHEN (i.variables -> 'loaded')::text ~* '\\u(0000|d[89a-f])' THEN '[]'
        ELSE i.variables -> 'loaded'
    END
) AS load
WHERE i.id = ANY (%(ids)s::uuid[]) AND load ->> 'lot' <> ''
UNION
SELECT line.instance_id::text, 'lot', said.answers ->> 'lot', 'uses', line.task_id::text
FROM events AS line
CROSS JOIN LATERAL (
    SELECT
        CASE
            WHEN (line.data -> 'answers')::text ~* '\\u(0000|d[89a-f])' THEN '{}'
            ELSE line.data -> 'answers'
        END AS answers
) AS said
WHERE
    line.instance_id = ANY (%(ids)s::uuid[])
    AND line.kind = 'form answered'
    AND said.answers ->> 'lot' <> ''
UNION
SELECT goal.instance_id::text, 'robot', goal.robot, 'performs', goal.task_id::text
FROM drives AS goal
WHERE goal.instance_id = ANY (%(ids)s::uuid[])
ORDER BY 1, 2, 3, 5;
