"""The process that reads and tries what anybody sends; ``trials`` asks it."""

from __future__ import annotations

import base64
import json
import os
import sys
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from mpms.adapters.walled_child.inside import (
    answer,
    limit_cpu,
    pipes,
    read_frame,
    wall_in,
)
from mpms.domain.errors import MpmsError
from mpms.domain.execution import Execution
from mpms.domain.instances.limits import Limits
from mpms.domain.models.decision_sheets import DecisionSheet
from mpms.domain.models.definitions import LATEST
from mpms.engine.runner import SpiffEngine
from mpms.plugins import loading

NICER = 5
_SHEET = TypeAdapter(DecisionSheet)
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


class _Lacks(BaseException):
    """A decision of another file is needed; no handler of errors may keep this one."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def main() -> None:
    questions, answers = pipes()
    settings = json.loads(read_frame(questions) or b"{}")
    os.nice(NICER)
    engine = SpiffEngine(
        loading.handlers().pure,
        Limits(**settings["limits"]),
        promised_topics=loading.known_topics(),
        execution=Execution(**settings["execution"]),
    )
    wall_in(settings["memory_bytes"])
    answer(answers, b"ready")
    while (question := read_frame(questions)) is not None:
        limit_cpu(settings["cpu_s"])
        answer(answers, _answered(engine, json.loads(question)))


def _answered(engine: SpiffEngine, asked: dict[str, Any]) -> bytes:
    try:
        made = _made(engine, asked)
    except _Lacks as lacking:
        made = {"lacks": lacking.key}
    except MpmsError as refusal:
        return json.dumps({"error": [type(refusal).__name__, str(refusal)]}).encode()
    except (MemoryError, RecursionError) as failure:
        sentence = f"It cannot be read or tried: {type(failure).__name__}."
        return json.dumps({"error": ["ModelRefused", sentence]}).encode()
    return b'{"made":' + _ANYTHING.dump_json(made) + b"}"


def _made(engine: SpiffEngine, asked: dict[str, Any]) -> Any:
    call, xml = asked.pop("call"), base64.b64decode(asked.pop("xml"))
    match call:
        case "check_names":
            known = {k: None if v is None else frozenset(v) for k, v in asked.items()}
            return engine.check_names(xml, **known)
        case "write_sheet":
            sheet = _SHEET.validate_python(asked["sheet"])
            return base64.b64encode(engine.write_sheet(xml, sheet)).decode()
        case "decide":
            return _decided(engine, xml, asked)
        case "check" | "check_decisions" | "refused_decisions" | "sheets":
            return getattr(engine, call)(xml)
        case "processes" | "decisions" | "inner_forms":
            return getattr(engine, call)(xml)
    raise ValueError(call)


def _decided(engine: SpiffEngine, xml: bytes, asked: dict[str, Any]) -> Any:
    others: dict[str, str | None] = asked["others"]

    def other(key: str, binding: str = LATEST) -> bytes | None:
        if key not in others:
            raise _Lacks(key)
        found = others[key]
        return None if found is None else base64.b64decode(found)

    return engine.decide(
        xml,
        asked["key"],
        asked["variables"],
        now=datetime.fromisoformat(asked["now"]),
        decisions=other,
    )


if __name__ == "__main__":
    main()
    sys.exit(0)
