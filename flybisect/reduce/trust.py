"""Successes that were judged without the baseline, and how far to go on such trust.

With a baseline a verdict costs two compiles. Most cuts leave the baseline as it was, so a success counts at
first without the baseline's compile. After some such successes the script is judged in full: after two at
the start, then twice as many each time that it holds, and half as many where it does not. Then the success
that broke the comparison is found by halving, and what came after it is made again without it.
"""

from __future__ import annotations

from flybisect.judge.question import Question, Questions
from flybisect.reduce.reduction_state import ReductionState
from flybisect.source.check import syntax_problem, unbound_names
from flybisect.source.merge import merge

CULPRITS = 3
"""Successes that are looked for one by one, before what came after them is given up."""


def confirm(standing: ReductionState) -> Questions[bool]:
    """Judges the best script in full. False where it is another one now, since it did not hold."""
    trail = standing.trail
    if not trail:
        return True
    reply = yield Question(standing.best)
    if reply.interesting:
        standing.confirm(reply)
        standing.end_trail(holds=True)
        return True
    texts = [standing.confirmed, *(each.text for each in trail)]
    standing.take_back()
    bad = 0
    for _ in range(CULPRITS):
        # Of what comes after `bad`, the longest part that holds on top of the best script.
        good, bad = bad, len(trail)
        while bad - good > 1:
            middle = (good + bad) // 2
            if (yield from _made(standing, texts[good], texts[middle])):
                good = middle
            else:
                bad = middle
        standing.broken += 1
        standing.failed |= trail[bad - 1].labels
        if bad == len(trail) or (yield from _made(standing, texts[bad], texts[-1])):
            bad = len(trail)
            break
    standing.broken += len(trail) - bad
    standing.end_trail(holds=False)
    standing.tell("confirmed")
    return False


def _made(standing: ReductionState, before: str, after: str) -> Questions[bool]:
    """Makes the changes between two texts in the best script, where that holds in full."""
    text = merge(before, standing.best, after)
    if syntax_problem(text) is not None or unbound_names(text) - unbound_names(after) - unbound_names(before):
        return False
    reply = yield Question(text)
    if reply.interesting:
        standing.best = text
        standing.confirm(reply)
    return reply.interesting
