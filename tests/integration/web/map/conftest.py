"""The map's pages over a real database and a floor that the test paints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from mpms import bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.goals import Goal, GoalState, Pose
from mpms.domain.people import Role
from mpms.domain.worlds import World
from mpms.ports.floor import Floor, FloorSeen, Point
from mpms.ports.plant import RobotState
from mpms.services.tokens import hash_of
from mpms.web import create_app
from mpms.web.desk import Desk
from mpms.web.signed_in import SESSION_COOKIE

ROOT = Path(__file__).resolve().parents[4]


class PaintedFloor:
    """Shows what the test says."""

    def __init__(self) -> None:
        self.frame = FloorSeen()
        self.cells: dict[str, list[Point]] = {}
        self.whole: dict[str, list[Point]] = {}
        self.asked: list[str] = []

    def seen(self) -> FloorSeen:
        return self.frame

    def costmap(self, robot: str) -> Sequence[Point]:
        self.asked.append(robot)
        return self.cells.get(robot, [])

    def global_costmap(self, robot: str) -> Sequence[Point]:
        self.asked.append(f"{robot} whole")
        return self.whole.get(robot, [])

    def close(self) -> None:
        """Nothing to end."""


class SilentLive:
    """Nothing ever changes."""

    def position(self) -> str:
        return ""


class CountedTransactions:
    def __init__(self, uow: Any) -> None:
        self._uow = uow
        self.count = 0

    @contextmanager
    def __call__(self) -> Iterator[Any]:
        self.count += 1
        with self._uow() as tx:
            yield tx


class House:
    def __init__(self, url: str) -> None:
        self.services = bootstrap.connect(url)
        self.uow = CountedTransactions(self.services.uow)
        self.floor = PaintedFloor()
        self.world = bootstrap.world_named("paint_factory")

    def app(
        self,
        *,
        world: World | None = None,
        floor: Floor | None = None,
        live: Any = None,
    ) -> Flask:
        return create_app(
            Desk(
                uow=self.uow,
                engine=self.services.engine,
                advance=self.services.advance,
                clock=self.services.clock,
                world=world or self.world,
                world_dir=ROOT / "worlds/paint_factory",
                floor=floor or self.floor,
                live=live or SilentLive(),
                hasher=Argon2Hasher(rounds=1, memory_kib=8),
            )
        )

    def token(self, role: Role = Role.SUPERVISOR, language: str = "en") -> str:
        token = f"token of a {role.value} {uuid4()}"
        with self.uow() as tx:
            login = uuid4().hex
            person = tx.people.add(login, "Ada", role)
            tx.people.set_language(login, language)
            expires_at = datetime.now(UTC) + timedelta(hours=1)
            tx.sessions.open(
                hash_of(token), person.id, tablet_id=None, expires_at=expires_at
            )
        return token

    def browser(
        self,
        role: Role | None = Role.SUPERVISOR,
        *,
        world: World | None = None,
        language: str = "en",
    ) -> FlaskClient:
        app = self.app(world=world)
        # Tests of pages do not depend on a build of their scripts.
        app.jinja_env.globals.update(
            asset=lambda name: f"/static/{name}", assets_later=dict, browser_texts=dict
        )
        client = app.test_client()
        if role is not None:
            client.set_cookie(SESSION_COOKIE, self.token(role, language))
        return client

    def renamed(self, name: str) -> World:
        """The world with a robot, a place and a material of this name."""
        robot = replace(self.world.robots[0], id=name)
        return replace(
            self.world,
            name=name,
            robots=(robot,),
            places=self.world.places | {name: Pose(5.0, 2.0)},
            material_places=self.world.material_places | {name: name},
        )

    def report(self, *states: RobotState) -> None:
        with self.uow() as tx:
            names = [state.robot for state in states]
            tx.robots.own(names, worker="w", lease_s=600.0)
            tx.robots.report(states, worker="w")

    def hold(self, robot: str, order: str) -> str:
        instance = str(uuid4())
        with self.uow() as tx:
            model = tx.definitions.deploy("mix", "Mix", b"<mix/>", by="test")
            tx.instances.add(
                instance, tx.definitions.id_of(model), business_key=order, parent=None
            )
            assert tx.robot_holds.hold(robot, instance)
        return instance

    def send(self, robot: str, place: str, instance: str | None = None) -> str:
        goal_id = uuid4().hex
        goal = Goal(
            goal_id, robot, place, Pose(1.0, 1.0), GoalState.SENT, instance_id=instance
        )
        with self.uow() as tx:
            assert tx.goals.add(goal)
        return goal_id

    def close(self) -> None:
        self.services.close()


@pytest.fixture
def house(database_url: str) -> Iterator[House]:
    house = House(database_url)
    yield house
    house.close()


@pytest.fixture
def frame_of() -> Callable[[FlaskClient], dict[str, Any]]:
    def read(browser: FlaskClient, query: str = "") -> dict[str, Any]:
        answer = browser.get(f"/map/frame.json{query}")
        assert answer.status_code == 200
        frame: dict[str, Any] = answer.get_json()
        return frame

    return read
