"""Faults, versions and differences of the catalogue in plain words."""

from __future__ import annotations

from mpms.factory.domain.order_mail.catalogue_changes import Difference, Fault
from mpms.factory.ports.catalogue import FILE_TAKEN, VERSION_TAKEN, CatalogueVersion
from mpms.factory.services.catalogue.exchange import TAKEN
from mpms.web.labels.formats import NOTHING
from mpms.web.texts import t

CHANGE_CHIP = {
    "added": ("chip-ok", "plus"),
    "removed": ("chip-bad", "cross"),
    "changed": ("chip-info", "pen"),
}


def fault_words(fault: Fault) -> str:
    detail = fault.detail
    return {
        "code_form": lambda: t(
            "A code has capitals, digits and . _ - without spaces,"
            " and at least one digit: RM-001."
        ),
        "code_taken": lambda: t("This code belongs to {other}.", other=detail),
        "missing": lambda: t("Write a name with at least one letter or digit."),
        "too_long": lambda: t("At most {n} characters.", n=int(detail)),
        "too_many": lambda: t("At most {n} of them.", n=int(detail)),
        "name_taken": lambda: t("This name stands for {other}.", other=detail),
        "alias_taken": lambda: t(
            "One stands for something else: {other}", other=detail
        ),
        "number": lambda: t("Write a number above zero, at most a million."),
        "unit": lambda: t("Choose litres or kilograms."),
        "no_lines": lambda: t("A recipe needs at least one material."),
        "unknown_material": lambda: t("Choose a material of the catalogue."),
        "place_unknown": lambda: t("Choose a place that is on the floor."),
        "column_unknown": lambda: t("There is no column {name}.", name=detail),
        "column_missing": lambda: t("The column {name} is missing.", name=detail),
        "row_twice": lambda: t("This stands in row {n} already.", n=detail),
        "mail": lambda: t("This is no mail address."),
        "programme": lambda: t("Write programmes as name: minutes; name: minutes."),
        "whole": lambda: t("Write a whole number above zero."),
        "lot_state": lambda: t("This is no state of a lot: {state}.", state=detail),
        "lot_material": lambda: t("This lot is of {material}.", material=detail),
        "lot_material_unknown": lambda: t("Choose a material of the catalogue."),
        "lot_lot_form": lambda: t(
            "A lot has letters, digits and . / _ # -, at most 60."
        ),
        "lot_place_unknown": lambda: t("Choose a place that is on the floor."),
        "lot_weight": lambda: t("Write a weight in kg, at most a million."),
        "lot_date": lambda: t("Write a date as 2027-03-31."),
        "lot_expired": lambda: t("This lot has expired already."),
        "date": lambda: t("Write a date as 2027-03-31."),
    }[fault.code]()


def version_words(version: CatalogueVersion) -> str:
    """What was done, in one line."""
    thing = version.thing
    return {
        "material added": lambda: t("Material {thing} added", thing=thing),
        "material changed": lambda: t("Material {thing} changed", thing=thing),
        "material removed": lambda: t("Material {thing} removed", thing=thing),
        "recipe added": lambda: t("Recipe {thing} added", thing=thing),
        "recipe changed": lambda: t("Recipe {thing} changed", thing=thing),
        "recipe removed": lambda: t("Recipe {thing} removed", thing=thing),
        FILE_TAKEN: lambda: t("As in the plant’s file"),
        VERSION_TAKEN: lambda: t("Version {n} restored", n=thing),
        TAKEN: lambda: t("Table of {kind} imported", kind=kind_word(thing)),
    }.get(version.did, lambda: version.did)()


def kind_word(kind: str) -> str:
    return {
        "materials": t("materials"),
        "recipes": t("recipes"),
        "suppliers": t("suppliers"),
        "tanks": t("tanks"),
        "lots": t("lots"),
    }.get(kind, kind or t("materials"))


def change_word(difference: Difference) -> str:
    return {
        "added": t("added"),
        "removed": t("removed"),
        "changed": t("changed"),
    }[difference.change]


def change_chip(difference: Difference) -> tuple[str, str]:
    return CHANGE_CHIP[difference.change]


def field_lines(difference: Difference) -> list[tuple[str, str, str]]:
    """The name of each field, what it was (empty of a new entry) and what it is."""
    words = {
        "name": t("Name"),
        "aliases": t("Also called"),
        "max_kg": t("At most, in kg"),
        "density_kg_per_l": t("Density in kg/l"),
        "place": t("Place"),
        "batch": t("Base batch"),
        "lines": t("Materials"),
        "email": t("Mail address"),
        "volume_l": t("Volume in l"),
        "programmes": t("Mixing programmes"),
        "state": t("State"),
        "expires_on": t("Use until"),
        "supplier": t("Supplier"),
        "hazards": t("Hazards"),
        "picture": t("Picture"),
        "minimum_kg": t("Minimum stock, in kg"),
        "reorder_kg": t("Reorder amount, in kg"),
    }
    nothing = {"place": t("as in the world file")}

    def told(field: str, value: str) -> str:
        return value or nothing.get(field, NOTHING)

    return [
        (
            words.get(each.field, each.field),
            "" if difference.change == "added" else told(each.field, each.old),
            told(each.field, each.new),
        )
        for each in difference.fields
        if not (difference.change == "added" and each.new == difference.name)
    ]
