"""The command line: what each command takes is in `flybisect.cli`, what it does is elsewhere.

Exit codes: 0 done (of `check`: interesting), 1 a negative answer, 2 an error of the user's or the
machine's in one sentence, 125 cannot be judged, 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

import typer

from flybisect import __version__
from flybisect.cli.error_messages import errors_shown, one_sentence
from flybisect.cli.interrupt import Interrupted, interruptible
from flybisect.cli.lazy_group import Lazily
from flybisect.terminal.clean_text import cleaning

app = typer.Typer(
    name="flybisect",
    cls=Lazily,
    help="Minimize FlyDSL kernel scripts that show a compiler bug, and find the commit. Needs no GPU.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"flybisect {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """Options before the command."""


def main(argv: Sequence[str] | None = None) -> None:
    """Entry of the console script. Leaves by SystemExit, always."""
    given = sys.argv[1:] if argv is None else list(argv)
    _print_anything()
    with cleaning():
        _run(given)


def _run(given: Sequence[str]) -> None:
    try:
        with interruptible():
            app(args=given, prog_name="flybisect", obj=tuple(given))
    except Interrupted as interrupted:
        _fail(f"ended by {interrupted}", interrupted.exit_code)
    except errors_shown() as error:
        _fail(one_sentence(error), 2)
    finally:
        _flush()


def _flush() -> None:
    """What is still buffered, while it can be told apart that nobody reads it any more (`| head`): at
    the interpreter's own flush it would be an error that is printed and ignored."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more, into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_anything() -> None:
    """A message of the compiler, or a file's name, may hold what the terminal's encoding does not."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(sentence: str, code: int) -> None:
    print(f"flybisect: {sentence}", file=sys.stderr)
    raise SystemExit(code)
