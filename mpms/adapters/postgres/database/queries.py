"""Statements by name, read from plain SQL files.

SQL stays in files that any SQL tool can open. Mistakes are found when the program
starts, not when a statement is first needed: a name used twice, a statement that
does not say what it is for, a percent sign that the driver would misread.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mpms.adapters.postgres.database.prepared import Prepared, prepared
from mpms.domain.errors import MpmsError

NAME_LINE = re.compile(r"--\s*name:\s*(?P<name>.*?)(?P<prepared>,\s*prepared)?\s*")
NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
PARAMETER = re.compile(r"%\((?P<name>[a-z][a-z0-9_]*)\)s")
LONELY_PERCENT = re.compile(r"%(?!\([a-z][a-z0-9_]*\)s)")


class QueriesInvalid(MpmsError):
    """A file of named queries cannot be read."""


class QueryUnknown(MpmsError, KeyError):
    """There is no query with this name."""

    __str__ = Exception.__str__


@dataclass(frozen=True)
class Query:
    """One statement, what it is for and the file it stands in.

    ``prepared``: its plan does not depend on what it is asked, and it is run often.
    """

    name: str
    purpose: str
    statement: str
    file: str
    prepared: bool = False

    @property
    def parameters(self) -> list[str]:
        """Return the names of the parameters, each once, in order."""
        found = PARAMETER.finditer(self.statement.replace("%%", ""))
        return list(dict.fromkeys(match["name"] for match in found))


class Queries(Mapping[str, str]):
    """Every statement of directories; ``queries["jobs_insert"]`` is its SQL."""

    def __init__(self, *directories: Path) -> None:
        self._queries: dict[str, Query] = {}
        for directory in directories:
            if not directory.is_dir():
                raise QueriesInvalid(f"there is no directory of queries at {directory}")
            self._read(directory)

    def _read(self, directory: Path) -> None:
        for path in sorted(directory.glob("*.sql")):
            for query in parse(path.read_text(encoding="utf-8"), path.name):
                if (other := self._queries.get(query.name)) is not None:
                    raise QueriesInvalid(
                        f"the query {query.name} is written twice, in {other.file}"
                        f" and in {query.file}"
                    )
                self._queries[query.name] = query

    def __getitem__(self, name: str) -> str:
        return self.query(name).statement

    def __iter__(self) -> Iterator[str]:
        return iter(self._queries)

    def __len__(self) -> int:
        return len(self._queries)

    @cached_property
    def prepared(self) -> dict[str, Prepared]:
        """Those that a connection prepares before it first runs them."""
        return {
            name: prepared(name, query.statement)
            for name, query in self._queries.items()
            if query.prepared
        }

    def query(self, name: str) -> Query:
        """Return the statement with its purpose and its file."""
        try:
            return self._queries[name]
        except KeyError:
            raise QueryUnknown(f"there is no query named {name}") from None


def parse(text: str, file: str) -> list[Query]:
    """Split one file at its ``-- name:`` lines."""
    queries: list[Query] = []
    heading: re.Match[str] | None = None
    body: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if match := NAME_LINE.fullmatch(line):
            if heading is not None:
                queries.append(_query(heading, body, file))
            heading, body = match, []
            if NAME.fullmatch(heading["name"]) is None:
                raise QueriesInvalid(
                    f"{file}, line {number}: {heading['name']!r} is no name; write it"
                    " like jobs_insert"
                )
        elif heading is not None:
            body.append(line)
        elif line.strip() and not line.startswith("--"):
            raise QueriesInvalid(
                f"{file}, line {number}: a statement must begin with a line like"
                " '-- name: jobs_insert'"
            )
    if heading is not None:
        queries.append(_query(heading, body, file))
    return queries


def _query(heading: re.Match[str], lines: list[str], file: str) -> Query:
    name = heading["name"]
    purpose = lines[0].removeprefix("--").strip() if lines else ""
    if not purpose or not lines[0].startswith("--"):
        raise QueriesInvalid(
            f"{file}: the line after the name of {name} must be a comment that says"
            " what the query is for"
        )
    statement = "\n".join(lines[1:]).strip()
    if not re.sub(r"--.*", "", statement).strip(" \t\n;"):
        raise QueriesInvalid(f"{file}: the query {name} is empty")
    if found := LONELY_PERCENT.search(statement.replace("%%", "")):
        near = statement.replace("%%", "")[found.start() :].split("\n")[0][:20]
        raise QueriesInvalid(
            f"{file}: near {near!r} in {name}: write a parameter as %(name)s and a"
            " percent sign as %%"
        )
    return Query(name, purpose, statement, file, heading["prepared"] is not None)
