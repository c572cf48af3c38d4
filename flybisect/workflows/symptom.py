"""The script for the symptom, beside that for the cause.

A reduction that follows a figure may lose what the oracle had found: spills go away with the code, while each
read still has a base register of its own. Every success on the way is looked at by the oracle as well, which
takes no compile, and the smallest one that still shows the symptom is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flybisect.judge.judge import Judge
from flybisect.oracle.differences import Difference
from flybisect.oracle.follow import Following
from flybisect.oracle.plugin import Evidence, Oracle
from flybisect.reduce.reduction_state import ReductionStep
from flybisect.session.session import Session
from flybisect.source.source import count_statements

Notice = Callable[[ReductionStep], None]


@dataclass(frozen=True)
class Followed:
    """The figure that a reduction followed, and what became of the oracle's own finding."""

    difference: Difference
    """In the unreduced script."""
    symptom: str
    """The oracle that found the bug."""
    left: bool
    """The reduced script shows the symptom, too."""
    script: Path | None = None
    """The smallest script seen that shows the symptom; None if the reduced one does, or none is known."""
    statements: int | None = None
    """Of that script."""

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            **self.difference.to_dict(),
            "symptom": self.symptom,
            "symptom_left": self.left,
            "symptom_script": None if self.script is None else str(self.script),
            "symptom_statements": self.statements,
        }


class SymptomKeeper:
    """Watches one reduction. Without a figure to follow it does nothing."""

    def __init__(self, judge: Judge, session: Session) -> None:
        self._judge = judge
        self._session = session
        self._following = following_of(judge)
        self._smallest: str | None = None
        self._seen: str | None = None

    def noting(self, notice: Notice) -> Notice:
        """The same function, which also looks at each better script."""
        if self._following is None:
            return notice
        oracle = self._following.symptom

        def note(step: ReductionStep) -> None:
            if step.confirmed and step.text != self._seen:
                self._seen = step.text
                self._look(step.text, oracle)
            notice(step)

        return note

    def _look(self, text: str, oracle: Oracle) -> None:
        evidence = self._judge.recalled(text)
        if evidence is not None and shows(oracle, evidence, self._judge):
            self._smallest = text
            self._session.save_symptom(text)

    def followed(self, reduced: Evidence) -> Followed | None:
        """What a result says of it. `reduced`: what the reduced script shows."""
        following = self._following
        if following is None:
            return None
        left = shows(following.symptom, reduced, self._judge)
        found = Followed(following.difference, following.symptom.name, left)
        if left or self._smallest is None:
            return found
        path = self._session.symptom_path
        return replace(found, script=path, statements=count_statements(self._smallest))


def following_of(judge: Judge) -> Following | None:
    """The oracle of a judge whose unreduced script has run; None if it follows no figure."""
    return judge.oracle if isinstance(judge.oracle, Following) else None


def shows(oracle: Oracle, evidence: Evidence, judge: Judge) -> bool:
    """Whether a script shows what an oracle looks for, compared with the unreduced one."""
    return oracle.judge(replace(evidence, first=judge.first)).interesting
