-- Forms are drawn on the pages as well, and kept as drafts until they are deployed.
ALTER TABLE model_drafts DROP CONSTRAINT model_drafts_kind_check;
ALTER TABLE model_drafts ADD CONSTRAINT model_drafts_kind_check
    CHECK (kind IN ('process', 'decision', 'form'));
