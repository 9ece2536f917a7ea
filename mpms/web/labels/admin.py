"""Lights, steps of tests and lines of the log in plain words, with what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from mpms.ports.admin.checks import CheckStep
from mpms.services.admin.health import Finding, Light
from mpms.web.labels import formats
from mpms.web.texts import current_language, t

LIGHT_CHIP = {
    Light.GREEN: ("chip-ok", "done"),
    Light.YELLOW: ("chip-warn", "warn"),
    Light.RED: ("chip-bad", "stop"),
    Light.GREY: ("", "info"),
}


@dataclass(frozen=True)
class Told:
    """What a light means and what helps."""

    title: str
    cause: str
    help: str = ""


def light_word(light: Light) -> str:
    return {
        Light.GREEN: t("good"),
        Light.YELLOW: t("look at it"),
        Light.RED: t("broken"),
        Light.GREY: t("not used"),
    }[light]


def light_chip(light: Light) -> tuple[str, str]:
    return LIGHT_CHIP[light]


def part_word(part: str) -> str:
    return {
        "database": t("Database"),
        "workers": t("Workers"),
        "queues": t("Queues"),
        "mail_in": t("Mail in"),
        "mail_out": t("Mail out"),
        "robots": t("Robots"),
        "fleet": t("Fleet"),
        "disk": t("Disk"),
    }.get(part, part)


def queue_word(queue: str) -> str:
    return {
        "job": t("jobs"),
        "timer": t("timers"),
        "delivery": t("steps of processes"),
        "reply": t("replies by mail"),
        "webhook": t("webhooks"),
        "batch": t("bulk actions"),
    }.get(queue, queue)


def finding_words(finding: Finding) -> Told:
    """The cause and what to do, in the reader's language."""
    values = finding.values
    words: Mapping[tuple[str, str], Callable[[], tuple[str, str]]] = {
        ("database", "fine"): lambda: (
            t(
                "PostgreSQL {version}, {size} MB, answers in {ms} ms.",
                version=values["version"],
                size=_round(values["size_mb"]),
                ms=_round(values["latency_ms"], 1),
            ),
            "",
        ),
        ("database", "slow"): lambda: (
            t("It took {ms} ms to answer.", ms=_round(values["latency_ms"])),
            t("Look what else runs on its machine, and whether its disk is full."),
        ),
        ("database", "away"): lambda: (
            t("The database does not answer: {why}", why=values["why"]),
            t("Start PostgreSQL. Workers and pages go on by themselves."),
        ),
        ("workers", "fine"): lambda: (
            t("1 worker is running.")
            if values["alive"] == 1
            else t("{n} workers are running.", n=values["alive"]),
            "",
        ),
        ("workers", "none"): lambda: (
            t("No worker is running: processes, mail and robots wait."),
            t("Start one: mpms work. Nothing is lost meanwhile."),
        ),
        ("workers", "failing"): lambda: (
            t(
                "{name} failed: {why}",
                name=values["name"],
                why=values["why"],
            ),
            t("Read its log. The other steps go on."),
        ),
        ("workers", "clock"): lambda: (
            t(
                "The clock of {name} is {time} ahead.",
                name=values["name"],
                time=duration(values["by_s"]),
            )
            if values["ahead"]
            else t(
                "The clock of {name} is {time} behind.",
                name=values["name"],
                time=duration(values["by_s"]),
            ),
            t(
                "Timers go by the database's clock and are right. Set the clock of that"
                " machine: robots and mail servers may refuse it."
            ),
        ),
        ("workers", "versions"): lambda: (
            t(
                "{name} runs version {other}, these pages run {ours}.",
                name=values["name"],
                other=values["other"],
                ours=values["ours"],
            ),
            t("Restart all processes with the same version."),
        ),
        ("workers", "vanished"): lambda: (
            t(
                "{name} was last heard at {time} and did not stop in good order.",
                name=values["name"],
                time=_time(values["last_at"]),
            ),
            t("Others have taken over its work. Look why it ended."),
        ),
        ("queues", "fine"): lambda: (t("Nothing waits longer than it should."), ""),
        ("queues", "late"): lambda: (
            t(
                "The oldest of the {queue} has waited for {age}.",
                queue=queue_word(str(values["queue"])),
                age=duration(values["age_s"]),
            ),
            t("Look at workers and incidents; start another worker if all are busy."),
        ),
        ("mail_in", "fine"): lambda: (
            t(
                "The mailbox answers; last read at {time}.",
                time=_time(values["reached_at"]),
            ),
            "",
        ),
        ("mail_in", "silent"): lambda: (
            t("Nobody has looked into the mailbox for a while."),
            t("Does a worker run, and does the process that reads orders?"),
        ),
        ("mail_in", "away"): lambda: (
            t("The mailbox cannot be read: {why}", why=values["why"]),
            t("Test the account on the page Mail; it says at which step it stops."),
        ),
        ("mail_in", "unused"): lambda: (
            t("No mail has been read yet."),
            t("Orders by mail need MPMS_IMAP_URL and MPMS_SMTP_URL, and a worker."),
        ),
        ("mail_out", "fine"): lambda: (
            t("{n} replies wait; all others went out.", n=values["waiting"]),
            "",
        ),
        ("mail_out", "lost"): lambda: (
            t(
                "Of {n} replies nobody knows whether they went out, or they were"
                " refused.",
                n=values["lost"],
            ),
            t("Look at them on the page Mail and ask the senders."),
        ),
        ("mail_out", "away"): lambda: (
            t("Replies cannot be sent: {why}", why=values["why"]),
            t("Test the account on the page Mail; it says at which step it stops."),
        ),
        ("mail_out", "unused"): lambda: (t("No reply has been sent yet."), ""),
        ("robots", "fine"): lambda: (
            t(
                "{connected} of {robots} robots are connected, {out} out of service.",
                connected=values["connected"],
                robots=values["robots"],
                out=values["out"],
            ),
            "",
        ),
        ("robots", "away"): lambda: (
            t(
                "{connected} of {robots} robots are connected. {name}: {why}",
                connected=values["connected"],
                robots=values["robots"],
                name=values["name"],
                why=values["why"],
            ),
            t("Test the connection on the page Robots; it says where it stops."),
        ),
        ("robots", "unused"): lambda: (
            t("All robots are out of service, or the world has none."),
            "",
        ),
        ("fleet", "fine"): lambda: (
            t("{n} robots of the fleet have tasks.", n=values["robots"]),
            "",
        ),
        ("fleet", "unused"): lambda: (t("No fleet drives the robots."), ""),
        ("fleet", "not_led"): lambda: (
            t("No worker leads the fleet; {n} requests wait.", n=values["requests"]),
            t("Start one: mpms work. Nothing is lost meanwhile."),
        ),
        ("fleet", "stalled"): lambda: (
            t(
                "{n} robots of the fleet have tasks and nothing has changed for"
                " {time}.",
                n=values["robots"],
                time=duration(values["since_s"]),
            ),
            t(
                "Look at the page Fleet for who stands and why. Take a robot that is in"
                " the way out of service; its task goes to others."
            ),
        ),
        ("disk", "fine"): lambda: (
            t(
                "{gb} GB are free ({percent} %).",
                gb=_round(values["free_gb"], 1),
                percent=_round(values["share"]),
            ),
            "",
        ),
        ("disk", "full"): lambda: (
            t(
                "Only {gb} GB are free ({percent} %).",
                gb=_round(values["free_gb"], 1),
                percent=_round(values["share"]),
            ),
            t("Make room, or let old history be deleted on the page Retention."),
        ),
    }
    cause, help_ = words[finding.part, finding.cause]()
    return Told(part_word(finding.part), cause, help_)


