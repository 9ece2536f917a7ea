-- What each worker serves; null: a worker of an earlier version, which does not say.
ALTER TABLE workers ADD COLUMN topics text[];
