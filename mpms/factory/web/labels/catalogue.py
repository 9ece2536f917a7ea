"""Faults, versions and differences of the catalogue in plain words."""

from __future__ import annotations

from mpms.factory.domain.order_mail.catalogue_changes import Difference, Fault
from mpms.factory.ports.catalogue import FILE_TAKEN, VERSION_TAKEN, CatalogueVersion
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
        VERSION_TAKEN: lambda: t("Version {n} taken again", n=thing),
    }.get(version.did, lambda: version.did)()


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
