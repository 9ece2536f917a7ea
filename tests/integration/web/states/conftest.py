"""One plant with all its pages, and a count of which branches of them were rendered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import Environment, nodes
from jinja2.visitor import NodeTransformer

from mpms import assets, bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.adapters.floor import StillFloor
from mpms.adapters.memory import LoopbackRobots, LoopbackScale
from mpms.domain.jobs import Done, Job
from mpms.domain.order_mail import Catalogue
from mpms.domain.people import Person, Role
from mpms.services.current_catalogue import CurrentCatalogue
from mpms.services.deploy_models import deploy_models
from mpms.services.start_instance import start_instance
from mpms.services.tokens import hash_of
from mpms.web import create_app, signed_in
from mpms.web.desk import Desk
from mpms.worker import Worker

ROOT = Path(__file__).resolve().parents[4]
WORLD = ROOT / "worlds" / "paint_factory"


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


class Quiet:
    """A worker driven by hand does not sleep."""

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("nobody waits here")

    def wake(self) -> None:
        return


class SilentLive:
    def position(self) -> str:
        return ""


class Site:
    """A plant that is moved by hand, and people who look at it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow, self.advance = self.services.uow, self.services.advance
        self.world = bootstrap.world_named("paint_factory")
        self.robots = LoopbackRobots(self.world)
        self.branches = Branches()
        handlers = bootstrap.factory_handlers(
            self.services, self.world, scale=LoopbackScale(lambda robot: 10.0)
        )
        handlers.add_inside("print", self._print)
        self.worker = Worker(
            self.uow, self.advance, handlers, self.robots, Quiet(), name="by hand"
        )
        catalogue = (WORLD / "catalogue.json").read_bytes()
        self.desk = Desk(
            uow=self.uow,
            engine=self.services.engine,
            advance=self.advance,
            clock=self.services.clock,
            world=self.world,
            world_dir=WORLD,
            floor=StillFloor(),
            live=SilentLive(),  # type: ignore[arg-type]
            hasher=Argon2Hasher(rounds=1, memory_kib=8),
            materials=CurrentCatalogue(lambda: Catalogue.from_json(catalogue)),
        )

    def close(self) -> None:
        self.robots.close()
        self.services.close()

    def app(self) -> Flask:
        app = create_app(self.desk)
        app.config.update(TESTING=True, PROPAGATE_EXCEPTIONS=True)
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}",
            assets_later=dict,
            browser_texts=dict,
            preloads=list,
        )
        self.branches.watch(app.jinja_env)
        return app

    def person(self, login: str, role: Role, **more: Any) -> Person:
        with self.uow() as tx:
            return tx.people.get(login) or tx.people.add(
                login, f"{login.title()} Doe", role, **more
            )

    def sign_in(self, app: Flask, login: str, tablet: str | None = None) -> FlaskClient:
        ends_at = self.desk.clock.now() + timedelta(hours=8)
        token = f"{login} {tablet}"
        client = app.test_client()
        with self.uow() as tx:
            person = tx.people.get(login)
            assert person is not None
            tablet_id = None
            if tablet is not None:
                tablet_id = tx.sessions.enrol(hash_of(tablet), tablet, by="sofia")
                client.set_cookie(signed_in.TABLET_COOKIE, tablet)
            if tx.sessions.find(hash_of(token)) is None:
                tx.sessions.open(
                    hash_of(token), person.id, tablet_id=tablet_id, expires_at=ends_at
                )
        client.set_cookie(signed_in.SESSION_COOKIE, token)
        return client

    def deploy(self, files: dict[str, bytes] | None = None, note: str = "") -> None:
        deploy_models(
            self.uow,
            self.services.engine,
            assets.shipped_models() if files is None else files,
            by="engineer",
            note=note,
        )

    def start(self, key: str, business_key: str | None = None, **given: Any) -> str:
        with self.uow() as tx:
            started = start_instance(
                tx,
                self.advance,
                key,
                variables=given,
                business_key=business_key,
                actor="operator",
            )
        self.worker.settle()
        return started

    def use_up_attempts(self) -> None:
        while self.rows("SELECT id FROM jobs WHERE state = 'ready'"):
            self.rows("UPDATE jobs SET run_at = now() WHERE state = 'ready'")
            self.worker.settle()

    def _print(self, tx: Any, job: Job) -> Done:
        raise RuntimeError("no paper in the printer")

    def rows(self, statement: str, *values: Any, **named: Any) -> list[Any]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values or named or None)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def site(database_url: str) -> Iterator[Site]:
    dist = ROOT / "mpms" / "web" / "static" / "dist" / "manifest.json"
    assert dist.exists(), "some pages show what a build makes; run: make web"
    site = Site(database_url)
    yield site
    site.close()
