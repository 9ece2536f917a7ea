"""What ``mpms migrate``, ``check``, ``models deploy`` and ``robots probe`` do."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from mpms import assets, bootstrap
from mpms.cli.database import database
from mpms.cli.models import in_a_line, model_files
from mpms.domain.errors import MpmsError
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.domain.worlds import World
from mpms.factory.ports.checks import CheckStep
from mpms.factory.settings import FactorySettings
from mpms.plugins import loading
from mpms.services.models.deploy import deploy_models
from mpms.settings import Settings


class RobotNotProbed(MpmsError):
    """The robot cannot be probed."""


class FileUnreadable(MpmsError):
    """A file cannot be read."""


class NothingToDeploy(MpmsError):
    """Name files, or a plug-in with --plugin."""


def deploy(
    settings: Settings, files: Sequence[Path], *, plugin: str | None = None
) -> int:
    """Deploy files, all or none, and say what came of it."""
    if not files and plugin is None:
        raise NothingToDeploy
    contents = {} if plugin is None else loading.models_of(plugin)
    for path in (each for given in files for each in model_files(given)):
        if path.name in contents:
            raise FileUnreadable(f"{path}: another file has this name too.")
        try:
            contents[path.name] = path.read_bytes()
        except OSError as failure:
            raise FileUnreadable(f"{path}: {failure.strerror}.") from failure
    if not contents:
        raise NothingToDeploy
    with database(settings) as url:
        bootstrap.migrate_database(url)
        services = bootstrap.connect(url)
        try:
            done = deploy_models(
                services.uow,
                services.engine,
                contents,
                by=os.environ.get("USER", "cli"),
            )
        finally:
            services.close()
    for definition in done.definitions:
        print(f"{definition.key}: version {definition.version}")
    for key in done.decisions:
        print(f"{key}: decision")
    for form in done.forms:
        print(f"{form}: form")
    for template in done.templates:
        print(f"{template}: element template")
    for file, found in done.warnings.items():
        for one in found:
            line = in_a_line(one.element, one.name, one.reason)
            print(f"warning: {file}: {line}")
    return 0


def migrate(settings: Settings) -> int:
    """Apply what is missing."""
    with database(settings) as url:
        applied = bootstrap.migrate_database(url)
    print("\n".join(applied) if applied else "The database is up to date.")
    return 0


def check(settings: Settings) -> int:
    """Say of every part whether it is there."""
    print(f"models     {len(assets.shipped_models())} files")
    world = factory_bootstrap.world_named(FactorySettings.of(settings).world)
    print(f"world      {world.name}: {len(world.places)} places,", end=" ")
    print(f"{len(world.robots)} robots")
    with database(settings) as url:
        services = bootstrap.connect(url)
        try:
            bootstrap.require_migrated(services)
            with services.uow() as tx:
                known = tx.definitions.listing()
        finally:
            services.close()
    print(f"database   reachable, {len(known)} processes deployed")
    return _check_robots(settings, world)


def _check_robots(settings: Settings, world: World) -> int:
    """Each step that fails, by robot. Nothing is told to them, so nothing moves."""
    factory = FactorySettings.of(settings)
    if factory.robots_url is None:
        print("robots     in memory; MPMS_ROBOTS_URL names real or simulated ones")
        return 0
    check = factory_bootstrap.robot_check(
        world, factory.robots_url, tls=factory.robots_tls
    )
    wrong = 0
    for info in world.robots:
        steps: list[CheckStep] = []
        check.check(info.id, steps.append)
        failed = [step for step in steps if step.ok is False]
        wrong += bool(failed)
        print(f"robot      {info.id}: {'not right' if failed else 'answers'}")
        for step in failed:
            place = str(step.values.get("topic", ""))
            print(f"           {in_a_line(step.cause, place, step.detail)}")
    return 1 if wrong else 0


def probe_robot(
    settings: Settings,
    url: str,
    *,
    profile: str,
    goal: Sequence[float],
    robot: str,
    namespace: str | None,
    timeout: float,
) -> int:
    """Drive one goal; every state with its time, as JSON."""
    from mpms.factory.adapters.robots.robots import probe

    x_m, y_m = goal
    try:
        story = probe(
            url,
            profile,
            x_m,
            y_m,
            timeout,
            robot_id=robot,
            namespace=namespace,
            tls=FactorySettings.of(settings).robots_tls,
        )
    except (ValueError, OSError) as failure:
        raise RobotNotProbed(str(failure)) from failure
    print(json.dumps(story, indent=2))
    return 0 if story["ok"] else 1
