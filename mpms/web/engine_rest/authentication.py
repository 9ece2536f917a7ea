"""Who asks: a token of ours, as a bearer or as the password of HTTP Basic.

Workers for Camunda 7 know Basic; the name in it may be anything, because a token says
whose it is. Browsers' sessions do not count here, so no page can be tricked into it.
"""

from __future__ import annotations

from flask import request
from werkzeug.datastructures import Authorization
from werkzeug.exceptions import Forbidden, Unauthorized

from mpms.domain.people.people import Role
from mpms.services.api.manage_tokens import person_of, recognise_token
from mpms.web.api.operation import Call
from mpms.web.api.scopes import WORKERS
from mpms.web.site.rates import take_turn
from mpms.web.site.shares import take_share
from mpms.web.site.signed_in import current_desk


def caller(roles: frozenset[Role]) -> Call:
    """Unauthorized, Forbidden, TokenRefused, TooManyAttempts."""
    secret = _secret(request.authorization)
    if not secret:
        raise Unauthorized(
            "This needs a token of MPMS: as 'Authorization: Bearer TOKEN', or as the"
            " password of HTTP Basic with any user name."
        )
    desk = current_desk()
    address = request.remote_addr or "unknown"
    token = recognise_token(desk.uow, desk.clock, secret, address)
    take_share(f"token {token.id}")
    take_turn(token)
    call = Call(desk, person_of(token), token)
    if not token.allows(WORKERS, writes=request.method != "GET"):
        made_for = ", ".join(token.scopes)
        raise Forbidden(f"This token is for: {made_for}. This is {WORKERS}.")
    if call.person.role not in roles:
        allowed = ", ".join(sorted(roles))
        raise Forbidden(f"This is open to: {allowed}. You are {call.person.role}.")
    return call


def _secret(given: Authorization | None) -> str:
    if given is None:
        return ""
    if given.type == "bearer":
        return (given.token or "").strip()
    return (given.password or "").strip() if given.type == "basic" else ""
