"""One test of a pytest file as a plain script: the file, and at its end what pytest would have done."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from flybisect.source.edit import apply
from flybisect.source.flatten.modules import Module
from flybisect.source.fresh import fresh
from flybisect.source.pytest.collected import CollectedTest
from flybisect.source.pytest.errors import NeedsPytest, TestError
from flybisect.source.pytest.file import Fixture, TestFile, arguments
from flybisect.source.pytest.parameters import Parameters
from flybisect.source.pytest.scope import Scope
from flybisect.source.pytest.skips import guard
from flybisect.source.pytest.standins import CLASSES, IMPORTS, OTHERS, PLAIN, REQUEST
from flybisect.source.pytest.strip import stripped
from flybisect.source.pytest.values import Choice
from flybisect.source.source import Source


@dataclass(frozen=True)
class PlainTest:
    """A test as a script that may import from the `conftest.py` files."""

    text: str
    conftests: tuple[Module, ...]
    """Those that it imports from, without what it does not need."""


def plain_script(
    module: Module, test: str, conftests: Sequence[Module], collected: Sequence[CollectedTest] | None = None
) -> PlainTest:
    """`test`: `TestX::test_y[64-f16]`. `conftests`: the nearest first. `collected`: what pytest says of its
    parameters; None: they are read from the text. Raises TestError."""
    file = TestFile(module)
    path, _, wanted = test.partition("[")
    names = path.split("::")
    classes, function = file.function(names)
    if function is None:
        raise TestError(_no_such(file, module, path))
    if isinstance(function, ast.AsyncFunctionDef):
        raise TestError(f"{path} of {module.shown} is asynchronous, which needs a plugin of pytest")
    scope = Scope(file, [TestFile(each) for each in conftests], classes, function)
    writer = _ScriptWriter(scope, Parameters(scope, collected))
    return writer.plain(wanted.removesuffix("]") if wanted else None, names[-1])


def _no_such(file: TestFile, module: Module, path: str) -> str:
    tests = file.tests()
    listed = ", ".join(tests[:8]) + (", …" if len(tests) > 8 else "")
    return f"{module.shown} has no test {path}; it has {listed or 'none'}"


@dataclass
class _ScriptWriter:
    scope: Scope
    parameters: Parameters
    lines: list[str] = field(default_factory=list)
    used: list[Fixture] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    standins: dict[str, str] = field(default_factory=dict)

    # -- the script --------------------------------------------------------------------------------

    def plain(self, wanted: str | None, name: str) -> PlainTest:
        self.taken |= _identifiers(self.scope.file)
        self.lines += [
            line for mark in self.scope.every_mark() for line in guard(self.scope.file.values.dotted, mark)
        ]
        for combination in self._not_skipped(self.parameters.chosen(wanted, name)):
            self._call(combination, name)
        kept: list[ast.AST] = [
            *self.scope.classes,
            *self.scope.bases(),
            self.scope.function,
            *(each.node for each in self.used),
        ]
        text = apply(self.scope.file.module.text, stripped(self.scope.file, kept))
        used = [each for each in self.scope.conftests if any(fixture.owner is each for fixture in self.used)]
        cleaned = [self._conftest(each, kept) for each in used]
        head = [f"import {each}" for each in sorted(set(self.imports))]
        head += [
            line for each, inner in zip(used, cleaned, strict=True) for line in self._taking(each, inner)
        ]
        parts = [text.rstrip("\n"), "", *head, *self.standins.values(), *self.lines]
        return PlainTest("\n".join(parts) + "\n", tuple(cleaned))

    def _conftest(self, file: TestFile, kept: list[ast.AST]) -> Module:
        return replace(file.module, text=apply(file.module.text, stripped(file, kept)))

    def _taking(self, file: TestFile, module: Module) -> Iterator[str]:
        for name in dict.fromkeys(each.node.name for each in self.used if each.owner is file):
            yield f"from {module.name} import {name} as {self._function_name(file, name)}"

    def _function_name(self, file: TestFile, name: str) -> str:
        key = f"{file.module.name}.{name}"
        if key not in self._names:
            self._names[key] = fresh(name, self.taken)
        return self._names[key]

    def __post_init__(self) -> None:
        self._names: dict[str, str] = {}
        self.taken: set[str] = set()

    def _not_skipped(self, found: list[tuple[Choice, ...]]) -> list[tuple[Choice, ...]]:
        """Of several sets of parameters, those that pytest would run. The script ends where the only one is
        ruled out."""
        kept = [c for c in found if not any(line.startswith("raise") for each in c for line in each.guard)]
        kept = kept or found[:1]
        if len(found) == 1 or kept == found[:1]:
            self.lines += [line for choice in kept[0] for line in choice.guard]
        return kept

    # -- what pytest does --------------------------------------------------------------------------

    def _call(self, combination: tuple[Choice, ...], name: str) -> None:
        given = {key: text for choice in combination for key, text in choice.values}
        call = _Call(self, given, name)
        self.lines += call.lines()


class _Call:
    """One call of the test."""

    def __init__(self, writer: _ScriptWriter, given: dict[str, str], name: str) -> None:
        self.writer = writer
        self.given = given
        self.name = name
        self.made: dict[int, str] = {}
        self.builtin: dict[str, str] = {}
        self.before: list[str] = []
        self.behind: list[str] = []
        self.instance = ""

    def lines(self) -> list[str]:
        writer = self.writer
        self._set_up_file()
        if writer.scope.classes:
            path = ".".join(node.name for node in writer.scope.classes)
            if _is_unittest(writer.scope.classes[-1]):
                return [f"{path}({self.name!r}).debug()"]
            self.instance = self._variable("instance")
            self.before.append(f"{self.instance} = {path}()")
            for fixture in reversed(writer.scope.layers()):
                if fixture.autouse and fixture.holder is None:
                    self._value(fixture.name, None)
            self._set_up_class()
        texts = {name: self._value(name, None) for name in writer.scope.asked()}
        wanted = arguments(writer.scope.function, method=bool(writer.scope.classes))
        handed = ", ".join(f"{name}={texts[name]}" for name in wanted)
        called = f"{self.instance}.{self.name}" if self.instance else self.name
        return [*self.before, f"{called}({handed})", *self.behind]

    def _set_up_file(self) -> None:
        for node in self.writer.scope.file.tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == "setup_module":
                self.before.append("setup_module(None)" if node.args.args else "setup_module()")

    def _set_up_class(self) -> None:
        writer = self.writer
        for node in [*reversed(writer.scope.bases()), *writer.scope.classes[-1:]]:
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name in ("setup_class", "setup_method"):
                    rest = each.args.args[1:]
                    method = f"{self.instance}.{self.name}" if rest else ""
                    self.before.append(f"{self.instance}.{each.name}({method})")

    def _variable(self, wanted: str) -> str:
        names = self.writer._names
        if f"value {wanted}" not in names:
            names[f"value {wanted}"] = fresh(wanted, self.writer.taken)
        return names[f"value {wanted}"]

    def _value(self, name: str, asking: Fixture | None) -> str:
        """Text of what a test or fixture gets by a name."""
        if name in self.given:
            return self.given[name]
        fixture = self.writer.scope.fixture(name, asking)
        if fixture is not None:
            return self._made(fixture)
        return self._builtin(name, asking)

    def _made(self, fixture: Fixture) -> str:
        if id(fixture.node) in self.made:
            return self.made[id(fixture.node)]
        if isinstance(fixture.node, ast.AsyncFunctionDef):
            raise TestError(f"the fixture {fixture.name} is asynchronous, which needs a plugin of pytest")
        writer = self.writer
        handed = ", ".join(f"{name}={self._value(name, fixture)}" for name in fixture.asks)
        if fixture not in writer.used:
            writer.used.append(fixture)
        if fixture.holder is not None:
            call = f"{self.instance}.{fixture.node.name}({handed})"
        elif fixture.owner is writer.scope.file:
            call = f"{fixture.node.name}({handed})"
        else:
            call = f"{writer._function_name(fixture.owner, fixture.node.name)}({handed})"
        value = self._variable(f"{fixture.name}_value")
        if fixture.goes_on:
            steps = self._variable(f"{fixture.name}_steps")
            self.before += [f"{steps} = {call}", f"{value} = next({steps})"]
            self.behind.insert(0, f"next({steps}, None)")
        else:
            self.before.append(f"{value} = {call}")
        self.made[id(fixture.node)] = value
        return value

    def _builtin(self, name: str, asking: Fixture | None) -> str:
        writer = self.writer
        if name == "request":
            writer.imports += IMPORTS[name]
            param = "None" if asking is None else self.given.get(f"@{asking.name}", "None")
            return REQUEST.format(param=param, node=self.name)
        if name in self.builtin:
            return self.builtin[name]
        if name in PLAIN:
            writer.imports += IMPORTS[name]
            text = PLAIN[name]
        elif name in CLASSES:
            kind, template = CLASSES[name]
            known = self._variable(kind)
            writer.standins[kind] = template.format(name=known)
            text = f"{known}()"
        else:
            whose = "pytest's own" if name in OTHERS else "in none of the files that were read"
            raise NeedsPytest(
                f"{self.name} needs the fixture {name}, which is {whose} and has no replacement in a script"
            )
        variable = self._variable(f"{name}_value")
        self.before.append(f"{variable} = {text}")
        self.builtin[name] = variable
        return variable


def _is_unittest(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2] == "TestCase" for base in node.bases)


def _identifiers(file: TestFile) -> set[str]:
    source: Source = file.source
    found = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    found |= {getattr(node, "name", "") for node in ast.walk(source.tree) if isinstance(node, ast.stmt)}
    found |= {
        alias.asname or alias.name
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    return found
