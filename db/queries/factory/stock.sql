-- name: lots_insert
-- Add a lot unless its number is taken.
INSERT INTO lots (
    lot, material, supplier, supplier_lot, state, expires_on, received_by
)
VALUES (
    %(lot)s, %(material)s, %(supplier)s, %(supplier_lot)s, %(state)s,
    %(expires_on)s::date, %(by)s
)
ON CONFLICT (lot) DO NOTHING;

-- name: lots_get
-- One lot.
SELECT
    lot, material, state, expires_on, supplier, supplier_lot, received_at, received_by
FROM lots
WHERE lot = %(lot)s;

-- name: lots_lock
-- One lot, which nobody else moves until the commit.
SELECT
    lot, material, state, expires_on, supplier, supplier_lot, received_at, received_by
FROM lots
WHERE lot = %(lot)s
FOR NO KEY UPDATE;

-- name: lots_change
-- Its state and expiry.
UPDATE lots
SET state = %(state)s, expires_on = %(expires_on)s::date
WHERE lot = %(lot)s;

-- name: lots_list
-- Lots, of one material or of all; those that are used up last.
SELECT
    lot, material, state, expires_on, supplier, supplier_lot, received_at, received_by
FROM lots
WHERE %(material)s::text IS NULL OR material = %(material)s
ORDER BY material, state = 'used up', expires_on NULLS LAST, received_at, lot
LIMIT 10000;

-- name: lots_materials
-- Those of these materials of which there ever was a lot.
SELECT DISTINCT material
FROM lots
WHERE material = ANY (%(materials)s::text[]);

-- name: stock_move
-- Add moves; a trigger changes what lies where.
INSERT INTO stock_moves (
    lot, place, grams, kind, order_number, line, reason, moved_by
)
SELECT *
FROM unnest(
    %(lots)s::text[], %(places)s::text[], %(grams)s::bigint[], %(kinds)s::text[],
    %(orders)s::text[], %(lines)s::integer[], %(reasons)s::text[], %(by)s::text[]
);

-- name: stock_held
-- What lies where.
SELECT lot, place, grams
FROM stock
WHERE
    grams > 0
    AND (%(lot)s::text IS NULL OR lot = %(lot)s)
    AND (%(place)s::text IS NULL OR place = %(place)s)
ORDER BY place, lot;

-- name: stock_of_materials
-- What lies of these materials at places of the floor.
SELECT
    l.lot, l.material, l.state, l.expires_on, l.supplier, l.supplier_lot,
    l.received_at, l.received_by, s.place, s.grams
FROM lots AS l
JOIN stock AS s ON s.lot = l.lot
WHERE
    l.material = ANY (%(materials)s::text[])
    AND s.grams > 0
    AND s.place NOT LIKE '@%%'
ORDER BY l.expires_on NULLS LAST, l.received_at, l.lot, s.place;

-- name: stock_totals
-- How much of each material lies at places, of lots that may be used and of all.
SELECT
    l.material,
    COALESCE(sum(s.grams) FILTER (
        WHERE
            l.state = 'released'
            AND (l.expires_on IS NULL OR l.expires_on >= %(today)s::date)
    ), 0)::bigint,
    COALESCE(sum(s.grams), 0)::bigint
FROM lots AS l
LEFT JOIN stock AS s ON s.lot = l.lot AND s.place NOT LIKE '@%%'
GROUP BY l.material
ORDER BY l.material;

-- name: stock_told_short
-- Incidents about materials that run short: those that are open, and those that a
-- person has put aside for a day.
SELECT id, message, resolved_at IS NULL
FROM incidents
WHERE
    kind = %(kind)s
    AND (
        resolved_at IS NULL
        OR (
            resolved_by <> %(by)s
            AND resolved_at > now() - make_interval(secs => %(aside_s)s)
        )
    )
ORDER BY id;

-- name: stock_lock_short
-- Of several workers one tells.
SELECT pg_advisory_xact_lock(hashtext('mpms materials run short'));

-- name: stock_moves_list
-- What was moved, the newest first.
SELECT
    lot, place, grams, kind, moved_by, order_number, line, reason, moved_at, id
FROM stock_moves
WHERE
    (%(lot)s::text IS NULL OR lot = %(lot)s)
    AND (%(order_number)s::text IS NULL OR order_number = %(order_number)s)
ORDER BY id DESC
LIMIT %(limit)s;

-- name: picks_of_orders
-- Where the material of these orders comes from, in the order of the drives.
SELECT
    order_number, pick, line, material, place, grams, lot, state, robot, loaded_lot,
    loaded_place, loaded_grams, loaded_by, loaded_at, used_at, planned_from, planned_to
FROM order_picks
WHERE order_number = ANY (%(order_numbers)s::text[])
ORDER BY order_number, pick;

-- name: picks_delete_planned
-- What is planned and not begun is planned anew.
DELETE FROM order_picks
WHERE order_number = %(order_number)s AND state = 'planned';

