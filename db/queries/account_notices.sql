-- name: account_notices_add
-- Its owner is told, at the address of this moment.
INSERT INTO account_notices (name, language, address, what, by)
SELECT name, language, mail, %(what)s, %(by)s
FROM people
WHERE login = %(login)s AND mail <> '';

-- name: account_notices_take
-- Claim what nobody has claimed; what is a day old is news no more.
UPDATE account_notices SET taken_at = now()
WHERE id IN (
    SELECT id FROM account_notices
    WHERE taken_at IS NULL AND at > now() - interval '1 day'
    ORDER BY id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
RETURNING id, name, language, address, what, by, at;

-- name: account_notices_give_back
-- Nothing went out.
UPDATE account_notices SET taken_at = NULL WHERE id = ANY (%(ids)s::bigint[]);
