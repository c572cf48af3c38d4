"""Signals end a command as an error does."""

from __future__ import annotations

import os
import signal

import pytest

from flybisect.cli.interrupt import Interrupted, interruptible


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_raises_and_handlers_come_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(Interrupted) as raised, interruptible():
        os.kill(os.getpid(), number)
    assert raised.value.exit_code == 128 + number
    assert str(raised.value) == number.name
    assert signal.getsignal(number) == before


def test_ignored_signal_stays_ignored() -> None:
    """As under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
