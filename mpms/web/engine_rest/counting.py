"""Counts the work of others as workers of ours count theirs.

The numbers are kept in this process and told to the database every few seconds, by
whichever request comes then; a client that polls is never long in coming.
"""

from __future__ import annotations

import logging
import threading
from typing import cast

from flask import current_app

from mpms.domain.errors import MpmsError
from mpms.services.jobs.count import CountJobs
from mpms.services.jobs.handlers import Handlers
from mpms.services.jobs.run import RunJobs
from mpms.web.site.signed_in import current_desk

log = logging.getLogger(__name__)

JOBS, COUNT = "external tasks", "external tasks counted"
_alone = threading.Lock()


def current_jobs() -> RunJobs:
    """How tasks are settled; no handler is run here."""
    known, desk = current_app.extensions, current_desk()
    with _alone:
        if JOBS not in known:
            known[JOBS] = jobs = RunJobs(desk.uow, desk.advance, Handlers())
            known[COUNT] = CountJobs(desk.uow, jobs.counts)
    return cast(RunJobs, known[JOBS])


def tell_counts() -> None:
    """After a request's own transaction; what it did stands, also if this fails."""
    current_jobs()
    with _alone:
        try:
            current_app.extensions[COUNT]()
        except MpmsError as away:
            log.warning("jobs are counted later: %s", away)
