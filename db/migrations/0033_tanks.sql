-- Tanks that mix by themselves: what each request became, and what was made last.
CREATE TABLE tank_runs (
    key text PRIMARY KEY, -- what the tank's controller was asked with
    tank text NOT NULL,
    order_number text NOT NULL,
    state text NOT NULL CHECK (state IN (
        'waiting', 'asked', 'accepted', 'running', 'finished', 'fault', 'refused',
        'silent'
    )),
    why text NOT NULL DEFAULT '',
    temperature_c float8,
    speed_rpm float8,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    heard_at timestamptz -- null: never
);
CREATE INDEX tank_runs_of_order ON tank_runs (order_number, asked_at);

CREATE TABLE tank_contents (
    tank text PRIMARY KEY,
    product text NOT NULL,
    order_number text NOT NULL,
    filled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    cleaned_at timestamptz, -- null: not since
    cleaned_by text
);
