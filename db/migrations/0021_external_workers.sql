-- Workers of others fetch jobs over the network. What they tell of a failure: how often
-- they want to try again (null: nobody has said) and the details of the error.
ALTER TABLE jobs ADD COLUMN retries_left integer CHECK (retries_left >= 0);
ALTER TABLE jobs ADD COLUMN error_details text;

-- Which topics they ask for, and when they last did.
CREATE TABLE fetched_topics (
    topic text NOT NULL,
    worker text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, worker)
);
