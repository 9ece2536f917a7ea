"""The order reader behind a wall: a child process with limits, and its parent."""

from mpms.factory.adapters.mail.sandbox.sandbox import MailSandbox, SandboxUnavailable

__all__ = ["MailSandbox", "SandboxUnavailable"]
