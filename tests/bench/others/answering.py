"""Gives flybisect's own judgement to another reducer, over a socket, and counts what it is asked."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from flybisect.judge.judge import Judge


@dataclass
class Asked:
    """What another reducer asked for. `best`: the shortest candidate that showed the bug."""

    most: int
    """Calls after which it is told to stop."""
    calls: int = 0
    distinct: int = 0
    best: str | None = None


class Answers:
    """Judges the files whose paths come in. One at a time, as all are run without parallelism."""

    def __init__(self, judge: Judge, most: int) -> None:
        self.asked = Asked(most)
        self.over = threading.Event()
        """Set once it has asked for as much as it may."""
        self._judge = judge
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def answer(self, path: Path) -> bool:
        """A file that is no text shows no bug."""
        with self._lock:
            self.asked.calls += 1
            if self.asked.calls >= self.asked.most:
                self.over.set()
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                return False
            self._seen.add(text)
            self.asked.distinct = len(self._seen)
            shown = self._judge.judge(text).interesting
            if shown and (self.asked.best is None or len(text) < len(self.asked.best)):
                self.asked.best = text
            return shown


@contextmanager
def answering(address: Path, answers: Answers) -> Iterator[None]:
    """Listens at `address` until the end of the block."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            path = Path(self.rfile.readline().decode().rstrip("\n"))
            answer = b"1" if answers.answer(path) else b"0"
            with suppress(BrokenPipeError):  # The tool did not wait for it.
                self.wfile.write(answer)

    with socketserver.UnixStreamServer(str(address), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
