-- name: people_add
-- A new person; nothing comes back where the login is taken.
INSERT INTO people (login, name, role, groups, language)
VALUES (%(login)s, %(name)s, %(role)s, %(groups)s::text[], %(language)s)
ON CONFLICT (login) DO NOTHING
RETURNING id, login, name, role, groups, language, active, mail;

-- name: people_get
-- One person.
SELECT id, login, name, role, groups, language, active, mail
FROM people
WHERE login = %(login)s;

-- name: people_listing
-- Everybody.
SELECT id, login, name, role, groups, language, active, mail
FROM people
ORDER BY active DESC, name, login;

-- name: people_secrets
-- The hashes of an active person.
SELECT password_hash, pin_hash
FROM people
WHERE login = %(login)s AND active;

-- name: people_set_password
-- A new password, or none.
UPDATE people SET password_hash = %(hash)s, password_once = false WHERE login = %(login)s;

-- name: people_set_pin
-- A new PIN, or none.
UPDATE people SET pin_hash = %(hash)s WHERE login = %(login)s;

-- name: people_set_badge
-- A new badge, or none.
UPDATE people SET badge_hash = %(hash)s WHERE login = %(login)s;

-- name: people_set_language
-- The language of the pages.
UPDATE people SET language = %(language)s WHERE login = %(login)s;

-- name: people_set_mail
-- Where somebody is written to, or nowhere.
UPDATE people SET mail = %(mail)s WHERE login = %(login)s;

-- name: people_set_active
-- Somebody leaves or comes back.
UPDATE people SET active = %(active)s WHERE login = %(login)s;

-- name: people_set_access
-- What a person may do.
UPDATE people SET role = %(role)s, groups = %(groups)s::text[]
WHERE login = %(login)s;

-- name: people_of_identity
-- Whom another sign-in service calls by this name.
SELECT people.login
FROM identities
INNER JOIN people ON identities.person_id = people.id
WHERE identities.issuer = %(issuer)s AND identities.subject = %(subject)s;

-- name: people_bind_identity
-- From now on known there by this name.
INSERT INTO identities (issuer, subject, person_id)
SELECT %(issuer)s, %(subject)s, id
FROM people
WHERE login = %(login)s
ON CONFLICT DO NOTHING;

-- name: people_ask_link
-- Somebody whom another sign-in service vouches for asks for an account; the last ten.
WITH older AS (
    DELETE FROM sign_in_requests
    WHERE (issuer, subject) IN (
        SELECT r.issuer, r.subject
        FROM sign_in_requests AS r
        INNER JOIN people ON r.person_id = people.id
        WHERE people.login = %(login)s
        ORDER BY r.asked_at DESC
        OFFSET 9
    )
)
INSERT INTO sign_in_requests (issuer, subject, person_id, name)
SELECT %(issuer)s, %(subject)s, id, %(name)s
FROM people
WHERE login = %(login)s
ON CONFLICT (issuer, subject) DO UPDATE
SET person_id = EXCLUDED.person_id, name = EXCLUDED.name, asked_at = now();

-- name: people_sign_ins
-- By what other sign-in services somebody is known, and who asks to be.
SELECT issuer, subject, '' AS name, bound_at AS at, true AS linked
FROM identities
INNER JOIN people ON identities.person_id = people.id
WHERE people.login = %(login)s
UNION ALL
SELECT issuer, subject, r.name, asked_at, false
FROM sign_in_requests AS r
INNER JOIN people ON r.person_id = people.id
WHERE people.login = %(login)s
ORDER BY linked DESC, at;

-- name: people_drop_request
-- It was answered.
DELETE FROM sign_in_requests
USING people
WHERE
    issuer = %(issuer)s AND subject = %(subject)s
    AND sign_in_requests.person_id = people.id AND people.login = %(login)s;

-- name: people_unbind_identity
-- From now on unknown there.
DELETE FROM identities
USING people
WHERE
    issuer = %(issuer)s AND subject = %(subject)s
    AND identities.person_id = people.id AND people.login = %(login)s;

-- name: people_by_badge
-- Whose badge this is.
SELECT id, login, name, role, groups, language, active, mail
FROM people
WHERE badge_hash = %(hash)s AND active;

-- name: people_with_pin
-- People who may be switched to on a tablet.
SELECT id, login, name, role, groups, language, active, mail
FROM people
WHERE pin_hash IS NOT NULL AND active
ORDER BY name, login;

-- name: sessions_open
-- Somebody has signed in.
INSERT INTO sessions (
    token_hash, person_id, tablet_id, expires_at, means, address, browser
)
VALUES (
    %(token_hash)s, %(person_id)s, %(tablet_id)s, %(expires_at)s, %(means)s,
    %(address)s, %(browser)s
);

-- name: sessions_find
-- Who is signed in with this token.
SELECT
    p.id, p.login, p.name, p.role, p.groups, p.language, p.active, p.mail,
    s.tablet_id, s.created_at, s.seen_at, s.expires_at, p.password_once, s.means,
    EXISTS (
        SELECT FROM code_apps AS c
        WHERE c.person_id = p.id AND c.confirmed_at IS NOT NULL
    ) OR EXISTS (SELECT FROM passkeys AS k WHERE k.person_id = p.id)
FROM sessions AS s
JOIN people AS p ON p.id = s.person_id
LEFT JOIN tablets AS t ON t.id = s.tablet_id
WHERE
    s.token_hash = %(token_hash)s
    AND s.expires_at > now()
    AND p.active
    AND t.revoked_at IS NULL;

