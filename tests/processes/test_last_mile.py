"""The last mile: vehicle, hand-over, robot, customer, and who is blocked or away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mpms.domain.errors import InstanceUnknown
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackRobots
from mpms.factory.domain.worlds import World
from mpms.factory.services.last_mile import DeliveryState, hand_in_code, show_delivery
from tests.support.bench import Bench

SAID = {
    "goods": "Two parcels",
    "customer": "Ms Lind",
    "customer_place": "home_2",
    "vehicle": "hydro",
    "delivery_robot": "zebrat",
    "handover_kerb": "kerb",
    "handover_place": "handover",
    "wait_minutes": 10,
    "when_away": "ask",
}


class Town(Bench):
    def __init__(self, url: str) -> None:
        world = factory_bootstrap.world_named("urban")
        self.loopback = LoopbackRobots(world)
        super().__init__(url, robots=self.loopback)
        self.serve(world)
        self.worker = self.another_worker("of the town")
        self.delivery = self.start("last_mile")

    def serve(self, world: World, **parts: Any) -> None:
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, world, **parts
        )

    def form(self, element: str) -> Any:
        (task,) = [task for task in self.forms() if task.element == element]
        return task

    def answer(self, element: str, **said: Any) -> None:
        self.submit(self.form(element).task_id, said)

    def to_the_customer(self) -> None:
        self.answer("say_what", **SAID)
        self.answer("hand_over", load_place="left_front", handed_over=True)

    def types(self, code: str) -> bool:
        done = hand_in_code(self.uow, self.advance, self.delivery, code)
        self.worker.settle()
        return done

    @property
    def code(self) -> str:
        return str(self.variables(self.delivery)["delivery_code"])

    @property
    def wrong(self) -> str:
        return "000000" if self.code != "000000" else "111111"

    def state(self) -> DeliveryState:
        return show_delivery(self.uow, self.delivery).state

    def places(self, robot: str) -> list[str]:
        rows = self.rows(
            "SELECT place FROM goals WHERE robot = %s ORDER BY created_at, id", robot
        )
        return [str(row[0]) for row in rows]


@pytest.fixture
def town(stocked_url: str) -> Iterator[Town]:
    with Town(stocked_url) as town:
        yield town


@pytest.mark.covers("Z36")
def test_goods_go_from_the_vehicle_by_the_robot_to_the_customer(town: Town) -> None:
    town.answer("say_what", **SAID)
    assert town.places("hydro") == ["kerb"]
    assert town.places("zebrat") == ["handover"]
    assert town.state() is DeliveryState.PREPARED
    town.answer("hand_over", load_place="left_front", handed_over=True)
    assert town.places("hydro") == ["kerb", "home"]
    assert town.places("zebrat") == ["handover", "home_2"]
    assert town.state() is DeliveryState.HERE
    assert town.types(f" {town.code[:3]} {town.code[3:]} ")
    assert town.state() is DeliveryState.DELIVERED
    assert town.places("zebrat")[-1] == "home"
    assert not town.forms()
    assert not town.types(town.code)


def test_a_wrong_code_is_not_taken_and_five_are_a_persons_matter(town: Town) -> None:
    town.to_the_customer()
    for number in range(1, 5):
        assert town.types(town.wrong)
        assert town.state() is DeliveryState.HERE
        assert town.variables(town.delivery)["wrong_codes"] == number
    assert town.types(town.wrong)
    assert town.state() is DeliveryState.LOCKED
    assert not town.types(town.code)
    town.answer("customer_problem", again="yes")
    assert town.types(town.code)
    assert town.state() is DeliveryState.DELIVERED


@pytest.mark.covers("Z36")
def test_goods_come_back_when_the_customer_is_away(town: Town) -> None:
    town.to_the_customer()
    town.clock.move(660.0)
    town.worker.settle()
    town.answer("customer_problem", again="no")
    assert town.places("zebrat")[-1] == "handover"
    town.answer("take_back", taken_back=True)
    assert town.state() is DeliveryState.ENDED
    assert town.places("zebrat")[-1] == "home"


def test_goods_come_back_by_themselves_where_that_was_wished(town: Town) -> None:
    town.answer("say_what", **SAID | {"wait_minutes": 3, "when_away": "back"})
    town.answer("hand_over", load_place="left_front", handed_over=True)
    town.clock.move(170.0)
    town.worker.settle()
    assert town.state() is DeliveryState.HERE
    town.clock.move(20.0)
    town.worker.settle()
    assert town.places("zebrat")[-1] == "handover"
    town.answer("take_back", taken_back=True)
    assert town.state() is DeliveryState.ENDED


@pytest.mark.parametrize(
    ("blocked", "asked", "before"),
    [
        ("kerb", "vehicle_problem", False),
        ("handover", "come_problem", False),
        ("home_2", "bring_problem", True),
    ],
)
def test_a_blocked_robot_is_a_persons_matter_and_can_try_again(
    town: Town, blocked: str, asked: str, before: bool
) -> None:
    town.loopback.failing[blocked] = "Failed to find a valid plan: a lorry stands there"
    town.answer("say_what", **SAID)
    if before:
        town.answer("hand_over", load_place="left_front", handed_over=True)
    assert "a lorry stands there" in town.variables(town.delivery)["error_message"]
    town.answer(asked, again="yes")
    assert [task.element for task in town.forms()] == [asked]
    town.loopback.failing.clear()
    town.answer(asked, again="yes")
    if not before:
        town.answer("hand_over", load_place="left_front", handed_over=True)
    assert town.types(town.code)
    assert town.state() is DeliveryState.DELIVERED


def test_a_blocked_robot_brings_the_goods_back_if_a_person_says_so(town: Town) -> None:
    town.loopback.failing["home_2"] = "stuck at 17.0, 25.0"
    town.to_the_customer()
    town.answer("bring_problem", again="no")
    town.answer("take_back", taken_back=True)
    assert town.state() is DeliveryState.ENDED
    assert town.places("zebrat")[-2:] == ["handover", "home"]


def test_the_customer_is_mailed_the_page_and_the_code_in_their_language(
    town: Town,
) -> None:
    world = factory_bootstrap.world_named("urban")
    town.serve(world, site_url="https://mpms.example.com", mails=True)
    town.worker = town.another_worker("with mail")
    mail = {"customer_mail": "lind@example.com", "customer_language": "de"}
    town.answer("say_what", **SAID | mail)
    with town.uow() as tx:
        taken = tx.outbox.take("test")
        assert tx.outbox.take("test") is None
    assert taken is not None
    reply, _ = taken
    assert (reply.to, reply.is_answer) == ("lind@example.com", False)
    assert reply.subject == "Ihre Lieferung: Two parcels"
    assert f"https://mpms.example.com/last-mile/{town.delivery}" in reply.body
    assert town.code in reply.body
    assert town.variables(town.delivery)["customer_told"] == "mail"


def test_without_a_mail_server_the_worker_is_told_to_tell(town: Town) -> None:
    town.answer("say_what", **SAID | {"customer_mail": "lind@example.com"})
    assert town.variables(town.delivery)["customer_told"] == "no mail server"


def test_a_place_that_is_none_is_said_and_given_up(town: Town) -> None:
    town.answer("say_what", **SAID | {"handover_kerb": "moon"})
    assert "moon" in town.variables(town.delivery)["error_message"]
    town.answer("vehicle_problem", again="no")
    assert town.state() is DeliveryState.ENDED


def test_a_robot_that_cannot_get_there_brings_the_goods_back(town: Town) -> None:
    town.answer("say_what", **SAID | {"customer_place": "moon"})
    town.answer("hand_over", load_place="left_front", handed_over=True)
    town.answer("bring_problem", again="no")
    town.answer("take_back", taken_back=True)
    assert town.places("zebrat") == ["handover", "handover", "home"]


@pytest.mark.parametrize("link", ["x", "00000000-0000-0000-0000-000000000000"])
def test_a_link_that_is_none_shows_nothing(town: Town, link: str) -> None:
    with pytest.raises(InstanceUnknown):
        show_delivery(town.uow, link)


def test_another_process_is_no_delivery(town: Town) -> None:
    other = town.start("orders_handling")
    with pytest.raises(InstanceUnknown):
        show_delivery(town.uow, other)
