"""The view of the page; only the server loads it."""

from collections import Counter

from flask import Blueprint, render_template

from mpms.web.rights import ADMINS, allowed
from mpms.web.site.signed_in import current_desk

pages = Blueprint("shift", __name__, url_prefix="/shift", template_folder="templates")


@pages.get("")
@allowed(ADMINS)
def shift() -> str:
    with current_desk().uow() as tx:
        waiting = Counter(task.element for task in tx.tasks.open())
    return render_template("shift.html", waiting=waiting.most_common())
