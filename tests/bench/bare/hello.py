"""A function that does nothing."""

from __future__ import annotations

import functions_framework
from flask import Request


@functions_framework.http
def bare(_: Request) -> str:
    return "hello"