-- name: picks_insert
-- What is to be fetched for an order.
INSERT INTO order_picks (order_number, pick, line, material, place, grams, lot)
SELECT %(order_number)s, p.pick, p.line, p.material, p.place, p.grams, p.lot
FROM unnest(
    %(picks)s::integer[], %(lines)s::integer[], %(materials)s::text[],
    %(places)s::text[], %(grams)s::bigint[], %(lots)s::text[]
) AS p (pick, line, material, place, grams, lot);

-- name: picks_save
-- What became of one of them.
INSERT INTO order_picks (
    order_number, pick, line, material, place, grams, lot, state, robot, loaded_lot,
    loaded_place, loaded_grams, loaded_by, loaded_at, used_at
)
VALUES (
    %(order_number)s, %(pick)s, %(line)s, %(material)s, %(place)s, %(grams)s, %(lot)s,
    %(state)s, %(robot)s, %(loaded_lot)s, %(loaded_place)s, %(loaded_grams)s,
    %(loaded_by)s, CASE WHEN %(loaded_grams)s::bigint IS NOT NULL THEN now() END,
    CASE WHEN %(state)s = 'used' THEN now() END
)
ON CONFLICT (order_number, pick) DO UPDATE SET
    place = EXCLUDED.place,
    grams = EXCLUDED.grams,
    lot = EXCLUDED.lot,
    state = EXCLUDED.state,
    robot = EXCLUDED.robot,
    loaded_lot = EXCLUDED.loaded_lot,
    loaded_place = EXCLUDED.loaded_place,
    loaded_grams = EXCLUDED.loaded_grams,
    loaded_by = EXCLUDED.loaded_by,
    loaded_at = COALESCE(order_picks.loaded_at, EXCLUDED.loaded_at),
    used_at = COALESCE(order_picks.used_at, EXCLUDED.used_at);

-- name: picks_drop_planned
-- Nobody fetches these any more.
UPDATE order_picks
SET state = 'dropped'
WHERE order_number = %(order_number)s AND state = 'planned';

-- name: picks_promised
-- What open orders have been promised of these lots.
SELECT p.lot, p.place, sum(p.grams)::bigint
FROM order_picks AS p
JOIN orders AS o ON o.number = p.order_number
WHERE
    p.state = 'planned'
    AND p.lot = ANY (%(lots)s::text[])
    AND p.order_number IS DISTINCT FROM %(without)s::text
    AND o.status IN ('waiting for release', 'new', 'in process')
GROUP BY p.lot, p.place;

-- name: picks_carried
-- What lies on a robot.
SELECT
    order_number, pick, line, material, place, grams, lot, state, robot, loaded_lot,
    loaded_place, loaded_grams, loaded_by, loaded_at, used_at, planned_from, planned_to
FROM order_picks
WHERE state = 'on robot' AND robot = %(robot)s
ORDER BY loaded_at, order_number, pick;

-- name: picks_plan_times
-- When each is to be fetched, as planned now.
UPDATE order_picks AS p
SET planned_from = t.starts_at, planned_to = t.ends_at
FROM unnest(
    %(orders)s::text[], %(picks)s::integer[], %(from)s::timestamptz[],
    %(to)s::timestamptz[]
) AS t (order_number, pick, starts_at, ends_at)
WHERE p.order_number = t.order_number AND p.pick = t.pick;

-- name: picks_carriers
-- Which robots carry material, and of which order.
SELECT DISTINCT ON (robot) robot, order_number
FROM order_picks
WHERE state = 'on robot' AND robot IS NOT NULL
ORDER BY robot, loaded_at;

-- name: picks_left_over
-- What lies on robots of orders that have ended, and no process brings back.
SELECT
    p.order_number, p.pick, p.line, p.material, p.place, p.grams, p.lot, p.state,
    p.robot, p.loaded_lot, p.loaded_place, p.loaded_grams, p.loaded_by, p.loaded_at,
    p.used_at, p.planned_from, p.planned_to
FROM order_picks AS p
JOIN orders AS o ON o.number = p.order_number
WHERE
    p.state = 'on robot'
    AND p.robot IS NOT NULL
    AND o.status IN ('done', 'cancelled', 'completed manually')
    AND NOT EXISTS (
        SELECT
        FROM instances AS i
        WHERE i.business_key = p.order_number AND i.status = 'active'
    )
ORDER BY p.robot, p.loaded_at, p.order_number, p.pick;

-- name: picks_told_left_over
-- Open incidents that tell of such a load.
SELECT id, message
FROM incidents
WHERE kind = %(kind)s AND resolved_at IS NULL
ORDER BY id;

-- name: picks_lock_left_over
-- Of several workers one tells.
SELECT pg_advisory_xact_lock(hashtext('mpms loads left over'));

-- name: picks_answered_before
-- Who answered the form before this one.
SELECT answered_by
FROM answers
WHERE instance_id = %(instance_id)s::uuid AND task_id <> %(task_id)s::uuid
ORDER BY answered_at DESC
LIMIT 1;

-- name: picks_last_answer_by
-- Who answered the last form of a process.
SELECT answered_by
FROM answers
WHERE instance_id = %(instance_id)s::uuid
ORDER BY answered_at DESC
LIMIT 1;
