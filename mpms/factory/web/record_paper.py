"""The PDF of a batch record in the language of whoever asks for it."""

from __future__ import annotations

from flask import url_for

from mpms.factory.domain.records.reading import Said
from mpms.factory.services.records.paper import record_pdf
from mpms.factory.services.records.show import RecordShown, show_record
from mpms.factory.services.records.sign import MEANINGS
from mpms.factory.web.desk import FactoryDesk
from mpms.factory.web.labels.orders import status_word
from mpms.web.labels.history import Told, sentence_of
from mpms.web.texts import t


def pdf_of(desk: FactoryDesk, number: str) -> bytes:
    """RecordUnknown, DocumentsMissing, DocumentFailed."""
    shown = shown_of(desk, number)
    path = url_for("orders.records.page", number=number)
    outside = desk.public_url
    address = (
        f"{outside}{path}"
        if outside
        else url_for("orders.records.page", number=number, _external=True)
    )
    return record_pdf(
        shown,
        desk.documents,
        world=desk.world,
        address=address,
        words=lambda said: line_words(shown, said),
        texts=headings(),
    )


def shown_of(desk: FactoryDesk, number: str) -> RecordShown:
    return show_record(desk.uow, desk.engine, number, desk.verify_seal)


def line_words(shown: RecordShown, said: Said) -> str:
    """A line in words: what the history says of such a line."""
    if said.what == "weighed":
        kg = f"{float(said.data.get('measured_kg') or 0):.3f} kg"
        material = said.data.get("material") or "?"
        return t("{kg} of {material} were not accepted", kg=kg, material=material)
    data = dict(said.data)
    for field in ("old", "new"):
        if field in said.content:
            data[field] = said.content[field]
    if said.why:
        data["reason"] = said.why
    found = sentence_of(Told(said.what, said.name, data, shown.named(said.where)))
    return f"{found.text}. {found.detail}" if found.detail else found.text


def meaning_word(meaning: str) -> str:
    words = {
        "made": t("Made by me"),
        "reviewed": t("Reviewed by me"),
        "approved": t("Approved by me"),
        "released": t("Product released by me"),
        "rejected": t("Product rejected by me"),
    }
    return words.get(meaning, meaning)


def headings() -> dict[str, str]:
    """The words that the template uses."""
    return {
        "title": t("Batch record"),
        "customer": t("Customer"),
        "status": t("Status"),
        "accepted": t("Accepted"),
        "due": t("Due"),
        "catalogue": t("Catalogue"),
        "recipe": t("Recipe"),
        "version": t("Version"),
        "materials": t("Materials"),
        "ordered": t("Ordered"),
        "material": t("Material"),
        "code": t("Code"),
        "lot": t("Lot"),
        "required": t("Needed (kg)"),
        "loaded": t("Loaded (kg)"),
        "limits": t("Limits (kg)"),
        "deviation": t("Deviation (kg)"),
        "by": t("Who"),
        "time": t("Time"),
        "deviations": t("Deviations, problems and decisions"),
        "what": t("What"),
        "nothing": t("None."),
        "signatures": t("Electronic signatures"),
        "meaning": t("Meaning"),
        "why": t("Reason"),
        "part11": t("Part-11-style: ideas of 21 CFR Part 11, no claim of compliance."),
        "weighings": t("Weighings"),
        "weight": t("Weight (kg)"),
        "instrument": t("Instrument"),
        "raw": t("As sent"),
        "drives": t("Drives"),
        "robot": t("Robot"),
        "place": t("Place"),
        "result": t("Result"),
        "way": t("Blue: the way that this order took."),
        "steps": t("Steps"),
        "step": t("Step"),
        "entered": t("Started"),
        "left": t("Ended"),
        "values": t("Values"),
        "proof": t("Proof"),
        "lines": t("Lines of the record"),
        "last_hash": t("Hash of the last line"),
        "seal": t("Sealed with the key"),
        "not_sealed": t("not sealed yet"),
        "not_sealed_since": t("lines are not sealed yet:"),
        "plant_line": t("Last line of the plant's record"),
        "page": t("Page"),
        "by_file": t("the plant's file"),
        **{f"meaning_{each}": meaning_word(each) for each in MEANINGS},
        "state_reached": t("reached"),
        "state_failed": t("not reached"),
        "state_cancelled": t("called off"),
        "state_unknown": t("unknown"),
        "broken": t("This record was changed:"),
        **{
            f"status_{status}": status_word(status)
            for status in (
                *("waiting for release", "new", "in process", "done"),
                *("cancelled", "completed manually"),
            )
        },
    }
