"""PostgreSQL behind the ports: connections, named queries, migrations."""
