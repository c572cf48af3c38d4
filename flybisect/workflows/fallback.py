"""Judging by the reduced script, and by the unreduced one where the reduced one fails otherwise.

A reduced script can use an API that an older FlyDSL lacks, or trip over another bug of it. That says
nothing about the bug that is looked for, while the unreduced script may still show it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from flybisect.bisect.observer import Observer
from flybisect.judge.requirement import compiles
from flybisect.observation import Answer, Signature
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.toolchain.model import Toolchain

Watch = Callable[[Toolchain], None]
"""Gets each FlyDSL before it is tried."""


def tells(oracle: Oracle, wanted: Signature | None, evidence: Evidence) -> bool:
    """True where the bug shows by its signature, or kernels are compiled without a failure."""
    verdict = oracle.judge(evidence)
    if verdict.answer is Answer.INTERESTING:
        return wanted is None or verdict.signature == wanted
    return verdict.answer is Answer.UNINTERESTING and compiles(evidence.subject)


class WatchedObserver(Observer):
    """Another one, with a word before each FlyDSL that is tried for the first time."""

    def __init__(self, observer: Observer, watch: Watch) -> None:
        self._observer = observer
        self._watch = watch

    @property
    def mark(self) -> str:
        return self._observer.mark

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        self._watch(older)
        return self._observer.ends(older, newer)

    def observe(self, toolchain: Toolchain) -> Evidence:
        self._watch(toolchain)
        return self._observer.observe(toolchain)

    def again(self, toolchain: Toolchain, worth: Callable[[Evidence], bool]) -> Evidence:
        return self._observer.again(toolchain, worth)


class Fallback(Observer):
    """An Observer over two others. Safe to use from several threads once the ends are known."""

    def __init__(
        self,
        reduced: Observer,
        whole: Observer | None,
        oracle: Oracle,
        wanted: Signature | None,
        watch: Watch = lambda toolchain: None,
        *,
        alone: bool = False,
    ) -> None:
        """`whole`: None to judge by the reduced script alone. `wanted`: the pinned signature. `alone`:
        `reduced` is the unreduced script, which judges everything."""
        self._reduced = reduced
        self._whole = whole
        self._judge = oracle
        self._wanted = wanted
        self._watch = watch
        self.alone = alone
        self._lock = threading.Lock()
        self.fell: dict[str, str] = {}
        """Versions of the FlyDSLs that the unreduced script was taken for, by the toolchain's key."""

    @property
    def mark(self) -> str:
        return self._reduced.mark if self._whole is None else f"{self._reduced.mark} {self._whole.mark}"

    def ends(self, older: Toolchain, newer: Toolchain) -> tuple[Evidence, Evidence]:
        self._watch(older)
        seen = self._reduced.ends(older, newer)
        if self._whole is None or all(tells(self._judge, self._wanted, each) for each in seen):
            return seen
        instead = self._whole.ends(older, newer)
        one, other = (
            self._chosen(toolchain, mine, whole)
            for toolchain, mine, whole in zip((older, newer), seen, instead, strict=True)
        )
        return one, other

    def observe(self, toolchain: Toolchain) -> Evidence:
        self._watch(toolchain)
        seen = self._reduced.observe(toolchain)
        if self._whole is None or tells(self._judge, self._wanted, seen):
            return seen
        return self._chosen(toolchain, seen, self._whole.observe(toolchain))

    def again(self, toolchain: Toolchain, worth: Callable[[Evidence], bool]) -> Evidence:
        """By the script that was taken before."""
        fell = self._whole is not None and toolchain.key in self.fell
        taken = self._whole if self._whole is not None and fell else self._reduced
        return taken.again(toolchain, worth)

    def _chosen(self, toolchain: Toolchain, mine: Evidence, whole: Evidence) -> Evidence:
        if tells(self._judge, self._wanted, mine) or not tells(self._judge, self._wanted, whole):
            return mine
        with self._lock:
            self.fell[toolchain.key] = toolchain.version
        return whole
