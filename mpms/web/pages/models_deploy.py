"""Deploy files: look at them first, then deploy all or none, then ask who shall follow.

Uploads are hostile until the engine has read them: here they are bytes only.
"""

from __future__ import annotations

import base64
from typing import Any

from flask import (
    Blueprint,
    current_app,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from mpms.domain.bulk import BatchAction, TheseInstances
from mpms.domain.errors import ModelRefused, ReasonMissing
from mpms.domain.people.people import Role
from mpms.services.bulk.order import order_batch
from mpms.services.instances.propose_migration import Proposal, propose_migration
from mpms.services.models.check import Finding, check_model
from mpms.services.models.deploy import Deployment, Refused, deploy_models
from mpms.services.models.file_kinds import file_kind
from mpms.services.models.listing import ModelList, list_models
from mpms.services.models.review import Review, review_deployment
from mpms.services.models.save_draft import MAX_BYTES, find_draft, save_model_draft
from mpms.services.models.show import model_file, show_model
from mpms.web.rights import allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("deploy", __name__)

DEPLOYERS = frozenset({Role.ADMIN})
MOST_FILES = 50
LONGEST_NAME = 120
LONGEST_NOTE = 500
MOST_WARNINGS = 5


@pages.get("/models/deploy")
@allowed(DEPLOYERS)
def upload() -> str:
    return _upload_page()


@pages.post("/models/deploy")
@allowed(DEPLOYERS)
def deploy() -> Answer | tuple[str, int]:
    files = uploaded()
    note = request.form.get("note", "").strip()[:LONGEST_NOTE]
    if not files:
        wrong = t("Choose at least one file that ends with .bpmn, .dmn or .form.")
        return _upload_page(wrong=wrong, note=note), 422
    found = findings_of(files)
    more = {"note": note, "kept": kept_fields(files)}
    if any(one.refuses for lines in found.values() for one in lines):
        return _upload_page(found, drafts=_keep_refused(files), **more), 422
    if request.form.get("do") == "check":
        return _upload_page(found, reviews=reviews_of(files), **more), 200
    try:
        return deployed(files, note)
    except Refused as refusal:
        return _upload_page(refused_findings(refusal), note=note), 422


@pages.post("/models/<key>/<int:version>/take-back")
@allowed(DEPLOYERS)
def take_back(key: str, version: int) -> Answer:
    """Deploy what was there before, as the newest version, and lead to what runs."""
    desk = current_desk()
    page = show_model(desk.uow, desk.engine, key)
    if page.shown.version != version or page.before is None:
        flash(t("Somebody deployed meanwhile, so nothing was taken back."), "warn")
        return redirect(url_for("models.newest", key=key), 303)
    content = model_file(desk.uow, key, page.before.version)
    note = t(
        "takes back version {n}, as version {old}", n=version, old=page.before.version
    )
    return deployed({f"{key}.bpmn": content}, note)


@pages.get("/models/<key>/<int:version>/migrate")
@allowed(DEPLOYERS)
def migrate(key: str, version: int) -> str:
    proposal = _proposal(key, version, request.args.get("from", ""))
    return render_template("model_migrate.html", page=proposal)


@pages.post("/models/<key>/<int:version>/migrate")
@allowed(DEPLOYERS)
def carry_over(key: str, version: int) -> Answer | tuple[str, int]:
    desk, person = current_desk(), current_person()
    proposal = _proposal(key, version, request.form.get("from", ""))
    chosen = tuple(one.instance_id for one in proposal.can_go)
    reason = request.form.get("reason", "")[:LONGEST_NOTE]
    if not chosen:
        flash(t("No instance can be migrated, so nothing was changed."), "warn")
        return redirect(request.full_path, 303)
    try:
        number = order_batch(
            desk.uow,
            BatchAction.MIGRATE,
            TheseInstances(chosen),
            details={"version": version, "renamed": dict(proposal.renamed)},
            by=person.login,
            reason=reason,
        )
    except ReasonMissing:
        wrong = t("Enter a reason for the migration; it is kept in the history.")
        return render_template("model_migrate.html", page=proposal, wrong=wrong), 422
    flash(t("They are migrated to version {version} one by one.", version=version))
    if "batches" in current_app.blueprints:
        return redirect(url_for("batches.page", batch_id=number), 303)
    return redirect(url_for("models.version", key=key, version=version), 303)


# -- deploying, also for the editors --------------------------------------------------


def findings_of(files: dict[str, bytes]) -> dict[str, list[Finding]]:
    desk = current_desk()
    return {
        name: check_model(desk.uow, desk.tries, name, content, beside=files)
        for name, content in files.items()
    }


def reviews_of(files: dict[str, bytes]) -> list[Review]:
    """What deploying them would change."""
    desk = current_desk()
    return review_deployment(desk.uow, desk.engine, files, current_person().id)


def refused_findings(refusal: Refused) -> dict[str, list[Finding]]:
    return {
        name: [Finding(p.element, p.name, p.reason) for p in problems]
        for name, problems in refusal.problems.items()
    }


def deployed(files: dict[str, bytes], note: str) -> Answer:
    """Deploy and lead to what is to be done next. Refused."""
    desk, person = current_desk(), current_person()
    before = list_models(desk.uow, person.id)
    made = deploy_models(
        desk.uow,
        desk.engine,
        files,
        by=person.login,
        note=note,
        now=desk.clock.now(),
    )
    after = list_models(desk.uow, person.id)
    _tell(made, _versions(before), _versions(after))
    lines = {line.key: line for line in after.processes}
    for definition in made.definitions:
        if lines[definition.key].behind:
            _warn(made)
            return redirect(
                url_for(
                    "models.deploy.migrate",
                    key=definition.key,
                    version=definition.version,
                ),
                303,
            )
    if len(files) == 1 and made.definitions:
        one = made.definitions[0]
        where = url_for("models.version", key=one.key, version=one.version)
        return redirect(where, 303)  # which says what it names in vain
    _warn(made)
    return redirect(url_for("models.listing"), 303)


def _tell(
    made: Deployment,
    before: dict[tuple[str, str], int],
    after: dict[tuple[str, str], int],
) -> None:
    named = [
        *(("process", one.key) for one in made.definitions),
        *(("decision", key) for key in made.decisions),
        *(("form", key) for key in made.forms),
    ]
    new = [
        f"{key} v{after[kind, key]}"
        for kind, key in named
        if _new(kind, key, before, after)
    ]
    same = [key for kind, key in named if not _new(kind, key, before, after)]
    new += made.templates
    if new:
        flash(t("Deployed: {what}.", what=", ".join(new)), "ok")
    if same:
        flash(t("Unchanged, so no new version: {what}.", what=", ".join(same)))


def _warn(made: Deployment) -> None:
    told = [
        f"{file}, {one.name or one.element}: {one.reason}"
        for file, found in made.warnings.items()
        for one in found
    ]
    for line in told[:MOST_WARNINGS]:
        flash(line, "warn")
    if len(told) > MOST_WARNINGS:
        more = len(told) - MOST_WARNINGS
        flash(t("{count} more notes are on the models' pages.", count=more), "warn")


def _new(
    kind: str,
    key: str,
    before: dict[tuple[str, str], int],
    after: dict[tuple[str, str], int],
) -> bool:
    return before.get((kind, key)) != after[kind, key]


def _versions(models: ModelList) -> dict[tuple[str, str], int]:
    return {
        (kind, line.key): line.latest.version
        for kind, lines in (
            ("process", models.processes),
            ("decision", models.decisions),
            ("form", models.forms),
        )
        for line in lines
    }


# -- uploads --------------------------------------------------------------------------


def uploaded() -> dict[str, bytes]:
    """Contents by name, without the folders that browsers may send along. Files that
    were checked before are sent again by the page; those chosen now replace them."""
    found = _kept()
    for part in request.files.getlist("files")[:MOST_FILES]:
        name = (part.filename or "").replace("\\", "/").rpartition("/")[2]
        name = "".join(c for c in name if c.isprintable())[-LONGEST_NAME:]
        if name:
            found[name] = part.read()
    return found


def kept_fields(files: dict[str, bytes]) -> list[tuple[str, str]]:
    """What the page keeps, so that nobody chooses the same files twice."""
    return [
        (name, base64.b64encode(content).decode()) for name, content in files.items()
    ]


def _kept() -> dict[str, bytes]:
    names = request.form.getlist("kept-name")[:MOST_FILES]
    contents = request.form.getlist("kept-content")[:MOST_FILES]
    found: dict[str, bytes] = {}
    for name, text in zip(names, contents, strict=False):
        try:
            content = base64.b64decode(text, validate=True)
        except ValueError:
            continue
        safe = "".join(c for c in name if c.isprintable())[-LONGEST_NAME:]
        if safe and request.form.get(f"drop:{safe}") is None:
            found[safe] = content
    return found


def _keep_refused(files: dict[str, bytes]) -> dict[str, str]:
    """Drawings that can be opened and corrected, by file: the keys of their drafts.

    A draft that is there already is not overwritten.
    """
    desk, person = current_desk(), current_person()
    kept: dict[str, str] = {}
    for name, content in files.items():
        if file_kind(name) != "bpmn" or len(content) > MAX_BYTES:
            continue
        try:
            keys = desk.engine.processes(content)
        except ModelRefused:
            continue
        key = next((key for key, _ in keys if key), "")
        if not key or find_draft(desk.uow, person.id, "process", key) is not None:
            continue
        save_model_draft(
            desk.uow, person.id, "process", key, content, base_version=None
        )
        kept[name] = key
    return kept


def _upload_page(findings: dict[str, list[Finding]] | None = None, **more: Any) -> str:
    return render_template("models_deploy.html", findings=findings, **more)


def _proposal(key: str, version: int, from_version: str) -> Proposal:
    desk = current_desk()
    renamed = {
        name.removeprefix("become:"): value
        for name, value in request.values.items()
        if name.startswith("become:") and value
    }
    old = (
        int(from_version) if from_version.isascii() and from_version.isdigit() else None
    )
    return propose_migration(
        desk.uow, desk.engine, key, version, from_version=old, renamed=renamed
    )
