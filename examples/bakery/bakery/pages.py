"""What the bakery bakes tonight, for those who lead it."""

from flask import Blueprint, render_template

from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk

pages = Blueprint("bakery", __name__, url_prefix="/bakery")


@pages.get("")
@allowed(LEADERS)
def tonight() -> str:
    desk = current_desk()
    with desk.uow() as tx:
        tasks = [task for task in tx.tasks.open() if task.element == "check_bread"]
    fit = desk.settings["bakery"]["oven_loaves"]
    return render_template("bakery.html", tasks=tasks, fit=fit)
