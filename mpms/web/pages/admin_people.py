"""People and groups: who may sign in, by what, and what they are offered."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.domain.people.people import Role
from mpms.ports.people.cards import PersonCard
from mpms.services.instances.apply_repair import required
from mpms.services.people import change_secret
from mpms.services.people.add import add_person
from mpms.services.people.edit import (
    edit_person,
    groups_of,
    new_password,
    reset_password,
)
from mpms.services.people.link_sign_in import link_sign_in, unlink_sign_in
from mpms.services.people.list_groups import list_groups
from mpms.services.people.second_factor import drop_factors
from mpms.services.people.sign_in import has_second_factor
from mpms.web.rights import allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import LANGUAGES, t

pages = Blueprint("people", __name__)

ADMINS = frozenset({Role.ADMIN})


@pages.get("/admin/people")
@allowed(ADMINS)
def listing() -> str:
    find = request.args.get("find", "").strip()
    cards = _cards()
    folded = find.casefold()
    shown = [c for c in cards if not folded or folded in _words(c)]
    groups = list_groups(current_desk().uow, current_desk().engine)
    return render_template(
        "admin_people.html",
        cards=shown,
        all=len(cards),
        find=find,
        empty=[g for g in groups if g.empty],
        roles=role_words(),
    )


@pages.get("/admin/people/new")
@allowed(ADMINS)
def new() -> str:
    return _new_page()


@pages.post("/admin/people/new")
@allowed(ADMINS)
def add() -> str | tuple[str, int]:
    """The password is told on this page and nowhere else."""
    desk, form = current_desk(), request.form
    password = new_password()
    pin = form.get("pin", "").strip() or None
    try:
        person = add_person(
            desk.uow,
            desk.hasher,
            form.get("login", ""),
            form.get("name", ""),
            _role(form.get("role", "")),
            by=current_person().login,
            groups=groups_of(form.get("groups", "").split(",")),
            language=_language(form.get("language", "")),
            password=password,
            pin=pin,
            reason=required(form.get("reason", "")),
            once=True,
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _new_page(_said(error)), 422
    return render_template("admin_password.html", who=person, password=password)


@pages.get("/admin/people/<login>")
@allowed(ADMINS)
def one(login: str) -> str:
    return _page(login)


@pages.post("/admin/people/<login>")
@allowed(ADMINS)
def edit(login: str) -> Answer | tuple[str, int]:
    form = request.form
    return _do(
        login,
        "edit",
        lambda by, reason: edit_person(
            current_desk().uow,
            login,
            name=form.get("name", ""),
            role=_role(form.get("role", "")),
            groups=form.get("groups", "").split(","),
            language=_language(form.get("language", "")),
            by=by,
            reason=reason,
        ),
        t("The changes are saved."),
    )


@pages.post("/admin/people/<login>/password")
@allowed(ADMINS)
def password(login: str) -> str | tuple[str, int]:
    desk, card = current_desk(), _card(login)
    try:
        told = reset_password(
            desk.uow,
            desk.hasher,
            login,
            by=current_person().login,
            reason=request.form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(login, "password", _said(error)), 422
    return render_template("admin_password.html", who=card.person, password=told)


@pages.post("/admin/people/<login>/pin")
@allowed(ADMINS)
def pin(login: str) -> Answer | tuple[str, int]:
    desk = current_desk()
    typed = None if "remove" in request.form else request.form.get("pin", "")
    return _do(
        login,
        "pin",
        lambda by, reason: change_secret.set_pin(
            desk.uow, desk.hasher, login, typed, by=by, reason=reason
        ),
        t("The PIN is removed.") if typed is None else t("The PIN is set."),
    )


@pages.post("/admin/people/<login>/second-factors")
@allowed(ADMINS)
def second_factors(login: str) -> Answer | tuple[str, int]:
    return _do(
        login,
        "second",
        lambda by, reason: drop_factors(
            current_desk().uow, login, by=by, reason=reason
        ),
        t("The second factors are removed."),
    )


@pages.post("/admin/people/<login>/badge")
@allowed(ADMINS)
def badge(login: str) -> Answer | tuple[str, int]:
    scanned = None if "remove" in request.form else request.form.get("badge", "")
    return _do(
        login,
        "badge",
        lambda by, reason: change_secret.set_badge(
            current_desk().uow, login, scanned, by=by, reason=reason
        ),
        t("The badge is removed.") if scanned is None else t("The badge is set."),
    )


@pages.post("/admin/people/<login>/active")
@allowed(ADMINS)
def active(login: str) -> Answer | tuple[str, int]:
    on = request.form.get("active") == "yes"
    return _do(
        login,
        "active",
        lambda by, reason: change_secret.set_active(
            current_desk().uow, login, on, by=by, reason=reason
        ),
        t("This person may sign in again.")
        if on
        else t("This person is disabled and signed out everywhere."),
    )


@pages.post("/admin/people/<login>/sign-in")
@allowed(ADMINS)
def sign_in(login: str) -> Answer | tuple[str, int]:
    """Link a sign-in at the company's service, or take it away."""
    form, on = request.form, "link" in request.form
    change = link_sign_in if on else unlink_sign_in
    return _do(
        login,
        "sign-in",
        lambda by, reason: change(
            current_desk().uow,
            login,
            form.get("issuer", ""),
            form.get("subject", ""),
            by=by,
            reason=reason,
        ),
        t("This sign-in opens the account from now on.")
        if on
        else t("This sign-in opens nothing here."),
    )


