"""Topics that models can name: ours, those of plug-ins, those of external workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.domain.external_tasks import foreign
from mpms.factory.declared_topics import TOPICS
from mpms.factory.plugin import plugin
from mpms.plugins import Plugin, Topic, loading
from mpms.plugins.loading import Installed
from mpms.services.models.check import check_model
from mpms.services.workers.known_topics import list_topics
from tests.support.databases import Databases
from tests.support.drawings import in_a_row, job
from tests.support.factory import Factory, opened

SCALE = Plugin(
    "scales",
    topics={
        "scale.tare": Topic(
            dict, about="Sets it to zero.", takes={"scale": "its name"}, gives={}
        )
    },
)


@pytest.fixture
def factory(databases: Databases, installed: None) -> Iterator[Factory]:
    with opened(databases, Factory) as factory:
        yield factory


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        Installed("factory", "mpms", "1", "", plugin),
        Installed("scales", "scales", "1", "", SCALE),
    )
    monkeypatch.setattr(loading, "installed", lambda: found)


def told(factory: Factory, topic: str) -> list[str]:
    (content,) = in_a_row("try", "begin work over", work=job("work", topic)).values()
    found = check_model(factory.uow, factory.engine, "try.bpmn", content)
    return [one.reason for one in found]


def test_without_a_worker_all_topics_that_could_be_served_are_known(
    factory: Factory,
) -> None:
    with factory.uow() as tx:
        tx.external_tasks.note_topics(["weigh paint"], worker=foreign("w1"))
    for topic in ("robot.move", "scale.tare", "weigh paint"):
        assert told(factory, topic) == [], topic
    (reason,) = told(factory, "scale.tar")
    assert "did you mean 'scale.tare'?" in reason


def test_a_topic_is_listed_with_its_documentation_and_whether_it_is_served(
    factory: Factory,
) -> None:
    with factory.uow() as tx:
        tx.external_tasks.note_topics(["weigh paint"], worker=foreign("w1"))
    found = {one.name: one for one in list_topics(factory.uow, factory.engine)}
    tare = found["scale.tare"]
    assert (tare.about, tare.source, tare.served) == (
        "Sets it to zero.",
        "scales",
        None,
    )
    assert dict(tare.takes) == {"scale": "its name"}
    assert found["weigh paint"].source == ""
    assert found["robot.move"].source == "MPMS"
    with factory.uow() as tx:
        tx.workers.beat(
            "w",
            version="1",
            poll_s=1,
            rounds=1,
            failure=None,
            topics=["robot.move"],
            wall_at=factory.clock.now(),
        )
    served = {
        one.name for one in list_topics(factory.uow, factory.engine) if one.served
    }
    assert served == {"robot.move", "weigh paint"}


def test_every_topic_of_the_factory_is_documented() -> None:
    assert all(topic.about for topic in TOPICS.values())
