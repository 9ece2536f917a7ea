-- Experiments with simulated warehouses: what was asked, how far it is, what came out.
CREATE TABLE experiments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title text NOT NULL,
    plan jsonb NOT NULL, -- a sweep, as its file says it
    question jsonb, -- what the wizard was told; null: a comparison
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'running', 'done', 'stopped', 'failed')),
    runs integer NOT NULL,
    dropped text[] NOT NULL DEFAULT '{}', -- cases that surely lose, and were given up
    dropped_runs integer NOT NULL DEFAULT 0,
    failure text NOT NULL DEFAULT '',
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    began_at timestamptz, -- by the worker that has it now
    runs_before integer NOT NULL DEFAULT 0, -- that others had done until then
    ended_at timestamptz,
    stop_asked_by text,
    worker text,
    leased_until timestamptz,
    share real NOT NULL DEFAULT 0, -- of the run that is on
    present jsonb, -- case, seed, floor and frame of that run
    link text UNIQUE -- who knows it may look without an account
);
CREATE INDEX experiments_to_run ON experiments (id)
    WHERE state IN ('waiting', 'running');

-- One row a run. The footprint has every measure; those asked for most are columns.
CREATE TABLE experiment_runs (
    experiment_id bigint NOT NULL REFERENCES experiments ON DELETE CASCADE,
    case_name text NOT NULL,
    seed integer NOT NULL,
    footprint jsonb NOT NULL,
    series jsonb NOT NULL,
    view bytea, -- floor, frames and heat of a case's first run, as compressed JSON
    ended_at timestamptz NOT NULL DEFAULT now(),
    robots integer GENERATED ALWAYS AS ((footprint ->> 'robots')::integer) STORED,
    orders_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'orders_per_h')::float8) STORED,
    items_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'items_per_h')::float8) STORED,
    score float8 GENERATED ALWAYS AS ((footprint ->> 'score')::float8) STORED,
    pile_on float8 GENERATED ALWAYS AS ((footprint ->> 'pile_on')::float8) STORED,
    bundles_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'bundles_per_h')::float8) STORED,
    distance_km_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'distance_km_per_h')::float8) STORED,
    trips_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'trips_per_h')::float8) STORED,
    pick_station_idle float8 GENERATED ALWAYS AS
        ((footprint ->> 'pick_station_idle')::float8) STORED,
    order_turnover_s float8 GENERATED ALWAYS AS
        ((footprint ->> 'order_turnover_s')::float8) STORED,
    late_share float8 GENERATED ALWAYS AS
        ((footprint ->> 'late_share')::float8) STORED,
    collisions integer GENERATED ALWAYS AS
        ((footprint ->> 'collisions')::integer) STORED,
    PRIMARY KEY (experiment_id, case_name, seed)
);
