-- Which lots went into which orders, and on from there, from the lines of batch records.

-- name: genealogy_of_lot
-- All loads that a lot went into, forwards (into products, and into what these were
-- loaded into), or that a product's lot was made of, backwards; the nearest first.
WITH RECURSIVE way AS (
    SELECT 'forwards' AS direction, record, material, lot, 1 AS depth
    FROM record_lines
    WHERE what = 'loaded' AND lot = %(lot)s
    UNION
    SELECT 'backwards', loaded.record, loaded.material, loaded.lot, 1
    FROM record_lines AS produced
    JOIN record_lines AS loaded
        ON loaded.record = produced.record AND loaded.what = 'loaded'
    WHERE produced.what = 'produced' AND produced.lot = %(lot)s
    UNION
    SELECT
        way.direction, next.record, next.material, next.lot, way.depth + 1
    FROM way
    CROSS JOIN LATERAL (
        SELECT used.record, used.material, used.lot
        FROM record_lines AS made
        JOIN record_lines AS used ON used.what = 'loaded' AND used.lot = made.lot
        WHERE
            way.direction = 'forwards'
            AND made.record = way.record
            AND made.what = 'produced'
        UNION ALL
        SELECT used.record, used.material, used.lot
        FROM record_lines AS made
        JOIN record_lines AS used ON used.what = 'loaded' AND used.record = made.record
        WHERE
            way.direction = 'backwards'
            AND made.what = 'produced'
            AND made.lot = way.lot
    ) AS next
    WHERE way.depth < %(deepest)s
)
SELECT
    way.direction, way.record, way.material, way.lot, min(way.depth),
    o.product, o.customer, o.status, o.ended_at,
    (
        SELECT sum((l.content::jsonb #>> '{data,kg}')::numeric)
        FROM record_lines AS l
        WHERE
            l.record = way.record AND l.what = 'loaded' AND l.lot = way.lot
            AND l.material = way.material
    )
FROM way
LEFT JOIN orders AS o ON o.number = way.record
GROUP BY way.direction, way.record, way.material, way.lot, o.number
ORDER BY min(way.depth), way.record, way.material, way.lot
LIMIT %(limit)s;

-- name: genealogy_in_plant
-- What is still there of a lot: where, and for which open orders it is planned or loaded.
SELECT s.place, s.grams, string_agg(DISTINCT p.order_number, ', ')
FROM stock AS s
LEFT JOIN order_picks AS p
    ON (p.state = 'planned' AND p.lot = s.lot AND p.place = s.place)
    OR (
        p.state = 'on robot' AND p.loaded_lot = s.lot
        AND s.place = '@' || p.robot
    )
WHERE s.lot = %(lot)s AND s.grams > 0
GROUP BY s.place, s.grams
ORDER BY s.place;

-- name: genealogy_of_supplier
-- Our lots that a supplier calls so, or delivered under this code.
SELECT lot, material
FROM lots
WHERE supplier_lot = %(text)s OR supplier = %(text)s
ORDER BY received_at DESC, lot
LIMIT %(limit)s;

-- name: genealogy_lots
-- Lots whose name begins so, newest records first.
SELECT lot, material, what
FROM record_lines
WHERE what IN ('loaded', 'produced') AND lot >= %(text)s AND lot < %(text)s || U&'\FFFF'
GROUP BY lot, material, what
ORDER BY lot, material
LIMIT %(limit)s;
