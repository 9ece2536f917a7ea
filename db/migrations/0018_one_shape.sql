-- Two earlier migrations were edited after databases had applied them: 0007 without the
-- index of open orders, 0017 with a function that refused lines of the history which
-- text cannot hold. From either edition this leads to the same shape.
CREATE INDEX IF NOT EXISTS orders_open_by_due ON orders (due)
    WHERE status IN ('waiting for release', 'new', 'in process');

DROP INDEX events_by_thing;
CREATE OR REPLACE FUNCTION things_of(data json) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT coalesce(array_to_tsvector(array_agg(lower(value))), ''::tsvector)
    FROM (
        SELECT value
        FROM json_each_text(
            CASE
                WHEN json_typeof(data) != 'object' THEN '{}'
                -- What JSON may say and text cannot hold must not refuse the line.
                WHEN data::text ~* '\\u(0000|d[89a-f])' THEN '{}'
                ELSE data
            END
        )
        WHERE key NOT IN ('reason', 'note') AND length(value) BETWEEN 1 AND 200
        LIMIT 200
    ) AS things
);
CREATE INDEX events_by_thing ON events USING gin (things_of(data))
    WHERE kind NOT IN (
        'entered', 'left', 'cancelled', 'variable', 'thrown', 'caught', 'failed',
        'decided', 'stuck', 'retried', 'job failed', 'goal sent', 'goal ended',
        'robot chosen', 'robot released', 'robot state'
    );
