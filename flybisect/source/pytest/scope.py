"""Where a test of a pytest file stands: its classes, the marks on it, and the fixtures in sight."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flybisect.source.pytest.file import Fixture, Function, TestFile, arguments


@dataclass(frozen=True)
class Scope:
    """One test with what is visible from it."""

    file: TestFile
    conftests: Sequence[TestFile]
    """The nearest first."""
    classes: list[ast.ClassDef]
    """Those around the test, the outermost first."""
    function: Function

    def bases(self) -> list[ast.ClassDef]:
        return [base for node in self.classes for base in self.file.bases(node)]

    def every_mark(self) -> list[ast.expr]:
        every = [*self.file.marks(self.function)]
        for node in reversed(self.classes):
            every += [*self.file.marks(node), *self.file.file_marks(node.body)]
        return every + self.file.file_marks(self.file.tree.body)

    def marks(self) -> Iterator[ast.Call]:
        for mark in self.every_mark():
            call = self.file.named(mark, "parametrize")
            if call is not None:
                yield call

    def layers(self) -> list[Fixture]:
        """All fixtures in sight, the nearest first."""
        inside = [id(node) for node in [*reversed(self.classes), *self.bases()]]
        own = [each for each in self.file.fixtures if each.holder is not None and id(each.holder) in inside]
        own += [each for each in self.file.fixtures if each.holder is None]
        return own + [each for file in self.conftests for each in file.fixtures]

    def fixture(self, name: str, asking: Fixture | None = None) -> Fixture | None:
        layers = [each for each in self.layers() if each.name == name]
        if asking is not None and asking in layers:
            layers = layers[layers.index(asking) + 1 :]
        return layers[0] if layers else None

    def asked(self) -> list[str]:
        """What the test itself asks for, whatever asks by being there included."""
        names = [each.name for each in reversed(self.layers()) if each.autouse]
        for mark in [*self.file.marks(self.function), *(m for c in self.classes for m in self.file.marks(c))]:
            call = self.file.named(mark, "usefixtures")
            if call is not None:
                names += [str(each.value) for each in call.args if isinstance(each, ast.Constant)]
        return list(dict.fromkeys([*names, *arguments(self.function, method=bool(self.classes))]))

    def closure(self, direct: set[str]) -> list[Fixture]:
        found: list[Fixture] = []
        waiting: list[tuple[str, Fixture | None]] = [(name, None) for name in self.asked()]
        while waiting:
            name, asking = waiting.pop(0)
            fixture = None if name in direct else self.fixture(name, asking)
            if fixture is not None and fixture not in found:
                found.append(fixture)
                waiting += [(each, fixture) for each in fixture.asks]
        return found
