"""What ``mpms tokens`` does: programs that use the API."""

from __future__ import annotations

from collections.abc import Sequence

from mpms import bootstrap
from mpms.cli.database import plain, who, with_services
from mpms.domain.people.people import Role
from mpms.services.api.manage_tokens import (
    USUAL_DAYS,
    TokenUnknown,
    add_token,
    list_tokens,
    revoke_token,
)
from mpms.settings import Settings


def add(
    settings: Settings,
    name: str,
    *,
    role: str,
    groups: Sequence[str],
    days: int | None,
    scopes: Sequence[str],
    per_minute: int | None,
    owner: str | None,
) -> int:
    """Make a token and print it: it cannot be shown again."""

    def use(services: bootstrap.Services) -> None:
        made = add_token(
            services.uow,
            services.clock,
            plain(name),
            Role(role),
            groups=[plain(group) for group in groups],
            days=USUAL_DAYS if days is None else days,
            scopes=[plain(scope) for scope in scopes],
            per_minute=per_minute,
            owner=None if owner is None else plain(owner),
            by=who(),
        )
        print(made.secret)

    return with_services(settings, use)


def listing(settings: Settings) -> int:
    """Every token and its state."""

    def show(services: bootstrap.Services) -> None:
        now = services.clock.now()
        for token in list_tokens(services.uow):
            state = "good until" if token.usable(now) else "expired"
            until = token.expires_at
            if token.revoked_at is not None:
                state, until = "revoked", token.revoked_at
            used = "never used"
            if token.used_at is not None:
                used = f"used {token.used_at:%Y-%m-%d %H:%M}Z"
            print(
                f"{token.id:>4}  {token.name:<20} {token.role:<11}"
                f" {state} {until:%Y-%m-%d}, {used}"
            )

    return with_services(settings, show)


def revoke(settings: Settings, name: str) -> int:
    """It opens nothing any more."""

    def use(services: bootstrap.Services) -> None:
        with services.uow() as tx:
            found = tx.api_tokens.named(plain(name))
        if found is None:
            raise TokenUnknown
        revoke_token(services.uow, found.id, by=who())

    return with_services(settings, use)
