-- name: tank_runs_state
-- What was known of a request before.
SELECT state FROM tank_runs WHERE key = %(key)s FOR UPDATE;

-- name: tank_runs_note
-- What a tank says of a request now; silence changes neither values nor the time.
INSERT INTO tank_runs (
    key, tank, order_number, state, why, temperature_c, speed_rpm, heard_at
)
VALUES (
    %(key)s, %(tank)s, %(order_number)s, %(state)s, %(why)s, %(temperature_c)s,
    %(speed_rpm)s, CASE WHEN %(heard)s THEN clock_timestamp() END
)
ON CONFLICT (key) DO UPDATE SET
    state = excluded.state,
    why = excluded.why,
    temperature_c = CASE
        WHEN %(heard)s THEN excluded.temperature_c ELSE tank_runs.temperature_c
    END,
    speed_rpm = CASE
        WHEN %(heard)s THEN excluded.speed_rpm ELSE tank_runs.speed_rpm
    END,
    heard_at = COALESCE(excluded.heard_at, tank_runs.heard_at)
RETURNING
    key,
    tank,
    order_number,
    state,
    why,
    temperature_c,
    speed_rpm,
    asked_at,
    heard_at,
    extract(
        EPOCH FROM clock_timestamp() - COALESCE(heard_at, asked_at)
    )::float8;

-- name: tank_runs_of_order
-- The requests of an order, the newest first.
SELECT
    key,
    tank,
    order_number,
    state,
    why,
    temperature_c,
    speed_rpm,
    asked_at,
    heard_at
FROM tank_runs
WHERE order_number = %(order_number)s
ORDER BY asked_at DESC, key;

-- name: tank_contents_get
-- What was made in a tank last, and whether it was cleaned since.
SELECT tank, product, order_number, cleaned_at, cleaned_by
FROM tank_contents
WHERE tank = %(tank)s;

-- name: tank_contents_fill
-- A product is in the tank, so it is no longer clean.
INSERT INTO tank_contents (tank, product, order_number)
VALUES (%(tank)s, %(product)s, %(order_number)s)
ON CONFLICT (tank) DO UPDATE SET
    product = excluded.product,
    order_number = excluded.order_number,
    filled_at = clock_timestamp(),
    cleaned_at = NULL,
    cleaned_by = NULL;

-- name: tank_contents_clean
-- Somebody has cleaned it.
UPDATE tank_contents
SET cleaned_at = clock_timestamp(), cleaned_by = %(by)s
WHERE tank = %(tank)s;
