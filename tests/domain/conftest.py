"""How much is tried of each law: enough to meet the edges, and on a busy machine no test fails for being slow."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("domain", deadline=None, max_examples=80)
settings.load_profile("domain")
