-- The log of what people did, found by what a line is about: a value of its data that
-- begins with what is looked for, in capitals or not. Only short values count, and no
-- reasons, which are sentences.
CREATE FUNCTION things_of(data json) RETURNS tsvector
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
