"""The pages of the factory, and their lines in the menus."""

from __future__ import annotations

from mpms.plugins import MenuLine, Page, Role, Where

_PAGES = "mpms.factory.web.pages"

PAGES = tuple(
    Page(
        f"{_PAGES}.{module}:pages",
        address,
        title,
        in_menu=False,
        within="admin" if module.startswith("admin_") else "",
        styles=tuple(f"{sheet}.css" for sheet in sheets),
    )
    for module, address, title, *sheets in (
        ("home", "/", "Start", "home"),
        ("tasks", "/tasks", "Tasks", "tasks", "forms"),
        ("orders", "/orders", "Orders", "orders"),
        ("follow", "/follow", "Order", "login", "forms"),
        ("last_mile", "/last-mile", "Delivery", "login", "forms", "last_mile"),
        ("map", "/map", "Map", "map"),
        ("wall", "/floor", "Wall screen", "wall"),
        ("fleet", "/fleet", "Fleet", "fleet"),
        ("vehicles", "/vehicles", "Vehicles", "vehicles"),
        ("storage", "/warehouse", "Warehouse", "fleet"),
        ("schedule", "/schedule", "Schedule", "orders", "admin", "schedule"),
        ("stock", "/stock", "Stock", "admin", "orders"),
        ("trial", "/warehouse/trial", "Trial warehouse", "fleet"),
        ("figures", "/figures", "Figures", "cockpit", "figures"),
        ("dashboard", "/dashboard", "Plant", "cockpit", "figures", "orders"),
        ("experiments", "/experiments", "Experiments", "cockpit", "experiments"),
        ("shared_experiments", "/experiments/shared", "Experiments", "experiments"),
        ("replay", "/cockpit/i", "Replay"),
        ("robot_load", "/robots", "Robots"),
        ("admin_robots", "/admin/robots", "Robots"),
        ("admin_places", "/admin/places", "Places"),
        ("admin_materials", "/admin/materials", "Materials"),
        ("admin_tables", "/admin/places/tables", "Tables"),
        ("admin_catalogue", "/admin/materials/versions", "Versions"),
        ("admin_mail", "/admin/mail", "Mail"),
        ("admin_floor", "/admin/floor", "Floor"),
    )
)

ADMINS = frozenset({Role.ADMIN})
LEADERS = ADMINS | {Role.SUPERVISOR}
READERS = LEADERS | {Role.VIEWER}
WORKERS = frozenset({Role.WORKER})
DOERS = LEADERS | WORKERS
HAS_FLEET = f"{_PAGES}.fleet:has_fleet"
MENU = (
    MenuLine("/", "Start", Where.BAR, 10, "home", LEADERS),
    MenuLine("/tasks", "Tasks", Where.BAR, 30, "task", DOERS),
    MenuLine("/map", "Map", Where.BAR, 35, "map", WORKERS),
    MenuLine("/orders", "Orders", Where.BAR, 40, "order"),
    MenuLine("/map", "Map", Where.BAR, 50, "map", READERS),
    MenuLine("/dashboard", "Dashboard", Where.COCKPIT, 35, roles=READERS),
    MenuLine("/figures", "Figures", Where.COCKPIT, 40, roles=READERS),
    MenuLine("/admin/robots", "Robots", Where.PLANT, 50, roles=ADMINS),
    MenuLine("/admin/places", "Places and materials", Where.PLANT, 60, roles=ADMINS),
    MenuLine("/admin/floor", "Floor", Where.PLANT, 70, roles=ADMINS),
    MenuLine("/warehouse/trial", "Trial warehouse", Where.PLANT, 80, roles=LEADERS),
    MenuLine("/admin/mail", "Mail", Where.PLANT, 90, roles=ADMINS),
    MenuLine("/experiments", "Experiments", rank=60, icon="chart", roles=READERS),
    MenuLine("/vehicles", "Vehicles", rank=65, icon="robot"),
    MenuLine("/last-mile", "Deliveries", rank=67, icon="send", roles=READERS),
    MenuLine("/stock", "Stock", rank=70, icon="order"),
    MenuLine("/fleet", "Fleet", rank=80, icon="robot", when=HAS_FLEET),
    MenuLine(
        "/warehouse",
        "Warehouse",
        rank=81,
        icon="order",
        when=HAS_FLEET,
    ),
)
