"""People by the API, for administrators; secrets go in and never come out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from mpms.domain.people.people import Role
from mpms.ports.people.cards import PersonCard
from mpms.ports.people.identity import SignInElsewhere
from mpms.services.alerts.subscribe import set_mail
from mpms.services.people.add import add_person
from mpms.services.people.change_secret import (
    PersonUnknown,
    set_active,
    set_badge,
    set_password,
    set_pin,
)
from mpms.services.people.edit import edit_person, reset_password
from mpms.services.people.enrol_tablet import NAME_AT_MOST, enrol_tablet, revoke_tablet
from mpms.services.people.link_sign_in import link_sign_in, unlink_sign_in
from mpms.services.people.second_factor import drop_factors
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, MaybeReason, Reason, RowId, WithReason, shaped
from mpms.web.rights import ADMINS, LEADERS
from mpms.web.site.signed_in import TABLET_COOKIE

section = Section("People", "People who sign in, and the tablets they share.")

Login = Annotated[
    str, Field(min_length=1, max_length=64, description="The login of the person.")
]
Group = Annotated[str, Field(min_length=1, max_length=60)]


class PersonShape(Shape):
    login: str
    name: str
    role: Role
    groups: list[str]
    language: str
    active: bool
    mail: str | None
    has_password: bool
    has_pin: bool
    has_badge: bool
    password_once: bool = Field(description="To be changed at the next sign-in.")
    seen_at: datetime | None
    created_at: datetime

    @classmethod
    def of(cls, card: PersonCard) -> PersonShape:
        person = card.person
        return cls(
            login=person.login,
            name=person.name,
            role=person.role,
            groups=list(person.groups),
            language=person.language,
            active=person.active,
            mail=person.mail,
            has_password=card.has_password,
            has_pin=card.has_pin,
            has_badge=card.has_badge,
            password_once=card.password_once,
            seen_at=card.seen_at,
            created_at=card.created_at,
        )


class NewPerson(MaybeReason):
    login: Login
    name: Annotated[str, Field(min_length=1, max_length=100)]
    role: Role
    groups: Annotated[list[Group], Field(max_length=50)] = Field(default=[])
    language: Literal["en", "es", "de"] = "en"
    password: Annotated[str, Field(max_length=256)] | None = None
    pin: Annotated[str, Field(max_length=8)] | None = None


class Secret(MaybeReason):
    password: Annotated[str, Field(max_length=256)]


class Pin(MaybeReason):
    pin: Annotated[str, Field(max_length=8)] | None = Field(
        description="Null takes it away."
    )


class Badge(MaybeReason):
    badge: Annotated[str, Field(max_length=256)] | None = Field(
        description="Null takes it away."
    )


class EditedPerson(Given):
    name: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    role: Role | None = None
    groups: Annotated[list[Group], Field(max_length=50)] | None = None
    language: Literal["en", "es", "de"] | None = None
    mail: Annotated[str, Field(max_length=254)] | None = Field(
        default=None, description="Where alerts go; an empty text takes it away."
    )
    reason: Reason


@like(SignInElsewhere)
class SignInShape(Shape): ...


class OneSignIn(WithReason):
    issuer: Annotated[str, Field(max_length=500)]
    subject: Annotated[str, Field(max_length=255)]


class NewPassword(Shape):
    secret: str | None = Field(
        description="To be changed at the next sign-in. Told this once; null where a"
        " repeated request is answered."
    )


class TabletShape(Shape):
    id: int
    name: str


class NewTablet(Given):
    name: Annotated[str, Field(min_length=1, max_length=NAME_AT_MOST)] = Field(
        description="Such as its place."
    )


class EnrolledTablet(Shape):
    name: str
    cookie: str = Field(description="The name of the cookie that makes a browser it.")
    secret: str | None = Field(
        description="Its value. Told this once; null where a repeated request is"
        " answered."
    )


@section.get("/people", ADMINS)
def list_all(call: Call) -> Listed[PersonShape]:
    """Everybody who may sign in, and who may no more."""
    with call.desk.uow() as tx:
        found = tx.people.cards()
    return Listed[PersonShape](items=[PersonShape.of(card) for card in found])


@section.get("/people/{login}", ADMINS)
def one(call: Call, login: Login) -> PersonShape:
    """One person."""
    return _shown(call, login)


@section.post("/people", ADMINS, status=201)
def add(call: Call, body: NewPerson) -> PersonShape:
    """A new person."""
    desk = call.desk
    add_person(
        desk.uow,
        desk.hasher,
        body.login,
        body.name,
        body.role,
        by=call.by,
        groups=body.groups,
        language=body.language,
        password=body.password,
        pin=body.pin,
        reason=body.reason,
    )
    return _shown(call, body.login)


@section.patch("/people/{login}", ADMINS)
def edit(call: Call, login: Login, body: EditedPerson) -> PersonShape:
    """Another name, role, groups, language or address; what is not given stays."""
    old = _shown(call, login)
    edit_person(
        call.desk.uow,
        login,
        name=old.name if body.name is None else body.name,
        role=old.role if body.role is None else body.role,
        groups=old.groups if body.groups is None else body.groups,
        language=old.language if body.language is None else body.language,
        by=call.by,
        reason=body.reason,
    )
    if body.mail is not None:
        set_mail(call.desk.uow, login, body.mail, by=call.by)
    return _shown(call, login)


@section.post("/people/{login}/password/reset", ADMINS)
def reset(call: Call, login: Login, body: WithReason) -> NewPassword:
    """A password to be told to the person, who changes it at the next sign-in."""
    desk = call.desk
    made = reset_password(desk.uow, desk.hasher, login, by=call.by, reason=body.reason)
    return NewPassword(secret=made)


@section.post("/people/{login}/password", ADMINS)
def password(call: Call, login: Login, body: Secret) -> None:
    """A new password; the person is signed out everywhere."""
    desk = call.desk
    set_password(
        desk.uow, desk.hasher, login, body.password, by=call.by, reason=body.reason
    )


@section.post("/people/{login}/pin", ADMINS)
def pin(call: Call, login: Login, body: Pin) -> None:
    """A new PIN for tablets, or none."""
    desk = call.desk
    set_pin(desk.uow, desk.hasher, login, body.pin, by=call.by, reason=body.reason)


@section.post("/people/{login}/badge", ADMINS)
def badge(call: Call, login: Login, body: Badge) -> None:
    """A new badge for tablets, or none."""
    set_badge(call.desk.uow, login, body.badge, by=call.by, reason=body.reason)


@section.get("/people/{login}/sign_ins", ADMINS)
def sign_ins(call: Call, login: Login) -> Listed[SignInShape]:
    """At which sign-in services the person is known, and who asks for the account."""
    _shown(call, login)
    with call.desk.uow() as tx:
        return Listed[SignInShape](items=shaped(SignInShape, tx.people.sign_ins(login)))


@section.post("/people/{login}/sign_ins/link", ADMINS)
def link(call: Call, login: Login, body: OneSignIn) -> None:
    """Whoever asked is this person from now on."""
    link_sign_in(
        call.desk.uow, login, body.issuer, body.subject, by=call.by, reason=body.reason
    )


@section.post("/people/{login}/sign_ins/unlink", ADMINS)
def unlink(call: Call, login: Login, body: OneSignIn) -> None:
    """It opens nothing here any more, or was refused; its sessions end."""
    unlink_sign_in(
        call.desk.uow, login, body.issuer, body.subject, by=call.by, reason=body.reason
    )


@section.post("/people/{login}/second_factors/drop", ADMINS)
def drop_second_factors(call: Call, login: Login, body: WithReason) -> None:
    """Who has lost phone and keys signs in with the password alone; signed out now."""
    drop_factors(call.desk.uow, login, by=call.by, reason=body.reason)


@section.post("/people/{login}/disable", ADMINS)
def disable(call: Call, login: Login, body: MaybeReason) -> PersonShape:
    """Somebody leaves: signed out at once, everywhere."""
    set_active(call.desk.uow, login, False, by=call.by, reason=body.reason)
    return _shown(call, login)


@section.post("/people/{login}/enable", ADMINS)
def enable(call: Call, login: Login, body: MaybeReason) -> PersonShape:
    """Somebody comes back."""
    set_active(call.desk.uow, login, True, by=call.by, reason=body.reason)
    return _shown(call, login)


@section.get("/tablets", LEADERS)
def tablets(call: Call) -> Listed[TabletShape]:
    """Tablets on which a PIN or a badge is enough."""
    with call.desk.uow() as tx:
        return Listed[TabletShape](items=shaped(TabletShape, tx.sessions.tablets()))


@section.post("/tablets", LEADERS, status=201)
def enrol(call: Call, body: NewTablet) -> EnrolledTablet:
    """Make a browser a tablet: whoever sets it up gives it the cookie."""
    token = enrol_tablet(call.desk.uow, body.name, by=call.by)
    return EnrolledTablet(name=body.name, cookie=TABLET_COOKIE, secret=token)


@section.post("/tablets/{tablet_id}/revoke", LEADERS)
def revoke(call: Call, tablet_id: RowId) -> None:
    """Whoever is signed in there is signed out."""
    revoke_tablet(call.desk.uow, tablet_id, by=call.by)


def _shown(call: Call, login: str) -> PersonShape:
    with call.desk.uow() as tx:
        cards = tx.people.cards()
    for card in cards:
        if card.person.login == login:
            return PersonShape.of(card)
    raise PersonUnknown(f"There is no person with the login {login}.")
