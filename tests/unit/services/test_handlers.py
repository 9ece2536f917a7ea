"""The registry of handlers: one topic, one handler, and how far it reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mpms.domain.instances.steps import GO_ON_TOPIC
from mpms.domain.jobs import Done, Reach
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.plugin import plugin
from mpms.services.jobs.handlers import Handlers


def nothing(*_: object) -> Done:
    return Done()


@pytest.fixture
def handlers() -> Handlers:
    handlers = Handlers()
    handlers.add_pure("compute", lambda variables: variables)
    handlers.add_inside("store", nothing)
    handlers.add_outside("send", nothing, limit_s=5.0)
    return handlers


def test_every_topic_knows_how_far_it_reaches(handlers: Handlers) -> None:
    reaches = {topic: handlers.reach(topic) for topic in ("compute", "store", "send")}
    assert reaches == {
        "compute": Reach.PURE,
        "store": Reach.INSIDE,
        "send": Reach.OUTSIDE,
    }
    assert handlers.reach("dance") is None
    assert handlers.topics() == {"compute", "store", "send", GO_ON_TOPIC}


def test_what_lies_in_the_queue_is_claimed(handlers: Handlers) -> None:
    assert handlers.claimed == {"store", "send", GO_ON_TOPIC}


def test_the_topics_of_the_factory_are_those_that_its_workers_claim() -> None:
    world = factory_bootstrap.world_named("paint_factory")
    nothing: Any = None
    made = factory_bootstrap.factory_handlers(nothing, nothing, world)
    promised = {topic: each.reach for topic, each in plugin.topics.items()}
    offered = made.topics() - {GO_ON_TOPIC}
    assert {topic: made.reach(topic) for topic in offered} == promised


@pytest.mark.parametrize("topic", ["compute", "store", "send"])
def test_a_topic_has_one_handler_whatever_its_reach(
    handlers: Handlers, topic: str
) -> None:
    adders: list[Callable[..., None]] = [
        handlers.add_pure,
        handlers.add_inside,
        handlers.add_outside,
    ]
    for add in adders:
        with pytest.raises(ValueError, match=f"'{topic}' has a handler already"):
            add(topic, nothing)


def test_merging_keeps_limits_and_refuses_a_topic_that_both_have(
    handlers: Handlers,
) -> None:
    other = Handlers()
    other.add_outside("weigh", nothing, limit_s=20.0)
    both = handlers.merged([other])
    assert both.outside["weigh"].limit_s == 20.0
    assert both.outside["send"].limit_s == 5.0
    assert "weigh" not in handlers.topics()
    with pytest.raises(ValueError, match="'weigh' has a handler already"):
        both.merged([other])
