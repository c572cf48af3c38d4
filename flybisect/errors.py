"""Errors that a user can cause: one clear sentence that says what to do, exit code 2."""

from __future__ import annotations


class UserError(Exception):
    """Ends the command with its message on stderr and exit code 2, without a traceback."""
