"""Run a program as on a kernel that allows less: `lesser_kernel.py [namespaces] [landlock] -- PROGRAM ARGS`.

What is named is taken away by a filter of system calls, as a container's profile does it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

from flybisect.probe.inside import kernel, syscalls

LANDLOCK_CREATE_RULESET = 444


def take_away(means: list[str]) -> None:
    column, _ = syscalls._MACHINES[os.uname().machine]
    steps = [syscalls._step(syscalls._LOAD, 0)]
    if "namespaces" in means:
        for number in (syscalls._UNSHARE[column], syscalls._CLONE[column]):
            refused = syscalls._step(syscalls._ANY_BIT, syscalls._NAMESPACES, 0, 1)
            steps += syscalls._when(number, 0, [refused])
    if "landlock" in means:
        steps += [
            syscalls._step(syscalls._EQUAL, LANDLOCK_CREATE_RULESET, 0, 1),
            syscalls._fail(errno.EOPNOTSUPP),
        ]
    code = b"".join([*steps, syscalls._step(syscalls._RETURN, syscalls._ALLOW)])
    buffer = ctypes.create_string_buffer(code, len(code))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    syscalls._install(syscalls._Program(length=len(code) // 8, code=ctypes.addressof(buffer)))


if __name__ == "__main__":
    at = sys.argv.index("--")
    take_away(sys.argv[1:at])
    os.execv(sys.argv[at + 1], sys.argv[at + 1 :])
