-- name: orders_insert
-- Add an order unless its number is taken.
INSERT INTO orders (
    number, product, due, priority, customer, status, instance_id, received_at,
    started_at, ended_at
)
VALUES (
    %(number)s, %(product)s, %(due)s::date, %(priority)s, %(customer)s, %(status)s,
    %(instance_id)s::uuid, COALESCE(%(received_at)s::timestamptz, now()),
    %(started_at)s::timestamptz, %(ended_at)s::timestamptz
)
ON CONFLICT (number) DO NOTHING;

-- name: orders_insert_lines
-- Add the raw materials of an order; they are counted from zero.
INSERT INTO order_lines (order_number, line, material, name, required_kg, lot)
SELECT
    %(number)s, line.place - 1, line.material, line.name, line.required_kg, line.lot
FROM unnest(
    %(materials)s::text[], %(names)s::text[], %(required_kg)s::numeric[],
    %(lots)s::text[]
) WITH ORDINALITY AS line (material, name, required_kg, lot, place);

-- name: orders_get
-- One order with its raw materials.
SELECT
    o.number, o.product, o.due, o.priority, o.customer, o.status, o.received_at,
    o.started_at, o.ended_at, o.instance_id,
    l.materials, l.names, l.required_kg, l.lots
FROM orders AS o
CROSS JOIN LATERAL (
    SELECT
        array_agg(material ORDER BY line) AS materials,
        array_agg(name ORDER BY line) AS names,
        array_agg(required_kg ORDER BY line) AS required_kg,
        array_agg(lot ORDER BY line) AS lots
    FROM order_lines
    WHERE order_number = o.number
) AS l
WHERE o.number = %(number)s;

-- name: orders_list
-- The newest orders with their raw materials.
SELECT
    o.number, o.product, o.due, o.priority, o.customer, o.status, o.received_at,
    o.started_at, o.ended_at, o.instance_id,
    l.materials, l.names, l.required_kg, l.lots
FROM (
    SELECT
        number, product, due, priority, customer, status, received_at, started_at,
        ended_at, instance_id
    FROM orders
    ORDER BY received_at DESC, number DESC
    LIMIT %(limit)s
) AS o
CROSS JOIN LATERAL (
    SELECT
        array_agg(material ORDER BY line) AS materials,
        array_agg(name ORDER BY line) AS names,
        array_agg(required_kg ORDER BY line) AS required_kg,
        array_agg(lot ORDER BY line) AS lots
    FROM order_lines
    WHERE order_number = o.number
) AS l
ORDER BY o.received_at DESC, o.number DESC;

-- name: orders_some
-- These orders with their raw materials.
SELECT
    o.number, o.product, o.due, o.priority, o.customer, o.status, o.received_at,
    o.started_at, o.ended_at, o.instance_id,
    l.materials, l.names, l.required_kg, l.lots
FROM orders AS o
CROSS JOIN LATERAL (
    SELECT
        array_agg(material ORDER BY line) AS materials,
        array_agg(name ORDER BY line) AS names,
        array_agg(required_kg ORDER BY line) AS required_kg,
        array_agg(lot ORDER BY line) AS lots
    FROM order_lines
    WHERE order_number = o.number
) AS l
WHERE o.number = ANY(%(numbers)s::text[]);

-- name: orders_next_new
-- Lock the most urgent order that nobody works on.
SELECT number
FROM orders
WHERE status = 'new' AND instance_id IS NULL
ORDER BY
    array_position(ARRAY['urgent', 'high', 'normal', 'low'], priority),
    due NULLS LAST, received_at, number
LIMIT 1
FOR NO KEY UPDATE SKIP LOCKED;

-- name: orders_assign
-- Tie an order to its instance, once.
UPDATE orders
SET instance_id = %(instance_id)s::uuid
WHERE number = %(number)s AND instance_id IS NULL;

