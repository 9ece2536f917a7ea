"""Steps of tests of mail servers and robots in plain words, with what to do next."""

from __future__ import annotations

from collections.abc import Mapping

from mpms.factory.ports.checks import CheckStep
from mpms.web.labels.admin import Told
from mpms.web.texts import t


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
