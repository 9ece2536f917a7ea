"""What ``mpms models`` says about model files before anything is deployed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from mpms.domain.models import Problem
from mpms.engine.lint.markdown import elements_page
from mpms.engine.runner import SpiffEngine
from mpms.services.deploy_models import check_form

KINDS = frozenset({".bpmn", ".dmn", ".form"})

Result = dict[str, object]


def lint(paths: Sequence[Path]) -> list[Result]:
    """One result a file, in the form that design.md promises; folders are searched."""
    engine = SpiffEngine()
    return [
        {
            "file": str(path),
            "deployable": not found,
            "problems": [
                {"element": p.element, "name": p.name, "reason": p.reason}
                for p in found
            ],
        }
        for path, found in _judged(engine, paths)
    ]


def print_lint(paths: Sequence[Path], *, as_text: bool) -> int:
    """Print the results; 1 if one of the files cannot be deployed."""
    results = lint(paths)
    for result in results:
        print(_told(result) if as_text else json.dumps(result, ensure_ascii=False))
    return 0 if all(result["deployable"] for result in results) else 1


def print_elements() -> int:
    """Print what is executed and what is refused, as the page docs/bpmn.md."""
    print(elements_page(), end="")
    return 0


def _judged(
    engine: SpiffEngine, paths: Sequence[Path]
) -> Iterator[tuple[Path, list[Problem]]]:
    for path in paths:
        if not path.is_dir():
            yield path, _problems(engine, path)
            continue
        files = sorted(p for p in path.rglob("*") if _is_model(p))
        if not files:
            kinds = ", ".join(sorted(KINDS))
            yield path, [Problem("", "", f"the directory holds no file of {kinds}")]
        for file in files:
            yield file, _problems(engine, file)


def _is_model(path: Path) -> bool:
    return path.suffix.lower() in KINDS and path.is_file()


def _problems(engine: SpiffEngine, path: Path) -> list[Problem]:
    try:
        content = path.read_bytes()
    except OSError as failure:
        return [Problem("", "", f"the file cannot be read: {failure.strerror}")]
    suffix = path.suffix.lower()
    if suffix == ".dmn":
        return list(engine.check_decisions(content))
    if suffix == ".form":
        return check_form(content)
    return list(engine.check(content))


def _told(result: Result) -> str:
    problems = result["problems"]
    if not isinstance(problems, list) or not problems:
        return f"{result['file']}: can be deployed"
    count = "one problem" if len(problems) == 1 else f"{len(problems)} problems"
    lines = [f"{result['file']}: {count}"]
    first = {p["element"]: n for n, p in reversed(list(enumerate(problems)))}
    for problem in sorted(problems, key=lambda p: first[p["element"]]):
        name = f" ({problem['name']})" if problem["name"] else ""
        place = f"{problem['element']}{name}: " if problem["element"] else ""
        lines.append(f"  {place}{problem['reason']}")
    return "\n".join(lines)
