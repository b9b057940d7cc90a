#!/usr/bin/env python3
"""Stands for a function: only that it is there matters."""
