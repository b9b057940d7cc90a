"""Paperless-ngx over HTTP: `transport` speaks, `archive` asks."""
