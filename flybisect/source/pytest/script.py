"""One test of a pytest file as a plain script: the file, and at its end what pytest would have done."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from flybisect.source.edit import apply
from flybisect.source.flatten.modules import Module
from flybisect.source.fresh import fresh
from flybisect.source.pytest.collected import CollectedTest, Value, element
from flybisect.source.pytest.file import (
    Fixture,
    Function,
    TestFile,
    arguments,
)
from flybisect.source.pytest.skips import guard, skip
from flybisect.source.pytest.standins import (
    CLASSES,
    IMPORTS,
    OTHERS,
    PLAIN,
    REQUEST,
)
from flybisect.source.pytest.strip import stripped
from flybisect.source.pytest.values import (
    ANY,
    Choice,
    Unreadable,
    choices,
    named_choices,
)
from flybisect.source.source import Source

MOST = 64
"""Sets of parameters that one script calls its test with."""


class TestError(ValueError):
    """Why a test cannot be made a script, in one sentence."""

    __test__ = False


class NeedsRunning(TestError):
    """The text does not say it; pytest does, when it collects the file."""


class NeedsPytest(TestError):
    """The test takes something that only pytest or a plugin of it has."""


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
    writer = _ScriptWriter(file, [TestFile(each) for each in conftests], classes, function, collected)
    return writer.plain(wanted.removesuffix("]") if wanted else None, names[-1])


def _no_such(file: TestFile, module: Module, path: str) -> str:
    tests = file.tests()
    listed = ", ".join(tests[:8]) + (", …" if len(tests) > 8 else "")
    return f"{module.shown} has no test {path}; it has {listed or 'none'}"


@dataclass
class _ScriptWriter:
    file: TestFile
    conftests: Sequence[TestFile]
    classes: list[ast.ClassDef]
    function: Function
    collected: Sequence[CollectedTest] | None = None
    lines: list[str] = field(default_factory=list)
    used: list[Fixture] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    standins: dict[str, str] = field(default_factory=dict)

    # -- the script --------------------------------------------------------------------------------

    def plain(self, wanted: str | None, name: str) -> PlainTest:
        self.taken |= _identifiers(self.file)
        self.lines += [line for mark in self._every_mark() for line in guard(self.file.values.dotted, mark)]
        for combination in self._not_skipped(self._chosen(wanted, name)):
            self._call(combination, name)
        kept: list[ast.AST] = [
            *self.classes,
            *self._bases(),
            self.function,
            *(each.node for each in self.used),
        ]
        text = apply(self.file.module.text, stripped(self.file, kept))
        used = [each for each in self.conftests if any(fixture.owner is each for fixture in self.used)]
        cleaned = [self._conftest(each, kept) for each in used]
        head = [f"import {each}" for each in sorted(set(self.imports))]
        head += [
            line for each, inner in zip(used, cleaned, strict=True) for line in self._taking(each, inner)
        ]
        parts = [text.rstrip("\n"), "", *head, *self.standins.values(), *self.lines]
        return PlainTest("\n".join(parts) + "\n", tuple(cleaned))

    def _bases(self) -> list[ast.ClassDef]:
        return [base for node in self.classes for base in self.file.bases(node)]

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

    # -- parameters --------------------------------------------------------------------------------

    def _chosen(self, wanted: str | None, name: str) -> list[tuple[Choice, ...]]:
        if self.collected is not None:
            return self._told(self.collected, wanted, name)
        marks = list(self._marks())
        groups = [self._choices(mark, name) for mark in marks]
        direct = {key for group in groups for choice in group[:1] for key, _ in choice.values}
        of_fixtures = [
            self._fixture_choices(fixture)
            for fixture in self._closure(direct)
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
            raise NeedsRunning(f"[{wanted}] of {name} can't be told from others without running the file")
        return found

    def _told(
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
            for mark in self._marks():
                given = dict(zip(("argnames", "argvalues"), mark.args, strict=False))
                given.update({each.arg: each.value for each in mark.keywords if each.arg is not None})
                names = self._argument_names(given.get("argnames"))
                if key in names and "argvalues" in given:
                    return element(self.file.source.segment(given["argvalues"]), value, names, key)
        else:
            fixture = self._fixture(key)
            if fixture is not None and fixture.params is not None and fixture.owner is self.file:
                return element(self.file.source.segment(fixture.params), value, [key], key)
        raise NeedsPytest(f"the parameter {key} is a {value.kind} that cannot be written in a script")

    def _argument_names(self, node: ast.expr | None) -> list[str]:
        try:
            listed = None if node is None else self.file.values.of(node)
        except Unreadable:
            return []
        if isinstance(listed, str):
            return [each.strip() for each in listed.split(",") if each.strip()]
        return [str(each) for each in listed] if isinstance(listed, (list, tuple)) else []

    def _known_ids(self, groups: list[list[Choice]]) -> str:
        few = itertools.islice(itertools.product(*groups), 4)
        ids = ["-".join(min(choice.ids) for choice in each) for each in few]
        return f"; it has {', '.join(f'[{each}]' for each in ids)}, …" if any(ids) else "; it has none"

    def _not_skipped(self, found: list[tuple[Choice, ...]]) -> list[tuple[Choice, ...]]:
        """Of several sets of parameters, those that pytest would run. The script ends where the only one is
        ruled out."""
        kept = [c for c in found if not any(line.startswith("raise") for each in c for line in each.guard)]
        kept = kept or found[:1]
        if len(found) == 1 or kept == found[:1]:
            self.lines += [line for choice in kept[0] for line in choice.guard]
        return kept

    def _every_mark(self) -> list[ast.expr]:
        every = [*self.file.marks(self.function)]
        for node in reversed(self.classes):
            every += [*self.file.marks(node), *self.file.file_marks(node.body)]
        return every + self.file.file_marks(self.file.tree.body)

    def _marks(self) -> Iterator[ast.Call]:
        for mark in self._every_mark():
            call = self.file.named(mark, "parametrize")
            if call is not None:
                yield call

    def _choices(self, mark: ast.Call, name: str) -> list[Choice]:
        try:
            found = choices(self.file.values, mark)
            through = next((each.value for each in mark.keywords if each.arg == "indirect"), None)
            indirect = False if through is None else self.file.values.of(through)
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

    # -- fixtures ----------------------------------------------------------------------------------

    def _layers(self) -> list[Fixture]:
        """All fixtures in sight, the nearest first."""
        inside = [id(node) for node in [*reversed(self.classes), *self._bases()]]
        own = [each for each in self.file.fixtures if each.holder is not None and id(each.holder) in inside]
        own += [each for each in self.file.fixtures if each.holder is None]
        return own + [each for file in self.conftests for each in file.fixtures]

    def _fixture(self, name: str, asking: Fixture | None = None) -> Fixture | None:
        layers = [each for each in self._layers() if each.name == name]
        if asking is not None and asking in layers:
            layers = layers[layers.index(asking) + 1 :]
        return layers[0] if layers else None

    def _asked(self) -> list[str]:
        """What the test itself asks for, whatever asks by being there included."""
        names = [each.name for each in reversed(self._layers()) if each.autouse]
        for mark in [*self.file.marks(self.function), *(m for c in self.classes for m in self.file.marks(c))]:
            call = self.file.named(mark, "usefixtures")
            if call is not None:
                names += [str(each.value) for each in call.args if isinstance(each, ast.Constant)]
        return list(dict.fromkeys([*names, *arguments(self.function, method=bool(self.classes))]))

    def _closure(self, direct: set[str]) -> list[Fixture]:
        found: list[Fixture] = []
        waiting: list[tuple[str, Fixture | None]] = [(name, None) for name in self._asked()]
        while waiting:
            name, asking = waiting.pop(0)
            fixture = None if name in direct else self._fixture(name, asking)
            if fixture is not None and fixture not in found:
                found.append(fixture)
                waiting += [(each, fixture) for each in fixture.asks]
        return found

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
        if writer.classes:
            path = ".".join(node.name for node in writer.classes)
            if _is_unittest(writer.classes[-1]):
                return [f"{path}({self.name!r}).debug()"]
            self.instance = self._variable("instance")
            self.before.append(f"{self.instance} = {path}()")
            for fixture in reversed(writer._layers()):
                if fixture.autouse and fixture.holder is None:
                    self._value(fixture.name, None)
            self._set_up_class()
        texts = {name: self._value(name, None) for name in writer._asked()}
        wanted = arguments(writer.function, method=bool(writer.classes))
        handed = ", ".join(f"{name}={texts[name]}" for name in wanted)
        called = f"{self.instance}.{self.name}" if self.instance else self.name
        return [*self.before, f"{called}({handed})", *self.behind]

    def _set_up_file(self) -> None:
        for node in self.writer.file.tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == "setup_module":
                self.before.append("setup_module(None)" if node.args.args else "setup_module()")

    def _set_up_class(self) -> None:
        writer = self.writer
        for node in [*reversed(writer._bases()), *writer.classes[-1:]]:
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
        fixture = self.writer._fixture(name, asking)
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
        elif fixture.owner is writer.file:
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
            whose = "pytest's own" if name in OTHERS else "in none of the files looked at"
            raise NeedsPytest(
                f"{self.name} needs the fixture {name}, which is {whose}; nothing stands for it here"
            )
        variable = self._variable(f"{name}_value")
        self.before.append(f"{variable} = {text}")
        self.builtin[name] = variable
        return variable


def _fits(combination: tuple[Choice, ...], wanted: str) -> bool:
    """True where the ids, joined, may be the wanted one."""
    parts = ["|".join(re.escape(each).replace(re.escape(ANY), ".*") for each in c.ids) for c in combination]
    return re.fullmatch("-".join(f"(?:{part})" for part in parts), wanted, re.DOTALL) is not None


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
