"""Programs that stand in for servers we do not run ourselves."""
