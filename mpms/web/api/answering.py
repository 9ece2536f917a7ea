"""From a request to its answer: who asks, what for, once, and what came of it.

Whatever an operation writes, and the answer kept under the client's key, are one
transaction. If the process dies in between, neither is there and the key is free; if
it dies after, the same key gets the same answer. Somebody who asks with a key that is
being worked on is told so, by a lock that ends with its transaction.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import replace
from typing import Any

from flask import Response, request
from pydantic import BaseModel
from werkzeug.exceptions import Forbidden, Unauthorized

from mpms.domain.errors import (
    Conflict,
    DatabaseAway,
    InstanceBusy,
    MpmsError,
    NotFound,
    ServerBusy,
    ServerRefuses,
)
from mpms.domain.people.people import Role
from mpms.ports.api import KeptAnswer
from mpms.services.api.manage_tokens import TokenRefused, person_of, recognise_token
from mpms.services.one_transaction import OneTransaction
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.tasks.claim import NotYourTask
from mpms.web.api.operation import Call, File, Operation, Stream
from mpms.web.api.reading import read_body, read_path, read_query
from mpms.web.api.scopes import scope_of
from mpms.web.api.tables import as_csv, wants_csv
from mpms.web.site.problems import problem, sentence_of, slug_of, told_outside
from mpms.web.site.rates import take_turn
from mpms.web.site.shares import TooManyRequests, take_share
from mpms.web.site.signed_in import (
    current_desk,
    current_session,
    must_add_factor,
    must_choose_password,
)

KEY = re.compile(r"[!-~]{1,100}")
KEPT_S = 24 * 3600.0
RETRY_S = 5


class KeyInvalid(MpmsError):
    """An Idempotency-Key has 1 to 100 printable ASCII characters without spaces."""


class KeyReused(MpmsError):
    """This Idempotency-Key was used for another request; nothing was done."""


class KeyInUse(MpmsError):
    """The first request with this Idempotency-Key is still being worked on."""


STATUS_OF: tuple[tuple[type[MpmsError], int], ...] = (
    (NotFound, 404),
    (TokenRefused, 401),
    (NotYourTask, 403),
    (KeyInUse, 409),
    (InstanceBusy, 409),
    (Conflict, 409),
    (TooManyAttempts, 429),
    (ServerRefuses, 502),
    (DatabaseAway, 503),
    (TooManyRequests, 429),
    (ServerBusy, 503),
    (MpmsError, 422),
)

COME_BACK = (TooManyRequests, InstanceBusy, KeyInUse)


def answer(operation: Operation, raw_path: dict[str, str]) -> Response:
    call = caller(operation.roles, writes=operation.writes)
    require_scope(call, scope_of(operation.tag), writes=operation.writes)
    given: dict[str, Any] = dict(read_path(operation, raw_path))
    if operation.query is not None:
        given["query"] = read_query(operation.query)
    if operation.body is not None:
        given["body"] = read_body(operation.body)
    if not operation.writes or operation.tries:
        made = operation.run(call, **given)
        if operation.row is not None and wants_csv():
            return as_csv(operation, operation.row, made)
        if isinstance(made, Stream):
            return _streamed(made)
        return _response(*_rendered(operation, made))
    return _write(operation, call, given)


def caller(roles: frozenset[Role], *, writes: bool) -> Call:
    """Unauthorized, Forbidden, TokenRefused, TooManyAttempts."""
    desk = current_desk()
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme:
        if scheme.lower() != "bearer" or not secret.strip():
            raise Unauthorized("The header is written: Authorization: Bearer TOKEN")
        address = request.remote_addr or "unknown"
        token = recognise_token(desk.uow, desk.clock, secret.strip(), address)
        take_share(f"token {token.id}")
        take_turn(token)
        call = Call(desk, person_of(token), token)
    else:
        session = current_session()
        if session is None or writes:
            raise Unauthorized("This needs a token: Authorization: Bearer TOKEN")
        if must_choose_password():
            raise Forbidden("Choose a password of your own first, on the page /me.")
        if must_add_factor():
            raise Forbidden("Set up a second factor first, on the page /me.")
        take_share(f"person {session.person.id}")
        call = Call(desk, session.person)
    if call.person.role not in roles:
        allowed = ", ".join(sorted(roles))
        raise Forbidden(f"This is open to: {allowed}. You are {call.person.role}.")
    return call


def require_scope(call: Call, section: str, *, writes: bool) -> None:
    """Forbidden."""
    if call.token is not None and not call.token.allows(section, writes=writes):
        made_for = ", ".join(call.token.scopes)
        raise Forbidden(f"This token is for: {made_for}. This is {section}.")


def _write(operation: Operation, call: Call, given: dict[str, Any]) -> Response:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not KEY.fullmatch(key):
        raise KeyInvalid
    assert call.token is not None  # noqa: S101
    with call.desk.uow() as tx:
        if key is not None:
            if not tx.api_answers.lock(call.token.id, key):
                raise KeyInUse
            kept = tx.api_answers.find(call.token.id, key)
            if kept is not None:
                return _again(kept)
        if operation.atomic:
            call = replace(call, desk=replace(call.desk, uow=OneTransaction(tx)))
        made = operation.run(call, **given)
        if key is not None and call.token is not None:
            body, status, _ = _rendered(operation, _without_secret(made))
            tx.api_answers.sweep(call.token.id, older_than_s=KEPT_S)
            tx.api_answers.keep(call.token.id, key, KeptAnswer(_hash(), status, body))
    return _response(*_rendered(operation, made))


def _without_secret(made: Any) -> Any:
    """Secrets are told once and never kept."""
    if isinstance(made, BaseModel) and "secret" in type(made).model_fields:
        return made.model_copy(update={"secret": None})
    return made


def _again(kept: KeptAnswer) -> Response:
    if kept.request_hash != _hash():
        raise KeyReused
    response = _response(kept.body, kept.status, "application/json")
    response.headers["Idempotency-Replayed"] = "true"
    return response


def _hash() -> str:
    """Keyed with the token, which we do not know afterwards: a request may hold a
    password, and a plain hash of a short one can be guessed."""
    said = f"{request.method} {request.full_path}\n".encode() + request.get_data()
    key = request.headers.get("Authorization", "").encode()
    return hmac.new(key, said, hashlib.sha256).hexdigest()


def _rendered(operation: Operation, made: Any) -> tuple[bytes, int, str]:
    if isinstance(made, File):
        return made.content, operation.status, made.media_type
    if isinstance(made, BaseModel):
        return (
            made.model_dump_json(by_alias=True).encode(),
            operation.status,
            "application/json",
        )
    return b"", operation.status, "application/json"


def _streamed(made: Stream) -> Response:
    told = Response(made.pieces, content_type=made.media_type)
    named = f'attachment; filename="{made.file_name}"'
    told.headers["Content-Disposition"] = named
    return told


def _response(body: bytes, status: int, media_type: str) -> Response:
    answer = Response(body, status, content_type=media_type)
    if status == 204:
        del answer.headers["Content-Type"]
    elif media_type != "application/json":
        answer.headers["Content-Disposition"] = "attachment"
    return answer


def say(error: MpmsError) -> Response:
    """An error of ours as a problem."""
    status = next(code for kind, code in STATUS_OF if isinstance(error, kind))
    kind = type(error)
    more: dict[str, Any] = {}
    for name in ("errors", "reasons"):
        if found := getattr(error, name, None):
            more[name] = list(found)
    said = told_outside(error)
    told = problem(status, slug_of(kind), sentence_of(kind), said, **more)
    if isinstance(error, TooManyAttempts):
        told.headers["Retry-After"] = str(error.wait_s)
    elif status == 503 or isinstance(error, COME_BACK):
        told.headers["Retry-After"] = str(1 if status == 409 else RETRY_S)
    elif status == 401:
        told.headers["WWW-Authenticate"] = 'Bearer realm="mpms"'
    return told