-- name: sessions_of
-- Where somebody is signed in, the last seen first.
SELECT
    s.id, s.token_hash, t.name, s.created_at, s.seen_at, s.means, s.address, s.browser
FROM sessions AS s
LEFT JOIN tablets AS t ON t.id = s.tablet_id
WHERE s.person_id = %(person_id)s AND s.expires_at > now() AND t.revoked_at IS NULL
ORDER BY s.seen_at DESC, s.id DESC;

-- name: sessions_touch
-- Still here.
UPDATE sessions SET seen_at = now() WHERE token_hash = %(token_hash)s;

-- name: sessions_close
-- Signed out.
DELETE FROM sessions WHERE token_hash = %(token_hash)s;

-- name: sessions_close_all
-- Signed out everywhere; the expired sessions of others go with them.
DELETE FROM sessions WHERE person_id = %(person_id)s OR expires_at < now();

-- name: tablet_sign_ins_begin
-- Somebody has signed in on a tablet.
INSERT INTO tablet_sign_ins (token_hash, person_id, tablet_id, ended_at)
VALUES (%(token_hash)s, %(person_id)s, %(tablet_id)s, %(expires_at)s);

-- name: tablet_sign_ins_end
-- Signed out there.
UPDATE tablet_sign_ins SET ended_at = now()
WHERE token_hash = %(token_hash)s AND ended_at > now();

-- name: tablet_sign_ins_end_all
-- Signed out everywhere.
UPDATE tablet_sign_ins SET ended_at = now()
WHERE person_id = %(person_id)s AND ended_at > now();

-- name: tablet_sign_ins_find
-- Who was signed in on this tablet then.
SELECT
    p.id, p.login, p.name, p.role, p.groups, p.language, p.active, p.mail,
    s.signed_in_at, s.ended_at, s.entry_key
FROM tablet_sign_ins AS s
JOIN people AS p ON p.id = s.person_id
WHERE
    s.token_hash = %(token_hash)s
    AND s.tablet_id = %(tablet_id)s
    AND p.active;

-- name: tablet_sign_ins_give_key
-- The key of a sign-in is given once; in its first minute anew, for a page that is left
-- while the answer is on its way loses it.
UPDATE tablet_sign_ins SET entry_key = %(entry_key)s
WHERE
    token_hash = %(token_hash)s
    AND ended_at > now()
    AND (entry_key IS NULL OR signed_in_at > now() - interval '1 minute');

-- name: tablet_sign_ins_sweep
-- Old ones count no more.
DELETE FROM tablet_sign_ins
WHERE ended_at < now() - make_interval(days => %(older_than_days)s);

-- name: tablets_enrol
-- A tablet on which a PIN or a badge is enough.
INSERT INTO tablets (token_hash, name, enrolled_by)
VALUES (%(token_hash)s, %(name)s, %(by)s)
RETURNING id;

-- name: tablets_find
-- The tablet with this token.
SELECT id, name FROM tablets
WHERE token_hash = %(token_hash)s AND revoked_at IS NULL;

-- name: tablets_listing
-- All tablets in use.
SELECT id, name FROM tablets WHERE revoked_at IS NULL ORDER BY name, id;

-- name: tablets_revoke
-- A tablet is lost or sold.
UPDATE tablets SET revoked_at = now() WHERE id = %(tablet_id)s;

-- name: attempts_note
-- A sign-in failed.
INSERT INTO sign_in_attempts (key) VALUES (%(key)s);

-- name: attempts_count
-- How often lately.
SELECT count(*) FROM sign_in_attempts
WHERE key = %(key)s AND at > now() - make_interval(secs => %(within_s)s);

-- name: attempts_forget
-- A sign-in succeeded.
DELETE FROM sign_in_attempts WHERE key = %(key)s;

-- name: attempts_forget_login
-- An administrator lets somebody try again, from everywhere.
DELETE FROM sign_in_attempts
WHERE
    key IN ('password of ' || %(login)s, 'pin of ' || %(login)s)
    OR starts_with(key, 'password of ' || %(login)s || ' from ');

-- name: attempts_sweep
-- Old ones count no more.
DELETE FROM sign_in_attempts
WHERE at < now() - make_interval(secs => %(older_than_s)s);

-- name: people_lock_admins
-- Everybody who can administer; nobody else changes them until the commit.
SELECT login
FROM people
WHERE role = 'admin' AND active
ORDER BY login
FOR UPDATE;

-- name: people_edit
-- What an administrator changes of a person.
UPDATE people
SET name = %(name)s,
    role = %(role)s,
    groups = %(groups)s::text[],
    language = %(language)s
WHERE login = %(login)s;

-- name: people_set_password_once
-- The next sign-in by password leads to a new one.
UPDATE people SET password_once = %(once)s WHERE login = %(login)s;

-- name: people_cards
-- Everybody with the ways to sign in that they have, and when they were last here.
SELECT
    p.id, p.login, p.name, p.role, p.groups, p.language, p.active, p.mail,
    p.password_hash IS NOT NULL,
    p.pin_hash IS NOT NULL,
    p.badge_hash IS NOT NULL,
    p.password_once,
    (SELECT max(s.seen_at) FROM sessions AS s WHERE s.person_id = p.id),
    p.created_at
FROM people AS p
ORDER BY p.active DESC, p.name, p.login;
