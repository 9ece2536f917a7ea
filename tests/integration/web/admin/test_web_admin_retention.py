"""The past is kept as long as somebody decided; a worker deletes the rest."""

from __future__ import annotations

from mpms.services.history.retention import ITSELF, run_deletion
from tests.support.site import Browser
from tests.support.web_admin import Office


def end_long_ago(office: Office, days: int, how_many: int = 3) -> None:
    office.deploy("forms/load_material.form", "processes/warehouse_simplified.bpmn")
    ((definition,),) = office.rows("SELECT id FROM definitions LIMIT 1")
    office.rows(
        "INSERT INTO instances (id, definition_id, key, status, ended_at)"
        " SELECT gen_random_uuid(), %s, 'k', 'completed',"
        " now() - make_interval(days => %s) FROM generate_series(1, %s)",
        *(definition, days, how_many),
    )


def work(office: Office) -> bool:
    return run_deletion(office.uow, office.clock, worker="w1")


def test_counting_deletes_nothing(office: Office, admin: Browser) -> None:
    end_long_ago(office, 100)
    page = admin.get("/admin/retention?days=90").text
    assert "<dt>Processes</dt><dd>3</dd>" in page
    assert office.rows("SELECT count(*) FROM instances") == [(3,)]
    assert "<dt>Processes</dt><dd>0</dd>" in admin.get("/admin/retention?days=101").text


def test_a_decision_is_kept_with_old_new_and_reason(
    office: Office, admin: Browser
) -> None:
    for days in ("90", ""):
        form = {"days": days, "reason": "law"}
        assert admin.post("/admin/retention", data=form).status_code == 303
    told = [data for _, data in office.told("retention changed")]
    assert [(d["old"], d["new"]) for d in told] == [(None, 90), (90, None)]
    for wrong in ("-1", "0", "1.5", "99999999999", "ten"):
        answer = admin.post("/admin/retention", data={"days": wrong, "reason": "x"})
        assert answer.status_code == 422
    assert work(office) is False


def test_who_deletes_now_sees_what_went(office: Office, admin: Browser) -> None:
    end_long_ago(office, 100)
    nothing = admin.post("/admin/retention/run", data={"reason": "room"})
    assert nothing.status_code == 422
    admin.post("/admin/retention", data={"days": "90", "reason": "law"})
    assert (
        admin.post("/admin/retention/run", data={"reason": "room"}).status_code == 303
    )
    again = admin.post("/admin/retention/run", data={"reason": "room"})
    assert "already running" in again.text
    assert "waits for a worker" in admin.get("/admin/retention-runs").text
    assert work(office) is True
    assert office.rows("SELECT count(*) FROM instances") == [(0,)]
    ((actor, data),) = office.told("history deleted")
    assert (actor, data["reason"], data["instances"]) == ("adam", "room", 3)
    assert "done" in admin.get("/admin/retention-runs").text


def test_the_retention_deletes_by_itself_once_a_day(office: Office) -> None:
    end_long_ago(office, 100)
    with office.uow() as tx:
        tx.retention.keep(90, by="adam")
    assert work(office) is True
    assert work(office) is False
    assert office.rows("SELECT asked_by FROM history_runs") == [(ITSELF,)]
    office.rows("UPDATE history_runs SET asked_at = now() - interval '25 hours'")
    end_long_ago(office, 100)
    assert work(office) is True
    assert office.rows("SELECT count(*) FROM instances") == [(0,)]


def test_the_deletion_of_a_worker_that_died_is_taken_over(office: Office) -> None:
    end_long_ago(office, 100)
    with office.uow() as tx:
        tx.retention.keep(90, by="adam")
        before = office.clock.now()
        tx.retention.ask(before, reason="room", by="adam")
        assert tx.retention.take("dead", silent_s=300) is not None
    assert work(office) is False
    office.rows("UPDATE history_runs SET taken_at = now() - interval '10 minutes'")
    assert work(office) is True
    assert office.rows("SELECT taken_by, failure FROM history_runs") == [("w1", None)]
