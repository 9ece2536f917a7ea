"""Puts a row into every table, whatever columns and conditions it has.

Values are taken from the catalogue: those that a type can read, and those that a
condition names. Where conditions compare columns, combinations are tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

import psycopg2
from psycopg2 import extensions, sql

from tests.support.databases import SEQUENCES, TABLES, names

DEFAULT, NULL = "DEFAULT", "NULL"
TRIES = 5000
SAMPLES = (
    *("{}", "x", "1", "0", "-1", "0.5", "100", "true", "false", "[]"),
    *("2026-01-01 00:00:00+00", "1 day", "127.0.0.1", "", "a" * 32, "a" * 64),
    *("00000000-0000-0000-0000-000000000001", "a@example.com", "2026-01"),
    f"{'a' * 32}.png",
)
COLUMNS = """
    SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
           a.atthasdef OR a.attidentity <> '',
           a.attgenerated <> '' OR a.attidentity = 'a',
           ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = a.atttypid),
           ARRAY(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k
                  WHERE k.conrelid = a.attrelid AND k.contype = 'c'
                    AND a.attnum = ANY (k.conkey))
      FROM pg_attribute a
     WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped
     ORDER BY a.attnum"""
# What stands after <> is what may not be.
LITERAL = re.compile(r"(?<!<> )'((?:[^']|'')*)'::")
NUMBER = re.compile(r"(?:(?<!<)>|<(?!>)|=) \(?(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    required: bool
    has_default: bool
    computed: bool
    labels: list[str]
    conditions: list[str]

    def named(self) -> list[str]:
        """The values that its type or its conditions name."""
        literals = [t for each in self.conditions for t in LITERAL.findall(each)]
        numbers = [n for each in self.conditions for n in NUMBER.findall(each)]
        return [*self.labels, *literals, *numbers]


def make_dirty(connection: extensions.connection) -> list[str]:
    """Replace the rows of each table by one row, and move each sequence.

    Returns the tables into which no row could be put.
    """
    with connection, connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        missed = [t for t in names(cursor, TABLES) if not _one_row(cursor, t)]
        for sequence in names(cursor, SEQUENCES):
            cursor.execute("SELECT setval(%s, 4711)", (sequence,))
    return missed


def _one_row(cursor: extensions.cursor, table: str) -> bool:
    cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
    cursor.execute(COLUMNS, (f'public."{table}"',))
    columns = [Column(*row) for row in cursor.fetchall()]
    given = [
        column
        for column in columns
        if not column.computed
        and (column.conditions or (column.required and not column.has_default))
    ]
    choices = [list(_values(cursor, column)) for column in given]
    return any(
        _put(cursor, table, given, values)
        for values in islice(product(*choices), TRIES)
    )


def _values(cursor: extensions.cursor, column: Column) -> Iterator[str]:
    """What may be written there, as SQL; what needs no thought first."""
    if column.has_default:
        yield DEFAULT
    if not column.required:
        yield NULL
    for text in (*column.named(), *SAMPLES):
        if _tried(cursor, f"SELECT %s::{column.type}", text):
            yield cursor.mogrify(f"%s::{column.type}", (text,)).decode()
            if not column.conditions:
                return


def _put(
    cursor: extensions.cursor, table: str, given: list[Column], values: tuple[str, ...]
) -> bool:
    statement = sql.SQL("INSERT INTO {} ").format(sql.Identifier(table))
    if given:
        listed = sql.SQL(", ").join(sql.Identifier(each.name) for each in given)
        row = sql.SQL(", ").join(sql.SQL(value) for value in values)
        statement += sql.SQL("({}) VALUES ({})").format(listed, row)
    else:
        statement += sql.SQL(DEFAULT + " VALUES")
    return _tried(cursor, statement.as_string(cursor))


def _tried(cursor: extensions.cursor, statement: str, *values: str) -> bool:
    cursor.execute("SAVEPOINT before")
    try:
        cursor.execute(statement, values or None)
    except psycopg2.Error:
        cursor.execute("ROLLBACK TO SAVEPOINT before")
        return False
    cursor.execute("RELEASE SAVEPOINT before")
    return True
