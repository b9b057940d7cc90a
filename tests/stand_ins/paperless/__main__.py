"""`python -m tests.stand_ins.paperless`: the same as scripts/paperless, in whatever environment this is."""

from __future__ import annotations

import sys

from tests.stand_ins.paperless.command import main

sys.exit(main())
