"""The one thumbnail every document gets: a single white pixel."""

from __future__ import annotations

import base64

THUMBNAIL = base64.b64decode("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
