"""With which certificates a robot or a broker is spoken to.

An authority's file checks the other end; without one it is checked with those of the
system. A certificate and its key say who we are, where the other end asks for it.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path


class TlsUnusable(ValueError):
    """Files of certificates that are missing or do not belong together."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None
    """Of the certificate; None if its file has it, too."""

    def check(self) -> None:
        """TlsUnusable names the file."""
        if self.key_file is not None and self.cert_file is None:
            raise TlsUnusable(f"key {self.key_file} is given without its certificate")
        for file in (self.ca_file, self.cert_file, self.key_file):
            if file is not None and not file.is_file():
                raise TlsUnusable(f"certificate file {file} does not exist")
        try:
            self.context()
        except (ssl.SSLError, OSError) as cause:
            given = (self.ca_file, self.cert_file, self.key_file)
            files = ", ".join(str(file) for file in given if file is not None)
            text = f"certificates in {files} cannot be used: {cause}"
            raise TlsUnusable(text) from None

    def context(self) -> ssl.SSLContext:
        made = ssl.create_default_context(cafile=self.ca_file)
        if self.cert_file is not None:
            # An empty password: a key that needs one fails instead of asking.
            made.load_cert_chain(self.cert_file, self.key_file, password="")
        return made


SYSTEM = TlsFiles()
