"""The rules on their own: no store, no server, no clock but the one a test holds."""
