-- Batch records: lines are added and never changed.

-- name: records_open, prepared
-- Records that begin now; whoever is first makes the row that all lock.
INSERT INTO record_heads (record)
SELECT unnest(%(records)s::text[])
ORDER BY 1
ON CONFLICT (record) DO NOTHING;

-- name: records_lock, prepared
-- Nobody else adds lines to these until the commit.
SELECT record, lines, hash, clock_timestamp()
FROM record_heads
WHERE record = ANY (%(records)s::text[])
ORDER BY record
FOR NO KEY UPDATE;

-- name: records_append, prepared
-- Lines that go on from the heads.
INSERT INTO record_lines (record, line, content, hash)
SELECT *
FROM unnest(
    %(records)s::text[], %(lines)s::integer[], %(contents)s::text[],
    %(hashes)s::text[]
);

-- name: records_move_heads, prepared
-- The heads after them.
UPDATE record_heads AS h
SET lines = last.lines, hash = last.hash, changed_at = clock_timestamp()
FROM unnest(
    %(records)s::text[], %(lines)s::integer[], %(hashes)s::text[]
) AS last (record, lines, hash)
WHERE h.record = last.record;

-- name: records_keys
-- What instances work for.
SELECT id, business_key
FROM instances
WHERE id = ANY (%(ids)s::uuid[]);

-- name: records_names
-- What people are called now.
SELECT login, name
FROM people
WHERE login = ANY (%(logins)s::text[]);

-- name: records_set_ended
-- Whether the order of a record has ended.
UPDATE record_heads
SET ended = %(ended)s
WHERE record = %(record)s;

-- name: records_lines
-- One record.
SELECT record, line, content, hash
FROM record_lines
WHERE record = %(record)s
ORDER BY line;

-- name: records_after
-- All records, in pieces.
SELECT record, line, content, hash
FROM record_lines
WHERE (record, line) > (%(record)s, %(line)s)
ORDER BY record, line
LIMIT %(limit)s;

-- name: records_heads
-- How far each record is.
SELECT record, lines, hash
FROM record_heads
ORDER BY record;
