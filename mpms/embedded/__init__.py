"""What a fresh machine lacks, started by us: PostgreSQL and mail servers."""