def duration(seconds: object) -> str:
    """About how long, in one unit."""
    if not isinstance(seconds, int | float):
        return formats.NOTHING
    if seconds < 90:
        return t("{n} s", n=round(seconds))
    if seconds < 5400:
        return t("{n} min", n=round(seconds / 60))
    if seconds < 172_800:
        return t("{n} h", n=round(seconds / 3600))
    return t("{n} days", n=round(seconds / 86_400))


# -- tests of servers and robots -------------------------------------------------------


def step_words(step: CheckStep) -> Told:
    names = {
        "configured": t("Settings"),
        "resolve": t("Find the server's address"),
        "connect": t("Connect"),
        "tls": t("Encrypt"),
        "login": t("Log in"),
        "folder": t("Open the folder"),
        "send": t("Send a message to ourselves"),
        "profile": t("Read the profile"),
        "address": t("Check the address"),
        "tcp": t("Connect"),
        "websocket": t("Speak rosbridge"),
        "broker": t("Log in at the broker"),
        "rosapi": t("Ask for names and types"),
        "fits": t("Compare with the profile"),
        "goals": t("Look how goals are handled"),
        "heard": t("Receive data"),
        "pose": t("Get its position"),
        "limit": t("End in time"),
    }
    title = names.get(step.name, step.name)
    if step.cause:
        cause, help_ = _causes().get(step.cause, (step.detail, ""))
        return Told(title, cause, help_)
    return Told(title, _good(step))


