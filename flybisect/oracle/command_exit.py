"""What the exit code of a user's command means, as in `git bisect run` and C-Vise. Pure.

0: interesting. 125: can't be judged. 126 and 127: the shell could not run the command. Any other code, or a
signal: not interesting. A command that exceeds the trial's time or memory can't be judged.
"""

from __future__ import annotations

from flybisect.observation import Answer, Observation, Outcome

SKIP = 125
NOT_RUN = (126, 127)


def answer(observation: Observation) -> Answer:
    """The judgement of a command, from its exit code or signal."""
    if observation.outcome is Outcome.OK:
        return Answer.INTERESTING
    unclear = observation.outcome not in (Outcome.EXIT, Outcome.SIGNAL)
    if unclear or observation.exit_code in (SKIP, *NOT_RUN):
        return Answer.UNRESOLVED
    return Answer.UNINTERESTING


def ended(observation: Observation) -> str:
    """The exit code, signal or limit that ended the command, and its last line of stderr, for a message."""
    if observation.outcome in (Outcome.OK, Outcome.EXIT):
        said = f"exit code {observation.exit_code}"
    elif observation.outcome is Outcome.SIGNAL:
        said = f"signal {observation.signal}"
    else:
        said = observation.outcome.value
    last = [line.strip() for line in observation.stderr.splitlines() if line.strip()][-1:]
    return f"{said}: {last[0]}" if last and observation.outcome is not Outcome.OK else said


def not_run(command: str | None, observation: Observation) -> str | None:
    """One sentence if the shell could not run the command, else None."""
    if command is None or observation.exit_code not in NOT_RUN:
        return None
    return f"the command {command!r} cannot be run ({ended(observation)})"
