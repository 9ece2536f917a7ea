"""The versions of materials and recipes: who changed what, and the way back."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.domain.order_mail import CatalogueInvalid
from mpms.factory.ports.catalogue import CatalogueVersion
from mpms.factory.services.catalogue.list_versions import (
    catalogue_source,
    list_versions,
)
from mpms.factory.services.catalogue.take import (
    FileMissing,
    InForceAlready,
    VersionUnknown,
    take_file,
    take_version,
)
from mpms.factory.services.catalogue.write import CatalogueChanged
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels import catalogue as words
from mpms.web.rights import ADMINS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("catalogue", __name__)
pages.add_app_template_global(words.version_words, "version_words")
pages.add_app_template_global(words.change_word, "change_word")
pages.add_app_template_global(words.change_chip, "change_chip")
pages.add_app_template_global(words.field_lines, "field_lines")

A_PAGE = 20


@pages.get("/admin/places/versions")
@allowed(ADMINS)
def show() -> str:
    return _page()


@pages.post("/admin/places/versions")
@allowed(ADMINS)
def take() -> Answer | tuple[str, int]:
    """``number`` of the version to take again, or ``file``."""
    desk, form = current_desk(), request.form
    number, seen = _number(form.get("number", "")), _number(form.get("seen", ""))
    reason, by = form.get("reason", ""), current_person().login
    try:
        if "file" in form:
            made = take_file(desk.uow, desk.materials, seen=seen, by=by, reason=reason)
        else:
            made = take_version(
                desk.uow, desk.materials, number or 0, seen=seen, by=by, reason=reason
            )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(_said(error), "file" if "file" in form else str(number)), 422
    flash(_told(made), "ok")
    return redirect(url_for("admin.catalogue.show"), 303)


def _page(problem: str = "", failed: str = "") -> str:
    desk = current_desk()
    below = _number(request.args.get("below", ""))
    shown = list_versions(desk.uow, desk.materials, limit=A_PAGE + 1, below=below)
    return render_template(
        "admin_versions.html",
        source=catalogue_source(desk.uow, desk.materials),
        versions=shown[:A_PAGE],
        more=shown[A_PAGE - 1].version.number if len(shown) > A_PAGE else None,
        path=desk.materials.path,
        problem=problem,
        failed=failed,
        typed=request.form,
    )


def _told(made: CatalogueVersion) -> str:
    return (
        f"{words.version_words(made)}. {t('Version {n} is in force.', n=made.number)}"
    )


def _said(error: MpmsError) -> str:
    match error:
        case CatalogueChanged():
            return t(
                "{who} has changed this meanwhile (version {n}): {reason}",
                who=error.version.by,
                n=error.version.number,
                reason=error.version.reason,
            )
        case CatalogueInvalid():
            return t("The file cannot be used: {why}", why=str(error))
        case InForceAlready():
            return t("This is what is in force already.")
        case FileMissing():
            return t("The plant has no catalogue file.")
        case VersionUnknown():
            return t("There is no such version.")
    return t(" ".join(str(error).split()))


def _number(text: str) -> int | None:
    known = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if known else None
