"""Random scripts of the form that kernel scripts have: all names bound, all values integers.

They import `toy` (see `modules/toy.py`), run without an error, and print what they compute. Their
layout is as mixed as that of people's scripts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

WORDS = ("acc", "tile", "row", "größe", "k", "scale")
REMARKS = ("# why", "# größer als nötig – 漢字", "#!: odd, 'quoted' (bracketed", "# a = 1; b")

Form = Callable[[int, list[str], int], None]
"""Writes a statement: depth, known names, how deep blocks may still nest."""


@dataclass
class Writer:
    """Draws one script."""

    draw: st.DrawFn
    step: str
    """One step of indentation."""
    lines: list[str] = field(default_factory=list)
    fresh: int = 0
    helpers: list[str] = field(default_factory=list)
    outer: int = 0
    """How many of the known names are bound outside of the function that is being written."""
    needle: bool = False

    # -- drawing -------------------------------------------------------------------------------

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def maybe(self, one_in: int = 3) -> bool:
        return self.number(1, one_in) == one_in

    def name(self) -> str:
        self.fresh += 1
        return f"{self.pick(*WORDS)}{self.fresh}"

    def write(self, depth: int, text: str) -> None:
        remark = f"  {self.pick(*REMARKS)}" if self.maybe(6) and not text.endswith(("\\", '"""')) else ""
        self.lines.append(f"{self.step * depth}{text}{remark}")

    def gap(self) -> None:
        self.lines += [""] * self.number(0, 2)

    # -- expressions ---------------------------------------------------------------------------

    def value(self, known: list[str], depth: int = 2) -> str:
        """An expression over the known names."""
        if depth == 0 or self.maybe(4):
            return self.pick(*known[-4:], str(self.number(0, 64)), "toy.thread_idx.x")
        left, right = self.value(known, depth - 1), self.value(known, depth - 1)
        forms = [
            f"({left} + {right})",
            f"({left}) * {right} % 97",
            f"toy.mix({left}, {right})",
            f"toy.mix({left}, third={right})",
            f"({left} if {right} else {self.value(known, 0)})",
            f"sum([i + {left} for i in range(3)])",
            f"(lambda x: x + {left})({right})",
        ]
        forms += [f"{helper}({left}, {right})" for helper in self.helpers[-2:]]
        return self.pick(*forms)

    # -- statements ----------------------------------------------------------------------------

    def block(self, depth: int, known: list[str], nesting: int) -> None:
        """At least one statement; the names it binds are known in it alone."""
        inner = list(known)
        for _ in range(self.number(1, 4)):
            self.statement(depth, inner, nesting)

    def statement(self, depth: int, known: list[str], nesting: int) -> None:
        simple: list[Form] = [self.assign, self.assign, self.parallel, self.effect, self.spread, self.augment]
        simple += [self.joined, self.string, self.short_if, self.walrus]
        compound: list[Form] = [
            self.branches,
            self.loop,
            self.within,
            self.attempt,
            self.inner_function,
            self.choice,
        ]
        forms = simple + compound * (nesting > 0)
        self.draw(st.sampled_from(forms))(depth, known, nesting)

    def assign(self, depth: int, known: list[str], nesting: int) -> None:
        value, name = self.value(known), self.name()
        annotation = self.pick("", "", ": int")
        self.write(depth, f"{name}{annotation} = {value}")
        known.append(name)

    def parallel(self, depth: int, known: list[str], nesting: int) -> None:
        values = [self.value(known, 1) for _ in range(self.number(2, 3))]
        names = [self.name() for _ in values]
        form = self.pick("{} = {}", "({}) = {}", "{} = ({})", "{}, = {},")
        self.write(depth, form.format(", ".join(names), ", ".join(values)))
        known += names

    def effect(self, depth: int, known: list[str], nesting: int) -> None:
        call = self.pick("toy.note({})", "toy.note(f'{{{}}}')", "toy.note('({{', {})", "toy.mix({},)")
        self.write(depth, call.format(self.pick(*known)))

    def spread(self, depth: int, known: list[str], nesting: int) -> None:
        value = [self.value(known, 1) for _ in range(3)]
        name = self.name()
        self.write(depth, f"{name} = toy.mix(")
        if self.maybe():
            self.lines.append(f"{self.step * (depth + 1)}{self.pick(*REMARKS)}")
        self.write(depth + 1, f"{value[0]},")
        self.write(depth + 1, f"({value[1]}),")
        self.write(depth + 1, f"third={value[2]}{self.pick('', ',')}")
        self.write(depth, ")")
        known.append(name)

    def augment(self, depth: int, known: list[str], nesting: int) -> None:
        if len(known) > self.outer:
            self.write(depth, f"{known[-1]} += {self.value(known, 1)}")
        else:
            self.assign(depth, known, nesting)

    def joined(self, depth: int, known: list[str], nesting: int) -> None:
        first, second = self.name(), self.name()
        value, other = self.value(known, 1), self.value([*known, first], 1)
        end = self.pick("", ";", f"; toy.note({second})")
        self.write(depth, f"{first} = {value};{self.pick('', ' ')}{second} = {other}{end}")
        known += [first, second]

    def string(self, depth: int, known: list[str], nesting: int) -> None:
        name = self.name()
        self.lines += [f'{self.step * depth}{name} = """ä (', "  # no comment", f'{self.step}x = 1; ) """']
        self.write(depth, f"toy.note(len({name}))")

    def walrus(self, depth: int, known: list[str], nesting: int) -> None:
        name = self.name()
        self.write(depth, f"toy.note(({name} := {self.value(known, 1)}), {name})")
        known.append(name)

    def short_if(self, depth: int, known: list[str], nesting: int) -> None:
        name = self.name()
        self.write(depth, f"{name} = 0")
        self.write(depth, f"if {self.value(known, 1)}: {name} = {self.value(known, 1)}")
        if self.maybe():
            self.write(depth, f"else: {name} = 1; toy.note({name})")
        known.append(name)

    def branches(self, depth: int, known: list[str], nesting: int) -> None:
        self.write(depth, f"if {self.value(known, 1)} > {self.number(0, 9)}:")
        self.block(depth + 1, known, nesting - 1)
        for _ in range(self.number(0, 2)):
            self.write(depth, f"elif {self.value(known, 1)} == 3:")
            self.block(depth + 1, known, nesting - 1)
        if self.maybe(2):
            self.write(depth, "else:")
            self.block(depth + 1, known, nesting - 1)

    def loop(self, depth: int, known: list[str], nesting: int) -> None:
        name = self.name()
        bounds = self.pick("range(3)", "toy.range_constexpr(1, 4)", "(2, 1)", "range_constexpr(2)")
        self.write(depth, f"for {name} in {bounds}:")
        self.block(depth + 1, [*known, name], nesting - 1)
        if self.maybe(4):
            self.write(depth + 1, f"if {name}: {self.pick('break', 'continue')}")
        if self.maybe(5):
            self.write(depth, "else:")
            self.block(depth + 1, known, nesting - 1)

    def within(self, depth: int, known: list[str], nesting: int) -> None:
        first, second = self.name(), self.name()
        head = self.pick(
            "with toy.region():",
            f"with toy.region(2) as {first}:",
            f"with toy.region() as {first}, toy.region({first}) as {second}:",
        )
        self.write(depth, head)
        self.block(depth + 1, [*known, *(n for n in (first, second) if n in head)], nesting - 1)

    def attempt(self, depth: int, known: list[str], nesting: int) -> None:
        self.write(depth, "try:")
        self.block(depth + 1, known, nesting - 1)
        handled = self.maybe(2)
        if handled:
            self.write(depth, "except ZeroDivisionError as error:")
            self.write(depth + 1, "toy.note(error)")
        if not handled or self.maybe():
            self.write(depth, "finally:")
            self.block(depth + 1, known, nesting - 1)

    def choice(self, depth: int, known: list[str], nesting: int) -> None:
        name = self.name()
        self.write(depth, f"match {self.value(known, 1)}:")
        self.write(depth + 1, "case 0 | 1:")
        self.block(depth + 2, known, nesting - 1)
        self.write(depth + 1, f"case {name}:")
        self.block(depth + 2, [*known, name], nesting - 1)

    def inner_function(self, depth: int, known: list[str], nesting: int) -> None:
        function, parameter = self.name(), self.name()
        default = f", gain={self.value(known, 1)}" if self.maybe() else ", gain=2"
        self.write(depth, f"def {function}({parameter}{default}):")
        inside, around = [*known, parameter], self.outer
        self.outer = len(known)
        self.statement(depth + 1, inside, 0)
        self.outer = around
        self.write(depth + 1, f"return {self.value(inside, 1)} + gain")
        value = self.name()
        self.write(depth, f"{value} = {function}({self.value(known, 1)})")
        known.append(value)

    # -- the whole -----------------------------------------------------------------------------

    def helper(self) -> None:
        name = self.name()
        self.gap()
        self.write(0, f"def {name}(a, b: int = 2, *, c=SIZE):")
        if self.maybe():
            self.lines.append(f'{self.step}"""Doc of it,\n\n{self.step}in three lines."""')
        known = ["a", "b", "c"]
        for _ in range(self.number(0, 2)):
            self.statement(1, known, 1)
        self.write(1, f"return {self.value(known)}")
        self.helpers.append(name)

    def kernel(self) -> None:
        self.gap()
        if self.maybe():
            self.lines += [
                "@toy.kernel(",
                f"{self.step}size=[SIZE, 1],  # lanes",
                f"{self.step}hints={{}},",
                ")",
            ]
        else:
            self.write(0, self.pick("@toy.kernel", "@toy.kernel()", "@toy.kernel(size=(64, 1))"))
        self.write(0, "def compute(A: int, B: int, C=3):")
        known, self.outer = ["SIZE", "M", "A", "B", "C"], 2
        count = self.number(1, 6)
        place = self.number(0, count - 1)
        for at in range(count):
            self.statement(1, known, 2)
            if self.needle and at == place:
                self.write(1, f"toy.needle({self.value(known, 1)})")
        self.write(1, f"toy.note({self.value(known)})")

    def script(self) -> list[str]:
        if self.maybe():
            self.lines += ['"""What it is for.', "", "Größe: über 4", '"""']
        self.write(0, "import os, sys" if self.maybe() else "import os")
        self.write(0, "import toy")
        self.write(0, self.pick("from toy import range_constexpr, mix as blend", "from toy import *"))
        self.gap()
        self.write(0, f"SIZE = {self.pick('64', '128')}")
        self.write(0, "M, N = 4, SIZE * 2")
        for _ in range(self.number(0, 2)):
            self.helper()
        self.kernel()
        self.gap()
        self.write(0, "@toy.jit")
        self.write(0, "def launch(A, B, stream=None):")
        self.write(1, "compute(A, B).launch(grid=(1, 1, 1), block=(SIZE, 1, 1))")
        self.gap()
        self.write(0, self.pick("launch(M, 2)", "if __name__ == '__main__':\n" + self.step + "launch(M, 2)"))
        return self.lines


@st.composite
def scripts(draw: st.DrawFn, needle: bool = False, plain: bool = False) -> str:
    """A script; with a call of `toy.needle` in its kernel; `plain` with four spaces and `\\n` alone."""
    step = "    " if plain else draw(st.sampled_from(["    ", "  ", "\t"]))
    end = "\n" if plain else draw(st.sampled_from(["\n", "\n", "\r\n"]))
    lines = Writer(draw, step, needle=needle).script()
    text = "\n".join(lines) + ("" if draw(st.integers(1, 5)) == 1 else "\n")
    return text.replace("\n", end)
