"""Administrators change people and their secrets; somebody can always administer."""

from __future__ import annotations

import re
import threading

import pytest

from mpms.domain.people.people import Role
from mpms.services.people.change_secret import LastAdministrator, set_active
from mpms.services.people.edit import edit_person
from tests.support.site import Browser
from tests.support.web_admin import Office

SHOWN = re.compile(r'class="admin-password">([a-z0-9-]+)<')


def edited(role: str = "worker", **more: str) -> dict[str, str]:
    form = {"name": "Ana Ruiz", "role": role, "groups": "worker, mixing"}
    return form | {"language": "es", "reason": "moves to mixing"} | more


def test_a_new_person_gets_a_password_that_is_told_once(
    office: Office, admin: Browser
) -> None:
    form = edited(login="max", name="Max Weber", language="en")
    answer = admin.post("/admin/people/new", data=form)
    assert answer.status_code == 200
    found = SHOWN.search(answer.text)
    assert found is not None
    told = found[1]
    ((actor, data),) = office.told("person added")[-1:]
    assert (actor, data["login"], data["reason"]) == ("adam", "max", "moves to mixing")
    everywhere = admin.get("/admin/people/max").text + str(office.told("person added"))
    assert told not in everywhere + admin.get("/admin/audit.json").text

    newcomer = office.visitor()
    signed = newcomer.post("/login", data={"login": "max", "password": told})
    assert signed.status_code == 303
    assert newcomer.get("/tasks").headers["Location"] == "/me"
    assert "given to you by somebody else" in newcomer.get("/me").text
    new = {"now": told, "new": "green boats sail far", "again": "green boats sail far"}
    assert newcomer.post("/me/password", data=new).status_code == 303
    assert newcomer.get("/tasks").status_code == 200


def test_changes_of_a_person_stand_in_the_history_with_old_and_new(
    office: Office, admin: Browser
) -> None:
    assert admin.post("/admin/people/ana", data=edited()).status_code == 303
    ((actor, data),) = office.told("person changed")
    assert actor == "adam"
    assert data["reason"] == "moves to mixing"
    assert data["old"]["groups"] == ["worker"]
    assert data["new"] == {
        "name": "Ana Ruiz",
        "groups": ["worker", "mixing"],
        "language": "es",
    }


def test_a_change_without_a_reason_is_refused_and_nothing_typed_is_lost(
    office: Office, admin: Browser
) -> None:
    answer = admin.post("/admin/people/ana", data=edited(reason=" ", name="Anita"))
    assert answer.status_code == 422
    assert 'value="Anita"' in answer.text
    assert office.told("person changed") == []


@pytest.mark.parametrize("change", ["role", "disable"])
def test_the_last_administrator_stays_one(
    office: Office, admin: Browser, change: str
) -> None:
    if change == "role":
        answer = admin.post("/admin/people/adam", data=edited("viewer", name="Adam"))
    else:
        form = {"active": "no", "reason": "holiday"}
        answer = admin.post("/admin/people/adam/active", data=form)
    assert answer.status_code == 422
    assert "last active administrator" in answer.text
    assert office.rows("SELECT role, active FROM people WHERE login = 'adam'") == [
        ("admin", True)
    ]


def test_two_administrators_who_remove_each_other_leave_one(office: Office) -> None:
    office.person("eva", Role.ADMIN)
    failed: list[str] = []
    both = threading.Barrier(2)

    def remove(login: str) -> None:
        both.wait()
        try:
            set_active(office.uow, login, False, by="test", reason="out")
        except LastAdministrator:
            failed.append(login)

    threads = [threading.Thread(target=remove, args=(n,)) for n in ("adam", "eva")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failed) == 1
    left = "SELECT login FROM people WHERE role = 'admin' AND active"
    assert office.rows(left) == [(failed[0],)]


def test_who_is_disabled_is_signed_out_and_comes_back(
    office: Office, admin: Browser
) -> None:
    ana = office.browser_of("ana")
    assert ana.get("/tasks").status_code == 200
    form = {"active": "no", "reason": "left the plant"}
    assert admin.post("/admin/people/ana/active", data=form).status_code == 303
    assert ana.get("/tasks").status_code == 303
    form = {"active": "yes", "reason": "is back"}
    assert admin.post("/admin/people/ana/active", data=form).status_code == 303
    assert office.told("person enabled")[0][1]["reason"] == "is back"


def test_a_pin_and_a_badge_are_set_and_removed_and_never_shown(
    office: Office, admin: Browser
) -> None:
    why = {"reason": "new tablet"}
    assert (
        admin.post("/admin/people/ana/pin", data={"pin": "1111", **why}).status_code
        == 422
    )
    assert admin.post("/admin/people/ana/pin", data={"pin": "2580", **why})
    assert admin.post("/admin/people/ana/badge", data={"badge": "BADGE-77123", **why})
    page = admin.get("/admin/people/ana").text
    assert "Remove the PIN" in page
    assert "Remove the badge" in page
    told = page + admin.get("/admin/people").text + admin.get("/admin/audit.csv").text
    assert "2580" not in told
    assert "BADGE-77123" not in told
    assert (
        admin.post("/admin/people/ana/pin", data={"remove": "yes", **why}).status_code
        == 303
    )
    assert office.told("PIN changed")[-1][1]["removed"] is True


def test_groups_show_which_models_count_on_them_and_warn_of_empty_ones(
    office: Office, admin: Browser
) -> None:
    office.deploy("forms/load_material.form", "processes/warehouse_simplified.bpmn")
    page = admin.get("/admin/groups").text
    assert "Ana Doe" in page
    edit_person(
        office.uow,
        "ana",
        name="Ana",
        role=Role.WORKER,
        groups=[],
        language="en",
        by="adam",
        reason="test",
    )
    assert "nobody is in it" in admin.get("/admin/groups").text
    assert "but nobody is in it" in admin.get("/admin/people").text


@pytest.mark.parametrize("login", ["sofia", "ana"])
@pytest.mark.parametrize(
    "path",
    [
        "/admin/people",
        "/admin/people/ana",
        "/admin/robots",
        "/admin/places",
        "/admin/mail",
        "/admin/retention",
        "/admin/settings",
        "/admin/log/work-1.log",
    ],
)
def test_only_administrators_open_what_changes_the_plant(
    office: Office, login: str, path: str
) -> None:
    assert office.browser_of(login).get(path).status_code == 403


def test_supervisors_read_health_and_log_of_actions(office: Office) -> None:
    sofia = office.browser_of("sofia")
    assert sofia.get("/admin").status_code == 200
    assert sofia.get("/admin/audit").status_code == 200
    assert "/admin/people" not in sofia.get("/admin").text
    assert office.browser_of("ana").get("/admin").status_code == 403
