"""`flybisect sessions` and `flybisect show`."""

from __future__ import annotations

from pathlib import Path

import typer

from flybisect.cli import options
from flybisect.cli import session_options as about
from flybisect.session.listing import session_named
from flybisect.session.listing import sessions as all_of
from flybisect.terminal.json_output import print_json
from flybisect.terminal.sessions import as_dict, print_session, print_sessions
from flybisect.workflows.prepare import workdir_of


def sessions(workdir: options.Workdir = None, json: options.Json = False) -> None:
    """List the sessions there are, the latest last."""
    found = all_of(workdir_of(workdir, Path.cwd()))
    if json:
        print_json({"sessions": [as_dict(entry) for entry in found]})
    else:
        print_sessions(found)


def show(
    session: about.SessionName = None, workdir: options.Workdir = None, json: options.Json = False
) -> None:
    """Show what a session came to."""
    found = session_named(session, workdir_of(workdir, Path.cwd()))
    if json:
        print_json({**as_dict(found), "result": found.result})
    else:
        print_session(found)


def add_to(app: typer.Typer) -> None:
    app.command()(sessions)
    app.command()(show)
