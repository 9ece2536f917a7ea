-- How a batch went, written down once it has ended: nobody counts its items again.
ALTER TABLE batches
    ADD COLUMN items bigint NOT NULL DEFAULT 0,
    ADD COLUMN done bigint,
    ADD COLUMN failed bigint;
CREATE INDEX batches_open ON batches (id) WHERE ended_at IS NULL;
CREATE INDEX batch_items_by_state ON batch_items (batch_id, state, place);
