#!/usr/bin/env python3
"""The interestingness test of other reducers: sends a candidate's path to the judge and passes its answer on.

    ask.py SOCKET [CANDIDATE]        0: interesting, 1: not; without a path, candidate.py in this folder

Lithium imports it and calls `interesting`. Standard library alone: it runs under the others' Python.
"""

import socket
import sys
from collections.abc import Sequence
from pathlib import Path


def interesting(arguments: Sequence[str], prefix: str = "") -> bool:
    address, candidate = arguments
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as judge:
        judge.connect(address)
        judge.sendall(str(Path(candidate).absolute()).encode() + b"\n")
        return judge.recv(1) == b"1"


if __name__ == "__main__":
    shown = interesting([sys.argv[1], *(sys.argv[2:3] or ["candidate.py"])])
    print("shows the bug" if shown else "does not")
    sys.exit(0 if shown else 1)
