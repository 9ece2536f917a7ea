"""The oven, as long as a worker runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from mpms.plugins import BusinessError, Job, WorkContext, Working


@contextmanager
def work(context: WorkContext) -> Iterator[Working]:
    fit = context.settings["oven_loaves"]

    def bake(job: Job) -> dict[str, int]:
        """Bake in as many turns as the oven needs."""
        loaves = int(job.inputs["loaves"])
        if loaves > 10 * fit:
            raise BusinessError("TooMuch", f"{loaves} loaves do not fit into one night")
        return {"turns": -(-loaves // fit)}

    yield Working({"oven.bake": bake})
