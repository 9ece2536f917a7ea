"""Who catches an error or an escalation: the nearest event, going outwards.

At each level the events at the border of an activity come first, then the event
subprocesses of the scope it runs in; an event for one code comes before one for all.
"""

from __future__ import annotations

from mpms.engine.tokens import Token, Tokens


def catcher_of(token: Token, kind: str, code: str) -> Token | None:
    """The waiting event that catches what this token throws."""
    run: Tokens = token.workflow
    at: Token = token
    while at.parent is not None:
        scope_token: Token = at.parent
        found = _best(run.watchers(at), kind, code)
        found = found or _best(_listeners(run, at), kind, code)
        if found is not None:
            return found
        at = scope_token
    return None


def _listeners(run: Tokens, at: Token) -> list[Token]:
    """The event subprocesses beside; one does not catch what it throws itself."""
    found = run.listeners(at.parent)
    if at.task_spec.is_event_subprocess:
        own = at.task_spec.element_id
        found = [t for t in found if t.task_spec.element.scope != own]
    return found


def _best(events: list[Token], kind: str, code: str) -> Token | None:
    ranked = [
        (rank, place, event)
        for place, event in enumerate(events)
        if (rank := event.task_spec.catches(kind, code)) is not None
    ]
    return min(ranked)[2] if ranked else None
