"""An operator's hands, gathered for the pages; every verb has a file of its own."""

from __future__ import annotations

from mpms.services.incidents.retry import retry_incident
from mpms.services.incidents.retry_many import retry_many
from mpms.services.instances.cancel import cancel_instance
from mpms.services.instances.cancel_activity import cancel_activity
from mpms.services.instances.move_token import move_token
from mpms.services.instances.restart import restart_instance
from mpms.services.instances.set_variables import set_variables
from mpms.services.instances.skip_activity import skip_activity
from mpms.services.instances.suspend import resume_instance, suspend_instance
from mpms.services.instances.undo_repair import undo_repair
from mpms.services.processes.suspend import resume_process, suspend_process

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
