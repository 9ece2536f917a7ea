"""A cause is told once to each who asked, whatever fails in between."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from mpms.domain.alerts.rules import AlertRules, AlertWish
from mpms.domain.people.people import Role
from mpms.ports.outgoing_mail import MailServerAway, ReplyInDoubt
from mpms.services.alerts.send import SendAlerts
from tests.support.alerted_plant import AlertedPlant, Mailroom
from tests.support.mailbox import FakeMailSender

HOUR_S = 3600.0


class Killed(BaseException):
    """Stands for a process that ends between two instructions."""


def told(plant: AlertedPlant) -> list[tuple[str, bool]]:
    return [
        (channel, sent)
        for channel, sent in plant.rows(
            "SELECT channel, sent_at IS NOT NULL FROM alerts ORDER BY told_at, cause"
        )
    ]


def test_a_cause_is_told_once_however_many_incidents_it_has(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    send = plant.sender(mail_sender=mail_sender)
    for address in ("a@x.example", "b@x.example", "c@x.example"):
        plant.incident("reply", f"No reply could be sent to {address}: mailbox full")
        send()
    assert not send()
    (message,) = mail_sender.taken
    assert message.to == "sofia@plant.example.com"
    assert message.subject.startswith("MPMS: Incident: No reply could be sent to a@x")
    assert plant.rows("SELECT count(*) FROM events WHERE kind = 'alert sent'") == [(1,)]


def test_a_storm_is_one_mail(plant: AlertedPlant, mail_sender: FakeMailSender) -> None:
    plant.person()
    words = [f"{a}{b}" for a in "abcdefghij" for b in "klmno"]
    assert len(words) == 50
    with plant.uow() as tx:
        for number in range(1_000):
            tx.incidents.open("reply", f"{words[number % 50]} broke at {number}")
    send = plant.sender(mail_sender=mail_sender)
    while send():
        pass
    (message,) = mail_sender.taken
    assert message.subject == "MPMS: 50 causes of incidents (1000 incidents)"
    assert "and 30 more causes" in message.body
    assert len(told(plant)) == 50


def test_what_comes_soon_after_a_mail_waits_for_the_next(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    send = plant.sender(
        mail_sender=mail_sender, rules=AlertRules(gather_s=0.0, apart_s=HOUR_S)
    )
    plant.incident("reply", "the first thing broke")
    send()
    for word in ("second", "third", "fourth"):
        plant.incident("reply", f"the {word} thing broke")
        assert not send()
    plant.rows("UPDATE alerts SET told_at = told_at - interval '2 hours'")
    assert send()
    assert [message.subject for message in mail_sender.taken] == [
        "MPMS: Incident: the first thing broke",
        "MPMS: 3 causes of incidents (3 incidents)",
    ]


def test_a_cause_that_is_over_is_told_again_when_it_comes_back(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    send = plant.sender(mail_sender=mail_sender)
    for _ in range(2):
        plant.incident("mailbox", "The mailbox cannot be read")
        send()
        plant.settle("mailbox")
        send()
    assert len(mail_sender.taken) == 2


def test_a_cause_that_goes_and_comes_is_told_once(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person(wish=AlertWish(by_mail=True, when_over=True))
    rules = AlertRules(gather_s=0.0, apart_s=0.0, over_after_s=HOUR_S)
    send = plant.sender(mail_sender=mail_sender, rules=rules)
    for _ in range(5):
        plant.incident("mailbox", "The mailbox cannot be read")
        send()
        plant.settle("mailbox")
        send()
    assert len(mail_sender.taken) == 1


def test_who_wants_to_know_hears_that_it_is_over(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person(wish=AlertWish(by_mail=True, when_over=True))
    plant.person("max", mail="max@plant.example.com")
    send = plant.sender(mail_sender=mail_sender)
    plant.incident("mailbox", "The mailbox cannot be read")
    send()
    plant.settle("mailbox")
    while send():
        pass
    heard = [(message.to, message.subject) for message in mail_sender.taken]
    assert sorted(heard) == [
        ("max@plant.example.com", "MPMS: Incident: The mailbox cannot be read"),
        ("sofia@plant.example.com", "MPMS: Incident: The mailbox cannot be read"),
        ("sofia@plant.example.com", "MPMS: Over: The mailbox cannot be read"),
    ]


def test_only_active_leaders_with_an_address_are_told(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person("ana", role=Role.WORKER, mail="ana@plant.example.com")
    plant.person("vera", role=Role.VIEWER, mail="vera@plant.example.com")
    plant.person("gone", mail="gone@plant.example.com")
    plant.person("mute", mail=None)
    plant.person("calm", mail="calm@plant.example.com", wish=AlertWish())
    plant.person("adam", role=Role.ADMIN, mail="adam@plant.example.com")
    with plant.uow() as tx:
        tx.people.set_active("gone", False)
    plant.incident("mailbox", "The mailbox cannot be read")
    plant.sender(mail_sender=mail_sender)()
    assert [message.to for message in mail_sender.taken] == ["adam@plant.example.com"]


def test_who_asked_for_other_processes_is_not_told(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person(wish=AlertWish(by_mail=True, processes=("warehouse",)))
    plant.person("max", mail="max@x.example", wish=AlertWish(True, processes=("",)))
    plant.incident("mailbox", "The mailbox cannot be read")
    plant.sender(mail_sender=mail_sender)()
    assert [message.to for message in mail_sender.taken] == ["max@x.example"]


def test_an_alert_waits_for_a_server_that_is_away_and_grows(
    plant: AlertedPlant, mail_sender: FakeMailSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mpms.services.alerts.send.FIRST_DELAY_S", 0.0)
    plant.person()
    send = plant.sender(mail_sender=mail_sender)
    mail_sender.failure = MailServerAway("connection refused")
    plant.incident("mail server", "Replies cannot be sent: connection refused")
    assert send()
    assert told(plant) == []
    plant.incident("mailbox", "The mailbox cannot be read: connection refused")
    mail_sender.failure = None
    assert send()
    (message,) = mail_sender.taken
    assert message.subject == "MPMS: 2 causes of incidents (2 incidents)"


def test_a_server_that_is_away_is_not_asked_all_the_time(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    send = plant.sender(mail_sender=mail_sender)
    mail_sender.failure = MailServerAway("connection refused")
    plant.incident("mailbox", "The mailbox cannot be read")
    assert send()
    assert not send()


def test_an_alert_of_a_process_that_died_is_not_sent_again(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    plant.incident("mailbox", "The mailbox cannot be read")
    mail_sender.failure = Killed()
    with pytest.raises(Killed):
        plant.sender(mail_sender=mail_sender)()
    mail_sender.failure = None
    assert not plant.sender(mail_sender=mail_sender)()
    assert (mail_sender.taken, told(plant)) == ([], [("mail:sofia", False)])


@pytest.mark.parametrize("refused", [False, True])
def test_an_alert_that_cannot_be_sent_again_is_in_the_history(
    plant: AlertedPlant, mail_sender: FakeMailSender, refused: bool
) -> None:
    plant.person()
    plant.incident("mailbox", "The mailbox cannot be read")
    if refused:
        mail_sender.refuses = "550 no such mailbox"
    else:
        mail_sender.failure = ReplyInDoubt("closed the connection")
    send = plant.sender(mail_sender=mail_sender)
    assert send()
    mail_sender.failure = mail_sender.refuses = None
    assert not send()
    ((data,),) = plant.rows("SELECT data FROM events WHERE kind = 'alert not sent'")
    assert data["to"] == "sofia"
    assert ("550" if refused else "may have gone out") in data["error"]


def test_many_workers_tell_it_once(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    for number in range(20):
        plant.incident("reply", f"thing {'abcdefghijklmnopqrst'[number]} broke")
    senders = [plant.sender(mail_sender=mail_sender) for _ in range(4)]
    ready = threading.Barrier(4)

    def work(send: SendAlerts) -> None:
        ready.wait(60)
        for _ in range(5):
            send()

    threads = [threading.Thread(target=work, args=(send,)) for send in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(told(plant)) == 20
    assert [message.subject for message in mail_sender.taken] == [
        "MPMS: 20 causes of incidents (20 incidents)"
    ]


def test_incidents_that_are_older_than_causes_get_them(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    plant.incident("mailbox", "The mailbox cannot be read")
    ((named,),) = plant.rows("SELECT cause FROM incidents")
    plant.rows("UPDATE incidents SET cause = ''")
    send = plant.sender(mail_sender=mail_sender)
    assert send()
    assert plant.rows("SELECT cause FROM incidents") == [(named,)]
    assert send()
    assert len(mail_sender.taken) == 1


def test_an_alert_is_written_in_the_language_of_its_reader(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person(language="de")
    plant.incident("mailbox", "The mailbox cannot be read")
    plant.sender(mail_sender=mail_sender)()
    assert "außerhalb der Prozesse" in mail_sender.taken[0].body


@pytest.mark.covers("A52")
def test_an_alert_lands_in_a_real_mailbox_once_after_the_server_came_back(
    plant: AlertedPlant, mailroom: Mailroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mpms.services.alerts.send.FIRST_DELAY_S", 0.0)
    plant.person()
    send = plant.sender(mail_sender=mailroom.mail_sender)
    away = mailroom.mail_sender.another()
    away.account = mailroom.mail_sender.account.__class__(
        "127.0.0.1",
        1,
        mailroom.mail_sender.account.security,
        "orders@plant.example.com",
    )
    send.mail_sender = away
    plant.incident("mail server", "Replies cannot be sent: connection refused")
    assert send()
    assert mailroom.messages() == []
    send.mail_sender = mailroom.mail_sender
    while send():
        pass
    (message,) = mailroom.messages()
    assert message["Subject"] == (
        "MPMS: Incident: Replies cannot be sent: connection refused"
    )
    assert message["Auto-Submitted"] == "auto-generated"
    assert "https://mpms.example/incidents/c" in message.get_content()


def test_the_patience_of_the_rules_is_counted_from_the_clock(
    plant: AlertedPlant, mail_sender: FakeMailSender
) -> None:
    plant.person()
    plant.incident("mailbox", "The mailbox cannot be read")
    patient = AlertRules(gather_s=HOUR_S, apart_s=0.0)
    send = plant.sender(mail_sender=mail_sender, rules=patient)
    assert not send()
    moved = timedelta(hours=2)
    plant.rows("UPDATE incidents SET opened_at = opened_at - %s", moved)
    assert send()
