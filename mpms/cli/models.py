"""What ``mpms models`` says about model files before anything is deployed.

Checking needs the lint and not the engine that executes: it is quick enough to be run
whenever a file is saved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mpms.domain.forms import check_form
from mpms.domain.models.definitions import Problem
from mpms.domain.models.templates import check_templates
from mpms.engine import decisions
from mpms.engine import lint as model_lint
from mpms.engine.lint.markdown import elements_page
from mpms.plugins import loading
from mpms.services.models.file_kinds import ENDINGS, ONLY, TEMPLATES, file_kind
from mpms.settings import Settings

Result = dict[str, object]


def lint(paths: Sequence[Path]) -> list[Result]:
    """One result a file, in the form that design.md promises; folders are searched.

    ``warnings`` is there only if there are any: they refuse nothing.
    """
    return [
        {
            "file": str(path),
            "deployable": not found,
            "problems": [asdict(problem) for problem in found],
            **({"warnings": [asdict(warning) for warning in told]} if told else {}),
        }
        for path, found, told in _checked(paths)
    ]


def print_lint(_: Settings, files: Sequence[Path], *, text: bool) -> int:
    """Print the results; 1 if one of the files cannot be deployed."""
    results = lint(files)
    for result in results:
        print(_told(result) if text else json.dumps(result, ensure_ascii=False))
    return 0 if all(result["deployable"] for result in results) else 1


def print_elements(_: Settings, *, markdown: bool = True) -> int:
    """Print what is executed and what is refused, as the page docs/bpmn.md."""
    print(elements_page(), end="")
    return 0


def _checked(
    paths: Sequence[Path],
) -> Iterator[tuple[Path, list[Problem], list[Problem]]]:
    """Files with their problems and warnings."""
    for path in paths:
        if not path.is_dir():
            yield path, *_findings(path)
            continue
        files = model_files(path)
        if not files:
            kinds = ", ".join(ENDINGS)
            yield path, [Problem("", "", f"the directory holds no file of {kinds}")], []
        for file in files:
            yield file, *_findings(file)


def model_files(path: Path) -> list[Path]:
    """A file, or what a folder holds that can be deployed."""
    if not path.is_dir():
        return [path]
    return sorted(each for each in path.rglob("*") if _is_model(each))


def _is_model(path: Path) -> bool:
    """Of a folder's JSON files those that lie where Camunda Modeler keeps templates."""
    kind = file_kind(path.name)
    if kind == "template" and TEMPLATES not in path.parts:
        return False
    return kind is not None and path.is_file()


def _findings(path: Path) -> tuple[list[Problem], list[Problem]]:
    try:
        content = path.read_bytes()
    except OSError as failure:
        return [Problem("", "", f"the file cannot be read: {failure.strerror}")], []
    kind = file_kind(path.name)
    if kind is None:
        return [Problem("", "", ONLY)], []
    if kind == "dmn":
        content = _with_those_beside(path, content)
        refused = [
            Problem(p.element, p.name, f"not deployed: {p.reason}")
            for p in decisions.refused_decisions(content)
        ]
        return decisions.check_decisions(content), refused
    if kind == "form":
        return check_form(content), []
    if kind == "template":
        return check_templates(content), []
    # There is no database here: only the topics of our own workers are known.
    problems = model_lint.check(content).problems
    return problems, model_lint.check_names(content, topics=loading.topics())


def _with_those_beside(path: Path, content: bytes) -> bytes:
    """A file of decisions with those of its folder that it imports."""
    if b"import " not in content:
        return content
    beside = {path.name: content}
    for other in sorted(path.parent.iterdir()):
        if other != path and file_kind(other.name) == "dmn" and other.is_file():
            with suppress(OSError):
                beside[other.name] = other.read_bytes()
    return decisions.with_imports(beside)[path.name]


def _told(result: Result) -> str:
    problems: Any = result["problems"]
    warnings: Any = result.get("warnings", [])
    told = _count(problems, "problem") if problems else "can be deployed"
    if warnings:
        told += f", {'and' if problems else 'with'} {_count(warnings, 'warning')}"
    lines = [*_lines(problems), *_lines(warnings)]
    return "\n".join([f"{result['file']}: {told}", *lines])


def _count(found: Sequence[object], noun: str) -> str:
    return f"one {noun}" if len(found) == 1 else f"{len(found)} {noun}s"


def _lines(problems: Sequence[dict[str, str]]) -> Iterator[str]:
    first = {p["element"]: n for n, p in reversed(list(enumerate(problems)))}
    for problem in sorted(problems, key=lambda p: first[p["element"]]):
        yield f"  {in_a_line(**problem)}"


def in_a_line(element: str, name: str, reason: str) -> str:
    """One finding in one line, its place first."""
    named = f" ({name})" if name else ""
    return f"{element}{named}: {reason}" if element else reason
