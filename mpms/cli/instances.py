"""What ``mpms instances`` does: look at instances and repair them, answers in JSON."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from mpms import bootstrap
from mpms.cli.database import plain, who, with_services
from mpms.cli.starts import VariableUnreadable
from mpms.domain.errors import MpmsError
from mpms.domain.incidents.incidents import Incident, IncidentFilter
from mpms.domain.instances.instances import InstanceStatus, Suspension
from mpms.domain.numbers import NumberTooLarge, finite
from mpms.services.history.delete import delete_history
from mpms.services.history.export import export_history
from mpms.services.history.window import Window
from mpms.services.instances import repair
from mpms.services.instances.migrate import migrate_instances, plan_migration
from mpms.services.instances.show import find_task, show_instance
from mpms.settings import Settings

Services = bootstrap.Services
Told = tuple[object, bool]  # what is printed, and whether all went well


USUAL_WINDOW = timedelta(days=7)


class NotAPair(MpmsError):
    """Write it as NAME=VALUE."""


class NotWritten(MpmsError):
    """A file cannot be written."""


def run(settings: Settings, *, action: str, **options: Any) -> int:
    """Print what an action did; 1 if a part of it could not be done."""
    good: list[bool] = []

    def use(services: Services) -> None:
        told, well = ACTIONS[action](services, Namespace(**options))
        print(json.dumps(told, ensure_ascii=False, indent=2, default=str))
        good.append(well)

    with_services(settings, use)
    return 0 if all(good) else 1


def list_(services: Services, asked: Namespace) -> Told:
    """Instances, the newest first."""
    with services.uow() as tx:
        found = tx.instances.find(
            key=asked.process,
            version=asked.version,
            status=None if asked.status is None else InstanceStatus(asked.status),
            business_key=asked.key,
            suspended=True if asked.suspended else None,
            troubled=True if asked.incidents else None,
            limit=asked.limit,
        )
    lines = [asdict(line) | {"suspended": _shown(line.suspended)} for line in found]
    return lines, True


def show(services: Services, asked: Namespace) -> Told:
    """One instance with its tokens, variables and incidents."""
    view = show_instance(services.uow, services.engine, asked.instance)
    instance = view.instance
    return {
        "id": instance.id,
        "process": instance.key,
        "version": view.version,
        "key": instance.business_key,
        "status": str(instance.status),
        "suspended": _shown(instance.suspended),
        "started_at": instance.started_at.isoformat(),
        "ended_at": None
        if instance.ended_at is None
        else instance.ended_at.isoformat(),
        "parent": None if instance.parent is None else instance.parent.instance_id,
        "restarted_from": instance.restarted_from,
        "called": list(view.children),
        "variables": {} if instance.snapshot is None else instance.snapshot.variables,
        "tokens": [asdict(token) for token in view.tokens],
        "incidents": [_incident(incident) for incident in view.incidents],
    }, True


def export(services: Services, asked: Namespace) -> Told:
    """Write the history of a process to a file, which has its name once it is whole."""
    until = asked.until or services.clock.now()
    since = asked.since or until - USUAL_WINDOW
    window = Window(asked.process, since, until)
    pieces = export_history(services.uow, services.engine, window, form=asked.format)
    out = Path(asked.out)
    half = out.with_name(f"{out.name}.part")
    try:
        with half.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        half.replace(out)
    except OSError as failure:
        raise NotWritten(f"{out}: {failure.strerror}.") from failure
    finally:
        half.unlink(missing_ok=True)
    told = {"since": since.isoformat(), "until": until.isoformat()}
    return {"file": str(out), "bytes": out.stat().st_size, **told}, True


def retry(services: Services, asked: Namespace) -> Told:
    """Incidents by their numbers, or all that fit."""
    if asked.incidents:
        failed: dict[str, str] = {}
        for number in asked.incidents:
            try:
                repair.retry_incident(
                    services.uow,
                    services.advance,
                    number,
                    by=who(),
                    reason=asked.reason,
                )
            except MpmsError as failure:
                failed[str(number)] = str(failure)
        done = [n for n in asked.incidents if str(n) not in failed]
        return {"retried": done, "failed": failed}, not failed
    before = None
    if asked.older_than is not None:
        before = services.clock.now() - timedelta(seconds=asked.older_than)
    which = IncidentFilter(asked.kind, asked.text, asked.element, asked.process, before)
    results = repair.retry_many(
        services.uow,
        services.advance,
        which,
        by=who(),
        reason=asked.reason,
        progress=_progress,
    )
    return [asdict(r) for r in results], all(r.error is None for r in results)


def set_(services: Services, asked: Namespace) -> Told:
    task = asked.task and _task(services, asked.instance, asked.task)
    repair.set_variables(
        services.uow,
        services.advance,
        asked.instance,
        _values(asked.variables),
        removed=asked.remove,
        task_id=task,
        **_signed(asked),
    )
    return show(services, asked)


def skip(services: Services, asked: Namespace) -> Told:
    repair.skip_activity(
        services.uow,
        services.advance,
        asked.instance,
        _task(services, asked.instance, asked.task),
        variables=_values(asked.variables),
        **_signed(asked),
    )
    return show(services, asked)


def move(services: Services, asked: Namespace) -> Told:
    repair.move_token(
        services.uow,
        services.advance,
        asked.instance,
        _task(services, asked.instance, asked.task),
        asked.element,
        **_signed(asked),
    )
    return show(services, asked)


def cancel_activity(services: Services, asked: Namespace) -> Told:
    repair.cancel_activity(
        services.uow,
        services.advance,
        asked.instance,
        _task(services, asked.instance, asked.task),
        **_signed(asked),
    )
    return show(services, asked)


def cancel(services: Services, asked: Namespace) -> Told:
    repair.cancel_instance(
        services.uow,
        services.advance,
        asked.instance,
        completed_manually=asked.completed_manually,
        **_signed(asked),
    )
    return show(services, asked)


def suspend(services: Services, asked: Namespace) -> Told:
    return _stop_or_go(
        asked,
        lambda key: repair.suspend_process(
            services.uow, key, instances=asked.with_instances, **_signed(asked)
        ),
        lambda one: repair.suspend_instance(services.uow, one, **_signed(asked)),
    )


def resume(services: Services, asked: Namespace) -> Told:
    return _stop_or_go(
        asked,
        lambda key: repair.resume_process(
            services.uow, key, instances=asked.with_instances, **_signed(asked)
        ),
        lambda one: repair.resume_instance(services.uow, one, **_signed(asked)),
    )


def _stop_or_go(
    asked: Namespace, process: Callable[[str], int], instance: Callable[[str], None]
) -> Told:
    told: dict[str, object] = {}
    if asked.process is not None:
        told |= {"process": asked.process, "instances": process(asked.process)}
    failed: dict[str, str] = {}
    for one in asked.instances:
        try:
            instance(one)
        except MpmsError as failure:
            failed[one] = str(failure)
    done = [one for one in asked.instances if one not in failed]
    return told | {"done": done, "failed": failed}, not failed


def restart(services: Services, asked: Namespace) -> Told:
    new = repair.restart_instance(
        services.uow,
        services.advance,
        asked.instance,
        asked.elements,
        variables=_values(asked.variables),
        latest=asked.latest,
        **_signed(asked),
    )
    return show(services, Namespace(instance=new))


def migrate(services: Services, asked: Namespace) -> Told:
    """The plan, or what became of each instance."""
    choice: dict[str, Any] = {
        "from_version": asked.from_version,
        "instance_ids": asked.instances or None,
        "renamed": dict(_pair(text) for text in asked.rename),
    }
    if asked.plan:
        plan = plan_migration(
            services.uow, services.engine, asked.process, asked.to, **choice
        )
        lines = [asdict(p) | {"can_go": p.can_go} for p in plan]
        return lines, all(p.can_go for p in plan)
    results = migrate_instances(
        services.uow,
        services.advance,
        asked.process,
        asked.to,
        **choice,
        **_signed(asked),
        progress=_progress,
    )
    return [asdict(r) for r in results], all(r.error is None for r in results)


def purge(services: Services, asked: Namespace) -> Told:
    before = services.clock.now() - timedelta(days=asked.older_than)
    counts = delete_history(
        services.uow,
        services.clock,
        before,
        dry_run=asked.dry_run,
        **_signed(asked),
    )
    told = {"before": before.isoformat(), "dry_run": asked.dry_run, **asdict(counts)}
    return told, True


ACTIONS: dict[str, Callable[[Services, Namespace], Told]] = {
    "list": list_,
    "show": show,
    "export": export,
    "set": set_,
    "skip": skip,
    "move": move,
    "cancel-activity": cancel_activity,
    "cancel": cancel,
    "suspend": suspend,
    "resume": resume,
    "restart": restart,
    "retry": retry,
    "migrate": migrate,
    "purge": purge,
}


def _signed(asked: Namespace) -> dict[str, Any]:
    return {"by": who(), "reason": plain(asked.reason)}


def _task(services: Services, instance: str, named: str) -> str:
    return find_task(services.uow, services.engine, instance, named)


def _values(texts: list[str]) -> dict[str, Any]:
    """NAME=VALUE; a value that is no JSON is a text."""
    values: dict[str, Any] = {}
    for text in texts:
        name, value = _pair(text)
        try:
            values[name] = json.loads(value, parse_float=finite)
        except NumberTooLarge as failure:
            raise VariableUnreadable(f"{name}: {failure}.") from None
        except ValueError:
            values[name] = value
    return values


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = plain(text).partition("=")
    if not sign or not name:
        raise NotAPair(f"{text!r}: write it as NAME=VALUE.")
    return name, value


def _shown(suspension: Suspension | None) -> dict[str, Any] | None:
    return None if suspension is None else asdict(suspension)


def _incident(incident: Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "kind": incident.kind,
        "message": incident.message,
        "task": incident.task_id,
        "element": incident.element,
        "opened_at": incident.opened_at.isoformat(),
    }


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total}", end="" if done < total else "\n", file=sys.stderr)
