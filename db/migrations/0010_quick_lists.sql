-- Lists that stay quick over years of history.

-- Few instances end otherwise than completed, and these few are looked for.
CREATE INDEX instances_ended_otherwise
ON instances (key, status, ended_at DESC, id DESC)
    WHERE ended_at IS NOT NULL AND status <> 'completed';
-- Open orders may be old ones.
CREATE INDEX orders_open_by_age ON orders (received_at DESC, number DESC)
    WHERE status IN ('waiting for release', 'new', 'in process');
