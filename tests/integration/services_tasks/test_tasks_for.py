"""What a person sees of the work that waits."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.people.people import Person, Role
from mpms.factory.ports.floor import FloorSeen, RobotSeen
from mpms.factory.services.tasks.listing import TaskView, next_of, task_for, tasks_for
from mpms.services.instances.suspend import suspend_instance
from mpms.services.tasks.claim import NotYourTask, claim_task
from mpms.services.tasks.submit import submit_form
from tests.support.checkers import there
from tests.support.drawings import draw
from tests.support.weighing import WeighingShop


def seen(shop: WeighingShop, person: Person, **more: Any) -> list[TaskView]:
    now = more.pop("now", shop.forms()[0].created_at if shop.forms() else None)
    now = now or shop.clock.now()
    return list(tasks_for(shop.uow, person, now=now, world=shop.world, **more))


def test_people_see_the_tasks_of_their_groups_and_no_others(shop: WeighingShop) -> None:
    shop.deploy(groups="mixers")
    task = shop.weigh()
    for somebody in (
        shop.person("max", groups=("mixers",)),
        shop.person("boss", Role.SUPERVISOR),
    ):
        assert [v.task.task_id for v in seen(shop, somebody)] == [task.task_id]
    for nobody in (
        shop.person("ana", groups=("loaders",)),
        shop.person("eva", Role.VIEWER, ("mixers",)),
    ):
        assert seen(shop, nobody) == []
        with pytest.raises(NotYourTask):
            task_for(
                shop.uow,
                nobody,
                task.task_id,
                now=shop.clock.now(),
                world=shop.world,
            )


def test_a_card_tells_place_material_amounts_and_robot(
    stocked_shop: WeighingShop,
) -> None:
    shop = stocked_shop
    shop.make("MO-1")
    (view,) = seen(shop, shop.person("ana"))
    assert (view.order_number, view.product, view.place) == ("MO-1", "White paint", "A")
    assert (there(view.material).name, there(view.material).required_kg) == (
        "Water",
        10.0,
    )
    assert [line.code for line in view.lines] == ["RM-001", "RM-002"]
    assert there(view.robot).here
    assert not view.late


def test_the_next_card_follows_the_robot_and_counts_what_is_loaded(
    stocked_shop: WeighingShop,
) -> None:
    shop = stocked_shop
    instance_id = shop.make("MO-1")
    answers: list[dict[str, Any]] = [
        {"confirmed": True, "lot": "L7"},
        {"unloaded": True},
    ]
    places = []
    for given in answers:
        (task,) = shop.forms(instance_id)
        submit_form(shop.uow, shop.advance, task.task_id, given, by="ana")
        shop.worker.settle()
        (view,) = seen(shop, shop.person("ana"))
        places.append(view.place)
    assert places == ["tank", "B"]
    assert (view.lines[0].loaded_kg, view.lines[0].lot) == (10.0, "L7")
    assert there(view.material).code == "RM-002"


def test_a_robot_that_is_seen_elsewhere_is_told_with_its_distance(
    stocked_shop: WeighingShop,
) -> None:
    shop = stocked_shop
    shop.make("MO-1")
    shop.rows("UPDATE goals SET state = 'sent', ended_at = NULL")
    pose = shop.world.places["A"]
    ana = shop.person("ana")
    (view,) = seen(shop, ana)
    robot = RobotSeen(there(view.robot).robot, pose.x_m + 6, pose.y_m, pose_age_s=0.1)
    (view,) = seen(shop, ana, floor=FloorSeen((robot,)))
    assert not there(view.robot).here
    assert there(view.robot).distance_m == pytest.approx(6)
    speed_mps = there(shop.world.robot(robot.robot)).max_speed_mps
    assert there(view.robot).eta_s == pytest.approx(6 / speed_mps)


def test_a_robot_that_was_here_and_has_been_moved_away_is_told_so(
    stocked_shop: WeighingShop,
) -> None:
    shop = stocked_shop
    shop.make("MO-1")
    pose = shop.world.places["A"]
    ana = shop.person("ana")
    (view,) = seen(shop, ana)
    name = there(view.robot).robot
    near = RobotSeen(name, pose.x_m + 0.3, pose.y_m, pose_age_s=0.1)
    (view,) = seen(shop, ana, floor=FloorSeen((near,)))
    assert (there(view.robot).here, there(view.robot).moved_away) == (True, False)
    away = RobotSeen(name, pose.x_m + 5, pose.y_m, pose_age_s=0.1)
    (view,) = seen(shop, ana, floor=FloorSeen((away,)))
    assert (there(view.robot).here, there(view.robot).moved_away) == (False, True)


def test_tasks_grow_late(shop: WeighingShop) -> None:
    shop.deploy()
    task = shop.weigh()
    ana = shop.person("ana")
    soon = task.created_at + timedelta(minutes=14)
    later = task.created_at + timedelta(minutes=16)
    assert [v.late for v in seen(shop, ana, now=soon)] == [False]
    assert [v.late for v in seen(shop, ana, now=later)] == [True]


def test_next_is_what_one_has_begun_then_the_same_order_then_the_oldest(
    shop: WeighingShop,
) -> None:
    shop.deploy()
    first, second, third = (shop.weigh() for _ in range(3))
    ana, ben = shop.person("ana"), shop.person("ben")
    assert there(next_of(seen(shop, ana), ana)).task.task_id == first.task_id
    same = there(next_of(seen(shop, ana), ana, instance_id=third.instance_id))
    assert same.task.task_id == third.task_id
    claim_task(shop.uow, second.task_id, person=ana)
    assert (
        there(next_of(seen(shop, ana), ana, instance_id=third.instance_id)).task.task_id
        == second.task_id
    )
    claim_task(shop.uow, first.task_id, person=ben)
    assert there(next_of(seen(shop, ben), ben)).task.task_id == first.task_id
    names = {v.task.task_id: v.claimed_by for v in seen(shop, ana)}
    assert names == {
        first.task_id: "Ben",
        second.task_id: "Ana",
        third.task_id: None,
    }


def test_variables_of_any_shape_break_no_card(shop: WeighingShop) -> None:
    shop.deploy()
    shop.weigh(
        "no such order",
        material="text",
        materials=[1, {"name": None, "required_kg": "many"}],
        loaded={"x": 1},
        index="one",
        robot=7,
        place=["a"],
        product=3,
    )
    (view,) = seen(shop, shop.person("ana"))
    assert (view.place, view.robot, view.material) == (None, None, None)
    assert [line.required_kg for line in view.lines] == [0.0, 0.0]


def test_a_form_of_a_suspended_process_is_on_hold_and_never_next(
    shop: WeighingShop,
) -> None:
    shop.deploy(groups="worker")
    held, other = shop.weigh(), shop.weigh()
    ana = shop.person("ana", groups=("worker",))
    suspend_instance(shop.uow, held.instance_id, by="sofia", reason="tank is dirty")
    views = {view.task.task_id: view.task.on_hold for view in seen(shop, ana)}
    assert views == {held.task_id: True, other.task_id: False}
    first = next_of(seen(shop, ana), ana)
    assert first is not None
    assert first.task.task_id == other.task_id


def test_a_task_is_hidden_until_its_follow_up_date_and_sorted_by_priority_and_due(
    shop: WeighingShop,
) -> None:
    words = {
        "low": 'camunda:priority="10"',
        "soon": 'camunda:dueDate="PT1H"',
        "later": 'camunda:dueDate="PT2H"',
        "hidden": 'camunda:followUpDate="PT3H" camunda:priority="99"',
    }
    for name, word in words.items():
        elements = f'<startEvent id="begin"/><userTask id="{name}" {word}/>'
        shop.deploy_files(draw(f"of_{name}", elements, f"begin {name}"))
        shop.start_only(f"of_{name}")
    ana, boss = shop.person("ana"), shop.person("boss", Role.SUPERVISOR)

    def seen(person: Person) -> list[tuple[str, bool]]:
        views = tasks_for(shop.uow, person, now=shop.clock.now(), world=shop.world)
        return [(view.task.element, view.late) for view in views]

    assert seen(ana) == [("soon", False), ("later", False), ("low", False)]
    assert [name for name, _ in seen(boss)][-1] == "hidden"
    shop.clock.move(3.5 * 3600)
    assert seen(ana)[:3] == [("hidden", False), ("soon", True), ("later", True)]