-- name: orders_set_status
-- Change the status and its times, and tell the old status.
UPDATE orders
SET
    status = %(status)s,
    started_at = CASE
        WHEN %(started)s THEN COALESCE(orders.started_at, clock_timestamp())
        ELSE orders.started_at
    END,
    ended_at = CASE
        WHEN %(ended)s THEN COALESCE(orders.ended_at, clock_timestamp())
    END
FROM (
    SELECT number, status
    FROM orders
    WHERE number = %(number)s
    FOR NO KEY UPDATE
) AS before
WHERE orders.number = before.number
RETURNING before.status;

-- name: orders_record_load
-- What was weighed for one raw material.
UPDATE order_lines
SET
    measured_kg = %(measured_kg)s::numeric,
    loaded_lot = %(lot)s,
    loaded_at = CASE
        WHEN %(measured_kg)s::numeric IS NOT NULL THEN clock_timestamp()
    END
WHERE order_number = %(number)s AND line = %(line)s;

-- name: orders_record_next_load
-- What was weighed for the first raw material of this kind that has no weight yet.
UPDATE order_lines
SET
    measured_kg = %(measured_kg)s::numeric,
    loaded_lot = %(lot)s,
    loaded_at = clock_timestamp()
WHERE (order_number, line) = (
    SELECT order_number, line
    FROM order_lines
    WHERE
        order_number = %(number)s
        AND material = %(material)s
        AND loaded_at IS NULL
    ORDER BY line
    LIMIT 1
    FOR UPDATE
)
RETURNING name, required_kg;

-- name: orders_hold
-- Lock an order until the end of the transaction.
SELECT number FROM orders WHERE number = %(number)s FOR NO KEY UPDATE;

-- name: orders_change
-- Another urgency, another due date.
UPDATE orders
SET priority = %(priority)s, due = %(due)s::date
WHERE number = %(number)s;

-- name: orders_take_off
-- So much less of each line: a part becomes an order of its own.
UPDATE order_lines AS l
SET required_kg = l.required_kg - part.kg
FROM unnest(%(kg)s::numeric[]) WITH ORDINALITY AS part (kg, place)
WHERE l.order_number = %(number)s AND l.line = part.place - 1;

-- name: orders_taken
-- Whether an order has this number.
SELECT true
FROM orders
WHERE number = %(number)s;

-- name: orders_lock
-- Make an order ready while nobody looks for one, until the commit.
SELECT pg_advisory_xact_lock(hashtext('mpms orders'));

-- name: orders_lock_shared
-- Look for an order while nobody makes one ready, until the commit.
SELECT pg_advisory_xact_lock_shared(hashtext('mpms orders'));

-- name: orders_counts
-- How many stand where, and how many of those are late.
SELECT status, count(*), count(*) FILTER (WHERE due < current_date)
FROM orders
WHERE status IN ('waiting for release', 'new', 'in process')
GROUP BY status;

-- name: orders_open_with
-- Open orders that need a material, the oldest first.
SELECT o.number
FROM orders AS o
WHERE
    o.status IN ('waiting for release', 'new', 'in process')
    AND EXISTS (
        SELECT
        FROM order_lines AS l
        WHERE l.order_number = o.number AND l.material = %(material)s
    )
ORDER BY o.received_at, o.number;

-- name: orders_running
-- Orders that are being made, the one that changed last first.
SELECT o.number, o.product, o.instance_id
FROM orders AS o
JOIN instances AS i ON i.id = o.instance_id
WHERE o.status = 'in process' AND i.status = 'active'
ORDER BY i.changed_at DESC
LIMIT %(limit)s;

