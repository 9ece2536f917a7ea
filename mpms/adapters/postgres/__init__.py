"""PostgreSQL behind the ports: connections, named queries, migrations.

``Repository`` is what stores of plug-ins derive from.
"""

from mpms.adapters.postgres.database.statements import Repository

__all__ = ["Repository"]
