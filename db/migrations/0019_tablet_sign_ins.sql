-- Who was signed in on which tablet, and until when. What a tablet hands in for somebody
-- who is not signed in any more counts only if it was answered during such a sign-in.
CREATE TABLE tablet_sign_ins (
    token_hash text PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    tablet_id bigint NOT NULL REFERENCES tablets ON DELETE CASCADE,
    signed_in_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz NOT NULL
);
CREATE INDEX tablet_sign_ins_by_person ON tablet_sign_ins (person_id);
CREATE INDEX tablet_sign_ins_by_end ON tablet_sign_ins (ended_at);
INSERT INTO tablet_sign_ins (token_hash, person_id, tablet_id, signed_in_at, ended_at)
SELECT token_hash, person_id, tablet_id, created_at, expires_at
FROM sessions WHERE tablet_id IS NOT NULL;

-- Who was signed in when a tablet handed in a late answer.
ALTER TABLE late_answers ADD COLUMN posted_by text;
