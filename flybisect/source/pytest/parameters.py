"""The sets of parameters that a test is run with: read from the text, or taken from what pytest collected."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flybisect.source.pytest.collected import CollectedTest, Value, element
from flybisect.source.pytest.errors import NeedsPytest, NeedsRunning, TestError
from flybisect.source.pytest.file import Fixture
from flybisect.source.pytest.scope import Scope
from flybisect.source.pytest.skips import skip
from flybisect.source.pytest.values import ANY, Choice, Unreadable, choices, named_choices

MOST = 64
"""Sets of parameters that one script calls its test with."""


@dataclass(frozen=True)
class Parameters:
    """Of one test."""

    scope: Scope
    collected: Sequence[CollectedTest] | None
    """What pytest says of them; None: they are read from the text."""

    def chosen(self, wanted: str | None, name: str) -> list[tuple[Choice, ...]]:
        if self.collected is not None:
            return self._of_collected(self.collected, wanted, name)
        marks = list(self.scope.marks())
        groups = [self._choices(mark, name) for mark in marks]
        direct = {key for group in groups for choice in group[:1] for key, _ in choice.values}
        of_fixtures = [
            self._fixture_choices(fixture)
            for fixture in self.scope.closure(direct)
            if fixture.params is not None and f"@{fixture.name}" not in direct
        ]
        orders = ([*groups, *of_fixtures], [*of_fixtures, *groups])
        if wanted is None:
            found = list(itertools.islice(itertools.product(*orders[0]), MOST + 1))
            if len(found) > MOST:
                raise TestError(f"{name} has more than {MOST} sets of parameters; name one, as {name}[…]")
            return found
        found = [c for c in itertools.product(*orders[0]) if _fits(c, wanted)]
        found = found or [c for c in itertools.product(*orders[1]) if _fits(c, wanted)]
        exact = [c for c in found if not any(ANY in each for choice in c for each in choice.ids)]
        found = exact or found
        if not found:
            raise NeedsRunning(f"{name} has no parameters called [{wanted}]{self._known_ids(orders[0])}")
        if len(found) > 1:
            raise NeedsRunning(f"[{wanted}] of {name} is ambiguous unless the file is run")
        return found

    def _of_collected(
        self, items: Sequence[CollectedTest], wanted: str | None, name: str
    ) -> list[tuple[Choice, ...]]:
        """What pytest collected."""
        ids = [item.id.partition("[")[2].removesuffix("]") for item in items]
        if wanted is not None and wanted not in ids:
            listed = ", ".join(f"[{each}]" for each in ids[:4] if each) + (", …" if len(ids) > 4 else "")
            raise TestError(f"{name} has no parameters called [{wanted}]; it has {listed or 'none'}")
        chosen = [item for item, each in zip(items, ids, strict=True) if wanted is None or each == wanted]
        if len(chosen) > MOST:
            raise TestError(f"{name} has more than {MOST} sets of parameters; name one, as {name}[…]")
        return [(self._as_choice(item),) for item in chosen]

    def _as_choice(self, item: CollectedTest) -> Choice:
        texts = [
            (key if value.direct else f"@{key}", value.text or self._expression(key, value))
            for key, value in item.values.items()
        ]
        lines = () if item.skips is None else (skip(ast.Constant(item.skips)),)
        return Choice(tuple(texts), frozenset([item.id]), lines)

    def _expression(self, key: str, value: Value) -> str:
        """A value that cannot be written, by what the file makes it with."""
        if value.direct:
            for mark in self.scope.marks():
                given = dict(zip(("argnames", "argvalues"), mark.args, strict=False))
                given.update({each.arg: each.value for each in mark.keywords if each.arg is not None})
                names = self._argument_names(given.get("argnames"))
                if key in names and "argvalues" in given:
                    return element(self.scope.file.source.segment(given["argvalues"]), value, names, key)
        else:
            fixture = self.scope.fixture(key)
            if fixture is not None and fixture.params is not None and fixture.owner is self.scope.file:
                return element(self.scope.file.source.segment(fixture.params), value, [key], key)
        raise NeedsPytest(f"the parameter {key} is a {value.kind} that cannot be written in a script")

    def _argument_names(self, node: ast.expr | None) -> list[str]:
        try:
            listed = None if node is None else self.scope.file.values.of(node)
        except Unreadable:
            return []
        if isinstance(listed, str):
            return [each.strip() for each in listed.split(",") if each.strip()]
        return [str(each) for each in listed] if isinstance(listed, (list, tuple)) else []

    def _known_ids(self, groups: list[list[Choice]]) -> str:
        few = itertools.islice(itertools.product(*groups), 4)
        ids = ["-".join(min(choice.ids) for choice in each) for each in few]
        return f"; it has {', '.join(f'[{each}]' for each in ids)}, …" if any(ids) else "; it has none"

    def _choices(self, mark: ast.Call, name: str) -> list[Choice]:
        try:
            found = choices(self.scope.file.values, mark)
            through = next((each.value for each in mark.keywords if each.arg == "indirect"), None)
            indirect = False if through is None else self.scope.file.values.of(through)
        except (Unreadable, KeyError) as error:
            raise NeedsRunning(
                f"the parameters of {name} in line {mark.lineno} cannot be read without running the file "
                f"({error})"
            ) from error
        listed = [key for key, _ in found[0].values] if indirect is True and found else indirect or ()
        return [
            replace(choice, values=tuple((f"@{k}" if k in listed else k, v) for k, v in choice.values))  # type: ignore[operator]
            for choice in found
        ]

    def _fixture_choices(self, fixture: Fixture) -> list[Choice]:
        values = fixture.owner.values
        assert fixture.params is not None
        try:
            ids = None if fixture.ids is None else values.of(fixture.ids, True)
            held = values.of(fixture.params)
            found = named_choices([fixture.name], list(held), ids)  # type: ignore[call-overload]
        except (Unreadable, TypeError) as error:
            raise NeedsRunning(
                f"the parameters of the fixture {fixture.name} cannot be read without running the file"
            ) from error
        return [replace(c, values=((f"@{fixture.name}", c.values[0][1]),)) for c in found]


def _fits(combination: tuple[Choice, ...], wanted: str) -> bool:
    """True where the ids, joined, may be the wanted one."""
    parts = ["|".join(re.escape(each).replace(re.escape(ANY), ".*") for each in c.ids) for c in combination]
    return re.fullmatch("-".join(f"(?:{part})" for part in parts), wanted, re.DOTALL) is not None
