"""The embedded SMTP server without its memory of replies: python plain_smtp_server.py
MAILBOXES SOCKET. A reply that is sent twice arrives twice, as on most servers."""

from __future__ import annotations

import sys

from mpms.embedded import smtp_server

if __name__ == "__main__":
    vars(smtp_server)["automatic_reply_key"] = lambda message: None
    smtp_server.main(sys.argv[1:])
