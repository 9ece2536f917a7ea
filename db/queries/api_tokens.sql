-- name: api_tokens_add
-- A new client.
INSERT INTO api_tokens (
    token_hash, name, role, groups, expires_at, created_by, owner, scopes, per_minute
)
VALUES (
    %(token_hash)s, %(name)s, %(role)s, %(groups)s::text[], %(expires_at)s, %(by)s,
    (SELECT login FROM people WHERE login = %(owner)s AND active),
    %(scopes)s::text[], %(per_minute)s
)
RETURNING
    id, name, role, groups, created_by, created_at, expires_at, used_at, revoked_at,
    owner, scopes, per_minute;

-- name: api_tokens_find
-- Whose token this is.
SELECT
    id, name, role, groups, created_by, created_at, expires_at, used_at, revoked_at,
    owner, scopes, per_minute
FROM api_tokens
WHERE token_hash = %(token_hash)s;

-- name: api_tokens_get
-- One client.
SELECT
    id, name, role, groups, created_by, created_at, expires_at, used_at, revoked_at,
    owner, scopes, per_minute
FROM api_tokens
WHERE id = %(token_id)s;

-- name: api_tokens_named
-- The client of a name.
SELECT
    id, name, role, groups, created_by, created_at, expires_at, used_at, revoked_at,
    owner, scopes, per_minute
FROM api_tokens
WHERE name = %(name)s AND revoked_at IS NULL;

-- name: api_tokens_lock
-- One name is given once at a time.
SELECT pg_advisory_xact_lock(hashtext('api_tokens'));

-- name: api_tokens_listing
-- All clients, the usable ones first.
SELECT
    id, name, role, groups, created_by, created_at, expires_at, used_at, revoked_at,
    owner, scopes, per_minute
FROM api_tokens
ORDER BY revoked_at IS NOT NULL, name, id DESC;

-- name: api_tokens_touch
-- It was used; written down now and then only.
UPDATE api_tokens SET used_at = now()
WHERE
    id = %(token_id)s
    AND (used_at IS NULL OR used_at < now() - %(every_s)s * interval '1 second');

-- name: api_tokens_revoke
-- It opens nothing any more.
UPDATE api_tokens SET revoked_at = now()
WHERE id = %(token_id)s AND revoked_at IS NULL;

-- name: api_tokens_revoke_of
-- Their owner has left.
UPDATE api_tokens SET revoked_at = now()
WHERE owner = %(owner)s AND revoked_at IS NULL
RETURNING name;

-- name: api_answers_lock
-- Nobody else works on this key until the transaction ends.
SELECT pg_try_advisory_xact_lock(
    hashtextextended(%(token_id)s || ' ' || %(key)s, 0)
);

-- name: api_answers_find
-- What the first request with this key was answered.
SELECT request_hash, status, body
FROM api_answers
WHERE token_id = %(token_id)s AND key = %(key)s AND status IS NOT NULL;

-- name: api_answers_keep
-- The answer to a request with a key.
INSERT INTO api_answers (token_id, key, request_hash, status, body)
VALUES (%(token_id)s, %(key)s, %(request_hash)s, %(status)s, %(body)s)
ON CONFLICT (token_id, key) DO UPDATE
    SET
        request_hash = excluded.request_hash, status = excluded.status,
        body = excluded.body, asked_at = now();

-- name: api_answers_sweep
-- Forget old answers.
DELETE FROM api_answers
WHERE
    token_id = %(token_id)s
    AND asked_at < now() - %(older_than_s)s * interval '1 second';
