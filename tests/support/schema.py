"""Says in lines what shape a database has, so that two shapes can be compared."""

from __future__ import annotations

import difflib

from psycopg2.extensions import cursor

OURS = """
    {schema} NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    AND {relation} <> 'schema_migrations'
"""
# Columns are compared by name, not by place: a later migration appends its column
# where schema.sql may show it beside its like.
CATALOGUE = {
    "table": """
        SELECT n.nspname, c.relname, c.relkind, c.relpersistence,
               coalesce(array_to_string(c.reloptions, ','), '')
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p', 'v', 'm') AND {ours}""",
    "column": """
        SELECT n.nspname, c.relname, a.attname,
               format_type(a.atttypid, a.atttypmod),
               CASE WHEN a.attnotnull THEN 'NOT NULL' ELSE 'NULL' END,
               coalesce('DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), ''),
               'identity:' || a.attidentity::text,
               'generated:' || a.attgenerated::text,
               coalesce('COLLATE ' || l.collname, '')
          FROM pg_attribute a
          JOIN pg_class c ON c.oid = a.attrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
          LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
          LEFT JOIN pg_collation l ON l.oid = a.attcollation
         WHERE a.attnum > 0 AND NOT a.attisdropped
           AND c.relkind IN ('r', 'p', 'v', 'm', 'c') AND {ours}""",
    "constraint": """
        SELECT n.nspname, coalesce(c.relname, t.typname), k.conname,
               pg_get_constraintdef(k.oid)
          FROM pg_constraint k
          JOIN pg_namespace n ON n.oid = k.connamespace
          LEFT JOIN pg_class c ON c.oid = k.conrelid
          LEFT JOIN pg_type t ON t.oid = k.contypid
         WHERE k.contype <> 'n' AND {ours}""",
    "index": """
        SELECT n.nspname, c.relname, pg_get_indexdef(i.indexrelid)
          FROM pg_index i
          JOIN pg_class c ON c.oid = i.indrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE {ours}""",
    "view": """
        SELECT n.nspname, c.relname, pg_get_viewdef(c.oid)
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('v', 'm') AND {ours}""",
    "trigger": """
        SELECT n.nspname, c.relname, pg_get_triggerdef(g.oid), g.tgenabled
          FROM pg_trigger g
          JOIN pg_class c ON c.oid = g.tgrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE NOT g.tgisinternal AND {ours}""",
    "sequence": """
        SELECT n.nspname, c.relname, format_type(s.seqtypid, NULL), s.seqstart,
               s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle,
               coalesce(pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid), '')
          FROM pg_sequence s
          JOIN pg_class c ON c.oid = s.seqrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
          LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass
               AND d.objid = c.oid AND d.deptype IN ('a', 'i')
         WHERE {ours}""",
    "function": """
        SELECT n.nspname, c.proname, pg_get_functiondef(c.oid)
          FROM pg_proc c JOIN pg_namespace n ON n.oid = c.pronamespace
         WHERE c.prokind IN ('f', 'p') AND {plain}""",
    "type": """
        SELECT n.nspname, c.typname, c.typtype,
               coalesce(format_type(nullif(c.typbasetype, 0), c.typtypmod), ''),
               coalesce((SELECT string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder)
                           FROM pg_enum e WHERE e.enumtypid = c.oid), '')
          FROM pg_type c JOIN pg_namespace n ON n.oid = c.typnamespace
         WHERE c.typtype IN ('e', 'd', 'r') AND {plain}""",
    "comment": """
        SELECT pg_describe_object(classoid, objoid, objsubid), description
          FROM pg_description
         WHERE objoid >= 16384""",
}


def describe(source: cursor) -> list[str]:
    """Return one line, or for bodies several, per object; equal shapes read equal."""
    objects = []
    for kind, statement in CATALOGUE.items():
        plain = OURS.format(schema="n.nspname", relation="''")
        ours = OURS.format(schema="n.nspname", relation="coalesce(c.relname, '')")
        source.execute(statement.format(ours=ours, plain=plain))
        for row in source.fetchall():
            objects.append(" ".join([kind, *(str(value) for value in row)]))
    return [line for text in sorted(objects) for line in text.splitlines()]


def difference(first: list[str], second: list[str]) -> str:
    lines = difflib.unified_diff(
        first, second, "db/schema.sql", "db/migrations", lineterm="", n=0
    )
    return "\n".join(lines)
