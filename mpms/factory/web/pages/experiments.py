"""Experiments with simulated warehouses: ask, watch, compare, share."""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    Response,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.domain.experiments import Question
from mpms.factory.ports.experiments import (
    Experiment,
    PlanRefused,
    Run,
    Simulator,
    SimulatorFailed,
    SimulatorMissing,
)
from mpms.factory.services.experiments.ask import (
    ask_experiment,
    ask_question,
    delete_experiment,
    share_experiment,
    stop_experiment,
)
from mpms.factory.services.experiments.results import advise, cases_of
from mpms.factory.web.desk import current_desk
from mpms.factory.web.fields.experiments import read_plan, read_question
from mpms.factory.web.labels import experiments as words
from mpms.web.rights import LEADERS, READERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("experiments", __name__, url_prefix="/experiments")


@pages.record_once
def _install(state: Any) -> None:
    state.app.jinja_env.globals["experiment_words"] = words


A_PAGE = 30


@pages.get("")
@allowed(READERS)
def listing() -> str:
    below = request.args.get("below", type=int)
    with current_desk().uow() as tx:
        found = tx.experiments.listing(limit=A_PAGE + 1, below=below)
    return render_template(
        "experiments.html", found=found[:A_PAGE], more=len(found) > A_PAGE
    )


@pages.get("/new")
@allowed(LEADERS)
def new() -> str:
    return _form(request.args)


@pages.post("/new")
@allowed(LEADERS)
def ask() -> Answer | tuple[str, int]:
    desk, given = current_desk(), request.form
    try:
        simulator = _simulator()
        plan, wrong = read_plan(given, simulator.parts())
        if wrong:
            raise PlanRefused(wrong)
        made = ask_experiment(
            desk.uow, simulator, given.get("title", ""), plan, by=_me()
        )
    except PlanRefused as refused:
        return _form(given, refused.lines), 422
    except (SimulatorMissing, SimulatorFailed) as failed:
        return _form(given, [str(failed)]), 422
    return redirect(url_for("experiments.page", experiment_id=made))


@pages.get("/which")
@allowed(LEADERS)
def which() -> str:
    return _wizard(request.args)


@pages.post("/which")
@allowed(LEADERS)
def ask_which() -> Answer | tuple[str, int]:
    desk, given = current_desk(), request.form
    asked, wrong = read_question(given)
    title = given.get("title", "") or t("Which strategy for my warehouse?")
    try:
        if wrong:
            raise PlanRefused(wrong)
        made = ask_question(desk.uow, _simulator(), title, asked, by=_me())
    except PlanRefused as refused:
        return _wizard(given, refused.lines), 422
    except (SimulatorMissing, SimulatorFailed) as failed:
        return _wizard(given, [str(failed)]), 422
    return redirect(url_for("experiments.page", experiment_id=made))


@pages.get("/<int:experiment_id>")
@allowed(READERS)
def page(experiment_id: int) -> str:
    experiment, runs = find(experiment_id)
    return render_template("experiment.html", **shown(experiment, runs), shared=False)


@pages.get("/<int:experiment_id>/now")
@allowed(READERS)
def now(experiment_id: int) -> Response:
    """How far it is; once it is over, the page is loaded anew."""
    experiment, runs = find(experiment_id)
    facts = shown(experiment, runs)
    answer = Response(render_template("_experiment_now.html", **facts, shared=False))
    if not experiment.open:
        answer.headers["HX-Refresh"] = "true"
    return answer


@pages.get("/<int:experiment_id>/present.json")
@allowed(READERS)
def present(experiment_id: int) -> dict[str, Any]:
    """Where robots are in the run that is on; nothing between two runs."""
    with current_desk().uow() as tx:
        return {"present": tx.experiments.present(experiment_id)}


@pages.get("/<int:experiment_id>/view.json")
@allowed(READERS)
def view(experiment_id: int) -> Response:
    return view_of(find(experiment_id)[0])


