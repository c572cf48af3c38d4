"""What single hints make of a script."""

from __future__ import annotations

from collections.abc import Iterator

from flybisect.reduce.hint import DynamicFacts, Hint, Pass
from flybisect.source.cut import carry_out, close
from flybisect.source.liveness import Liveness
from flybisect.source.scopes import Statements
from flybisect.source.source import Source
from flybisect.source.substitute import Substitutes


def candidates(each: Pass, text: str, facts: DynamicFacts | None = None) -> Iterator[tuple[Hint, str]]:
    """Each hint of a pass with the text that it alone gives."""
    facts = DynamicFacts() if facts is None else facts
    table = Statements(Source(text))
    for hint in each.hints(table, facts):
        yield hint, carry_out(table, close(table, hint.cut, Substitutes(table, facts.kinds)))


def texts(each: Pass, text: str, facts: DynamicFacts | None = None) -> list[str]:
    return [candidate for _, candidate in candidates(each, text, facts)]


def whole(each: Pass, text: str, facts: DynamicFacts | None = None) -> list[str]:
    """The texts with what nothing reads any more gone, as a reduction tries them."""
    facts = DynamicFacts() if facts is None else facts
    table = Statements(Source(text))
    cuts = [close(table, hint.cut, Substitutes(table, facts.kinds)) for hint in each.hints(table, facts)]
    return [carry_out(table, Liveness(table).with_unread(cut)) for cut in cuts]
