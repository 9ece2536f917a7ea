-- A worker on a machine whose clock is wrong is named on the page of the plant's health.
ALTER TABLE workers
ADD COLUMN clock_ahead_s double precision NOT NULL DEFAULT 0;
