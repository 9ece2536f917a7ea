"""All pages of a plant, and a count of which branches of them were rendered."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import Any

import psycopg2
from flask import Flask
from jinja2 import Environment, nodes
from jinja2.visitor import NodeTransformer

from mpms import assets
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackScale
from mpms.services.people.session_tokens import hash_of
from mpms.web.site import signed_in
from tests.support.site import NO_PAPER, Browser, Site, add_jobs, browser_of, pages_of


class WatchedSite(Site):
    """A plant that is moved by hand, and people who look at it."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.branches = Branches()
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, self.world, scale=LoopbackScale(lambda robot: 10.0)
        )
        add_jobs(self.handlers, lambda: NO_PAPER)
        self.worker = self.another_worker("by hand")

    def watched_app(self) -> Flask:
        """Whatever a page raises reaches the test."""
        app = pages_of(self.desk())
        app.config["PROPAGATE_EXCEPTIONS"] = True
        self.branches.watch(app.jinja_env)
        return app

    def deploy_shipped(self) -> None:
        self.deploy_files(assets.shipped_models())

    def run(self, statements: str, values: dict[str, Any]) -> None:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statements, values)

    def sign_in(self, app: Flask, login: str, tablet: str | None = None) -> Browser:
        client, tablet_id = browser_of(app), None
        if tablet is not None:
            with self.uow() as tx:
                tablet_id = tx.sessions.enrol(hash_of(tablet), tablet, by="sofia")
            client.set_cookie(signed_in.TABLET_COOKIE, tablet)
        token = self.session_of(login, tablet_id=tablet_id)
        client.set_cookie(signed_in.SESSION_COOKIE, token)
        return client


class Branches:
    """Every ``if``, ``for`` and "this if that" of templates, and which way it went.

    Templates are changed as they are parsed: each way says so when it is taken.
    """

    def __init__(self) -> None:
        self.all: set[str] = set()
        self.taken: set[str] = set()

    def watch(self, env: Environment) -> None:
        plain = env._parse

        def parse(source: str, name: str | None, filename: str | None) -> Any:
            tree = plain(source, name, filename)
            tree = _Marker(name or "", self.all).visit(tree)
            for node in tree.find_all(nodes.Node):
                node.lineno = node.lineno or 1
            return tree.set_environment(env)

        env._parse = parse  # type: ignore[method-assign]
        env.bytecode_cache = None  # it holds templates that tell nothing
        env.globals["_taken"] = self._take

    def _take(self, way: str, value: Any = None) -> Any:
        self.taken.add(way)
        return value

    @property
    def missed(self) -> list[str]:
        return sorted(self.all - self.taken)


class _Marker(NodeTransformer):
    """Adds to each way of a template a call that tells of it."""

    def __init__(self, template: str, known: set[str]) -> None:
        self._template, self._known = template, known
        self._met: Counter[str] = Counter()

    def visit_If(self, node: nodes.If) -> nodes.Node:
        way = self._way(f"if {words(node.test)}")
        self.generic_visit(node)
        node.body = self._begun(node.body, way)
        node.else_ = self._begun(node.else_, f"{way}: else")
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:
        way = self._way(f"for {words(node.iter)}")
        self.generic_visit(node)
        node.body = self._begun(node.body, way)
        node.else_ = self._begun(node.else_, f"{way}: else")
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:
        way = self._way(words(node.test))
        self.generic_visit(node)
        self._known.update((way, f"{way}: else"))
        node.expr1 = _call(way, node.expr1)
        node.expr2 = _call(f"{way}: else", node.expr2 or nodes.Const(""))
        return node

    def _begun(self, body: list[nodes.Node], way: str) -> list[nodes.Node]:
        """What is not there cannot break: an ``if`` without ``else`` has one way."""
        if not body:
            return body
        self._known.add(way)
        return [nodes.ExprStmt(_call(way)), *body]

    def _way(self, what: str) -> str:
        self._met[what] += 1
        number = f" ({self._met[what]})" if self._met[what] > 1 else ""
        return f"{self._template}: {what}{number}"


def _call(way: str, *value: nodes.Expr) -> nodes.Call:
    name = nodes.Name("_taken", "load")
    return nodes.Call(name, [nodes.Const(way), *value], [], None, None)


def words(node: nodes.Node) -> str:
    """A condition, as short as it can be told apart from others."""
    match node:
        case nodes.Name():
            return node.name
        case nodes.Const():
            return repr(node.value)
        case nodes.Getattr():
            return f"{words(node.node)}.{node.attr}"
        case nodes.Filter() | nodes.Test():
            of = words(node.node) if node.node else ""
            return f"{of} {node.name} " + " ".join(map(words, node.args))
        case nodes.Operand():
            return f"{node.op} {words(node.expr)}"
    kind = type(node).__name__.lower()
    told = kind if kind in ("and", "or", "not") else ""
    return " ".join([told, *map(words, node.iter_child_nodes())]).strip()
