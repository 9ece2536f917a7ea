-- Up to which line the plant's record has told of an open record.
ALTER TABLE record_heads ADD noted_lines integer NOT NULL DEFAULT 0;
CREATE INDEX record_heads_to_note ON record_heads (record)
    WHERE GREATEST(noted_lines, sealed_lines) < lines;