@pages.get("/<int:experiment_id>/<plot>.svg")
@allowed(READERS)
def plot(experiment_id: int, plot: str) -> Response:
    return plot_of(*find(experiment_id), plot)


@pages.get("/<int:experiment_id>/runs.csv")
@allowed(READERS)
def runs(experiment_id: int) -> Response:
    return words.runs_csv(*find(experiment_id))


@pages.post("/<int:experiment_id>/stop")
@allowed(LEADERS)
def stop(experiment_id: int) -> Answer:
    try:
        stop_experiment(current_desk().uow, experiment_id, by=_me())
    except DatabaseAway:
        raise
    except MpmsError as error:
        flash(t(str(error)), "bad")
    return redirect(url_for("experiments.page", experiment_id=experiment_id))


@pages.post("/<int:experiment_id>/delete")
@allowed(LEADERS)
def delete(experiment_id: int) -> Answer:
    try:
        delete_experiment(current_desk().uow, experiment_id, by=_me())
    except DatabaseAway:
        raise
    except MpmsError as error:
        flash(t(str(error)), "bad")
    return redirect(url_for("experiments.listing"))


@pages.post("/<int:experiment_id>/share")
@allowed(LEADERS)
def share(experiment_id: int) -> Answer:
    wanted = request.form.get("shared") == "1"
    share_experiment(current_desk().uow, experiment_id, shared=wanted, by=_me())
    return redirect(url_for("experiments.page", experiment_id=experiment_id))


def find(
    experiment_id: int | None = None, link: str = ""
) -> tuple[Experiment, list[Run]]:
    """By its number, or by the link that it is shared by. NotFound."""
    with current_desk().uow() as tx:
        rows = tx.experiments
        found = rows.of_link(link) if experiment_id is None else rows.get(experiment_id)
        if found is None:
            raise NotFound(t("There is no such experiment."))
        return found, list(rows.runs_of(found.id))


def shown(experiment: Experiment, runs: list[Run]) -> dict[str, Any]:
    desk = current_desk()
    return {
        "experiment": experiment,
        "cases": cases_of(runs) if runs else [],
        "advice": advise(runs) if experiment.question is not None else None,
        "left_s": experiment.left_s(desk.clock.now()),
        "several_robots": len({run.footprint["robots"] for run in runs}) > 1,
    }


def view_of(experiment: Experiment) -> Response:
    with current_desk().uow() as tx:
        packed = tx.experiments.view(experiment.id, request.args.get("case", ""))
    if packed is None:
        raise NotFound(t("There is no such experiment."))
    answer = Response(packed, content_type="application/json")
    answer.headers["Content-Encoding"] = "gzip"
    return answer


def plot_of(experiment: Experiment, runs: list[Run], kind: str) -> Response:
    case, seed = request.args.get("case", ""), request.args.get("seed", 0, type=int)
    name, series = request.args.get("measure", "score"), None
    if kind == "progression":
        name = case
        with current_desk().uow() as tx:
            series = tx.experiments.series(experiment.id, case, seed)
    drawn = None
    if kind in words.PLOTS and runs:
        drawn = words.plot(kind, name, cases_of(runs), series)
    if drawn is None:
        raise NotFound(t("There is no such experiment."))
    return words.svg(drawn)


def _form(given: MultiDict[str, str], wrong: list[str] | None = None) -> str:
    missing, parts = "", None
    try:
        parts = _simulator().parts()
    except (SimulatorMissing, SimulatorFailed) as failed:
        missing = str(failed)
    return render_template(
        "experiment_new.html",
        parts=parts,
        missing=missing,
        given=given,
        wrong=wrong or [],
    )


def _wizard(given: MultiDict[str, str], wrong: list[str] | None = None) -> str:
    usual = Question(orders_per_h=300.0).answered_by
    return render_template(
        "experiment_which.html", usual=usual, given=given, wrong=wrong or []
    )


def _simulator() -> Simulator:
    found = current_desk().simulator
    if found is None:
        raise SimulatorMissing(str(SimulatorMissing.__doc__))
    return found


def _me() -> str:
    return current_person().login
