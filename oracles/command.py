"""A shell command of the user is the interestingness test, as for `git bisect run` and C-Vise."""

from __future__ import annotations

from dataclasses import dataclass

from flybisect.errors import UserError
from flybisect.observation import Answer, Observation, Signature, Verdict
from flybisect.oracle.command_exit import answer, ended
from flybisect.oracle.plugin import (
    Evidence,
    Options,
    Oracle,
    Plugin,
)


@dataclass(frozen=True)
class CommandOracle(Oracle):
    """Interesting: the command ends with 0, and does not under the baseline (if there is one)."""

    command: str
    name: str = "command"

    def needs_baseline(self, subject: Observation) -> bool:
        return answer(subject) is Answer.INTERESTING

    def judge(self, evidence: Evidence) -> Verdict:
        found, said = answer(evidence.subject), ended(evidence.subject)
        signature = Signature("command", self.command)
        if found is not Answer.INTERESTING:
            return Verdict(found, why=f"the command ended with {said}")
        baseline = evidence.baseline
        if baseline is not None and answer(baseline) is not Answer.UNINTERESTING:
            same = answer(baseline) is Answer.INTERESTING
            why = f"under the baseline the command ended with {ended(baseline)}"
            return Verdict(Answer.UNINTERESTING if same else Answer.UNRESOLVED, signature, why=why)
        return Verdict(Answer.INTERESTING, signature, why=f"the command ended with {said}")


def build(options: Options) -> CommandOracle:
    if options.command is None:
        raise UserError(
            "the oracle command needs --command TEXT, a shell command that gets the script's path"
        )
    return CommandOracle(options.command)


PLUGIN = Plugin(
    "command",
    "--command TEXT, run with the script's path, ends with 0 (125: can't be judged; else not interesting)",
    build,
    takes=frozenset({"command"}),
)
