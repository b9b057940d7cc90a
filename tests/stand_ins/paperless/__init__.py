"""A Paperless-ngx server of our own making that behaves as the real ones were recorded."""
