-- name: mail_vitals_now
-- The last message that was read, and how many replies need a look.
SELECT
    (SELECT max(read_at) FROM mails),
    (SELECT count(*) FROM outbox WHERE state = 'waiting'),
    (SELECT count(*) FROM outbox WHERE state IN ('unknown', 'given_up')),
    (SELECT max(sent_at) FROM outbox);

-- name: mail_vitals_replies
-- Replies that were not sent, oldest first.
SELECT id, recipient, subject, state, attempts, not_before, last_error, written_at
FROM outbox
WHERE state <> 'sent'
ORDER BY written_at, id
LIMIT %(limit)s;

-- name: mail_vitals_mails
-- The last messages and what became of them.
SELECT read_at, sender, outcome, order_number, reasons
FROM mails
ORDER BY id DESC
LIMIT %(limit)s;
