"""Materials and recipes: add, change and remove what may be ordered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound as PageNotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import MpmsError, ReasonMissing
from mpms.factory.domain.order_mail import Catalogue, Material, Recipe
from mpms.factory.domain.order_mail.catalogue_changes import (
    MOST_RECIPE_LINES,
    Difference,
    differences,
    recipes_with,
)
from mpms.factory.domain.pictures import MOST_BYTES
from mpms.factory.ports.catalogue import CatalogueVersion
from mpms.factory.services.catalogue.change import (
    CatalogueRefused,
    MaterialNeeded,
    MaterialUnknown,
    RecipeUnknown,
    remove_material,
    remove_recipe,
    save_material,
    save_recipe,
)
from mpms.factory.services.catalogue.picture import PictureRefused, save_picture
from mpms.factory.services.catalogue.write import CatalogueChanged
from mpms.factory.services.places.check import list_places
from mpms.factory.web.desk import current_desk
from mpms.factory.web.fields.catalogue import EMPTY_LINES, MaterialForm, RecipeForm
from mpms.web.rights import ADMINS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("materials", __name__)

SHOWN_ORDERS = 10


@pages.get("/admin/places/materials/new")
@allowed(ADMINS)
def new_material() -> str:
    """``?code=`` of a material that has a place and cannot be ordered yet."""
    return _material_page(MaterialForm(code=request.args.get("code", "")), None)


@pages.post("/admin/places/materials/new")
@allowed(ADMINS)
def add_material() -> Answer | tuple[str, int]:
    return _save_material(MaterialForm.read(request.form), None)


@pages.get("/admin/places/materials/<code>")
@allowed(ADMINS)
def material(code: str) -> str:
    now = current_desk().in_force
    found = _material(now.catalogue, code)
    return _material_page(MaterialForm.of(found, now.version), found)


@pages.post("/admin/places/materials/<code>")
@allowed(ADMINS)
def change_material(code: str) -> Answer | tuple[str, int]:
    typed = MaterialForm.read(request.form)
    typed.code = code
    return _save_material(typed, code)


@pages.post("/admin/places/materials/<code>/remove")
@allowed(ADMINS)
def take_material_away(code: str) -> Answer | tuple[str, int]:
    desk = current_desk()
    typed = MaterialForm.read(request.form)
    found = _material(desk.catalogue, code)
    try:
        removed = remove_material(
            desk.uow,
            desk.materials,
            code,
            seen=typed.seen,
            by=current_person().login,
            reason=typed.reason,
        )
    except (MaterialNeeded, MaterialUnknown, CatalogueChanged, ReasonMissing) as error:
        shown = MaterialForm.of(found, desk.in_force.version)
        return _material_page(shown, found, failed="remove", problem=_said(error)), 422
    flash(t("{thing} is removed from the catalogue.", thing=code), "ok")
    if orders := removed.open_orders:
        flash(_still_needed(orders), "warn")
    return redirect(url_for("admin.places.show"), 303)


@pages.post("/admin/places/materials/<code>/picture")
@allowed(ADMINS)
def change_picture(code: str) -> Answer | tuple[str, int]:
    """A file is taken; ``remove`` takes the picture away."""
    desk = current_desk()
    typed = MaterialForm.read(request.form)
    found = _material(desk.catalogue, code)
    sent = request.files.get("picture")
    content = b"" if sent is None else sent.read(MOST_BYTES + 1)
    try:
        if not content and "remove" not in request.form:
            raise PictureRefused("Choose a file.")
        made = save_picture(
            desk.uow,
            desk.materials,
            code,
            b"" if "remove" in request.form else content,
            seen=typed.seen,
            by=current_person().login,
            reason=typed.reason,
        )
    except (PictureRefused, CatalogueChanged, ReasonMissing) as error:
        shown = MaterialForm.of(found, desk.in_force.version)
        return _material_page(shown, found, failed="picture", problem=_said(error)), 422
    if made is None:
        flash(t("Nothing has changed."), "ok")
    else:
        flash(t("{thing} is saved as version {n}.", thing=code, n=made.number), "ok")
    return redirect(url_for("admin.materials.material", code=code), 303)


@pages.get("/admin/places/recipes/new")
@allowed(ADMINS)
def new_recipe() -> str:
    blank = RecipeForm()
    for _ in range(EMPTY_LINES):
        blank.add_line()
    return _recipe_page(blank, None)


@pages.post("/admin/places/recipes/new")
@allowed(ADMINS)
def add_recipe() -> str | Answer | tuple[str, int]:
    return _answer_recipe(None)


@pages.get("/admin/places/recipe")
@allowed(ADMINS)
def recipe() -> str:
    """``?name=``: names may have any characters, which paths may not."""
    now = current_desk().in_force
    found = _recipe(now.catalogue, request.args.get("name", ""))
    return _recipe_page(RecipeForm.of(found, now.version), found)


@pages.post("/admin/places/recipe")
@allowed(ADMINS)
def change_recipe() -> str | Answer | tuple[str, int]:
    return _answer_recipe(request.args.get("name", ""))


@pages.post("/admin/places/recipe/remove")
@allowed(ADMINS)
def take_recipe_away() -> Answer | tuple[str, int]:
    desk, name = current_desk(), request.args.get("name", "")
    typed = RecipeForm.read(request.form)
    found = _recipe(desk.catalogue, name)
    try:
        remove_recipe(
            desk.uow,
            desk.materials,
            name,
            seen=typed.seen,
            by=current_person().login,
            reason=typed.reason,
        )
    except (RecipeUnknown, CatalogueChanged, ReasonMissing) as error:
        shown = RecipeForm.of(found, desk.in_force.version)
        return _recipe_page(shown, found, failed="remove", problem=_said(error)), 422
    flash(t("{thing} is removed from the catalogue.", thing=found.name), "ok")
    return redirect(url_for("admin.places.show"), 303)


def _save_material(
    typed: MaterialForm, replaces: str | None
) -> Answer | tuple[str, int]:
    desk = current_desk()

    def save() -> CatalogueVersion | None:
        return save_material(
            desk.uow,
            desk.materials,
            desk.world,
            typed.material(),
            replaces=replaces,
            seen=typed.seen if replaces else None,
            by=current_person().login,
            reason=typed.reason,
        )

    def again(**told: Any) -> str:
        now = desk.catalogue or Catalogue(())
        old = None if replaces is None else now.by_code(replaces)
        return _material_page(typed, old, failed="save", **told)

    return _saved(typed, save, again, ("material", typed.code))


def _answer_recipe(replaces: str | None) -> str | Answer | tuple[str, int]:
    """Add or remove a line, or save."""
    desk, typed = current_desk(), RecipeForm.read(request.form)
    now = desk.catalogue or Catalogue(())
    old = None if replaces is None else now.recipe(replaces)
    action, _, place = request.form.get("action", "save").partition(":")
    if action == "add":
        typed.add_line()
        return _recipe_page(typed, old)
    if action == "remove":
        typed.remove_line(place)
        return _recipe_page(typed, old)

    def save() -> CatalogueVersion | None:
        return save_recipe(
            desk.uow,
            desk.materials,
            typed.recipe(),
            replaces=replaces,
            seen=typed.seen if replaces else None,
            by=current_person().login,
            reason=typed.reason,
        )

    def again(**told: Any) -> str:
        return _recipe_page(typed, old, failed="save", **told)

    return _saved(typed, save, again, ("recipe", replaces or typed.name))


def _saved(
    typed: MaterialForm | RecipeForm,
    save: Callable[[], CatalogueVersion | None],
    again: Callable[..., str],
    thing: tuple[str, str],
) -> Answer | tuple[str, int]:
    """Save, or show again what was typed with what is wrong."""
    marked = t("This cannot be saved as it is; see the marked fields.")
    if not typed.reason.strip():
        typed.errors["reason"] = t("Enter a reason; it is kept in the history.")
    try:
        made = save()
    except CatalogueRefused as refused:
        typed.blame(refused.faults)
        return again(problem=marked), 422
    except ReasonMissing:
        return again(problem=marked), 422
    except (CatalogueChanged, MaterialUnknown, RecipeUnknown) as other:
        meanwhile = _meanwhile(typed, thing)
        return again(problem=_said(other), meanwhile=meanwhile), 409
    if made is None:
        flash(t("Nothing has changed."), "ok")
    else:
        told = t("{thing} is saved as version {n}.", thing=made.thing, n=made.number)
        flash(f"{told} {t('The next mail is read by it.')}", "ok")
    return redirect(url_for("admin.places.show"), 303)


def _meanwhile(
    typed: MaterialForm | RecipeForm, thing: tuple[str, str]
) -> list[Difference]:
    """What became of an entry since the form was filled; the next save counts from
    here."""
    desk = current_desk()
    now = desk.in_force
    with desk.uow() as tx:
        seen = desk.materials.of_version(tx, typed.seen or 0)
    typed.seen = now.version
    found = differences(seen or Catalogue(()), now.catalogue or Catalogue(()))
    return [each for each in found if (each.kind, each.key) == thing]


def _material_page(
    typed: MaterialForm,
    old: Material | None,
    *,
    failed: str = "",
    problem: str = "",
    meanwhile: Sequence[Difference] = (),
) -> str:
    desk = current_desk()
    orders: Sequence[str] = ()
    if old is not None:
        with desk.uow() as tx:
            orders = tx.orders.open_with(old.code)
    catalogue = desk.catalogue or Catalogue(())
    return render_template(
        "admin_material.html",
        form=typed,
        old=old,
        failed=failed,
        problem=problem,
        meanwhile=meanwhile,
        recipes=[] if old is None else recipes_with(catalogue, old.code),
        orders=orders,
        needed=_still_needed(orders) if orders else "",
        stands=[p for p in list_places(desk.world) if p.kind != "home"],
        of_world=desk.world.material_places.get(typed.code),
    )


def _recipe_page(
    typed: RecipeForm,
    old: Recipe | None,
    *,
    failed: str = "",
    problem: str = "",
    meanwhile: Sequence[Difference] = (),
) -> str:
    catalogue = current_desk().catalogue or Catalogue(())
    return render_template(
        "admin_recipe.html",
        form=typed,
        old=old,
        failed=failed,
        problem=problem,
        meanwhile=meanwhile,
        materials=catalogue.materials,
        most_lines=MOST_RECIPE_LINES,
    )


def _material(catalogue: Catalogue | None, code: str) -> Material:
    found = None if catalogue is None else catalogue.by_code(code)
    if found is None:
        raise PageNotFound
    return found


def _recipe(catalogue: Catalogue | None, name: str) -> Recipe:
    found = None if catalogue is None else catalogue.recipe(name)
    if found is None:
        raise PageNotFound
    return found


def _still_needed(orders: Sequence[str]) -> str:
    shown = ", ".join(orders[:SHOWN_ORDERS])
    if len(orders) > SHOWN_ORDERS:
        shown += " …"
    return t(
        "Open orders keep their own lines and still need it: {orders}", orders=shown
    )


def _said(error: MpmsError) -> str:
    if isinstance(error, CatalogueChanged):
        version = error.version
        return t(
            "{who} has changed this meanwhile (version {n}): {reason}",
            who=version.by,
            n=version.number,
            reason=version.reason,
        )
    if isinstance(error, MaterialNeeded):
        names = ", ".join(error.recipes)
        return t("Recipes need this material; change them first: {names}", names=names)
    return t(" ".join(str(error).split()))
