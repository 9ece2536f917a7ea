"""Keeps what Flask compiles, for the many applications that one test run creates.

An application compiles its 363 routes and each template that it shows; tests create
one each. The compiled code depends on the source alone, so it is kept by source. Every
test still calls ``create_app`` and gets an application of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule


class KeptBytecode(BytecodeCache):
    """Compiled templates by name and source, in memory."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key, bucket.checksum] = bucket.code


def keep_compiled_code() -> None:
    """From now on, compile each template and each route once in this process."""
    Flask.jinja_options = {"bytecode_cache": KeptBytecode()}
    _keep_routes()


def _keep_routes() -> None:
    compile_builder = Rule._compile_builder
    kept: dict[tuple[object, ...], Callable[..., Any]] = {}

    def once(rule: Rule, append_unknown: bool = True) -> Callable[..., Any]:
        defaults = tuple(sorted((rule.defaults or {}).items()))
        source = (rule.rule, rule.subdomain, rule.host, append_unknown, defaults)
        if source not in kept:
            kept[source] = compile_builder(rule, append_unknown)
        return kept[source]

    Rule._compile_builder = once  # type: ignore[method-assign,assignment]
