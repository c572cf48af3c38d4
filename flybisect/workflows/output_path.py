"""Where a reduced script goes: looked at before the work, so that nothing is overwritten by mistake."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from flybisect.case.case import Case
from flybisect.case.declared import CASE_FILE
from flybisect.errors import UserError


def output_path(option: Path | None, session_folder: Path, case: Case) -> Path:
    """Absolute. `NAME.min.py` in the session's folder where the command line names none.

    A link stands for what it leads to. Raises UserError when it is one of the files that the case is
    made of, is no plain file, or cannot be written.
    """
    if option is None:
        return session_folder / f"{case.script.stem}.min.py"
    path = Path(os.path.realpath(option.expanduser()))
    for what, own in _own_files(case):
        if path.exists() and own.exists() and path.samefile(own):
            raise UserError(f"-o {option} is {what}; give the result another name")
    if path.is_dir():
        raise UserError(f"-o {option} is a folder; give the name of a file")
    if path.exists() and not path.is_file():
        raise UserError(f"-o {option} is not a plain file; give the name of one")
    folder = path.parent if option.is_symlink() else option.parent
    if not path.parent.is_dir():
        raise UserError(f"-o {option}: there is no folder {folder}")
    try:
        # Permissions alone do not tell: the file system may be read-only, or none that keeps files.
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(f"-o {option}: the folder {folder} cannot be written ({error.strerror})") from error
    return path


def _own_files(case: Case) -> list[tuple[str, Path]]:
    files = [("the script itself", case.script), ("its case file", case.script.parent / CASE_FILE)]
    if case.oracle is not None and case.oracle.endswith((".py", ".yaml", ".yml")):
        files.append(("the oracle", Path(case.oracle)))
    return files
