"""Code of others in MPMS: what a package may add, and how it is found.

A package names one ``Plugin`` in the entry-point group ``mpms.plugins``. It may serve
topics of models, run beside a worker, follow instances, bring pages, operations of the
API, kinds of history lines, settings, tables, models and forms. What handlers need is
here; views of pages take their rights from ``mpms.web.rights``. The factory is such a
package, too.
"""

from mpms.domain.errors import BusinessError
from mpms.domain.history.kinds import Kind
from mpms.domain.incidents.kinds import IncidentKind
from mpms.domain.jobs import Deferred, Done, Job, NotYet, Reach
from mpms.domain.models.definitions import Cause
from mpms.domain.people.people import Role
from mpms.domain.tasks import Decision
from mpms.plugins.plugin import (
    INSTANCE_PARTS,
    PLACES,
    BackgroundTask,
    Link,
    MenuLine,
    Metric,
    Page,
    Plugin,
    PluginRefused,
    Remedy,
    Setting,
    Topic,
    Where,
    WorkContext,
    Working,
)
from mpms.services.instances.hooks import InstanceHooks

__all__ = [
    "INSTANCE_PARTS",
    "PLACES",
    "BackgroundTask",
    "BusinessError",
    "Cause",
    "Decision",
    "Deferred",
    "Done",
    "IncidentKind",
    "InstanceHooks",
    "Job",
    "Kind",
    "Link",
    "MenuLine",
    "Metric",
    "NotYet",
    "Page",
    "Plugin",
    "PluginRefused",
    "Reach",
    "Remedy",
    "Role",
    "Setting",
    "Topic",
    "Where",
    "WorkContext",
    "Working",
]
