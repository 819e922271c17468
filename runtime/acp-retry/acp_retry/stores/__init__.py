"""Stores for a ledger: in memory, in an SQLite file, in PostgreSQL, or in a runtime's history."""
