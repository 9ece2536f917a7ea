"""Deployed processes: the cockpit's pages, suspended, started when due."""
