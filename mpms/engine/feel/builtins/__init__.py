"""The functions every FEEL expression may call: those of DMN 1.3 with the additions of
1.4 and 1.5 and those of Camunda. None has an effect; only ``uuid`` is random."""

from . import (
    contexts,
    conversions,
    encodings,
    lists,
    numeric,
    ranges,
    statistics,
    strings,
    temporal,
    truths,
)

__all__ = [
    "contexts",
    "conversions",
    "encodings",
    "lists",
    "numeric",
    "ranges",
    "statistics",
    "strings",
    "temporal",
    "truths",
]
