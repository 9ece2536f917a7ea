"""Bulk actions in plain words."""

from __future__ import annotations

from mpms.domain.bulk import Batch, BatchAction, ItemState, TooManyForBatch
from mpms.domain.errors import MpmsError
from mpms.web.texts import t

_CHIPS = {
    "running": "chip-info",
    "stopped": "chip-warn",
    "waiting": "",
    "done": "chip-ok",
    "failed": "chip-bad",
}


def action_word(action: BatchAction) -> str:
    """As the button says it."""
    return {
        BatchAction.RETRY: t("Try again"),
        BatchAction.SUSPEND: t("Suspend"),
        BatchAction.RESUME: t("Resume"),
        BatchAction.CANCEL: t("Cancel"),
        BatchAction.SET_VARIABLES: t("Set a variable"),
        BatchAction.SKIP: t("Skip a step"),
        BatchAction.MOVE: t("Move tokens"),
        BatchAction.MIGRATE: t("Migrate to another version"),
        BatchAction.RESTART: t("Restart"),
    }[action]


def action_hint(action: BatchAction) -> str:
    """What happens to each one."""
    return {
        BatchAction.RETRY: t("Every open incident of each one is tried again."),
        BatchAction.SUSPEND: t(
            "No job begins, no timer fires and no form is taken until it is resumed."
            " Nothing is lost."
        ),
        BatchAction.RESUME: t("Each goes on; timers that came due meanwhile fire now."),
        BatchAction.CANCEL: t(
            "Everything ends now: tasks, jobs, drives and the processes they called."
            " This cannot be undone, but each can be restarted."
        ),
        BatchAction.SET_VARIABLES: t("The variable gets this value in each one."),
        BatchAction.SKIP: t(
            "Each goes on behind the step as if it were done; its results are not"
            " taken."
        ),
        BatchAction.MOVE: t(
            "The tokens at one step are cancelled there and go on at the other."
        ),
        BatchAction.MIGRATE: t(
            "You see the plan first. Nothing changes before you confirm."
        ),
        BatchAction.RESTART: t(
            "For each a new process begins at this step with its last variables."
        ),
    }[action]


def title(batch: Batch) -> str:
    many = t("1 instance") if batch.items == 1 else t("{n} instances", n=batch.items)
    return f"{action_word(batch.action)}: {many}"


def state_word(state: str) -> str:
    return {
        "running": t("running"),
        "stopped": t("stopped"),
        "ended": t("ended"),
        "waiting": t("waiting"),
        "done": t("done"),
        "failed": t("failed"),
    }[state]


def state_chip(state: str) -> str:
    return _CHIPS.get(state, "")


def item_word(batch: Batch, state: ItemState) -> str:
    """What was waiting when a batch was stopped is never done."""
    if state is ItemState.WAITING and batch.ended_at is not None:
        return t("not done")
    return state_word(state)


def progress_words(batch: Batch) -> str:
    told = t("{done} of {n} done", done=batch.done, n=batch.items)
    if batch.failed:
        told += ", " + t("{n} failed", n=batch.failed)
    if batch.left and batch.ended_at is not None:
        told += ", " + t("{n} left as they were", n=batch.left)
    return told


def details_words(batch: Batch, names: dict[str, str] | None = None) -> str:
    """What the action was told beside its instances."""
    told, named = batch.details, names or {}

    def step(element: str) -> str:
        return named.get(element, element)

    match batch.action:
        case BatchAction.SET_VARIABLES:
            return ", ".join([*told["variables"], *told["removed"]])
        case BatchAction.SKIP:
            return step(told["element"])
        case BatchAction.MOVE:
            return f"{step(told['element'])} → {step(told['to'])}"
        case BatchAction.MIGRATE:
            return t("version {n}", n=told["version"])
        case BatchAction.RESTART:
            return ", ".join(step(element) for element in told["elements"])
    return ""


def why_not(reason: str) -> str:
    words = {
        "ended": t("The process has already ended."),
        "running": t("It is still running."),
        "suspended": t("It is already suspended."),
        "not suspended": t("It is not suspended."),
        "no incident": t("It has no incident that can be tried again."),
        "no token": t("There is no token there."),
        "gone": t("It no longer exists."),
    }
    return words.get(reason, reason)


def error_words(error: MpmsError) -> str:
    if isinstance(error, TooManyForBatch):
        return t(
            "More than {n} match, too many for one bulk action. Narrow the search.",
            n=error.most,
        )
    return t(" ".join(str(error).split()))
