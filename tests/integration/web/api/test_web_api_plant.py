"""The plant over the API: mail, tablets, alerts, logs and robots, as on the pages."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.people.people import Role
from mpms.factory.ports.checks import ProfileShown
from mpms.factory.ports.floor import FloorSeen, RobotSeen
from mpms.factory.ports.mail.mailbox import MailMessageId
from mpms.factory.ports.mail.mails import MailRecord
from mpms.ports.admin.plant_desk import LogFile, PlantDesk
from mpms.ports.outgoing_mail import MailServerAway
from mpms.services.people.session_tokens import hash_of
from tests.support.web_api import Plant

EML = (
    b"From: Jo <jo@example.com>\r\nMessage-ID: <a1@example.com>\r\n"
    b"Subject: Order\r\n\r\nOrder: MO-2026-0042\r\n"
)
KEY = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I9"


def message(raw: bytes = EML) -> dict[str, str]:
    return {"message": base64.b64encode(raw).decode()}


# -- mail ------------------------------------------------------------------------------


def test_an_order_mail_is_handed_over_once_and_followed(plant: Plant) -> None:
    handed: list[bytes] = []
    plant.change(hand_to_mail_server=handed.append)
    boss = plant.program("supervisor", "erp")
    made = boss("POST", "/mails", message(), key="k")
    assert made.status_code == 202
    assert made.json == {"sender": "jo@example.com", "message_id": "<a1@example.com>"}
    assert boss("POST", "/mails", message(), key="k").json == made.json
    assert handed == [EML]
    assert [actor for actor, _ in plant.told("order mail sent")] == ["api:erp"]
    waiting = boss("GET", "/mails/sent", query_string=made.json)
    assert waiting.status_code == 404
    boss.post("/orders", {"order": "MO-2026-0042", "lines": LINES})
    read_mail(plant, "MO-2026-0042")
    read = boss.get("/mails/sent", **made.json)
    assert (read["outcome"], read["order"]) == ("accepted", "MO-2026-0042")
    words = boss.get("/orders/MO-2026-0042/mail/words")
    assert words["subject"] == "Order"
    assert "MO-2026-0042" in words["text"]
    (listed,) = plant.program("admin").get("/mails")["items"]
    assert listed["order"] == "MO-2026-0042"


LINES = [{"material": "RM-001", "amount": 2}]


def read_mail(plant: Plant, number: str) -> None:
    """As the intake does."""
    with plant.uow() as tx:
        tx.mails.add(
            MailRecord(
                MailMessageId("orders", "INBOX", 1, 1),
                sha256="0" * 64,
                size_bytes=len(EML),
                raw=EML,
                sender="jo@example.com",
                message_id="<a1@example.com>",
                counts=True,
                outcome="accepted",
                reasons=[],
                order_number=number,
            )
        )


def test_a_file_that_is_no_mail_is_refused(plant: Plant) -> None:
    handed: list[bytes] = []
    plant.change(hand_to_mail_server=handed.append)
    boss = plant.program("supervisor")
    refused = boss("POST", "/mails", message(b"no mail"))
    assert refused.status_code == 422
    assert "who the message is from" in refused.json["detail"]
    assert boss("POST", "/mails", {"message": "a"}).status_code == 422
    assert handed == []


def test_a_mail_server_that_is_away_is_told(plant: Plant) -> None:
    boss = plant.program("supervisor")
    assert boss("POST", "/mails", message()).status_code == 422

    def away(_: bytes) -> None:
        raise MailServerAway("no route to host")

    plant.change(hand_to_mail_server=away)
    answer = plant.program("supervisor")("POST", "/mails", message())
    assert answer.status_code == 502
    assert answer.json["type"].endswith("#problem-mail-not-taken")
    assert plant.told("order mail sent") == []


def test_where_the_mail_stands_is_told(plant: Plant) -> None:
    with plant.uow() as tx:
        tx.workers.failed("smtp", "connection refused")
    admin = plant.program("admin")
    facts = admin.get("/plant/mail")
    servers = {each["server"]: each["failure"] for each in facts["servers"]}
    assert servers == {"imap": None, "smtp": "connection refused"}
    assert facts["replies_waiting"] == 0
    assert admin.get("/replies")["items"] == []


def test_a_number_for_the_next_order_is_proposed(plant: Plant) -> None:
    boss = plant.program("supervisor")
    year = datetime.now().astimezone().year
    first = boss.get("/order-numbers/next")["number"]
    assert first == f"MO-{year}-0001"
    boss.post("/orders", {"order": first, "lines": LINES})
    assert boss.get("/order-numbers/next")["number"] == f"MO-{year}-0002"


# -- people ----------------------------------------------------------------------------


def test_a_tablet_is_enrolled_and_its_secret_told_once(plant: Plant) -> None:
    boss = plant.program("supervisor", "devices")
    made = boss.post("/tablets", {"name": "Mixer"}, key="k")
    assert made["cookie"] == "mpms_tablet"
    with plant.uow() as tx:
        enrolled = tx.sessions.tablet(hash_of(made["secret"]))
    assert enrolled is not None
    assert enrolled.name == "Mixer"
    again = boss.post("/tablets", {"name": "Mixer"}, key="k")
    assert again == made | {"secret": None}
    (tablet,) = boss.get("/tablets")["items"]
    assert tablet["name"] == "Mixer"
    assert boss("POST", "/tablets", {"name": " "}).status_code == 422
    boss.post(f"/tablets/{tablet['id']}/revoke")
    assert boss.get("/tablets")["items"] == []


def test_alerts_of_a_person_are_chosen(plant: Plant) -> None:
    admin = plant.program("admin", "ops")
    admin.post("/people", {"login": "ada", "name": "Ada", "role": "supervisor"})
    here = "/people/ada/alerts"
    assert admin("PATCH", here, {"by_mail": True}).status_code == 422
    why = {"reason": "on call"}
    edited = admin("PATCH", "/people/ada", why | {"mail": "ada@example.com"}).json
    assert edited["mail"] == "ada@example.com"
    chosen = admin("PATCH", here, {"by_mail": True, "processes": ["papers"]}).json
    assert (chosen["by_mail"], chosen["processes"]) == (True, ["papers"])
    later = admin("PATCH", here, {"when_over": True}).json
    assert (later["by_mail"], later["processes"]) == (True, ["papers"])
    assert admin("PATCH", here, {"processes": None}).json["processes"] is None
    kept = admin("PATCH", "/people/ada", why | {"mail": ""})
    assert kept.json["type"].endswith("#problem-address-missing")
    assert {actor for actor, _ in plant.told("alerts chosen")} == {"api:ops"}
    assert admin("PATCH", "/people/nobody/alerts", {}).status_code == 404


def test_devices_for_alerts_come_and_go(plant: Plant) -> None:
    admin = plant.program("admin")
    admin.post("/people", {"login": "ada", "name": "Ada", "role": "supervisor"})
    here, push = "/people/ada/alerts/devices", "https://push.example.com/a"
    device = {"endpoint": push, "p256dh": KEY, "auth": "c" * 22}
    assert admin.post(here, device)["devices"] == 1
    inside = admin("POST", here, device | {"endpoint": "https://10.0.0.1/a"})
    assert inside.status_code == 422
    assert admin.post(f"{here}/remove", {"endpoint": push})["devices"] == 0
    assert admin("POST", "/people/nobody/alerts/devices", device).status_code == 404
    assert admin.get("/alerts/key") == {"key": None}


def test_how_people_sign_in_is_told_and_no_secret(plant: Plant) -> None:
    admin = plant.program("admin", "hr")
    wish = {"login": "ada", "name": "Ada", "role": "worker", "pin": "4071"}
    made = admin.post("/people", wish | {"reason": "new colleague"})
    facts = ("has_password", "has_pin", "has_badge")
    assert [made[name] for name in facts] == [False, True, False]
    admin.post("/people/ada/badge", {"badge": "B-0001", "reason": "found it"})
    assert admin.get("/people/ada")["has_badge"]
    assert plant.told("badge changed")[0][1]["reason"] == "found it"


# -- the machine -----------------------------------------------------------------------


def test_a_log_is_listed_and_fetched_and_that_is_told(
    plant: Plant, tmp_path: Path
) -> None:
    path = tmp_path / "mpms.log"
    path.write_text("started\nümlaut\n", "utf-8")
    file = LogFile("mpms.log", path.stat().st_size, datetime.now(UTC), path)
    plant.change(plant=PlantDesk(logs=lambda: [file]))
    admin = plant.program("admin", "ops")
    (listed,) = admin.get("/plant/logs")["items"]
    assert (listed["name"], listed["size_bytes"]) == ("mpms.log", file.size_bytes)
    fetched = admin("GET", "/plant/logs/mpms.log")
    assert fetched.content_type.startswith("text/plain")
    assert fetched.data == path.read_bytes()
    assert plant.told("log fetched") == [("api:ops", {"file": "mpms.log"})]
    for other in ("other.log", "..%2Fmpms.log", "%2Fetc%2Fpasswd"):
        assert admin("GET", f"/plant/logs/{other}").status_code == 404


class Profiles:
    """Knows how to speak with every robot, and listens to none."""

    def profile(self, robot: str) -> ProfileShown:
        topics = [("position", f"/{robot}/amcl_pose", "geometry_msgs/Pose")]
        return ProfileShown("nav2", "A Nav2 robot", "ros2", "nav2", topics, "ws://x")

    def check(self, robot: str, tell: Any) -> None:
        raise AssertionError("nobody asked for a test")


def test_how_a_robot_is_spoken_with_is_told(plant: Plant) -> None:
    robot = plant.world.robots[0].id
    admin = plant.program("admin")
    assert admin.get(f"/plant/robots/{robot}")["speaks"] is None
    plant.change(robot_check=Profiles())
    told = plant.program("admin").get(f"/plant/robots/{robot}")
    assert told["id"] == robot
    assert told["speaks"]["name"] == "nav2"
    assert told["speaks"]["topics"][0]["name"] == f"/{robot}/amcl_pose"
    assert admin("GET", "/plant/robots/nobody").status_code == 404


class SeeingFloor:
    """One robot with a wall to its left."""

    def __init__(self, robot: str) -> None:
        self.robot = robot

    def seen(self) -> FloorSeen:
        scan, way = ((1.0, 2.0),), ((0.0, 0.0), (0.5, 0.0))
        return FloorSeen((RobotSeen(self.robot, scan=scan, local_plan=way),))

    def costmap(self, robot: str) -> list[tuple[float, float]]:
        return [(1.05, 2.05)]

    def global_costmap(self, robot: str) -> list[tuple[float, float]]:
        return [(1.05, 2.05), (1.15, 2.05), (-0.95, 0.05)]

    def close(self) -> None:
        pass


def test_what_a_robot_sees_is_read_as_the_map_reads_it(plant: Plant) -> None:
    robot = plant.world.robots[0].id
    plant.change(floor=SeeingFloor(robot))
    reader = plant.program("worker")
    layers = reader.get(f"/robots/{robot}/layers")
    assert layers["scan"] == [[1.0, 2.0]]
    assert layers["local_plan"] == [[0.0, 0.0], [0.5, 0.0]]
    whole = reader.get(f"/robots/{robot}/costmap")
    assert whole == {"cell_m": 0.1, "rows": [[-1.0, 0.0, 1], [1.0, 2.0, 2]]}
    page = plant.browser("worker").get(f"/map/layers/{robot}.json?whole=1").json
    assert page["whole"] == [number for row in whole["rows"] for number in row]
    assert reader("GET", "/robots/nobody/layers").status_code == 404
    assert reader("GET", "/robots/nobody/costmap").status_code == 404


# -- plans -----------------------------------------------------------------------------


def test_a_bulk_action_is_looked_at_before_it_is_ordered(plant: Plant) -> None:
    plant.deploy()
    started = [plant.start_papers() for _ in range(3)]
    boss = plant.program("supervisor")
    boss.post(f"/instances/{started[0]}/suspend", {"reason": "audit"})
    wish = {"action": "suspend", "instances": started}
    found = boss.post("/batches/preview", wish)
    assert (found["total"], found["ready"], found["too_many"]) == (3, 2, False)
    assert [why["instances"] for why in found["refused"]] == [1]
    assert boss.get("/batches")["items"] == []


def test_taking_back_is_looked_at_before_it_is_done(plant: Plant) -> None:
    plant.deploy()
    here = f"/instances/{plant.start_papers(kg=1)}"
    boss = plant.program("supervisor")
    boss.post(f"{here}/variables", {"reason": "typo", "set": {"kg": 2, "new": True}})
    (line,) = boss.get(f"{here}/timeline", kind=["variables set"])["items"]
    plan = boss.post(f"{here}/undo/plan", {"line": line["line"]})
    assert (plan["variables"], plan["removed"]) == ({"kg": 1}, ["new"])
    assert {v["name"] for v in boss.get(f"{here}/variables")["items"]} == {"kg", "new"}
    refused = boss("POST", f"{here}/undo/plan", {"line": line["line"] + 999})
    assert refused.status_code == 422


@pytest.mark.parametrize("role", list(Role))
def test_everybody_sees_where_an_instance_stands(plant: Plant, role: Role) -> None:
    plant.deploy()
    started = plant.start_papers()
    marks = plant.program(role).get(f"/instances/{started}/marks")
    assert marks["live"] == {"look": 1}
    assert marks["names"] == {"look": "Look"}
    assert marks["status"] == "active"
