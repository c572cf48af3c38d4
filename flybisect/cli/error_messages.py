"""Errors of the user's or the machine's as the sentence that a command ends with."""

from __future__ import annotations

import configparser
import sqlite3

from flybisect.errors import UserError
from flybisect.git.command import GitFailed


def errors_shown() -> tuple[type[Exception], ...]:
    """All others are mistakes of the program's. GitPython reads a clone's configuration with `configparser`;
    it is imported here, since that takes as long as all else that most starts need."""
    from git.exc import GitError

    return UserError, OSError, sqlite3.Error, GitError, GitFailed, configparser.Error


def one_sentence(error: BaseException) -> str:
    """The sentence, for one that is `errors_shown`."""
    from git.exc import GitCommandError, GitError

    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, sqlite3.Error):
        return f"the session's journal cannot be written: {error}"
    if isinstance(error, GitCommandError):
        said = [line.strip(" '\n") for line in str(error.stderr or error).replace("stderr:", "").splitlines()]
        lines = [line for line in said if line]
        return f"the clone of FlyDSL cannot be read: {lines[-1] if lines else 'git failed'}"
    if isinstance(error, (GitError, GitFailed, configparser.Error)):
        return f"the clone of FlyDSL cannot be read: {' '.join(str(error).split())}"
    return str(error)
