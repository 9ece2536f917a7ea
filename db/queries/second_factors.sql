-- name: second_factors_app
-- The app that shows codes for somebody.
SELECT secret, confirmed_at IS NOT NULL, last_step
FROM code_apps
WHERE person_id = %(person_id)s;

-- name: second_factors_begin_app
-- A new app; it counts when it has shown a right code.
INSERT INTO code_apps (person_id, secret) VALUES (%(person_id)s, %(secret)s)
ON CONFLICT (person_id) DO UPDATE
    SET secret = excluded.secret, confirmed_at = NULL, last_step = 0
    WHERE code_apps.confirmed_at IS NULL;

-- name: second_factors_use_code
-- A code of a later half minute than the last: each counts once.
UPDATE code_apps
SET last_step = %(step)s, confirmed_at = coalesce(confirmed_at, now())
WHERE person_id = %(person_id)s AND last_step < %(step)s;

-- name: second_factors_drop_app
-- No codes any more.
DELETE FROM code_apps WHERE person_id = %(person_id)s;

-- name: second_factors_passkeys
-- The passkeys of somebody.
SELECT id, credential, site, name, uses, added_at, used_at
FROM passkeys
WHERE person_id = %(person_id)s
ORDER BY added_at, id;

-- name: second_factors_add_passkey
-- A device offers to vouch.
INSERT INTO passkeys (id, person_id, credential, site, name, uses)
VALUES (%(id)s, %(person_id)s, %(credential)s, %(site)s, %(name)s, %(uses)s)
ON CONFLICT (id) DO NOTHING;

-- name: second_factors_use_passkey
-- Its count goes up, unless it keeps none: a copy would fall behind.
UPDATE passkeys
SET uses = %(uses)s, used_at = now()
WHERE id = %(id)s AND (uses < %(uses)s OR (uses = 0 AND %(uses)s = 0));

-- name: second_factors_drop_passkey
-- A device is lost or sold.
DELETE FROM passkeys WHERE person_id = %(person_id)s AND id = %(id)s;

-- name: second_factors_drop_passkeys
-- All of them.
DELETE FROM passkeys WHERE person_id = %(person_id)s;

-- name: half_sign_ins_begin
-- The second factor is asked for; old ones are forgotten.
WITH old AS (
    DELETE FROM half_sign_ins WHERE expires_at < now()
)
INSERT INTO half_sign_ins (token_hash, person_id, means, challenge, expires_at)
VALUES (
    %(token_hash)s, %(person_id)s, %(means)s, %(challenge)s,
    now() + make_interval(secs => %(good_s)s)
);

-- name: half_sign_ins_find
-- Who is half signed in.
SELECT
    p.id, p.login, p.name, p.role, p.groups, p.language, p.active, p.mail,
    h.means, h.challenge
FROM half_sign_ins AS h
JOIN people AS p ON p.id = h.person_id
WHERE h.token_hash = %(token_hash)s AND h.expires_at > now() AND p.active;

-- name: half_sign_ins_challenge
-- What a device is to sign.
UPDATE half_sign_ins SET challenge = %(challenge)s WHERE token_hash = %(token_hash)s;

-- name: half_sign_ins_end
-- Used up.
DELETE FROM half_sign_ins WHERE token_hash = %(token_hash)s;
