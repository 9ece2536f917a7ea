"""A database of the version before plug-ins migrates with its running instances.

``before_plugins.sql.gz`` is what that version wrote: an order whose first material is
loaded, and an instance that waits in each way there is at once, one part of it stuck.
"""

import gzip
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg2

from mpms import bootstrap
from mpms.adapters.postgres.database.migrate import migrate
from mpms.adapters.postgres.database.migration_files import DIGESTS
from mpms.domain.jobs import Done
from mpms.services.incidents.retry import retry_incident
from mpms.services.instances.set_variables import set_variables
from tests.support.paint_factory import PaintFactory

HERE = Path(__file__).parent
MIGRATIONS = HERE.parents[1] / "db" / "migrations"
LAST = "0020"


def older_database(tmp_path: Path, url: str) -> None:
    directory = Path(shutil.copytree(MIGRATIONS, tmp_path / "migrations"))
    (directory / DIGESTS).unlink()
    for path in directory.glob("*.sql"):
        if path.name[:4] > LAST:
            path.unlink()
    rows = gzip.decompress((HERE / "data" / "before_plugins.sql.gz").read_bytes())
    with closing(psycopg2.connect(url)) as connection:
        migrate(connection, directory)
        with connection, connection.cursor() as cursor:
            cursor.execute(rows)


def test_instances_of_the_version_before_go_on_to_their_end(
    tmp_path: Path, create_database: Callable[..., str]
) -> None:
    url = create_database()
    older_database(tmp_path, url)
    applied = bootstrap.migrate_database(url)
    assert applied[0].startswith("0021")
    with PaintFactory(url) as factory:
        factory.handlers.add_inside("nobody.here", lambda _tx, _job: Done({"x": 1}))
        (stuck,) = factory.incidents()
        assert stuck.instance_id is not None
        values = {"gone": 1}
        set_variables(
            factory.uow, factory.advance, stuck.instance_id, values, by="a", reason="b"
        )
        retry_incident(factory.uow, factory.advance, stuck.id, by="ada")
        factory.throw("message", "paid")
        factory.clock.move(3600)
        factory.worker.settle()
        for form in factory.forms():
            if form.form is None:
                factory.submit(form.task_id, {})
        factory.confirm_everything()
        assert factory.incidents() == []
        assert factory.live_rows() == {}
        statuses = factory.rows("SELECT key, status FROM instances ORDER BY key")
        assert statuses == [
            ("everything", "completed"),
            ("pause", "completed"),
            ("warehouse", "completed"),
        ]
        assert factory.rows("SELECT status FROM orders") == [("done",)]
