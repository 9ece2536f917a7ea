"""A plant with pages in which somebody asks for experiments."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from mpms.factory.adapters.simulator import SimulatorProcess
from mpms.factory.ports.experiments import Experiment
from mpms.factory.services.experiments.run import RunExperiments
from mpms.factory.web.desk import FactoryDesk
from tests.support.site import Answer, Site

SMALL = {"layout": "1-1-1-4-40", "hours": "0.5", "seeds": "2"}
"""A form that is quickly answered."""


class ExperimentHouse(Site):
    """A site whose worker is called by hand."""

    simulator = SimulatorProcess()

    def desk(self, **changes: Any) -> FactoryDesk:
        return super().desk(**{"simulator": self.simulator, **changes})

    def work(self, name: str = "by hand", **more: Any) -> bool:
        return RunExperiments(self.uow, self.simulator, name, **more)()

    def experiment(self, id_: int) -> Experiment:
        with self.uow() as tx:
            found = tx.experiments.get(id_)
        assert found is not None
        return found


def number_in(answer: Answer) -> int:
    """Of the experiment that a form leads to."""
    assert answer.status_code == 302, words(answer.text)
    return int(answer.headers["Location"].rpartition("/")[2])


def words(page: str) -> str:
    inside = re.sub(r"(?s)<(script|style).*?</\1>", " ", page)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inside)).split())
