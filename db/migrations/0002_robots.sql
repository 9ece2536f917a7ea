-- Which worker speaks with which robot, and what that robot last reported.

CREATE TABLE robots (
    robot text PRIMARY KEY,
    owner text,
    lease_until timestamptz,
    ready boolean NOT NULL DEFAULT false,
    why_not text,
    link text NOT NULL DEFAULT 'down',
    x_m double precision,
    y_m double precision,
    battery double precision,
    reported_at timestamptz,
    CHECK ((owner IS NULL) = (lease_until IS NULL))
);
