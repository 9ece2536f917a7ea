"""Lists of the API as tables: the same lines, for spreadsheets and plain programs.

Columns are the fields of a line, so that no list needs a table of its own. What is a
list or an object itself stands in its cell as JSON.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from urllib.parse import urlencode

from flask import Response, request
from pydantic import BaseModel

from mpms.web.api.operation import Operation
from mpms.web.labels.cockpit import cell

CSV = "text/csv"


def wants_csv() -> bool:
    """Who takes anything gets JSON."""
    return request.accept_mimetypes.best_match(["application/json", CSV]) == CSV


def as_csv(operation: Operation, row: type[BaseModel], listed: Any) -> Response:
    """Of an answer with ``items`` and perhaps ``next``."""
    lines = listed.model_dump(mode="json", by_alias=True)
    names = [field.serialization_alias or n for n, field in row.model_fields.items()]
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(names)
    for line in lines["items"]:
        writer.writerow([cell(_text(line[name])) for name in names])
    answer = Response(written.getvalue(), content_type=f"{CSV}; charset=utf-8")
    answer.headers["Content-Disposition"] = "attachment"
    answer.headers["Vary"] = "Accept"
    if lines.get("next") is not None:
        fields = {} if operation.query is None else operation.query.model_fields
        place = "cursor" if "cursor" in fields else "after"
        asked = request.args.to_dict(flat=False) | {place: [lines["next"]]}
        there = f"{request.path}?{urlencode(asked, doseq=True)}"
        answer.headers["Link"] = f'<{there}>; rel="next"'
    return answer


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return value
