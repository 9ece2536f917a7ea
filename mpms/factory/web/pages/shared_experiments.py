"""What a link shows of an experiment to whoever knows it: results, nothing else."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from mpms.factory.web.labels.experiments import runs_csv
from mpms.factory.web.pages.experiments import find, plot_of, shown, view_of
from mpms.web.rights import open_to_all

pages = Blueprint("shared_experiments", __name__, url_prefix="/experiments/shared")


@pages.get("/<link>")
@open_to_all
def page(link: str) -> str:
    experiment, runs = find(link=link)
    return render_template("experiment.html", **shown(experiment, runs), shared=True)


@pages.get("/<link>/view.json")
@open_to_all
def view(link: str) -> Response:
    return view_of(find(link=link)[0])


@pages.get("/<link>/<plot>.svg")
@open_to_all
def plot(link: str, plot: str) -> Response:
    return plot_of(*find(link=link), plot)


@pages.get("/<link>/runs.csv")
@open_to_all
def runs(link: str) -> Response:
    return runs_csv(*find(link=link))
