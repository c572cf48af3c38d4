"""Ending on a signal as on an error: what is open is closed, what is running is ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """Ctrl-C, or the system asks to end. Not an Exception, so that nothing takes it for an error."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_code(self) -> int:
        """As a shell has it: 130 for Ctrl-C."""
        return 128 + self.number


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, the signals raise Interrupted in the main thread. A signal that is ignored stays so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _raise)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Interrupted(number)
