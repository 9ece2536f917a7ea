-- Element templates in Camunda Modeler's format, offered where a process is drawn.
CREATE TABLE element_templates (
    id text NOT NULL,
    version bigint NOT NULL,
    name text NOT NULL,
    template json NOT NULL,
    deployed_at timestamptz NOT NULL DEFAULT now(),
    deployed_by text NOT NULL,
    PRIMARY KEY (id, version)
);
