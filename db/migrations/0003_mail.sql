-- Orders by e-mail: what became of each message, and the replies still to be sent.

CREATE TABLE mails (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account text NOT NULL,
    folder text NOT NULL,
    uidvalidity bigint NOT NULL,
    uid bigint NOT NULL,
    sha256 text NOT NULL,
    size_bytes bigint NOT NULL,
    sender text,
    message_id text,
    counts boolean NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('accepted', 'rejected', 'ignored')),
    reasons json NOT NULL DEFAULT '[]',
    order_number text REFERENCES orders,
    read_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account, folder, uidvalidity, uid)
);
CREATE UNIQUE INDEX mails_once ON mails (sender, message_id)
    WHERE counts;
CREATE INDEX mails_by_order ON mails (order_number);
CREATE INDEX mails_by_bytes ON mails (sha256);

-- The raw bytes of a message. In pieces, because a statement with 25 MB in it takes
-- several times that memory.
CREATE TABLE mail_pieces (
    mail_id bigint NOT NULL REFERENCES mails ON DELETE CASCADE,
    piece integer NOT NULL,
    raw bytea NOT NULL,
    PRIMARY KEY (mail_id, piece)
);

CREATE TABLE outbox (
    id text PRIMARY KEY,
    mail_id bigint NOT NULL REFERENCES mails ON DELETE CASCADE,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    in_reply_to text,
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'sending', 'sent', 'unknown', 'given_up')),
    sender_process text,
    taken_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    last_error text,
    written_at timestamptz NOT NULL DEFAULT now(),
    sent_at timestamptz
);
CREATE INDEX outbox_due ON outbox (not_before) WHERE state = 'waiting';
CREATE INDEX outbox_taken ON outbox (taken_at) WHERE state = 'sending';
-- One answer to a message, however often it was delivered.
CREATE UNIQUE INDEX outbox_once ON outbox (recipient, in_reply_to)
    WHERE id LIKE 'mail-%';