@pages.get("/admin/groups")
@allowed(ADMINS)
def groups() -> str:
    desk = current_desk()
    return render_template(
        "admin_groups.html", groups=list_groups(desk.uow, desk.engine)
    )


def role_words() -> dict[Role, str]:
    return {
        Role.ADMIN: t("Administrator"),
        Role.SUPERVISOR: t("Supervisor"),
        Role.WORKER: t("Worker"),
        Role.VIEWER: t("Viewer"),
    }


def _do(login: str, part: str, change: Any, said: str) -> Answer | tuple[str, int]:
    _card(login)
    try:
        change(current_person().login, required(request.form.get("reason", "")))
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(login, part, _said(error)), 422
    flash(said, "ok")
    return redirect(f"/admin/people/{login}", 303)


def _page(login: str, failed: str = "", problem: str = "") -> str:
    desk = current_desk()
    with desk.uow() as tx:
        sign_ins = tx.people.sign_ins(login)
        person = tx.people.get(login)
        has_second = person is not None and has_second_factor(tx, person.id)
    return render_template(
        "admin_person.html",
        card=_card(login),
        has_second=has_second,
        sign_ins=sign_ins,
        failed=failed,
        problem=problem,
        typed=request.form,
        roles=role_words(),
        known_groups=[g.name for g in list_groups(desk.uow, desk.engine)],
    )


def _new_page(problem: str = "") -> str:
    desk = current_desk()
    return render_template(
        "admin_person_new.html",
        problem=problem,
        typed=request.form,
        roles=role_words(),
        known_groups=[g.name for g in list_groups(desk.uow, desk.engine)],
    )


def _cards() -> list[PersonCard]:
    with current_desk().uow() as tx:
        return list(tx.people.cards())


def _card(login: str) -> PersonCard:
    for card in _cards():
        if card.person.login == login:
            return card
    raise NotFound


def _words(card: PersonCard) -> str:
    person = card.person
    return " ".join((person.login, person.name, *person.groups)).casefold()


def _role(text: str) -> Role:
    return Role(text) if text in set(Role) else Role.VIEWER


def _language(text: str) -> str:
    return text if text in LANGUAGES else "en"


def _said(error: MpmsError) -> str:
    return t(" ".join(str(error).split()))
