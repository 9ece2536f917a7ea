-- Webhooks read the history each at its own pace and tell how they fare.
ALTER TABLE webhooks
    ADD COLUMN transaction xid8 NOT NULL DEFAULT '0',
    ADD COLUMN line bigint NOT NULL DEFAULT 0,
    ADD COLUMN failures integer NOT NULL DEFAULT 0,
    ADD COLUMN sent_at timestamptz,
    ADD COLUMN sent_event bigint;
