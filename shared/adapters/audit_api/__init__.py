"""audit-callback over HTTP, for the functions that have no database."""

from shared.adapters.audit_api.client import AuditApiSettings, HttpAuditApi
from shared.adapters.audit_api.credentials import IDENTITY

__all__ = ["IDENTITY", "AuditApiSettings", "HttpAuditApi"]
