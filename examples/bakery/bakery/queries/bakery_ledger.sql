-- name: bakery_ledger_add
-- Write down an order of bread, once.
INSERT INTO bakery_ledger (instance_id, number, loaves, turns)
VALUES (%(instance_id)s, %(number)s, %(loaves)s, %(turns)s)
ON CONFLICT (instance_id) DO NOTHING;

-- name: bakery_ledger_latest
-- The latest orders of bread.
SELECT number, loaves, turns FROM bakery_ledger ORDER BY ended_at DESC LIMIT 50;

-- name: bakery_ledger_metrics
-- For monitoring: metric, two labels, value.
SELECT 'loaves_total', 'oven', '', coalesce(sum(loaves), 0)::float8
FROM bakery_ledger
WHERE turns IS NOT NULL;
