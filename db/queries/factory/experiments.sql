-- name: experiments_add
-- A new experiment waits for a worker.
INSERT INTO experiments (title, plan, question, runs, made_by)
VALUES (%(title)s, %(plan)s, %(question)s, %(runs)s, %(by)s)
RETURNING id;

-- name: experiments_get
-- One experiment and how many of its runs are done.
SELECT
    e.id, e.title, e.plan, e.question, e.state, e.runs,
    (SELECT count(*) FROM experiment_runs r WHERE r.experiment_id = e.id),
    e.dropped, e.dropped_runs, e.failure, e.made_by, e.made_at, e.began_at,
    e.runs_before, e.ended_at, e.stop_asked_by, e.share, e.link,
    e.state = 'running' AND coalesce(e.leased_until < now(), FALSE)
FROM experiments e
WHERE e.id = %(id)s OR e.link = %(link)s;

-- name: experiments_listing
-- The newest first.
SELECT
    e.id, e.title, e.plan, e.question, e.state, e.runs,
    (SELECT count(*) FROM experiment_runs r WHERE r.experiment_id = e.id),
    e.dropped, e.dropped_runs, e.failure, e.made_by, e.made_at, e.began_at,
    e.runs_before, e.ended_at, e.stop_asked_by, e.share, e.link,
    e.state = 'running' AND coalesce(e.leased_until < now(), FALSE)
FROM experiments e
WHERE %(below)s::bigint IS NULL OR e.id < %(below)s
ORDER BY e.id DESC
LIMIT %(limit)s;

-- name: experiments_present
-- What the run that is on looks like at this moment.
SELECT present FROM experiments WHERE id = %(id)s AND state = 'running';

-- name: experiments_claim
-- The oldest that waits, or whose worker is gone.
UPDATE experiments
SET
    state = 'running',
    worker = %(worker)s,
    leased_until = now() + make_interval(secs => %(lease_s)s),
    began_at = now(),
    runs_before = (
        SELECT count(*) FROM experiment_runs r WHERE r.experiment_id = experiments.id
    ),
    share = 0,
    present = NULL
WHERE id = (
    SELECT id
    FROM experiments
    WHERE
        state = 'waiting'
        OR (state = 'running' AND leased_until < now())
    ORDER BY id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING id, plan, runs;

-- name: experiments_hold
-- It is still ours, and this is how far it is; gives who asked to stop it, if anybody.
UPDATE experiments
SET
    leased_until = now() + make_interval(secs => %(lease_s)s),
    share = coalesce(%(share)s, share),
    present = coalesce(%(present)s, present)
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running'
RETURNING coalesce(stop_asked_by, '');

-- name: experiments_drop_case
-- A case that surely loses is given up.
UPDATE experiments
SET
    dropped = array_append(dropped, %(case)s),
    dropped_runs = dropped_runs + %(runs)s
WHERE id = %(id)s AND NOT %(case)s = ANY (dropped);

-- name: experiments_end
-- Done, stopped or failed.
UPDATE experiments
SET
    state = %(state)s,
    failure = %(failure)s,
    ended_at = now(),
    worker = NULL,
    leased_until = NULL,
    share = 0,
    present = NULL
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running';

-- name: experiments_release
-- Another worker may go on at once.
UPDATE experiments
SET leased_until = now() - interval '1 second', worker = NULL
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running';

-- name: experiments_stop
-- One that waits is stopped at once, one that runs by its worker.
UPDATE experiments
SET
    stop_asked_by = %(by)s,
    state = CASE WHEN state = 'waiting' THEN 'stopped' ELSE state END,
    ended_at = CASE WHEN state = 'waiting' THEN now() ELSE ended_at END
WHERE id = %(id)s AND state IN ('waiting', 'running') AND stop_asked_by IS NULL
RETURNING id;

-- name: experiments_delete
-- One that has ended, with its runs.
DELETE FROM experiments
WHERE id = %(id)s AND state NOT IN ('waiting', 'running')
RETURNING id;

-- name: experiments_set_link
-- Null: the link ends.
UPDATE experiments SET link = %(link)s WHERE id = %(id)s RETURNING id;

-- name: experiment_runs_add
-- A run is kept once.
INSERT INTO experiment_runs (experiment_id, case_name, seed, footprint, series, view)
VALUES (%(id)s, %(case)s, %(seed)s, %(footprint)s, %(series)s, %(view)s)
ON CONFLICT (experiment_id, case_name, seed) DO NOTHING;

-- name: experiment_runs_of
-- Footprints, in the order of cases and seeds.
SELECT case_name, seed, footprint
FROM experiment_runs
WHERE experiment_id = %(id)s
ORDER BY ended_at, case_name, seed;

-- name: experiment_runs_series
-- Measures over time of one run.
SELECT series
FROM experiment_runs
WHERE experiment_id = %(id)s AND case_name = %(case)s AND seed = %(seed)s;

-- name: experiment_runs_view
-- What a case looked like.
SELECT view
FROM experiment_runs
WHERE experiment_id = %(id)s AND case_name = %(case)s AND view IS NOT NULL
ORDER BY seed
LIMIT 1;
