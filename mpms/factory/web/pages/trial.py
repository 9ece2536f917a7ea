"""A trial warehouse: launch a preset, command its robots, watch them."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.ports.trial_warehouse import PRESETS, TrialWarehouse
from mpms.factory.services.fleet.trial import launch_trial, line_of
from mpms.factory.web.desk import current_desk
from mpms.web.rights import EVERYBODY, LEADERS, allowed
from mpms.web.texts import t

pages = Blueprint("trial", __name__)
HERE = "/warehouse/trial"


def _trial() -> TrialWarehouse:
    trial = current_desk().trial
    if trial is None:
        raise NotFound
    return trial


@pages.get(HERE)
@allowed(EVERYBODY)
def page() -> str:
    return _rendered("warehouse_trial.html")


@pages.get(f"{HERE}/now")
@allowed(EVERYBODY)
def now() -> str:
    return _rendered("_warehouse_trial.html")


@pages.post(f"{HERE}/launch")
@allowed(LEADERS)
def launch() -> Answer:
    preset = request.form.get("preset", "")
    return _done(lambda: launch_trial(_trial(), preset))


@pages.post(f"{HERE}/command")
@allowed(LEADERS)
def command() -> Answer:
    form, trial = request.form, _trial()
    robot = form.get("robot", "")

    def give() -> str:
        state = trial.state() or {"robots": [], "storage_units": []}
        act = form.get("act", "")
        line = line_of(state, act, robot, form.get("x", ""), form.get("y", ""))
        return trial.command(line)

    return _done(give, f"?robot={robot}" if robot.isalnum() else "")


@pages.post(f"{HERE}/stop")
@allowed(LEADERS)
def stop() -> Answer:
    _trial().stop()
    return redirect(HERE, 303)


def _done(act: Callable[[], str], after: str = "") -> Answer:
    try:
        flash(act(), "ok")
    except DatabaseAway:
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
    return redirect(HERE + after, 303)


def _rendered(template: str) -> str:
    problem = ""
    try:
        state = _trial().state()
    except DatabaseAway:
        raise
    except MpmsError as failed:
        state, problem = None, str(failed)
    return render_template(
        template,
        state=state,
        problem=problem,
        presets=dict(zip(PRESETS, (t("Small"), t("Medium"), t("Large")), strict=True)),
        chosen=request.args.get("robot", ""),
    )
