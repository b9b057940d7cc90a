"""PostgreSQL: connections, migrations, and the ledger of what was archived."""
