"""What pip said, in one sentence."""

from __future__ import annotations

import platform
import re
from pathlib import Path

from flybisect.errors import UserError

_AVAILABLE = re.compile(r"from versions: ([^)]*)\)")
_PRE_RELEASE = re.compile(r"dev|rc|[ab]\d")
_NO_NETWORK = (
    "NewConnectionError",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Failed to establish a new connection",
    "Connection refused",
    "Connection aborted",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "Network is unreachable",
)


def explain(version: str, output: str, log: Path) -> UserError:
    """The UserError for a `pip install flydsl==version` that failed and printed `output`, kept in `log`."""
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return UserError(
            f"the disk is full: FlyDSL {version} takes about 300 MiB in {log.parent}; "
            "make room there, or give another folder with --workdir"
        )
    if "No module named pip" in output:
        return UserError("this Python has no pip, which installs FlyDSL releases; `python -m ensurepip`")
    listed = available(output)
    if listed and version not in listed:
        usual = [name for name in listed if not _PRE_RELEASE.search(name)]
        return UserError(
            f"there is no FlyDSL {version} for Python {platform.python_version()} on this machine's package "
            f"index; there are {', '.join(usual or listed)}"
        )
    if any(sign in output for sign in _NO_NETWORK):
        return UserError(
            f"FlyDSL {version} could not be downloaded: the package index can't be reached (log: {log}); "
            "connect, or name an index that can be reached in pip's configuration"
        )
    if "from versions: none" in output:
        return UserError(
            f"the package index has no FlyDSL at all for Python {platform.python_version()} (log: {log}); "
            "FlyDSL has wheels for Linux x86-64 and Python 3.10 and newer"
        )
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "no output")
    return UserError(f"pip could not install FlyDSL {version}: {last.strip()} (log: {log})")


def available(output: str) -> list[str]:
    """The versions that pip says there are when it does not find the one wanted, oldest first."""
    found = _AVAILABLE.search(output)
    if found is None or found[1] == "none":
        return []
    return [name.strip() for name in found[1].split(",")]
