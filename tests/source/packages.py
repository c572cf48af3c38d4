"""Random packages of modules that import one another, and a script over them that prints what it sees."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

POOL = ("a", "b", "c", "max", "json")
"""Few names, so that they collide; one a builtin, one a module of the standard library."""


@dataclass
class Packages:
    """Draws modules, each of which imports some of those before it."""

    draw: st.DrawFn
    files: dict[str, str] = field(default_factory=dict)
    has: dict[str, list[str]] = field(default_factory=dict)
    """Module → the integers that it binds."""
    functions: dict[str, list[str]] = field(default_factory=dict)

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def chance(self) -> bool:
        return self.draw(st.booleans())

    def name(self) -> str:
        return self.draw(st.sampled_from(POOL))

    def module(self, dotted: str, script: bool = False) -> str:
        """A module's text."""
        before = [each for each in self.has if each != dotted]
        lines = ["from __future__ import annotations"] if self.number(0, 3) == 0 else []
        lines += ['"""Says what it is."""'] if self.chance() and not lines else []
        values: list[str] = []
        known: list[str] = []
        functions: list[str] = []
        imported: list[str] = []
        if self.chance():
            lines.append("import json")
        for _ in range(self.number(1, 4)):
            if before and self.number(0, 3):
                imported += self.imports(dotted, before, known, values, functions)
                lines.append(imported[-1])
            else:
                name = self.name()
                lines.append(f"{name} = {self.number(0, 99)}")
                values.append(name)
        for at in range(self.number(0, 2)):
            ran = [each for each in before if any(_names(line, each) for line in imported)]
            lines += self.function(f"f{at}", dotted, ran, values)
            functions.append(f"f{at}")
        read = [*dict.fromkeys(values), *known]
        lines.append(f"print({', '.join([repr(dotted), *read])})")
        lines += [f"print({name}({self.number(0, 9)}))" for name in dict.fromkeys(functions)]
        if not script and self.chance():
            lines += ['if __name__ == "__main__":', "    print('never')"]
        self.has[dotted] = list(dict.fromkeys(values))
        self.functions[dotted] = list(dict.fromkeys(functions))
        return "\n".join(lines) + "\n"

    def imports(
        self, dotted: str, before: list[str], known: list[str], values: list[str], functions: list[str]
    ) -> list[str]:
        other = self.draw(st.sampled_from(before))
        form = self.number(0, 5)
        reads = [f"{{}}.{value}" for value in self.has[other]]
        if form == 0:
            known += [read.format(other) for read in reads]
            return [f"import {other}"]
        if form == 1:
            known += [read.format("m") for read in reads] if "m = 0" not in values else []
            alias = f"m{self.number(0, 1)}{len(known)}"
            known[:] = [each for each in known if not each.startswith("m.")]
            known += [read.format(alias) for read in reads]
            return [f"import {other} as {alias}"]
        if form == 2 and self.has[other]:
            name = self.draw(st.sampled_from(self.has[other]))
            new = self.name() if self.chance() else name
            values.append(new)
            return [f"from {other} import {name}" + (f" as {new}" if new != name else "")]
        if form == 3 and self.functions[other]:
            name = self.draw(st.sampled_from(self.functions[other]))
            functions.append(name)
            return [f"from {other} import {name}"]
        if form == 4:
            values += self.has[other]
            functions += self.functions[other]
            return [f"from {other} import *"]
        parent, _, last = other.rpartition(".")
        same = parent and dotted.rpartition(".")[0] == parent
        start = "." if same and self.chance() else parent
        if not start:
            return [f"import {other}"]
        known += [read.format(last) for read in reads]
        return [f"from {start} import {last}"]

    def function(self, name: str, dotted: str, ran: list[str], values: list[str]) -> list[str]:
        """`ran`: modules to import from. Others would run earlier than they did, and modules here print."""
        lines = [f"def {name}(x: int, *, y: Later = 1) -> int:" if self.chance() else f"def {name}(x, y=1):"]
        if lines[0].count("Later"):
            lines[0] = lines[0].replace("Later", "int")
        reads = ["x", "y"]
        if ran and self.chance():
            other = self.draw(st.sampled_from(ran))
            if self.has[other] and self.chance():
                value = self.draw(st.sampled_from(self.has[other]))
                lines.append(f"    from {other} import {value}")
                reads.append(value)
            else:
                lines.append(f"    import {other} as deep")
                reads += [f"deep.{value}" for value in self.has[other]]
        local = [each for each in values if each not in reads]
        if local and self.chance():
            reads.append(self.draw(st.sampled_from(local)))
        if values and self.number(0, 3) == 0:
            lines.append(f"    a = {' + '.join(reads)}" if "a" not in reads else "    pass")
            reads = ["a"] if "a" not in reads else reads
        lines.append(f'    print(f"{dotted} {{{" + ".join(reads)}}}")')
        return [*lines, f"    return {' + '.join(reads)}"]


def _names(line: str, module: str) -> bool:
    """True where an import statement makes a module run."""
    words = line.replace(",", " ").split()
    parent, _, last = module.rpartition(".")
    return module in words or (bool(parent) and words[1] in (parent, ".") and last in words[3:])


@st.composite
def packages(draw: st.DrawFn) -> dict[str, str]:
    """Path → text; `script.py` is the script."""
    writer = Packages(draw)
    files = {"pkg/__init__.py": ""}
    writer.has["pkg"] = []
    writer.functions["pkg"] = []
    for at in range(writer.number(1, 4)):
        inside = writer.chance()
        dotted = f"pkg.s{at}" if inside else f"t{at}"
        files[dotted.replace(".", "/") + ".py"] = writer.module(dotted)
    files["script.py"] = writer.module("script", script=True)
    return files
