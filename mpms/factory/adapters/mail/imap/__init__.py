"""The mailbox that orders arrive in, over IMAP."""

from mpms.factory.adapters.mail.imap.mailbox import ImapMailbox

__all__ = ["ImapMailbox"]
