"""The administration's pages, and people who can sign in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mpms.domain.people.people import Person, Role
from mpms.services.people.add import add_person
from tests.support.factory import ROOT
from tests.support.site import Site, quick_hasher

PASSWORD = "correct horse battery"


class Office(Site):
    """One plant's administration."""

    def prepare(self) -> None:
        self.person("adam", Role.ADMIN, name="Adam Cole")
        self.person("sofia", Role.SUPERVISOR)
        self.person("ana", Role.WORKER, groups=["worker"])

    def person(self, login: str, role: Role | str, **more: Any) -> Person:
        return add_person(
            self.uow,
            quick_hasher(),
            login,
            more.pop("name", f"{login.title()} Doe"),
            Role(role),
            by="test",
            password=PASSWORD,
            **more,
        )

    def deploy(self, *names: str) -> None:
        """Models by their paths."""
        self.deploy_files({Path(n).name: (ROOT / n).read_bytes() for n in names})
