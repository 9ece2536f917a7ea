-- name: link_secret_make
-- Keep a secret unless there is one.
INSERT INTO link_secrets (name, secret)
VALUES (%(name)s, %(secret)s)
ON CONFLICT (name) DO NOTHING;

-- name: link_secret
-- What links of this kind are signed with.
SELECT secret FROM link_secrets WHERE name = %(name)s;
