"""What people show beside their password."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository
from mpms.adapters.postgres.people.people import person_of
from mpms.ports.people.second_factors import CodeApp, HalfSignIn, Passkey


class SecondFactors(Repository):
    """Rows of ``code_apps``, ``passkeys`` and ``half_sign_ins``."""

    def app(self, person_id: int) -> CodeApp | None:
        row = self._statements.row("second_factors_app", person_id=person_id)
        return None if row is None else CodeApp(*row)

    def begin_app(self, person_id: int, secret: str) -> None:
        self._statements.run(
            "second_factors_begin_app", person_id=person_id, secret=secret
        )

    def use_code(self, person_id: int, step: int) -> bool:
        used = self._statements.run(
            "second_factors_use_code", person_id=person_id, step=step
        )
        return used > 0

    def drop_app(self, person_id: int) -> bool:
        return self._statements.run("second_factors_drop_app", person_id=person_id) > 0

    def passkeys(self, person_id: int) -> Sequence[Passkey]:
        rows = self._statements.rows("second_factors_passkeys", person_id=person_id)
        return [Passkey(bytes(id_), bytes(key), *rest) for id_, key, *rest in rows]

    def add_passkey(self, person_id: int, passkey: Passkey) -> bool:
        added = self._statements.run(
            "second_factors_add_passkey",
            id=passkey.id,
            person_id=person_id,
            credential=passkey.credential,
            site=passkey.site,
            name=passkey.name,
            uses=passkey.uses,
        )
        return added > 0

    def use_passkey(self, passkey_id: bytes, uses: int) -> bool:
        used = self._statements.run(
            "second_factors_use_passkey", id=passkey_id, uses=uses
        )
        return used > 0

    def drop_passkey(self, person_id: int, passkey_id: bytes) -> bool:
        gone = self._statements.run(
            "second_factors_drop_passkey", person_id=person_id, id=passkey_id
        )
        return gone > 0

    def drop_all(self, person_id: int) -> int:
        apps = self._statements.run("second_factors_drop_app", person_id=person_id)
        return apps + self._statements.run(
            "second_factors_drop_passkeys", person_id=person_id
        )

    def begin_half(
        self,
        token_hash: str,
        person_id: int,
        means: str,
        *,
        challenge: bytes | None,
        good_s: float,
    ) -> None:
        self._statements.run(
            "half_sign_ins_begin",
            token_hash=token_hash,
            person_id=person_id,
            means=means,
            challenge=challenge,
            good_s=good_s,
        )

    def half(self, token_hash: str) -> HalfSignIn | None:
        row = self._statements.row("half_sign_ins_find", token_hash=token_hash)
        if row is None:
            return None
        challenge = None if row[9] is None else bytes(row[9])
        return HalfSignIn(person_of(row[:8]), row[8], challenge)

    def set_challenge(self, token_hash: str, challenge: bytes) -> None:
        self._statements.run(
            "half_sign_ins_challenge", token_hash=token_hash, challenge=challenge
        )

    def end_half(self, token_hash: str) -> None:
        self._statements.run("half_sign_ins_end", token_hash=token_hash)
