"""An operator's hands, gathered for the pages; every verb has a file of its own."""

from __future__ import annotations

from mpms.services.cancel_activity import cancel_activity
from mpms.services.cancel_instance import cancel_instance
from mpms.services.move_token import move_token
from mpms.services.restart_instance import restart_instance
from mpms.services.retry_incident import retry_incident
from mpms.services.retry_many import retry_many
from mpms.services.set_variables import set_variables
from mpms.services.skip_activity import skip_activity
from mpms.services.suspend_instance import resume_instance, suspend_instance
from mpms.services.suspend_process import resume_process, suspend_process
from mpms.services.undo_repair import undo_repair

__all__ = [
    "cancel_activity",
    "cancel_instance",
    "move_token",
    "restart_instance",
    "resume_instance",
    "resume_process",
    "retry_incident",
    "retry_many",
    "set_variables",
    "skip_activity",
    "suspend_instance",
    "suspend_process",
    "undo_repair",
]
