"""The pages of the core stand alone: without the factory, as an engine with a cockpit.

A model with a form and one that is stuck run in it, so that what leads to pages of the
factory elsewhere leads nowhere wrong here.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.domain.people.people import Role
from mpms.web.desk import Desk
from mpms.web.site import signed_in
from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.fakes import SilentLive
from tests.support.site import Browser, Site, browser_of, pages_of, quick_hasher

MODEL = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    id="d" targetNamespace="urn:x"><process id="ask" isExecutable="true">
  <startEvent id="begin"/><userTask id="form" name="Say yes"/><endEvent id="end"/>
  <sequenceFlow id="a" sourceRef="begin" targetRef="form"/>
  <sequenceFlow id="b" sourceRef="form" targetRef="end"/></process></definitions>"""


@pytest.fixture
def site(databases: Databases) -> Iterator[Site]:
    with opened(databases, Site) as site:
        yield site


def browser(site: Site, role: Role) -> Browser:
    desk = Desk(
        uow=site.uow,
        engine=site.engine,
        advance=site.advance,
        clock=site.clock,
        live=SilentLive(),  # type: ignore[arg-type]
        hasher=quick_hasher(),
    )
    client = browser_of(pages_of(desk, plugins=()))
    login = str(role)
    site.person(login, role)
    client.set_cookie(signed_in.SESSION_COOKIE, site.session_of(login))
    return client


def test_an_engine_without_the_factory_has_its_pages(site: Site) -> None:
    site.deploy_files({"ask.bpmn": MODEL})
    instance = site.start("ask")
    admin = browser(site, Role.ADMIN)
    pages = ["cockpit", "incidents", "models", "batches", "admin", "me", "offline"]
    for address in (*(f"/{page}" for page in pages), f"/cockpit/i/{instance}"):
        answer = admin.get(address)
        assert answer.status_code == 200, address
        assert 'href="/tasks' not in answer.text, address
    assert admin.get("/api/v1/docs").status_code == 200
    tab = admin.get(f"/cockpit/i/{instance}?tab=tasks").text
    assert "Say yes" in tab
    start = admin.get("/")
    assert (start.status_code, start.location) == (303, "/incidents")
    assert browser(site, Role.WORKER).get("/").location == "/me"
