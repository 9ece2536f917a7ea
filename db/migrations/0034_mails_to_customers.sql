-- Mails that answer nobody: customers of deliveries are told their page and code.
ALTER TABLE outbox ALTER COLUMN mail_id DROP NOT NULL;
