"""A small bakery: a process, a form, the oven's handler and a page of its own."""

from pathlib import Path

from mpms.plugins import BusinessError, Job, Page, Plugin, Role, Topic

OVEN_LOAVES = 40


def bake(job: Job) -> dict[str, int]:
    """Bake in as many turns as the oven needs."""
    loaves = int(job.inputs["loaves"])
    if loaves > 10 * OVEN_LOAVES:
        raise BusinessError("TooMuch", f"{loaves} loaves do not fit into one night")
    return {"turns": -(-loaves // OVEN_LOAVES)}


plugin = Plugin(
    "bakery",
    topics={
        "oven.bake": Topic(
            bake,
            limit_s=30.0,
            about="bakes loaves",
            takes={"loaves": "how many"},
            gives={"turns": "how often the oven was filled"},
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
    models=Path(__file__).parent / "models",
)