def _good(step: CheckStep) -> str:
    v = step.values
    match step.name:
        case "resolve":
            return t("It is at {address}.", address=v["address"])
        case "connect":
            return t("Port {port} is open.", port=str(v["port"]))
        case "tcp":
            return t(
                "{host}, port {port} is open.", host=v["host"], port=str(v["port"])
            )
        case "tls":
            return t("Encrypted with {version}.", version=v["version"])
        case "login":
            return t("Let in as {user}.", user=v["user"])
        case "folder":
            return t(
                "{folder} holds {n} messages.", folder=v["folder"], n=v["messages"]
            )
        case "send":
            return t("Handed over; look whether it arrives at {to}.", to=v["to"])
        case "profile":
            return t("Profile {profile}.", profile=v["profile"])
        case "fits":
            return t("{n} topics have the right types.", n=v["topics"])
        case "heard":
            return t("Heard: {topics}", topics=v["topics"])
        case "pose":
            return t(
                "At x {x} m, y {y} m, {age} s ago.",
                x=v["x_m"],
                y=v["y_m"],
                age=v["age_s"],
            )
    return t("Works.")


def _causes() -> Mapping[str, tuple[str, str]]:
    return {
        "not_set": (
            t("No server is set."),
            t("Set MPMS_IMAP_URL and MPMS_SMTP_URL and start again."),
        ),
        "in_memory": (
            t("The robots exist in memory only: there is nothing to connect to."),
            t("Set MPMS_ROBOTS_URL to connect to real or simulated robots."),
        ),
        "by_plugin": (
            t("A driver of a plug-in speaks with this robot; it has no test here."),
            t("The page Robots shows what the driver hears of it."),
        ),
        "not_found": (
            t("Nobody knows a server of this name."),
            t("Check the spelling, and that the name service answers."),
        ),
        "refused": (
            t("The machine is there, but nothing listens on this port."),
            t("Is the program started? Is the port right? Does a firewall refuse?"),
        ),
        "timeout": (
            t("No answer came in time."),
            t("Is the machine on, and does a firewall drop the packets?"),
        ),
        "certificate": (
            t("The server's certificate is not accepted."),
            t(
                "Is the name right, and not expired? Own authority: MPMS_MAIL_CA_FILE,"
                " MPMS_ROBOTS_CA_FILE."
            ),
        ),
        "tls": (
            t("No encrypted connection could be made."),
            t("Try the other kind: imaps or imap+starttls, smtps or smtp+starttls."),
        ),
        "no_tls": (
            t("Not encrypted; allowed on this machine only."),
            "",
        ),
        "login": (
            t("The server refused user name and password."),
            t(
                "Many providers want an app password. Special characters are written in"
                " percent form."
            ),
        ),
        "token": (
            t("No access token was given to us."),
            t("Check the application's secret and its rights at the provider."),
        ),
        "folder": (
            t("The folder cannot be opened."),
            t("Name it at the end of MPMS_IMAP_URL, such as /INBOX."),
        ),
        "bad_profile": (
            t("The profile cannot be used."),
            t("The message names the key that is wrong."),
        ),
        "unsafe": (
            t("This address may not be used."),
            t("Use wss://, or allow the host in the profile under allow_plain_ws."),
        ),
        "silent": (
            t("No data received: the server or the robot is frozen or sends nothing."),
            t("Is the robot switched on, and do its drivers run?"),
        ),
        "vehicle_away": (
            t("The broker is there, the vehicle is not connected to it."),
            t("Is the vehicle switched on? Do maker and serial number fit?"),
        ),
        "closed": (
            t("The connection was closed."),
            t("Look at the log of the rosbridge server."),
        ),
        "unknown_topic": (
            t("The robot has no topic of the name that the profile says."),
            t("Start its driver, or correct the name or the namespace in the profile."),
        ),
        "unknown_action": (
            t("The robot has no action of the name that the profile says."),
            t("Start its navigation, or correct the name in the profile."),
        ),
        "goals_block": (
            t("rosbridge reads nothing from a connection while it drives a goal."),
            t(
                "MPMS cancels over a second connection. For other clients set"
                " send_action_goals_in_new_thread to true in rosbridge."
            ),
        ),
        "wrong_type": (
            t("A topic has another type than the profile says."),
            t("Correct the type in the profile."),
        ),
        "rosapi_refused": (
            t("rosapi does not answer questions."),
            t("Start rosapi beside rosbridge, or set rosapi: false in the profile."),
        ),
        "bad_message": (
            t("The message received is not a position."),
            t("Compare the topic and its type with the profile."),
        ),
        "frame": (
            t("The position is given in another frame than the map's."),
            t("Set frame in the profile to the frame of the map."),
        ),
        "too_slow": (
            t("The test took too long and was given up."),
            t("The steps above passed; the next one hangs."),
        ),
    }


def _round(value: object, digits: int = 0) -> str:
    number = float(value) if isinstance(value, int | float) else 0.0
    return formats.number(number, current_language(), digits=digits)


def _time(at: object) -> str:
    if not isinstance(at, datetime):
        return formats.NOTHING
    return formats.time(at, current_language(), formats.now())