-- name: orders_on_floor
-- What orders that are being made have in their tank and on their robot.
SELECT
    o.number,
    o.product,
    coalesce(i.variables ->> 'tank', ''),
    json_array_length(
        CASE json_typeof(i.variables -> 'loaded')
            WHEN 'array' THEN i.variables -> 'loaded' ELSE '[]'
        END
    )::float8 / greatest(
        (SELECT count(*) FROM order_lines AS l WHERE l.order_number = o.number), 1
    ),
    h.robot,
    CASE WHEN i.variables ->> 'on_robot' = 'true'
        THEN i.variables -> 'material' ->> 'name'
    END,
    EXISTS (
        SELECT
        FROM tasks AS t
        WHERE t.instance_id = i.id AND starts_with(t.form, %(decision_form)s)
    ) OR EXISTS (
        SELECT
        FROM incidents AS n
        WHERE n.instance_id = i.id AND n.resolved_at IS NULL
    )
FROM orders AS o
JOIN instances AS i ON i.id = o.instance_id
LEFT JOIN robot_holds AS h ON h.instance_id = i.id
WHERE o.status = 'in process' AND i.status = 'active'
ORDER BY 4 DESC, o.number
LIMIT %(limit)s;

-- name: orders_of_instance
-- The order that an instance makes.
SELECT number
FROM orders
WHERE instance_id = %(instance_id)s::uuid;

-- name: orders_reassign
-- Another instance goes on with an order.
UPDATE orders
SET instance_id = %(instance_id)s::uuid
WHERE number = %(number)s;

-- name: orders_late
-- How many instances of each process make an order that was due before a day.
SELECT i.key, count(*)
FROM instances AS i
JOIN orders AS o ON o.instance_id = i.id
WHERE
    i.ended_at IS NULL
    AND o.due < %(today)s::date
    AND o.status IN ('waiting for release', 'new', 'in process')
GROUP BY i.key;

-- name: orders_tally
-- Count orders that came and ended. Compared as text: reading into JSON fails where
-- somebody typed a null character.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, at, kind, data
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind IN ('order accepted', 'order status')
    ORDER BY transaction, id
    LIMIT %(limit)s
)
INSERT INTO order_hours AS h (hour, received, done, cancelled)
SELECT
    date_trunc('hour', at, 'UTC'),
    count(*) FILTER (WHERE kind = 'order accepted'),
    count(*) FILTER (
        WHERE kind = 'order status' AND (
            data::text LIKE '%%"new":"done"%%'
            OR data::text LIKE '%%"new":"completed manually"%%'
        )
    ),
    count(*) FILTER (
        WHERE kind = 'order status' AND data::text LIKE '%%"new":"cancelled"%%'
    )
FROM lines
GROUP BY 1
ORDER BY 1
ON CONFLICT (hour) DO UPDATE SET
    received = h.received + EXCLUDED.received,
    done = h.done + EXCLUDED.done,
    cancelled = h.cancelled + EXCLUDED.cancelled;

-- name: orders_undecided
-- How many wait until somebody releases them, and how many nobody works on: not begun
-- after two minutes, or with a process that has ended without them.
SELECT
    '1 order waits for release' AS one,
    '{n} orders wait for release' AS several,
    '/orders?status=waiting+for+release' AS address,
    count(*)
FROM orders
WHERE status = 'waiting for release'
UNION ALL
SELECT
    'Nobody works on 1 order',
    'Nobody works on {n} orders',
    '/orders?idle=1',
    count(*)
FROM orders AS o
WHERE
    (
        o.status = 'in process'
        OR (
            o.status = 'new'
            AND o.received_at < clock_timestamp() - interval '2 minutes'
        )
    )
    AND NOT EXISTS (
        SELECT
        FROM instances AS i
        WHERE i.id = o.instance_id AND i.status = 'active'
    )
    AND NOT EXISTS (
        SELECT
        FROM instances AS i
        WHERE i.business_key = o.number AND i.status = 'active'
    );

-- name: orders_pages
-- Which of these business keys are numbers of orders, and where their pages are.
SELECT number, '/orders/{key}' FROM orders WHERE number = ANY (%(keys)s::text[]);

-- name: orders_known
-- Which of these business keys are numbers of orders.
SELECT number FROM orders WHERE number = ANY (%(keys)s::text[]);
