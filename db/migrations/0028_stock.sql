-- Lots of raw materials, what was moved of them, and where each order's material is to
-- come from. Weights are whole grams. What lies where is the sum of ``stock_moves``,
-- which are only added; ``stock`` holds that sum and is written by the moves alone.

CREATE TABLE lots (
    lot text PRIMARY KEY CHECK (lot <> ''),
    material text NOT NULL,
    supplier text NOT NULL DEFAULT '',
    supplier_lot text NOT NULL DEFAULT '',
    state text NOT NULL DEFAULT 'quarantine' CHECK (state IN (
        'quarantine', 'released', 'blocked', 'used up')),
    expires_on date,
    received_at timestamptz NOT NULL DEFAULT now(),
    received_by text NOT NULL
);
CREATE INDEX lots_by_material ON lots (material);

-- A place is one of the floor, or ``@robot1`` for what a robot carries.
CREATE TABLE stock_moves (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lot text NOT NULL REFERENCES lots,
    place text NOT NULL CHECK (place <> ''),
    grams bigint NOT NULL CHECK (grams <> 0),
    kind text NOT NULL CHECK (kind IN (
        'receive', 'pick', 'use', 'return', 'correct', 'transfer')),
    order_number text REFERENCES orders,
    line integer,
    reason text NOT NULL DEFAULT '',
    moved_by text NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT stock_moves_why CHECK (order_number IS NOT NULL OR reason <> '')
);
CREATE INDEX stock_moves_by_lot ON stock_moves (lot, id);
CREATE INDEX stock_moves_by_order ON stock_moves (order_number, id)
    WHERE order_number IS NOT NULL;

CREATE TABLE stock (
    lot text NOT NULL REFERENCES lots,
    place text NOT NULL,
    grams bigint NOT NULL,
    PRIMARY KEY (lot, place),
    CONSTRAINT stock_never_negative CHECK (grams >= 0)
);
CREATE INDEX stock_by_place ON stock (place) WHERE grams > 0;

-- A move changes the sum in the same statement; a negative row may not even be proposed,
-- so what is there is changed first.
CREATE FUNCTION stock_follows_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE stock SET grams = grams + NEW.grams
     WHERE lot = NEW.lot AND place = NEW.place;
    IF NOT FOUND THEN
        INSERT INTO stock (lot, place, grams) VALUES (NEW.lot, NEW.place, NEW.grams)
        ON CONFLICT (lot, place) DO UPDATE SET grams = stock.grams + EXCLUDED.grams;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER stock_follows_moves AFTER INSERT ON stock_moves
    FOR EACH ROW EXECUTE FUNCTION stock_follows_moves();

CREATE FUNCTION stock_moves_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'stock moves are append-only; a correction is a move of its own';
END
$$;
CREATE TRIGGER stock_moves_are_final BEFORE UPDATE OR DELETE ON stock_moves
    FOR EACH ROW EXECUTE FUNCTION stock_moves_are_final();

-- Where the material of an order is to come from, in the order of the drives, and what
-- became of it. Planned grams of open picks are not promised to another order.
CREATE TABLE order_picks (
    order_number text NOT NULL REFERENCES orders ON DELETE CASCADE,
    pick integer NOT NULL,
    line integer NOT NULL,
    material text NOT NULL,
    lot text REFERENCES lots, -- null: of a material without lots
    place text NOT NULL,
    grams bigint NOT NULL CHECK (grams > 0),
    state text NOT NULL DEFAULT 'planned' CHECK (state IN (
        'planned', 'on robot', 'used', 'returned', 'dropped')),
    robot text,
    loaded_lot text,
    loaded_place text,
    loaded_grams bigint,
    loaded_by text,
    loaded_at timestamptz,
    used_at timestamptz,
    planned_from timestamptz,
    planned_to timestamptz,
    PRIMARY KEY (order_number, pick)
);
CREATE INDEX order_picks_open ON order_picks (lot) WHERE state = 'planned';
