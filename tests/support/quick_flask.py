"""Keeps what Flask compiles, for the many applications that one test run creates.

An application compiles its hundreds of routes and each template that it shows; tests
create one each. What is compiled depends on the source alone, so it is kept by source.
Every test still calls ``create_app`` and gets an application of its own.
"""

from __future__ import annotations

import threading
from typing import Any

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Map, Rule, RuleFactory


class KeptBytecode(BytecodeCache):
    """Compiled templates by name and source, in memory."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key, bucket.checksum] = bucket.code


WORDS_OF_A_RULE = (
    *("rule", "endpoint", "subdomain", "host", "strict_slashes", "merge_slashes"),
    *("redirect_to", "alias", "build_only", "websocket", "provide_automatic_options"),
)
_maps: dict[tuple[object, ...], Map] = {}
_making = threading.RLock()


class KeptMap(Map):
    """Its routes are compiled when it is first asked, and shared with every other map
    of the same routes. A route that is added later makes it another map."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._added: list[Rule] = []
        self._made: Map | None = None
        super().__init__(*args, **options)

    def add(self, rulefactory: RuleFactory) -> None:
        self._added += rulefactory.get_rules(self)
        self._made = None

    def update(self) -> None:
        self._one().update()

    @property
    def _matcher(self) -> Any:
        return self._one()._matcher

    @_matcher.setter
    def _matcher(self, matcher: Any) -> None:
        """The one of the shared map is used."""

    @property
    def _rules_by_endpoint(self) -> Any:
        return self._one()._rules_by_endpoint

    @_rules_by_endpoint.setter
    def _rules_by_endpoint(self, rules: Any) -> None:
        """Those of the shared map are used."""

    def _one(self) -> Map:
        made = self._made
        if made is None:
            with _making:
                made = self._made = self._kept()
        return made

    def _kept(self) -> Map:
        source = (
            *(self.host_matching, tuple(self.converters.items())),
            *(_words_of(rule) for rule in self._added),
        )
        kept = _maps.get(source)
        if kept is None:
            kept = _maps[source] = Map(host_matching=self.host_matching)
            kept.converters = self.converters
            for rule in self._added:
                own = rule.empty()
                # Flask's own word, which a copy does not know.
                own.provide_automatic_options = getattr(  # type: ignore[attr-defined]
                    rule, "provide_automatic_options", None
                )
                kept.add(own)
            kept.update()
        return kept


def _words_of(rule: Rule) -> tuple[object, ...]:
    return (
        *(getattr(rule, name, None) for name in WORDS_OF_A_RULE),
        frozenset(rule.methods or ()),
        tuple(sorted((rule.defaults or {}).items())),
    )


def keep_compiled_code() -> None:
    """From now on, compile each template and each set of routes once in this
    process."""
    Flask.jinja_options = {"bytecode_cache": KeptBytecode()}
    Flask.url_map_class = KeptMap
