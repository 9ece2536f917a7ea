"""How the database is spoken to: connections, statements, transactions, migrations."""
