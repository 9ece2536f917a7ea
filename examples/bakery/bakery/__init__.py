"""A small bakery: a process, a form, the oven, a ledger and a page of its own."""

from pathlib import Path

from mpms.domain.settings import whole_number
from mpms.plugins import Kind, Metric, Page, Plugin, Role, Setting, Topic

HERE = Path(__file__).parent

plugin = Plugin(
    "bakery",
    topics={
        "oven.bake": Topic(
            limit_s=30.0,
            about="bakes loaves",
            takes={"loaves": "how many"},
            gives={"turns": "how often the oven was filled"},
            retry_delays_s=(60.0, 600.0),  # an oven that is cold takes its time
        )
    },
    work="bakery.work:work",
    hooks="bakery.ledger:WriteLedger",
    kinds=(Kind("bread done", sentence="{loaves} loaves are done", tone="ok"),),
    settings={
        "oven_loaves": Setting(
            "How many loaves fit into the oven.", 40, read=whole_number
        )
    },
    pages=(
        Page(
            "bakery.pages:pages",
            "/bakery",
            "Bakery",
            frozenset({Role.ADMIN, Role.SUPERVISOR}),
        ),
    ),
    templates=HERE / "templates",
    texts=HERE / "texts",
    operations="bakery.ledger:SECTIONS",
    models=HERE / "models",
    stores={"bakery_ledger": "bakery.ledger:Ledger"},
    queries=HERE / "queries",
    additions={"metrics": "bakery_ledger_metrics"},
    metrics={"loaves_total": Metric("Loaves that were baked.", ("where",))},
    migrations=HERE / "migrations",
)
