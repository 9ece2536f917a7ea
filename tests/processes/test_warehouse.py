"""The warehouse process as drawn: one order from the connection to its end."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mpms.domain.errors import FormInvalid
from mpms.domain.instances.steps import Fail
from mpms.factory.domain.orders import OrderLine
from tests.support.checkers import there
from tests.support.paint_factory import PaintFactory


def driven(plant: PaintFactory, instance_id: str) -> list[str]:
    """Where the robot was sent, in order."""
    return [
        line.data["place"]
        for line in plant.history(instance_id)
        if line.kind == "goal sent"
    ]


def decide(plant: PaintFactory, decision: str) -> None:
    answer = {"decision": decision, "reason": "seen on the floor"}
    plant.submit(plant.form("decide").task_id, answer)


@pytest.mark.covers("A53")
def test_every_task_has_the_lane_of_its_actor(plant: PaintFactory) -> None:
    with plant.uow() as tx:
        definition = tx.definitions.latest("warehouse")
    lanes = {s.id: s.lane for s in plant.engine.steps(definition)}
    assert lanes["load_material"] == lanes["decide"] == "Worker"
    assert lanes["move_to_material"] == lanes["robot_ready"] == "Robot"
    assert lanes["connect"] == lanes["check_weight"] == "MPMS"
    assert None not in lanes.values()


@pytest.mark.covers("A53")
def test_a_form_is_offered_to_the_role_of_its_lane_only(plant: PaintFactory) -> None:
    plant.make("MO-1")
    task = plant.form("load_material")
    assert (task.lane, task.groups) == ("Worker", ("worker",))
    with plant.uow() as tx:
        assert [t.task_id for t in tx.tasks.open(groups=["worker"])] == [task.task_id]
        assert tx.tasks.open(groups=["supervisor"]) == []


@pytest.mark.covers("A54")
def test_the_process_begins_by_connecting(plant: PaintFactory) -> None:
    instance_id = plant.make("MO-1")
    assert plant.elements(instance_id)[:2] == ["order_arrives", "connect"]
    assert plant.variables(instance_id)["product"] == "Matt white wall paint"


@pytest.mark.covers("A54", "A64")
def test_without_a_connection_the_worker_decides(plant: PaintFactory) -> None:
    unknown = (OrderLine("RM-999", "Moon dust", Decimal(1)),)
    plant.make("MO-1", lines=unknown)
    inputs = plant.sees("decide")
    assert inputs["error_code"] == "WarehouseUnavailable"
    assert "RM-999 (Moon dust) has no place" in inputs["error_message"]


@pytest.mark.covers("A55")
def test_the_token_waits_until_a_robot_is_ready(plant: PaintFactory) -> None:
    plant.robots.not_ready = {r.id: "charging" for r in plant.world.robots}
    instance_id = plant.make("MO-1")
    assert plant.rows("SELECT element, last_error FROM jobs") == [
        ("robot_ready", "robot1: charging; robot2: charging; robot3: charging")
    ]
    plant.due_now()
    assert plant.elements(instance_id)[-1] == "tank_clean"
    assert plant.rows("SELECT attempts FROM jobs") == [(0,)]

    del plant.robots.not_ready["robot2"]
    plant.due_now()
    assert plant.variables(instance_id)["robot"] == "robot2"
    assert plant.form("load_material", instance_id)


def test_a_load_that_no_robot_can_carry_is_the_workers_matter(
    plant: PaintFactory,
) -> None:
    heavy = (OrderLine("RM-001", "Water", Decimal(9000)),)
    plant.make("MO-1", lines=heavy)
    inputs = plant.sees("decide")
    assert inputs["error_code"] == "RobotUnavailable"
    assert "carries 3000 kg, not 9000 kg" in inputs["error_message"]


@pytest.mark.covers("A56")
def test_the_goal_is_the_place_of_the_material(plant: PaintFactory) -> None:
    plant.make("MO-1")
    (goal,) = plant.robots.received
    place = plant.world.material_places["RM-001"]
    assert (goal.place, goal.pose) == (place, plant.world.places[place])


@pytest.mark.covers("A57")
def test_the_load_form_appears_on_arrival_and_its_answer_moves_on(
    plant: PaintFactory,
) -> None:
    with plant.uow() as tx:
        tx.orders.add(plant.order("MO-1"))
    instance_id = plant.start_only(
        "warehouse", business_key="MO-1", order_number="MO-1"
    )
    while not plant.robots.received:
        assert plant.forms() == []
        assert plant.worker.turn()
    assert plant.forms() == []
    plant.worker.settle()
    plant.confirm("load_material")
    assert plant.elements(instance_id)[-1] == "move_to_tank"
    assert plant.form("unload_material")


@pytest.mark.covers("A58")
@pytest.mark.parametrize("wrong_kg", [303.0, 317.0, 0.0])
def test_a_wrong_weight_goes_back_to_the_worker_with_a_message(
    plant: PaintFactory, wrong_kg: float
) -> None:
    plant.make("MO-1")
    first = plant.form("load_material")
    assert plant.sees("load_material")["message"] == ""
    plant.scale.readings = [wrong_kg]
    plant.confirm("load_material")
    again = plant.form("load_material")
    assert again.task_id != first.task_id
    assert plant.sees("load_material")["message"] == (
        f"Wrong weight: the scale shows {wrong_kg} kg, required are 310.0 kg."
        " Correct the load and confirm again."
    )
    plant.confirm("load_material")
    assert plant.form("unload_material")


@pytest.mark.covers("A58")
@pytest.mark.parametrize("right_kg", [303.8, 310.0, 316.2])
def test_a_weight_within_two_percent_goes_on(
    plant: PaintFactory, right_kg: float
) -> None:
    instance_id = plant.make("MO-1")
    plant.scale.readings = [right_kg]
    plant.confirm("load_material")
    assert plant.form("unload_material")
    assert plant.variables(instance_id)["measured_kg"] == right_kg


@pytest.mark.covers("A59")
def test_the_material_is_unloaded_at_the_tank(plant: PaintFactory) -> None:
    instance_id = plant.make("MO-1")
    plant.confirm("load_material")
    assert driven(plant, instance_id) == ["A", "tank"]
    assert plant.robots.received[-1].pose == plant.world.places["tank"]
    assert plant.form("unload_material").lane == "Worker"


@pytest.mark.covers("A59")
@pytest.mark.parametrize("process", ["warehouse", "warehouse_simplified"])
@pytest.mark.parametrize(
    ("product", "tank"),
    [
        ("Matt white wall paint", "tank"),
        ("Brick red facade paint", "tank_2"),
        ("sky blue  Wall Paint", "tank_3"),
        ("a paint that nobody knows", "tank"),
    ],
)
def test_every_product_goes_to_its_tank(
    plant: PaintFactory, process: str, product: str, tank: str
) -> None:
    instance_id = plant.make("MO-1", process=process, product=product)
    plant.confirm("load_material")
    assert driven(plant, instance_id) == ["A", tank]
    assert plant.robots.received[-1].pose == plant.world.places[tank]


@pytest.mark.covers("A60")
@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_material_is_brought_to_the_tank(plant: PaintFactory, count: int) -> None:
    codes = ["RM-001", "RM-002", "RM-003", "RM-001", "RM-014"][:count]
    lines = tuple(OrderLine(code, code, Decimal(10)) for code in codes)
    instance_id = plant.make("MO-1", lines=lines)
    plant.confirm_everything()
    places = [plant.world.material_places[code] for code in codes]
    legs = [stop for place in places for stop in (place, "tank")]
    assert driven(plant, instance_id) == [*legs, "home"]


@pytest.mark.covers("A61")
def test_the_robot_goes_home_while_the_worker_starts_the_mixing(
    plant: PaintFactory,
) -> None:
    instance_id = plant.make("MO-1")
    for _ in range(3):
        plant.confirm("load_material")
        plant.confirm("unload_material")
    assert plant.form("start_mixing")
    assert driven(plant, instance_id)[-1] == "home"
    robot = there(plant.world.robot(plant.variables(instance_id)["robot"]))
    assert plant.robots.received[-1].pose == plant.world.places[robot.home]
    assert "move_home" in plant.elements(instance_id)
    plant.confirm("start_mixing")
    assert plant.instance(instance_id).status == "completed"


@pytest.mark.covers("A61")
def test_a_robot_that_does_not_drive_home_never_costs_the_order(
    plant: PaintFactory,
) -> None:
    plant.robots.failing = {"home": "a pallet in the way"}
    instance_id = plant.make("MO-1")
    for _ in range(3):
        plant.confirm("load_material")
        plant.confirm("unload_material")
    plant.confirm("start_mixing")
    assert plant.instance(instance_id).status == "active"
    assert plant.sees("decide_home")["error_message"] == "a pallet in the way"
    assert plant.rows("SELECT status FROM orders") == [("in process",)]
    task = plant.form("decide_home").task_id
    with pytest.raises(FormInvalid, match="What should the robot do"):
        plant.submit(task, {"decision": "cancel"})
    plant.submit(task, {"decision": "try again"})
    task = plant.form("decide_home").task_id
    plant.submit(task, {"decision": "skip this drive"})
    assert plant.instance(instance_id).status == "completed"
    assert plant.rows("SELECT status FROM orders") == [("done",)]
    assert (plant.live_rows(), plant.open_goals()) == ({}, 0)


@pytest.mark.covers("A62")
def test_the_order_goes_from_new_over_in_process_to_done(
    plant: PaintFactory, handling: str
) -> None:
    plant.send_mail(plant.order("MO-1"))
    received, started, ended = plant.rows(
        "SELECT received_at, started_at, ended_at FROM orders"
    )[0]
    assert received <= started
    assert ended is None
    plant.confirm_everything()
    assert plant.rows("SELECT started_at, ended_at > started_at FROM orders") == [
        (started, True)
    ]
    steps = [
        (line.data["order"], line.data["old"], line.data["new"], line.actor)
        for line in plant.history()
        if line.kind == "order status"
    ]
    assert steps == [
        ("MO-1", "new", "in process", "warehouse.start"),
        ("MO-1", "in process", "done", "orders.set_status"),
    ]


@pytest.mark.covers("A63")
def test_the_end_gives_the_robot_back_and_leaves_nothing(plant: PaintFactory) -> None:
    instance_id = plant.make("MO-1")
    assert plant.rows("SELECT instance_id::text FROM robot_holds") == [(instance_id,)]
    plant.confirm_everything()
    assert plant.elements(instance_id)[-2:] == ["disconnect", "order_finished"]
    assert (plant.live_rows(), plant.open_goals()) == ({}, 0)


@pytest.mark.covers("A64")
@pytest.mark.parametrize(
    ("decision", "status"),
    [("cancel", "cancelled"), ("complete manually", "completed manually")],
)
@pytest.mark.parametrize("place", ["A", "tank"])
def test_after_an_error_the_worker_decides_about_the_order(
    plant: PaintFactory, decision: str, status: str, place: str
) -> None:
    plant.robots.failing = {place: "no way around the pallet"}
    instance_id = plant.make("MO-1")
    while not any(t.element == "decide" for t in plant.forms()):
        task = plant.forms()[0]
        plant.confirm(task.element)
    task = plant.form("decide")
    assert plant.sees("decide")["error_code"] == "RobotFailed"
    assert plant.sees("decide")["error_message"] == "no way around the pallet"
    with pytest.raises(FormInvalid, match="What should happen to the order"):
        plant.submit(task.task_id, {"decision": "burn it", "reason": "angry"})
    plant.submit(task.task_id, {"decision": decision, "reason": "the floor is blocked"})
    assert plant.instance(instance_id).status == "completed"
    assert plant.rows("SELECT status, ended_at IS NOT NULL FROM orders") == [
        (status, True)
    ]
    if (place, decision) == ("tank", "cancel"):  # what the robot carries comes back
        back = plant.form("put_back")
        plant.submit(back.task_id, {"returned_kg": 310, "put_back": True})
    assert (plant.live_rows(), plant.open_goals()) == ({}, 0)


@pytest.mark.covers("A64")
@pytest.mark.parametrize("process", ["warehouse", "warehouse_simplified"])
@pytest.mark.parametrize("place", ["A", "tank"])
def test_a_drive_that_failed_is_tried_again_and_the_order_is_made(
    plant: PaintFactory, place: str, process: str
) -> None:
    plant.robots.failing = {place: "no way around the pallet"}
    instance_id = plant.make("MO-1", process=process)
    if place == "tank":
        plant.confirm("load_material")
    robot = plant.variables(instance_id)["robot"]
    decide(plant, "try again")
    assert plant.form("decide")  # the pallet is still there
    plant.robots.failing = {}
    decide(plant, "try again")
    assert plant.variables(instance_id)["robot"] == robot
    plant.confirm_everything()
    assert plant.rows("SELECT status FROM orders") == [("done",)]
    assert len(plant.variables(instance_id)["loaded"]) == 3


@pytest.mark.covers("A64")
@pytest.mark.parametrize("process", ["warehouse", "warehouse_simplified"])
@pytest.mark.parametrize("place", ["A", "tank"])
def test_a_skipped_drive_goes_on_where_the_robot_should_be(
    plant: PaintFactory, place: str, process: str
) -> None:
    plant.robots.failing = {place: "no way around the pallet"}
    plant.make("MO-1", process=process)
    if place == "tank":
        plant.confirm("load_material")
    decide(plant, "skip this drive")
    plant.robots.failing = {}
    assert plant.form("load_material" if place == "A" else "unload_material")
    plant.confirm_everything()
    assert plant.rows("SELECT status FROM orders") == [("done",)]


@pytest.mark.covers("A64")
@pytest.mark.parametrize("process", ["warehouse", "warehouse_simplified"])
@pytest.mark.parametrize("place", ["A", "tank"])
def test_another_robot_goes_on_after_what_lies_on_the_first_was_brought_back(
    plant: PaintFactory, place: str, process: str
) -> None:
    plant.robots.failing = {place: "a wheel is off"}
    instance_id = plant.make("MO-1", process=process)
    if place == "tank":
        plant.confirm("load_material")
    first = plant.variables(instance_id)["robot"]
    plant.robots.failing = {}
    decide(plant, "another robot")
    if place == "tank":
        task = plant.form("bring_back").task_id
        plant.submit(task, {"returned_kg": 310.0, "put_back": True})
    for _ in range(5):  # the first one makes room
        plant.due_now()
    assert plant.variables(instance_id)["robot"] not in {first, ""}
    plant.confirm_everything()
    assert plant.rows("SELECT status FROM orders") == [("done",)]
    assert plant.live_rows() == {}


@pytest.mark.covers("A64")
def test_material_is_brought_back_before_one_decides_again(
    plant: PaintFactory,
) -> None:
    plant.robots.failing = {"tank": "a wheel is off"}
    instance_id = plant.make("MO-1")
    plant.confirm("load_material")
    decide(plant, "bring the material back")
    task = plant.form("bring_back").task_id
    plant.submit(task, {"returned_kg": 310.0, "put_back": True})
    assert plant.variables(instance_id)["on_robot"] is False
    decide(plant, "cancel")
    assert plant.rows("SELECT status FROM orders") == [("cancelled",)]


@pytest.mark.covers("A64")
def test_what_could_not_be_prepared_is_prepared_again(plant: PaintFactory) -> None:
    unknown = (OrderLine("RM-999", "Moon dust", Decimal(1)),)
    plant.make("MO-1", lines=unknown)
    decide(plant, "try again")
    assert plant.sees("decide")["error_code"] == "WarehouseUnavailable"


@pytest.mark.covers("A64")
def test_a_scale_that_is_away_is_the_workers_matter(plant: PaintFactory) -> None:
    plant.make("MO-1")
    plant.scale.broken = "the scale of the robot does not answer"
    plant.confirm("load_material")
    assert plant.sees("decide")["error_code"] == "ScaleUnavailable"


@pytest.mark.covers("A65")
def test_the_simplified_model_runs_without_weighing(plant: PaintFactory) -> None:
    plant.scale.broken = "there is no scale"
    instance_id = plant.make("MO-1", process="warehouse_simplified")
    plant.confirm_everything()
    elements = plant.elements(instance_id)
    assert not {"weigh_material", "check_weight"} & set(elements)
    assert driven(plant, instance_id) == ["A", "tank", "B", "tank", "C", "tank", "home"]
    assert plant.rows("SELECT status FROM orders") == [("done",)]
    assert (plant.live_rows(), plant.open_goals()) == ({}, 0)


@pytest.mark.covers("A66", "A11")
def test_the_mission_is_driven_goal_by_goal_in_order(plant: PaintFactory) -> None:
    instance_id = plant.make("MO-1")
    plant.confirm_everything()
    mission = [
        (line.kind, line.data["place"])
        for line in plant.history(instance_id)
        if line.kind in ("goal sent", "goal ended")
    ]
    stops = ["A", "tank", "B", "tank", "C", "tank", "home"]
    assert mission == [
        pair for stop in stops for pair in (("goal sent", stop), ("goal ended", stop))
    ]
    assert [g.place for g in plant.robots.received] == stops


@pytest.mark.covers("A12")
def test_the_robot_learns_neither_the_order_nor_what_it_carries(
    plant: PaintFactory,
) -> None:
    plant.make("MO-1")
    plant.confirm_everything()
    words = ("MO-1", "RM-00", "Water", "Titanium", "Calcium", "Matt white")
    for goal in plant.robots.received:
        said = repr(goal)
        assert not [word for word in words if word in said], said


@pytest.mark.covers("A15", "A85")
def test_the_forms_hold_every_line_with_required_and_loaded_amount(
    plant: PaintFactory,
) -> None:
    plant.make("MO-1")
    load = plant.sees("load_material")
    assert load["material"] == {
        "code": "RM-001",
        "name": "Water",
        "required_kg": 310.0,
        "place": "A",
        "lot": None,
        "line": 0,
        "pick": 0,
    }
    assert [m["required_kg"] for m in load["materials"]] == [310.0, 120.5, 240.0]
    assert load["loaded"] == []
    plant.scale.readings = [311.0]
    plant.confirm("load_material")
    plant.confirm("unload_material")
    second = plant.sees("load_material")
    assert second["material"]["code"] == "RM-002"
    assert second["loaded"] == [
        {
            "code": "RM-001",
            "name": "Water",
            "required_kg": 310.0,
            "loaded_kg": 311.0,
            "lot": "L-7",
        }
    ]
    for _ in range(2):
        plant.confirm("load_material")
        plant.confirm("unload_material")
    loaded = plant.sees("start_mixing")["loaded"]
    assert [(m["code"], m["loaded_kg"]) for m in loaded] == [
        ("RM-001", 311.0),
        ("RM-002", 120.5),
        ("RM-003", 240.0),
    ]


@pytest.mark.covers("A16", "A7")
def test_a_confirmation_is_kept_with_its_user_and_time(plant: PaintFactory) -> None:
    instance_id = plant.make("MO-1")
    task = plant.form("load_material")
    plant.clock.move(95)
    answer = {"confirmed": True, "lot": "L-42"}
    plant.submit(task.task_id, answer, by="grace")
    assert plant.rows(
        "SELECT answers, answered_by, answered_at, element FROM answers"
    ) == [(answer, "grace", plant.clock.now(), "load_material")]
    (line,) = [e for e in plant.history(instance_id) if e.kind == "form answered"]
    assert (line.actor, line.task_id, line.data) == (
        "grace",
        task.task_id,
        {"answers": answer},
    )
    assert plant.variables(instance_id)["lot"] == "L-42"


@pytest.mark.covers("A7")
def test_a_form_that_is_not_filled_in_is_refused_and_stays_open(
    plant: PaintFactory,
) -> None:
    plant.make("MO-1")
    task = plant.form("load_material")
    with pytest.raises(FormInvalid, match="The amount is on the robot"):
        plant.submit(task.task_id, {"confirmed": False})
    assert plant.form("load_material").task_id == task.task_id
    assert plant.rows("SELECT count(*) FROM answers") == [(0,)]


@pytest.mark.covers("A4")
def test_service_and_script_tasks_show_in_the_history(plant: PaintFactory) -> None:
    instance_id = plant.make("MO-1")
    lines = plant.history(instance_id)
    changed = {
        (e.element, e.data["name"]): (e.data.get("old"), e.data["new"])
        for e in lines
        if e.kind == "variable"
    }
    assert changed["connect", "index"] == (None, 0)
    assert changed["next_material", "material"][1]["code"] == "RM-001"
    assert changed["robot_ready", "robot"][1] in {"robot1", "robot2", "robot3"}


@pytest.mark.covers("A3")
def test_a_token_passes_every_element_of_the_good_way(plant: PaintFactory) -> None:
    plant.scale.readings = [1.0]
    instance_id = plant.make("MO-1")
    plant.confirm_everything()
    with plant.uow() as tx:
        definition = tx.definitions.latest("warehouse")
    steps = {s.id for s in plant.engine.steps(definition)}
    seen = set(plant.elements(instance_id))
    assert steps - seen == {
        *("connect_fails", "robot_ready_fails", "move_to_material_fails"),
        *("weigh_fails", "move_to_tank_fails", "move_home_fails", "any_error"),
        *("next_material_fails", "book_load_fails"),
        *("decide", "decision_made", "order_cancelled", "order_completed_manually"),
        *("decide_home", "home_decision", "bring_back", "book_back", "brought_back"),
        *("other_robot", "give_back", "next_material_fails", "book_load_fails"),
        *("status_set", "disconnect_after_error", "order_given_up"),
        *("load_material_problem", "unload_material_problem", "start_mixing_problem"),
        *("next_material_fails", "book_load_fails", "clean_tank", "note_cleaned"),
        *("mix_fails", "mixing_stopped", "mixing_what_now"),
        *("no_wire", "weigh_by_hand", "confirm_weight", "same_weight"),
    }


@pytest.mark.covers("A64")
@pytest.mark.parametrize("element", ["load_material", "unload_material"])
def test_a_problem_at_a_worker_s_task_leads_to_the_decision(
    plant: PaintFactory, element: str
) -> None:
    instance_id = plant.make("MO-1")
    if element == "unload_material":
        plant.confirm("load_material")
    task = plant.form(element)
    with plant.uow() as tx:
        definition = tx.definitions.latest("warehouse")
        assert plant.engine.causes(definition, element).any_code
        instance = tx.instances.lock(instance_id)
        fail = Fail(task.task_id, "MaterialMissing", "the rack is empty")
        assert plant.advance(tx, instance, fail, actor="ana").caught
    seen = plant.sees("decide")
    assert (seen["error_code"], seen["error_message"]) == (
        "MaterialMissing",
        "the rack is empty",
    )


def test_a_robot_that_still_drives_is_not_given_to_the_next_order(
    plant: PaintFactory,
) -> None:
    plant.rows(
        "INSERT INTO goals (id, robot, place, x_m, y_m, yaw_rad, state)"
        " SELECT 'old-' || n, 'robot' || n, 'B', 0, 0, 0, 'sent'"
        " FROM generate_series(1, 3) AS n"
    )
    with pytest.MonkeyPatch.context() as patch:  # they never arrive
        patch.setattr(plant.robots, "navigate", lambda goal, maybe_sent: None)
        plant.make("MO-1")
    assert plant.rows("SELECT element, attempts, last_error FROM jobs") == [
        (
            "robot_ready",
            0,
            "robot1: drives to B; robot2: drives to B; robot3: drives to B",
        )
    ]
    plant.rows("UPDATE goals SET state = 'reached' WHERE id = 'old-2'")
    plant.due_now()
    assert plant.form("load_material")
    assert plant.robots.received[-1].robot == "robot2"
