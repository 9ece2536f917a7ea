-- Repair: instances and processes that stand still, instances that repeat others, and
-- a way to delete old history that nobody takes by accident.

ALTER TABLE instances
    ADD COLUMN suspended_by text,
    ADD COLUMN suspended_reason text,
    ADD COLUMN suspended_at timestamptz,
    ADD COLUMN restarted_from uuid REFERENCES instances ON DELETE SET NULL,
    ADD CONSTRAINT instances_suspended
        CHECK ((suspended_by IS NULL) = (suspended_at IS NULL));
CREATE INDEX instances_by_end ON instances (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX instances_by_restart ON instances (restarted_from)
    WHERE restarted_from IS NOT NULL;
CREATE UNIQUE INDEX instances_one_restart ON instances (restarted_from)
    WHERE status = 'active';

CREATE TABLE suspended_processes (
    key text PRIMARY KEY,
    suspended_by text NOT NULL,
    suspended_reason text NOT NULL,
    suspended_at timestamptz NOT NULL DEFAULT now()
);

-- An order outlives the history of its instance.
ALTER TABLE orders DROP CONSTRAINT orders_instance_id_fkey;
ALTER TABLE orders
    ADD CONSTRAINT orders_instance_id_fkey
    FOREIGN KEY (instance_id) REFERENCES instances ON DELETE SET NULL;
CREATE INDEX orders_by_instance ON orders (instance_id);

CREATE OR REPLACE FUNCTION events_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('mpms.deletes_history', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'history is append-only';
END
$$;
