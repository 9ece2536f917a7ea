"""Why a past instance could not have gone its way in another version."""

from __future__ import annotations

from collections.abc import Mapping

from mpms.domain.history.conformance import Misfit, Why
from mpms.web.texts import t

MOST_NAMED = 3


def misfit_sentence(misfit: Misfit, names: Mapping[str, str]) -> str:
    def name(element: str) -> str:
        return names.get(element, element)

    step, after = name(misfit.element), name(misfit.after) or t("the start")
    could = ", ".join(name(one) for one in misfit.expected[:MOST_NAMED]) or t("the end")
    match misfit.why:
        case Why.UNKNOWN:
            return t("It has no step {step}.", step=step)
        case Why.EARLY:
            return t(
                "They ended after {after}; there it goes on: {could}.",
                after=after,
                could=could,
            )
        case Why.UNJUDGED:
            return t("It has too many ways to try them all.")
    return t(
        "After {after} came {step}; there it has: {could}.",
        after=after,
        step=step,
        could=could,
    )
