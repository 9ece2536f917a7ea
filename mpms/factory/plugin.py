"""The factory as a plug-in: what it adds to the engine."""

from __future__ import annotations

from pathlib import Path

from mpms import assets
from mpms.factory.declared_pages import MENU, PAGES
from mpms.factory.declared_topics import TOPICS
from mpms.factory.domain.decisions import DECISIONS
from mpms.factory.domain.incident_kinds import KINDS as INCIDENTS
from mpms.factory.history_kinds import KINDS
from mpms.factory.settings import NAME, SETTINGS
from mpms.plugins import (
    Cause,
    Link,
    Metric,
    Plugin,
    Remedy,
)

ROBOTS, SCALES = "factory.robots", "factory.scales"  # what others may bring
_POSTGRES = "mpms.factory.adapters.postgres"

WEB = Path(__file__).resolve().parent / "web"

plugin = Plugin(
    NAME,
    topics=TOPICS,
    work="mpms.factory.work:work",
    hooks="mpms.factory.instance_hooks:FactoryHooks",
    testdrive="mpms.factory.testdrive.plant:plant_of",
    kinds=KINDS,
    lists={"robots": "robot"},
    subjects=("order",),
    things=("robot", "material", "recipe"),
    machines=("mail", "fleet"),
    problems=(
        Cause("MaterialMissing", "Material is missing"),
        Cause("MaterialDamaged", "Material is damaged"),
        Cause("RobotProblem", "Robot does not work"),
        Cause("ScaleProblem", "Scale does not work"),
    ),
    incidents=INCIDENTS,
    decisions=DECISIONS,
    details="mpms.factory.services.orders.instance_details:instance_details",
    links={
        "order": Link(
            "Order {value}",
            "/orders/{value}",
            by_hand="The order was completed manually",
            several_by_hand="Their orders were completed manually",
        ),
        "robot": Link(
            "{value}", "/map?robot={value}", "robot", at_step="{value} on the map"
        ),
    },
    health="mpms.factory.services.health:of_desk",
    health_labels="mpms.factory.web.labels.health:told",
    queues={"reply": "replies by mail"},
    settings=SETTINGS,
    pages=PAGES,
    menu=MENU,
    templates=WEB / "templates",
    texts=WEB / "texts",
    operations="mpms.factory.web.api:SECTIONS",
    queries=assets.directory("db") / "queries" / "factory",
    additions={
        "tally": "orders_tally",
        "metrics": "factory_metrics_now",
        "queues": "outbox_oldest",
        "late": "orders_late",
        "undecided": "orders_undecided",
        "pages": "orders_pages",
        "things": "cases_things",
        "old": "goals_count_ended",
        "delete": "goals_delete_ended",
    },
    shown_at={
        "late": "/orders?late=1",
        "task": "/tasks/{key}",
        "tasks": "/tasks",
        "late answers": "/late",
        "demo": "/demo/be/{key}",
        "tour": "/demo/tour",
    },
    instance_parts={"beside": "_replay_floor.html", "below": "_replay.html"},
    metrics={
        "goals": Metric("Drives that have not ended.", ("robot", "state")),
        "robot_connected": Metric("1 if a worker speaks with the robot.", ("robot",)),
        "robot_ready": Metric("1 if the robot can be given a goal.", ("robot",)),
        "robot_seconds_total": Metric(
            "How robots spent their time.", ("robot", "doing")
        ),
        "mail_outbox": Metric("Replies that are not sent.", ("state",)),
    },
    remedies={
        "stock": Remedy("Look at the stock", "/stock?find={value}"),
        "load": Remedy("Say that the robot is empty", "/robots/{value}/load"),
    },
    asks={
        ROBOTS: "drivers of robots, by the beginning of MPMS_ROBOTS_URL",
        SCALES: "the scales on these robots",
    },
    stores={
        "catalogue": f"{_POSTGRES}.catalogue:CatalogueVersions",
        "experiments": f"{_POSTGRES}.experiments:Experiments",
        "fleet_requests": f"{_POSTGRES}.fleet.requests:FleetRequests",
        "figures": f"{_POSTGRES}.figures:Figures",
        "fleet": f"{_POSTGRES}.fleet.fleet:FleetRows",
        "genealogy": f"{_POSTGRES}.records.genealogy:Genealogy",
        "goals": f"{_POSTGRES}.robots.goals:Goals",
        "mail_vitals": f"{_POSTGRES}.mail.vitals:MailVitals",
        "mails": f"{_POSTGRES}.mail.mails:Mails",
        "order_tasks": f"{_POSTGRES}.orders.tasks:OrderTasks",
        "past_orders": f"{_POSTGRES}.orders.past:PastOrders",
        "dashboard": f"{_POSTGRES}.dashboard:Dashboard",
        "order_views": f"{_POSTGRES}.orders.views:OrderViews",
        "orders": f"{_POSTGRES}.orders.orders:Orders",
        "outbox": f"{_POSTGRES}.mail.mails:Outbox",
        "records": f"{_POSTGRES}.records.records:Records",
        "robot_holds": f"{_POSTGRES}.robots.holds:RobotHolds",
        "robot_jobs": f"{_POSTGRES}.robots.jobs:RobotJobs",
        "robots": f"{_POSTGRES}.robots.robots:RobotRows",
        "picks": f"{_POSTGRES}.stock.picks:Picks",
        "robots_out": f"{_POSTGRES}.robots.out:RobotsOut",
        "stock": f"{_POSTGRES}.stock.stock:Stock",
        "tanks": f"{_POSTGRES}.tanks:TankRows",
        "tracks": f"{_POSTGRES}.robots.tracks:Tracks",
        "world_versions": f"{_POSTGRES}.worlds:WorldVersionRows",
    },
)
