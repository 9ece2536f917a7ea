"""The API about itself: who you are, whether all is well, its clients."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from mpms.domain.people.people import Role
from mpms.ports.api import ApiToken
from mpms.services.api.manage_tokens import (
    MOST_DAYS,
    MOST_PER_MINUTE,
    MOST_SCOPES,
    USUAL_DAYS,
    add_token,
    list_tokens,
    revoke_token,
)
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.scopes import known_scopes
from mpms.web.api.values import Listed, RowId
from mpms.web.rights import ADMINS, EVERYBODY

section = Section("Clients", "Programs that use this API, and how it fares.")


class MeShape(Shape):
    login: str
    name: str
    role: Role
    groups: list[str]
    token_expires_at: datetime | None


class ApiTokenShape(Shape):
    id: int
    name: str
    role: Role
    groups: list[str]
    created_by: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None
    owner: str | None = Field(description="With whose leaving it ends.")
    scopes: list[str] = Field(description="What it is for; empty: all its role may do.")
    per_minute: int | None


class NewApiToken(ApiTokenShape):
    secret: str | None = Field(
        description="Told this once; null where a repeated request is answered."
    )


class NewToken(Given):
    name: Annotated[str, Field(min_length=1, max_length=40)] = Field(
        description="Small letters, digits, dots, dashes and underscores."
    )
    role: Role
    groups: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=60)]], Field(max_length=50)
    ] = Field(default=[])
    days: Annotated[int, Field(ge=1, le=MOST_DAYS)] = USUAL_DAYS
    scopes: Annotated[
        list[Annotated[str, Field(max_length=60)]], Field(max_length=MOST_SCOPES)
    ] = Field(default=[], description="Sections, such as instances or instances:read.")
    per_minute: Annotated[int | None, Field(ge=1, le=MOST_PER_MINUTE)] = None
    owner: Annotated[str | None, Field(max_length=64)] = Field(
        default=None, description="The login of whose leaving ends it."
    )


@section.get("/me", EVERYBODY)
def me(call: Call) -> MeShape:
    """Who you are for this API."""
    person = call.person
    return MeShape(
        login=person.login,
        name=person.name,
        role=person.role,
        groups=list(person.groups),
        token_expires_at=None if call.token is None else call.token.expires_at,
    )


@section.get("/tokens", ADMINS)
def tokens(call: Call) -> Listed[ApiTokenShape]:
    """Every token, without its secret."""
    return Listed[ApiTokenShape](
        items=[_shape(one) for one in list_tokens(call.desk.uow)]
    )


@section.post("/tokens", ADMINS, status=201)
def add(call: Call, body: NewToken) -> NewApiToken:
    """A token for another program."""
    desk = call.desk
    made = add_token(
        desk.uow,
        desk.clock,
        body.name,
        body.role,
        groups=body.groups,
        days=body.days,
        scopes=known_scopes(body.scopes),
        per_minute=body.per_minute,
        owner=body.owner,
        by=call.by,
    )
    return NewApiToken(**_shape(made.token).model_dump(), secret=made.secret)


@section.post("/tokens/{token_id}/revoke", ADMINS)
def revoke(call: Call, token_id: RowId) -> None:
    """It opens nothing any more."""
    revoke_token(call.desk.uow, token_id, by=call.by)


def _shape(token: ApiToken) -> ApiTokenShape:
    return ApiTokenShape.model_validate(token)
