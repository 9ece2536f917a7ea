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

-- name: records_lines_of
-- Lines of one record that say one of these.
SELECT record, line, content, hash
FROM record_lines
WHERE record = %(record)s AND what = ANY (%(what)s::text[])
ORDER BY line;

-- name: records_to_seal
-- Records of ended orders to which nothing was added for a while.
SELECT record
FROM record_heads
WHERE
    ended
    AND sealed_lines < lines
    AND record <> 'plant'
    AND changed_at <= clock_timestamp() - make_interval(secs => %(quiet_s)s)
ORDER BY changed_at
LIMIT %(limit)s
FOR NO KEY UPDATE SKIP LOCKED;

-- name: records_set_sealed
-- The seal is a line and covers those before it.
UPDATE record_heads
SET sealed_lines = %(lines)s
WHERE record = %(record)s;

-- name: records_unnoted
-- Open records that are longer than the plant's record says.
SELECT record, lines, hash
FROM record_heads
WHERE
    GREATEST(noted_lines, sealed_lines) < lines
    AND record <> 'plant'
ORDER BY record
LIMIT 500
FOR NO KEY UPDATE SKIP LOCKED;

-- name: records_set_noted
-- The plant's record tells of these heads.
UPDATE record_heads AS h
SET noted_lines = told.lines
FROM unnest(%(records)s::text[], %(lines)s::integer[]) AS told (record, lines)
WHERE h.record = told.record;

-- name: records_orders_since_first
-- Orders of which there must be a record: those that came after the first one.
SELECT number
FROM orders
WHERE received_at > (SELECT min(opened_at) FROM record_heads)
ORDER BY number;

-- name: records_head
-- How far one record is.
SELECT record, lines, hash
FROM record_heads
WHERE record = %(record)s;
