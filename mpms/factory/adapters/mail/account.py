"""The account of the mailbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mpms.adapters.mail_account import (
    AccountInvalid,
    Login,
    Security,
    check_login,
    check_server,
    has_controls,
)

MIB = 1024 * 1024


@dataclass(frozen=True)
class MailAccount:
    """The mailbox that orders arrive in. AccountInvalid names what is wrong."""

    host: str
    port: int
    security: Security
    user: str
    login: Login
    folder: str = "INBOX"
    ca_file: Path | None = None
    limit_bytes: int = 25 * MIB

    def __post_init__(self) -> None:
        check_server(self.host, self.port, self.security)
        check_login(self.user, self.login)
        if not self.folder or has_controls(self.folder):
            raise AccountInvalid(f"{self.folder!r} is not the name of a mail folder.")
        if self.limit_bytes < 1:
            raise AccountInvalid("The size limit of a message must be above zero.")

    @property
    def name(self) -> str:
        """Which mailbox this is, whatever port or password leads to it."""
        return f"{self.host}/{self.user}"

    @property
    def place(self) -> str:
        return f"the mail server {self.host}:{self.port}"
