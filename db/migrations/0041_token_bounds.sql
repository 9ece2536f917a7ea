-- What a token is for, how often it may ask, and whose it is: it ends when they leave.
ALTER TABLE api_tokens
ADD COLUMN owner text,
ADD COLUMN scopes text[] NOT NULL DEFAULT '{}',
ADD COLUMN per_minute integer CHECK (per_minute > 0);
UPDATE api_tokens SET owner = created_by
WHERE EXISTS (SELECT FROM people AS p WHERE p.login = api_tokens.created_by);
