-- Where robots drove and how they spent their time, and what the figures count.

-- Where robots were while they worked for an instance; gone with its history.
CREATE TABLE robot_tracks (
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    robot text NOT NULL,
    at timestamptz NOT NULL,
    x_m real NOT NULL,
    y_m real NOT NULL,
    PRIMARY KEY (instance_id, robot, at)
);

-- How robots spent each hour, as far as a worker saw it. away: no link, or not ready.
CREATE TABLE robot_hours (
    robot text NOT NULL,
    hour timestamptz NOT NULL,
    driving_s double precision NOT NULL,
    waiting_s double precision NOT NULL,
    idle_s double precision NOT NULL,
    away_s double precision NOT NULL,
    PRIMARY KEY (hour, robot)
);

-- How long completed instances took, by the hour of their end. Bucket n holds times
-- from 1.1^n to 1.1^(n+1) seconds: fine enough for a median, few enough to add up.
CREATE TABLE lead_times (
    definition_id bigint NOT NULL REFERENCES definitions,
    hour timestamptz NOT NULL,
    bucket integer NOT NULL,
    instances bigint NOT NULL,
    PRIMARY KEY (definition_id, hour, bucket)
);

-- Orders that came and ended, by the hour.
CREATE TABLE order_hours (
    hour timestamptz PRIMARY KEY,
    received bigint NOT NULL,
    done bigint NOT NULL,
    cancelled bigint NOT NULL
);

-- Lines of the history by kind, and jobs by topic, since the beginning.
CREATE TABLE line_counts (
    kind text PRIMARY KEY,
    lines bigint NOT NULL
);
CREATE TABLE job_counts (
    topic text PRIMARY KEY,
    run bigint NOT NULL,
    failed bigint NOT NULL
);

CREATE INDEX incidents_by_opening ON incidents (opened_at);

-- What has been tallied before these tables were there.
INSERT INTO lead_times (definition_id, hour, bucket, instances)
SELECT
    i.definition_id, date_trunc('hour', e.at, 'UTC'),
    floor(ln(GREATEST(EXTRACT(EPOCH FROM e.at - i.started_at), 0.001)) / ln(1.1)),
    count(*)
FROM events AS e
JOIN instances AS i ON i.id = e.instance_id
JOIN readers AS r
    ON r.name = 'tallies' AND (e.transaction, e.id) <= (r.transaction, r.line)
WHERE e.kind = 'instance completed'
GROUP BY 1, 2, 3;

INSERT INTO order_hours (hour, received, done, cancelled)
SELECT
    date_trunc('hour', e.at, 'UTC'),
    count(*) FILTER (WHERE e.kind = 'order accepted'),
    count(*) FILTER (
        WHERE e.data::text LIKE '%"new":"done"%'
            OR e.data::text LIKE '%"new":"completed manually"%'
    ),
    count(*) FILTER (WHERE e.data::text LIKE '%"new":"cancelled"%')
FROM events AS e
JOIN readers AS r
    ON r.name = 'tallies' AND (e.transaction, e.id) <= (r.transaction, r.line)
WHERE e.kind IN ('order accepted', 'order status')
GROUP BY 1;

INSERT INTO line_counts (kind, lines)
SELECT e.kind, count(*)
FROM events AS e
JOIN readers AS r
    ON r.name = 'tallies' AND (e.transaction, e.id) <= (r.transaction, r.line)
GROUP BY 1;
