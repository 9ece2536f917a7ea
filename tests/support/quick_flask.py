"""Keeps what Flask compiles, for the many applications that one test run creates.

An application compiles its 363 routes and each template that it shows; tests create
one each. The compiled code depends on the source alone, so it is kept by source. Every
test still calls ``create_app`` and gets an application of its own.
"""

from __future__ import annotations

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


KEPT_OF_A_RULE = ("_parts", "_trace", "_converters")


def _keep_routes() -> None:
    """What a rule is compiled to depends on its words and defaults alone."""
    compile_rule = Rule.compile
    kept: dict[tuple[object, ...], Rule] = {}

    def once(rule: Rule) -> None:
        assert rule.map is not None
        source = (
            *(rule.rule, rule.subdomain, rule.host, rule.merge_slashes),
            tuple(sorted((rule.defaults or {}).items())),
            tuple(rule.map.converters.items()),
        )
        same = kept.get(source)
        if same is None:
            compile_rule(rule)
            kept[source] = rule
            return
        for name in KEPT_OF_A_RULE:
            setattr(rule, name, getattr(same, name))
        rule.arguments = set(same.arguments)
        for name in ("_build", "_build_unknown"):
            builder = getattr(same, name).__func__
            setattr(rule, name, builder.__get__(rule, None))

    Rule.compile = once  # type: ignore[method-assign,assignment]
