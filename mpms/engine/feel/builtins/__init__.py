"""The functions every FEEL expression may call: those of DMN 1.3 with the additions of
1.4 and 1.5 that people expect. None has an effect, none is random."""

from . import (
    contexts,
    conversions,
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
    "lists",
    "numeric",
    "ranges",
    "statistics",
    "strings",
    "temporal",
    "truths",
]
